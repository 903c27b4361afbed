"""Validation losses over the steps, a panel for each task and a line for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.plots.style import encoder_color, legend, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def learning_curves(frame: pd.DataFrame) -> Figure:
    """A panel for each task, a line for each run in the colour of its encoder.

    Parameters
    ----------
    frame : DataFrame [task, encoder, run, step, loss]
    """
    tasks = list(frame.groupby("task", sort=False))
    figure, axes = panels(len(tasks), columns=3, width=4.4, height=3.0, share=False)
    for (task, rows), ax in zip(tasks, axes, strict=True):
        for (encoder, _), run in rows.groupby(["encoder", "run"], sort=False):
            ax.plot(run.step, run.loss, color=encoder_color(encoder), lw=0.9, label=encoder)
        ax.set(yscale="log", xlabel="step", ylabel="validation loss")
        ax.set_title(task if len(task) < 60 else f"{task[:57]}…", fontsize=8.5)
    legend(figure, axes)
    return figure
