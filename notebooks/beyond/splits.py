"""How much of a gap is the input's, how much the head's: for notebooks/beyond/head_or_encoder."""

import numpy as np
import pandas as pd
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from scipy.stats import t
from spikes import cells

from numlab.plots import OTHERS, captioned, legend, panels, styled

PARTS = ("gap", "input alone", "head alone", "interaction")


def parts(scores: pd.DataFrame, better: tuple[str, str], worse: tuple[str, str]) -> pd.DataFrame:
    """Split the gap between two pairs of an input and a head.

    `scores` has the columns question, seed, input, head and score, a row for each run; `better` and
    `worse` are pairs (input, head). The result is paired by seed, with the columns (question,
    part). The last three parts add up to the gap: what changing the input alone adds to the worse
    pair, what changing the head alone adds, and what both add beyond that.

    >>> rows = [("q", 0, i, h, s) for i, h, s in zip("aabb", "xyxy", (1.0, 3.0, 4.0, 9.0))]
    >>> frame = pd.DataFrame(rows, columns=["question", "seed", "input", "head", "score"])
    >>> parts(frame, ("b", "y"), ("a", "x"))["q"].iloc[0].tolist()
    [8.0, 3.0, 2.0, 3.0]
    """
    at = scores.set_index(["input", "head", "seed", "question"]).score.unstack("question")
    both, neither = at.loc[better], at.loc[worse]
    on_input, on_head = at.loc[better[0], worse[1]] - neither, at.loc[worse[0], better[1]] - neither
    gap = both - neither
    split = dict(zip(PARTS, (gap, on_input, on_head, gap - on_input - on_head), strict=True))
    table = pd.concat(split, axis=1).swaplevel(axis=1)
    return table[[(q, part) for q in at.columns for part in PARTS]]


@styled
def pairs_and_parts(scores: pd.DataFrame, split: pd.DataFrame) -> Figure:
    """The score of each input with each head, a map for each question; then the parts of the gap.

    `scores` has the columns question, seed, input, head, score and constant (that of the best
    constant answer), in points; it is averaged over the seeds. `split` comes from `parts`, of these
    questions and of others; bars are 95 % intervals over the seeds.
    """
    questions = scores.question.unique()
    n_inputs = scores.input.nunique()
    figure, (*maps, bars) = panels(len(questions) + 1, 3, 3.3, 0.55 * n_inputs + 1.9, share=False)
    for ax, question in zip(maps, questions, strict=True):
        rows = scores[scores.question == question]
        tables = [
            rows.pivot_table("score", "input", "head", aggfunc, sort=False)
            for aggfunc in ("mean", "min", "max")
        ]
        cells(ax, *tables, "{:.0f}", "Blues", Normalize(0, 100))
        ax.set_xticks(ax.get_xticks(), tables[0].columns, rotation=30, ha="right")
        title = f"{question}: log-sMAPE (%)\nhigh is good; a constant: {rows.constant.mean():.0f}"
        ax.set(title=title, xlabel="head")
    maps[0].set_ylabel("input")
    for ax in maps[1:]:
        ax.tick_params(labelleft=False)
    half = t.ppf(0.975, max(len(split) - 1, 1)) * split.std() / len(split) ** 0.5
    named = split.columns.unique(0)
    for i, question in enumerate(named):
        y = np.arange(len(PARTS)) + 0.7 * (i - (len(named) - 1) / 2) / len(named)
        face = ("auto", "white")[i % 2]
        look = {"color": OTHERS[2 * (i // 2)], "mfc": face, "fmt": "o", "capsize": 3}
        look["label"] = question
        bars.errorbar(split.mean()[question], y, xerr=half[question], **look)
    bars.axvline(0, color="#AAAAAA", lw=0.8)
    bars.set_yticks(range(len(PARTS)), PARTS)
    bars.set_ylim(len(PARTS) - 0.4, -0.6)
    bars.set(title="BitTokens minus FoNE", xlabel="points of log-sMAPE\n(right: BitTokens better)")
    legend(figure, [bars])
    figure.suptitle(
        "How a model reads numbers (input), how it writes its answer (head): which matters?"
    )
    words = "maps: means of the seeds, and their range; bars: 95 % intervals"
    gap = "gap: BitTokens with bits less FoNE with circles, the sum of the other three"
    return captioned(figure, f"{words}\n{gap}; wide, hollow: numbers of more decades")
