"""Does a model read a number off the length of its mask? (xval, Appendix D.3 and Figure 10)"""

import dataclasses

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

import numlab as nl
from numlab.numbers import rounded
from numlab.plots import encoder_color, panels, styled
from numlab.tokenizer import matches


def sign_and_size(numbers) -> np.ndarray:
    """The class of each number in Figure 10, of shape (n,).

    1, 2, 3 for |x| < 0.1, |x| < 1 and larger numbers; -1, -2, -3 for negative ones. Numbers are
    rounded to two significant figures first, as the paper's are.

    >>> sign_and_size([0.05, -0.05, 0.0996, -2]).tolist()
    [1, -1, 2, -3]
    """
    x = rounded(numbers, 2)
    return (1 + np.digitize(np.abs(x), [0.1, 1.0])) * np.where(x < 0, -1, 1)


def length_cues(answers: pd.DataFrame) -> pd.DataFrame:
    """Add to the answers of `predict` what the length of a number gives away.

    The columns added are true_class and predicted_class, from `sign_and_size` (NaN for an invalid
    answer); length, in tokens of `VariableLength`; and exception, whether the number is between
    0.01 and 0.1 and as short as those between 0.1 and 1: 0.030 is 3E-2.
    """
    true = answers.true.to_numpy(float)
    true_class = sign_and_size(true)
    predicted_class = sign_and_size(answers.predicted.where(answers.valid, 0).astype(float))
    length = nl.VariableLength().encode(true).mask.sum(1)
    size = np.abs(rounded(true, 2))
    return answers.assign(
        true_class=true_class,
        predicted_class=np.where(answers.valid, predicted_class, np.nan),
        length=length,
        exception=(size >= 0.01) & (np.abs(true_class) == 1) & (length - (true < 0) == 2),
    )


def right(cues: pd.DataFrame) -> pd.DataFrame:
    """Whether the sign and the size of each answer are right; those of an invalid one are not."""
    signs = np.sign(cues.predicted_class) == np.sign(cues.true_class)
    return pd.DataFrame(
        {"sign": signs, "size": cues.predicted_class.abs() == cues.true_class.abs()}
    )


def shortened(examples: list[nl.Examples], slots: tuple[str, ...]) -> list[nl.Examples]:
    """The same texts with some numbers of one figure: once masked, only their lengths differ."""
    out = []
    for e in examples:
        chosen = [matches(name, slots) for name in e.layout.number_slots]
        numbers = np.where(chosen, rounded(e.numbers, 1), e.numbers)
        out.append(dataclasses.replace(e, numbers=numbers))
    return out


CLASSES = {
    -3: "≤ −1",
    -2: "−1 to −0.1",
    -1: "−0.1 to 0",
    1: "0 to 0.1",
    2: "0.1 to 1",
    3: "≥ 1",
}
INVALID = 0
ANSWERS = {INVALID: "no number", **CLASSES}
EXCEPTION = "#D6006C"  # the paper's orange is P10's here


@styled
def sign_and_size_panels(frame: pd.DataFrame) -> Figure:
    """Predicted against true numbers, and below how often one class is taken for another.

    `frame` comes from `length_cues`, of one seed. There is a column of panels per encoder;
    exceptions are marked.
    """
    names = frame.encoder.unique()
    figure, axes = panels(2 * len(names), len(names), 3.9, 3.6, share=False)
    for i, name in enumerate(names):
        rows = frame[frame.encoder == name]
        _signed_log_scatter(axes[i], rows, name)
        invalid = rows.predicted.isna().mean()
        axes[i].set_title(f"{name}, seed {rows.seed.iloc[0]}: {100 * invalid:.1f} % invalid")
        image = _confusions(axes[len(names) + i], rows)
        axes[len(names) + i].set_title(f"{name}, seed {rows.seed.iloc[0]}: % of a column")
    axes[0].set_ylabel("predicted temperature (σ)")
    axes[len(names)].set_ylabel("predicted temperature (σ)")
    scale = "above: axes are linear from −0.1 to 0.1 and logarithmic beyond"
    look = {"loc": "outside lower center", "title": scale, "title_fontsize": 9}
    figure.legend(*axes[0].get_legend_handles_labels(), **look)
    label = "share of the true class (%)"
    figure.colorbar(image, ax=axes[len(names) :], label=label, shrink=0.85)
    words = "VariableLength has two tokens for .23, three for −.23, five for −.023: the length of a mask"
    figure.suptitle(
        f"{words}\ntells much about sign and size. All masks of P10 are of one length.", fontsize=11
    )
    return figure


def _signed_log_scatter(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    """On axes that are linear up to 0.1 and logarithmic beyond."""
    style = {"lw": 0, "zorder": 2, "rasterized": True}  # 40,000 points
    usual, odd = rows[~rows.exception], rows[rows.exception]
    ax.scatter(usual.true, usual.predicted, s=5, color=encoder_color(name), alpha=0.3, **style)
    label = "exceptions: numbers from 0.01 to 0.1 written as short as those from 0.1 to 1"
    ax.scatter(odd.true, odd.predicted, s=16, color=EXCEPTION, label=label, **style)
    for edge in (-1, -0.1, 0.1, 1):
        ax.axhline(edge, color="#B0B0B0", lw=1, zorder=1)
        ax.axvline(edge, color="#B0B0B0", lw=1, zorder=1)
    most = 1.3 * rows.true.abs().max()
    ticks = [t for t in (-1, -0.1, 0, 0.1, 1) if abs(t) < most]
    ax.set_xscale("symlog", linthresh=0.1, linscale=0.7)
    ax.set_yscale("symlog", linthresh=0.1, linscale=0.7)
    ax.set_xticks(ticks, [f"{t:g}".replace("-", "−") for t in ticks])
    ax.set_yticks(ticks, [f"{t:g}".replace("-", "−") for t in ticks])
    ax.set(xlim=(-most, most), ylim=(-most, most), xlabel="true temperature (σ)")
    ax.grid(visible=False)


def _confusions(ax: Axes, rows: pd.DataFrame) -> AxesImage:
    predicted = rows.predicted_class.where(rows.predicted.notna(), INVALID)
    share = pd.crosstab(predicted, rows.true_class, normalize="columns")
    share = share.reindex(index=list(ANSWERS), columns=list(CLASSES), fill_value=0).to_numpy()
    image = ax.imshow(100 * share, vmin=0, vmax=100, cmap="Greys", origin="lower", aspect="auto")
    for (y, x), value in np.ndenumerate(share):
        if value >= 0.005:
            color = "white" if value > 0.5 else "#333333"
            ax.text(x, y, f"{100 * value:.0f}", ha="center", va="center", fontsize=9, color=color)
    ax.set_xticks(range(len(CLASSES)), CLASSES.values(), rotation=45, ha="right")
    ax.set_yticks(range(len(ANSWERS)), ANSWERS.values())
    ax.set_xlabel("true temperature (σ)")
    ax.grid(visible=False)
    return image
