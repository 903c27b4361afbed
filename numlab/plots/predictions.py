"""What a model predicts, number by number, and the logits beneath."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from numlab.plots.style import OTHERS, encoder_color, encoder_marker, panels, styled

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@styled
def predicted_against_true(
    frame: pd.DataFrame, scores: pd.DataFrame, trained: dict[str, list[float]] | None = None
) -> Figure:
    """Predicted over true numbers, a row a slot, a column an encoder (xval, Fig. 6 to 9).

    Parameters
    ----------
    frame : DataFrame
        Columns slot, encoder, true, predicted, a row a text, and seed where they are one trial's,
        not medians of all. Invalid predictions (NaN) and those far beyond the true numbers are
        not drawn; the share of these stands in the panel.
    scores : DataFrame
        Columns slot, encoder, seed, mse, invalid, a row a trial: their means and the range of
        the errors stand in the panel.
    trained : dict of str to list of float, optional
        The values of a slot that training had around its gaps, as grey lines. With them, the
        median of the predictions at each true value is drawn as a line.
    """
    slots, encoders = frame.slot.unique(), frame.encoder.unique()
    figure, axes = panels(len(slots) * len(encoders), len(encoders), 2.1, 2.5, share=False)
    for ax, (slot, name) in zip(axes, itertools.product(slots, encoders), strict=True):
        every = frame[frame.slot == slot]
        rows = every[every.encoder == name]
        low, high = _limits(every)
        color = encoder_color(str(name))
        ax.plot([low, high], [low, high], color="#555555", lw=0.9, ls="--", zorder=1)
        for value in (trained or {}).get(slot, ()):
            ax.axhline(value, color="#B0B0B0", lw=1, zorder=1)
            ax.axvline(value, color="#B0B0B0", lw=1, zorder=1)
        ax.scatter(rows.true, rows.predicted, s=7, color=color, alpha=0.3, lw=0, zorder=2)
        if trained:
            median = rows.groupby("true").predicted.median()
            ax.plot(median.index, median, color=color, marker=encoder_marker(str(name)), ms=4)
        outside = ~rows.predicted.between(low, high) & rows.predicted.notna()
        own = scores[(scores.slot == slot) & (scores.encoder == name)]
        missing = {"beyond": outside.mean(), "invalid": own.invalid.mean()}
        said = [f"{share:.1%} {what}" for what, share in missing.items() if share >= 0.0005]
        if said:
            place = {"transform": ax.transAxes, "va": "top", "fontsize": 8}
            white = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
            ax.text(0.03, 0.97, "\n".join(said), bbox=white, **place)
        margin = 0.06 * np.ptp(every.true)
        ax.set(xlim=(every.true.min() - margin, every.true.max() + margin), ylim=(low, high))
        ax.set_xlabel(f"true {slot}")
        ax.set_title(f"{name}\n{_score(own.mse.dropna())}", fontsize=10)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"predicted {slot}")
        else:
            ax.tick_params(labelleft=False)
    trials = scores.seed.nunique() > 1
    point = "the median of the trials" if trials and "seed" not in frame else "a prediction"
    if trials and "seed" in frame:
        point += f" of trial {frame.seed.iloc[0]}"
    _explain(figure, point, bool(trained), trials)
    return figure


def _explain(figure: Figure, point: str, trained: bool, trials: bool) -> None:
    """One legend for all panels, below them."""
    from matplotlib.lines import Line2D

    grey = {"color": "#777777"}
    handles = [Line2D([], [], ls="", marker="o", ms=4, label=point, **grey)]
    if trained:
        handles.append(Line2D([], [], marker="o", label="median over the texts", **grey))
        handles.append(Line2D([], [], color="#B0B0B0", lw=1, label="value in training"))
    handles.append(Line2D([], [], color="#555555", lw=0.9, ls="--", label="predicted = true"))
    if trials:
        handles.append(Line2D([], [], ls="", label="MSE: mean of the trials (least to greatest)"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """What both axes show of a slot: the true numbers and the bulk of the predictions."""
    low, high = rows.true.min(), rows.true.max()
    inner = rows.predicted.quantile([0.01, 0.99])
    margin = 0.5 * (high - low)
    low, high = (
        min(low, max(inner.iloc[0], low - margin)),
        max(high, min(inner.iloc[1], high + margin)),
    )
    return low - 0.06 * (high - low), high + 0.06 * (high - low)


def _score(mse: pd.Series) -> str:
    if not len(mse):
        return "no MSE"
    spread = f"\n({mse.min():.3g} to {mse.max():.3g})" if len(mse) > 1 else ""
    return f"MSE {mse.mean():.3g}{spread}"


@styled
def logit_lines(
    scan: pd.DataFrame, expected: pd.DataFrame, trained: list[float], slot: str
) -> Figure:
    """The heaviest words of a number over its true value, and the number that they give, as
    medians over the texts (xval, Fig. 12).

    Parameters
    ----------
    scan : DataFrame
        Columns true, word, logit, probability, as from `probes.logit_scan`, of one place, and
        seed, the same throughout.
    expected : DataFrame
        Columns true, argmax, expectation, as from `probes.expectation`, and seed.
    trained : list of float
        The values that training had, as grey lines.
    slot : str
        What the number is, with its unit.
    """
    figure, (logits, weights, numbers) = panels(3, 3, 4.0, 3.6, share=False)
    words = scan.groupby("word").probability.max().nlargest(8).index
    for i, word in enumerate(sorted(words)):
        line = scan[scan.word == word].sort_values("true")
        look = {"color": OTHERS[i], "ls": ("-", "--")[i % 2], "label": word}
        logits.plot(line.true, line.logit, **look)
        weights.plot(line.true, line.probability, **look)
    for way, color, ls in (("argmax", "#56B4E9", "-"), ("expectation", "#0B4F7D", "--")):
        median = expected.groupby("true")[way].median()
        by_seed = expected.groupby(["true", "seed"])[way].median().groupby("true")
        numbers.fill_between(
            median.index, by_seed.min(), by_seed.max(), color=color, alpha=0.2, lw=0
        )
        numbers.plot(median.index, median, color=color, ls=ls, label=f"median {way}")
    ends = [expected.true.min(), expected.true.max()]
    numbers.plot(ends, ends, color="#555555", lw=0.9, ls=":", label="true value")
    for ax, ylabel in zip(
        (logits, weights, numbers),
        ("logit", "probability", f"predicted {slot}"),
        strict=True,
    ):
        for value in trained:
            line = ax.axvline(value, color="#B0B0B0", lw=1.6, zorder=0)
        ax.set(xlabel=f"true {slot}", ylabel=ylabel)
    line.set_label("in training")
    words = logits.get_legend_handles_labels()
    figure.legend(*words, title="word", loc="outside lower center", ncols=8)
    logits.set_title(f"seed {scan.seed.iloc[0]}")
    weights.set_title(f"seed {scan.seed.iloc[0]}")
    numbers.set_title("all seeds, their range shaded")
    numbers.legend(fontsize=9)
    return figure
