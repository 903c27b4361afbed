"""What a model predicts, number by number, and the logits beneath."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

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
        Columns slot, encoder, true, predicted, a row a text. Invalid predictions (NaN) are not
        drawn: their share stands in the panel.
    scores : DataFrame
        Columns slot, encoder, mse, a row a seed: their mean and range stand in the panel.
    trained : dict of str to list of float, optional
        The values of a slot that training had around its gaps, as grey lines. With them, the
        median of the predictions at each true value is drawn as a line.
    """
    slots, encoders = frame.slot.unique(), frame.encoder.unique()
    figure, axes = panels(len(slots) * len(encoders), len(encoders), 2.1, 2.1, share=False)
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
        if invalid := rows.predicted.isna().mean():
            place = {"transform": ax.transAxes, "ha": "right", "va": "bottom", "fontsize": 8}
            ax.text(0.98, 0.02, f"{invalid:.1%} invalid", **place)
        ax.set(xlim=(low, high), ylim=(low, high), xlabel=f"true {slot}")
        ax.set_title(f"{name}\n{_score(scores, slot, name)}", fontsize=10)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel(f"predicted {slot}")
        else:
            ax.tick_params(labelleft=False)
    return figure


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


def _score(scores: pd.DataFrame, slot: str, name: str) -> str:
    mse = scores[(scores.slot == slot) & (scores.encoder == name)].mse.dropna()
    if not len(mse):
        return "no MSE"
    spread = f" ({mse.min():.1e} to {mse.max():.1e})" if len(mse) > 1 else ""
    return f"MSE {mse.mean():.1e}" + spread.replace(" (", "\n(")


@styled
def logit_lines(
    scan: pd.DataFrame, expected: pd.DataFrame, trained: list[float], slot: str
) -> Figure:
    """The heaviest words of a number over its true value, and the number that they give
    (xval, Fig. 12).

    Parameters
    ----------
    scan : DataFrame
        Columns true, word, logit, probability, as from `probes.logit_scan`, of one place.
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
        grouped = expected.groupby("true")[way]
        by_seed = expected.groupby(["true", "seed"])[way].mean().groupby("true")
        numbers.fill_between(
            by_seed.min().index, by_seed.min(), by_seed.max(), color=color, alpha=0.2, lw=0
        )
        numbers.plot(grouped.mean().index, grouped.mean(), color=color, ls=ls, label=f"mean {way}")
    ends = [expected.true.min(), expected.true.max()]
    numbers.plot(ends, ends, color="#555555", lw=0.9, ls=":", label="true value")
    for ax, ylabel in zip(
        (logits, weights, numbers),
        ("logit", "probability", f"predicted {slot}"),
        strict=True,
    ):
        for value in trained:
            ax.axvline(value, color="#B0B0B0", lw=1, zorder=0)
        ax.set(xlabel=f"true {slot}", ylabel=ylabel)
    logits.legend(title="significand", ncols=2, fontsize=9)
    numbers.legend()
    return figure
