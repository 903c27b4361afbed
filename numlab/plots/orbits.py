"""Planets on their orbits: where they are, and where a model puts them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from numlab.plots.style import encoder_color, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

UNIT = "(innermost orbit: 1)"
READ = {"marker": "o", "color": "#333333", "ms": 3.5}
HIDDEN = {"marker": "o", "mfc": "none", "mec": "#333333", "ms": 7}
SAID = {"marker": "x", "ms": 6, "mew": 1.8}


@styled
def orbits(frame: pd.DataFrame, distances: pd.Series) -> Figure:
    """True and predicted positions, a row a system, a column an encoder (xval, Fig. 5).

    Parameters
    ----------
    frame : DataFrame
        As from `probes.trajectories`, with a column encoder. Predictions off the panel are
        drawn at its edge.
    distances : Series
        Of each encoder, the root mean square distance that stands above its column.
    """
    systems, encoders = frame.example.unique(), frame.encoder.unique()
    figure, axes = panels(len(systems) * len(encoders), len(encoders), 2.4, 2.4, share=False)
    for ax, (system, name) in zip(axes, itertools.product(systems, encoders), strict=True):
        rows = frame[(frame.example == system) & (frame.encoder == name)]
        low = rows[["x", "y"]].min().clip(upper=0).to_numpy()  # the star is seen, too
        high = rows[["x", "y"]].max().clip(lower=0).to_numpy()
        reach = 0.65 * (high - low).max()
        low, high = (low + high) / 2 - reach, (low + high) / 2 + reach
        color = encoder_color(str(name))
        ax.plot(0, 0, marker="*", color="#333333", ms=9, zorder=1)
        for _, path in rows.groupby("planet"):
            ax.plot(path.x, path.y, color="#B0B0B0", lw=1, zorder=1)
            shown, hidden = path[~path.hidden], path[path.hidden]
            ax.plot(shown.x, shown.y, ls="", **READ)
            ax.plot(hidden.x, hidden.y, ls="", **HIDDEN)
            said = hidden[["predicted_x", "predicted_y"]].to_numpy().clip(low, high).T
            ax.plot(*said, ls="", color=color, **SAID)
            for at in range(len(hidden)):
                ends = hidden.iloc[at][["x", "y"]].to_numpy(), said[:, at]
                ax.plot(*zip(*ends, strict=True), color=color, lw=0.8, alpha=0.6)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        if system == systems[0]:
            ax.set_title(f"{name}\nrms distance {distances[name]:.2f}", fontsize=10)
        else:
            ax.set_xlabel(f"x {UNIT}")
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"y {UNIT}")
        else:
            ax.tick_params(labelleft=False)
    from matplotlib.lines import Line2D

    looks = {
        "read": READ,
        "true, hidden": HIDDEN,
        "predicted (at the edge: beyond)": {**SAID, "color": "#333333"},
    }
    handles = [Line2D([], [], ls="", label=label, **look) for label, look in looks.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure
