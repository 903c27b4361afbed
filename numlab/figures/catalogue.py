"""What the papers show: every figure and table by its id, and what is claimed of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

PAPERS = {
    "xval": "xVal: A Continuous Numerical Tokenization for Scientific Language Models",
    "fone": "FoNE: Precise Single-Token Number Embeddings",
    "float": "Numbers as floating-point bits",
    "digits": "How to Leverage Digit Embeddings to Represent Numbers?",
    "explore": "Explorations beyond the papers",
}


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper."""

    id: str
    shows: str
    claims: str = ""


XVAL = (
    Item(
        "xval/fig01",
        "One text under every encoder: literals, number tokens, values; how a number is read out.",
        "End to end, xVal's output is continuous in its input; the text encoders' is not.",
    ),
    Item(
        "xval/fig02",
        "The coefficients tanh(x 10^i) for i = -1, 0, 1.",
        "Each scale is linear in its own decade and saturates above it.",
    ),
    Item(
        "xval/fig03",
        "Next-step temperature: predicted against true, a panel an encoder.",
        "xVal is at least as good as FP15; P10, P1000 and B1999 are much worse.",
    ),
    Item(
        "xval/fig04",
        "Where P10, P1000 and B1999 put values near ±1; how often each significand, exponent and "
        "pair occurs.",
        "100 and E-3 are the commonest apart, 100E-2 beats 100E-3 as a pair: values near ±1 become "
        "±0.1. FP15 and xVal show no such stripes.",
    ),
    Item(
        "xval/fig05",
        "The last steps of two planetary systems, predicted at once, by encoder (the paper: 10).",
        "xVal follows the orbits, best for k > 2; the text encoders do not.",
    ),
    Item(
        "xval/fig06",
        "a0, e0 and the step size of planetary systems: predicted against true, by encoder.",
        "The text encoders show outliers in e0 and in the step size.",
    ),
    Item(
        "xval/fig07",
        "Out of distribution: step sizes between 0.2, 0.3, 0.5 and 0.8, and a0 in its gap above 1; "
        "predicted against true.",
        "P1000, B1999 and FP15 predict only values seen in training, P10 less so; xVal is "
        "continuous through the gap and has the least error in it.",
    ),
    Item(
        "xval/fig08",
        "The same for xVal with k = 0 to 4 scales.",
        "More scales are better in distribution on trajectories and worse in the gap.",
    ),
    Item(
        "xval/fig09",
        "The mass m0: predicted against true.",
        "None is accurate; xVal collapses to the mean (MSE 1.33, the prior's variance), the "
        "classifiers do not.",
    ),
    Item(
        "xval/fig10",
        "Confusions of sign and size under an encoder of variable length.",
        "The model reads sign and size off the token length.",
    ),
    Item(
        "xval/fig11",
        "PCA of learned significand embeddings: P10 and P1000 on planets, P1000 on arithmetic.",
        "P10 lies on a circle; arithmetic gives a sharper curve than planets.",
    ),
    Item(
        "xval/fig12",
        "The logits of P1000 over the true step size.",
        "Not smooth at small or large scales; a few logits carry the weight.",
    ),
    Item(
        "xval/tab01",
        "Tokens a number and vocabulary size, by encoder.",
        "5, 3, 2, 1, 1 tokens; 28, 918, 1816, 28800, 1 words.",
    ),
    Item(
        "xval/tab02",
        "Temperature: MSE and training time at equal samples, tokens and time.",
        "xVal has the least error in each column and the least time; P10 takes over 7 times its "
        "time.",
    ),
    Item(
        "xval/tab03",
        "Temperature: MSE by encoder.",
        "At equal samples 73 (P10), 20 (P1000), 20 (B1999), 2.14 (FP15), 1.75 (xVal).",
    ),
    Item(
        "xval/tab04",
        "Planets: MSE of a0, step size, e0, out-of-distribution a0 and step size, and m0.",
        "xVal with k = 0 is best in both out-of-distribution columns; P10 is the worst text "
        "encoder in distribution and among the best out of it.",
    ),
    Item(
        "xval/tab05",
        "Multiplication of 3-, 4- and 5-digit integers: adjusted R².",
        "xVal is above 0.995 throughout; P10 (0.61 at 4 digits) and FP15 (0.71 at 3) show "
        "outliers.",
    ),
    Item(
        "xval/tab06",
        "Random binary trees of 2, 3 and 4 operands: R².",
        "xVal is above 0.9999, the text encoders 0.935 to 0.998.",
    ),
    Item("xval/tab07", "Training settings: the specs as they ran."),
    Item(
        "xval/tab08",
        "MLP baselines for temperature, by inputs.",
        "A single station beats all stations; coordinates and time of year each help.",
    ),
    Item(
        "xval/tab09",
        "Ocean or land from the frozen final embedding: ROC AUC.",
        "xVal >= FP15 >= P10 (0.62, 0.60, 0.58).",
    ),
    Item("xval/tab10", "Training settings on planets: the specs as they ran."),
    Item(
        "xval/tab11",
        "Ablations of xVal's training settings.",
        "MLP layer norms off hurts most; masking 0.1 is worse, 0.3 better.",
    ),
    Item(
        "xval/tab12",
        "Number look-up in distribution: MSE and exact match to 3 and 2 significant figures.",
        "FP15 has the best exact match, xVal the best MSE.",
    ),
    Item(
        "xval/tab13",
        "Number look-up out of distribution.",
        "The text encoders collapse, FP15 more than P10; xVal's MSE does not.",
    ),
)

FONE = (
    Item(
        "fone/fig01",
        "A number on its circles, x mod 10, x mod 100, ..., and the read-out of each digit.",
        "Unchanged by LayerNorm and RMSNorm, unlike xVal; one large period cannot tell x from "
        "x + 1.",
    ),
    Item(
        "fone/fig02",
        "6-digit decimal addition: exact match over training samples and over model size.",
        "FoNE reaches 99 % with 64 times fewer samples than the text encoders, and 100 % at "
        "51,200; 97 % with one layer.",
    ),
    Item(
        "fone/fig03",
        "Integer addition, subtraction and multiplication: exact match.",
        "FoNE is at or above the others everywhere.",
    ),
    Item(
        "fone/fig04",
        "Long addition (the paper: 60 digits) by operand lengths; FoNE with Abacus, and Abacus.",
        "97 % on average; FoNE helps Abacus.",
    ),
    Item(
        "fone/fig05",
        "Classification by a linear rule (d = 10): exact match over samples and over model size.",
        "FoNE is above the others.",
    ),
    Item(
        "fone/fig06",
        "Classification by a linear rule (d = -190): exact match over samples and over model size.",
        "FoNE is above the others.",
    ),
    Item(
        "fone/fig07",
        "Spectrum of number embeddings over training checkpoints and model sizes.",
        "The same frequencies appear and sharpen with training, at every size.",
    ),
    Item(
        "fone/fig08",
        "Spectrum of the number embeddings of pretrained models.",
        "Peaks at period 10 and its divisors 2 and 5.",
    ),
    Item(
        "fone/fig09",
        "Long addition in one forward pass (the paper: 60 digits).",
        "97 % on average.",
    ),
    Item(
        "fone/fig10",
        "Exact match, length against length: FoNE with Abacus, and Abacus.",
        "FoNE with Abacus has the wider square.",
    ),
    Item("fone/fig11", "fig02 on a GPT-2-style model.", "The same order."),
    Item("fone/fig12", "R² for fig02.", "xVal scores well on R² though near 0 in exact match."),
    Item("fone/fig13", "R² for integer addition, subtraction and multiplication.", "As fig12."),
    Item(
        "fone/tab01",
        "Training time, test time, tokens and exact match on three tasks.",
        "FoNE and xVal train in about 1/3.6 of the time of digits and 1/2 of subwords.",
    ),
    Item("fone/tab02", "Learned projection against zero padding.", "Equal."),
    Item(
        "fone/tab03",
        "Periods {2, 5, 10}, {10}, {5}, {7}.",
        "{2, 5, 10} equals {10}; 5 and 7 fail (under 5 %).",
    ),
    Item("fone/tab04", "Data sizes, as they ran."),
    Item("fone/tab05", "Sizes of the size curves, as they ran."),
    Item("fone/tab06", "Model sizes, as they ran."),
    Item(
        "fone/tab07",
        "Mispredictions with period 5 only.",
        "Every wrong digit is off by exactly 5.",
    ),
    Item(
        "fone/tab08",
        "Mispredictions of direct digit values.",
        "Wrong digits come out one too low; at best 99.3 % after many more epochs.",
    ),
    Item(
        "fone/tokens",
        "Tokens of a table of numbers under FoNE and under digits.",
        "149 against 330: fewer than half.",
    ),
)

FLOAT = (
    Item("float/fig01", "The model: masked words predicted beside embedded numbers."),
    Item(
        "float/fig02",
        "Sign, exponent and significand bits of -28.5.",
        "1 10000011 11001000000000000000000.",
    ),
    Item("float/fig03", "The module: 32 bits, three linear layers with ReLU, a residual."),
    Item(
        "float/tab01",
        "Masked word prediction: perplexity and top-1/5/20/100 with default, exponent and "
        "floating-point embeddings.",
        "Floating point is best in most cells, exponent above default; the gain shrinks with "
        "model size.",
    ),
    Item("float/tab02", "Ablations of the module: depth, residual, 16, 32 and 64 bits."),
)

DIGITS = (
    Item("digits/fig01", "Natural neighbours against embedding neighbours on a line."),
    Item(
        "digits/fig02",
        "kNN-F1 of the weighted sum and the sum of digit embeddings, over the number of digits.",
        "Weighted: 0.69 from 2 digits on, flat; the sum falls with the digits.",
    ),
    Item(
        "digits/fig03",
        "The same with max, min, mean and median.",
        "All under 5 %.",
    ),
    Item(
        "digits/tab01",
        "Word problems: exact match by test set.",
        "The auxiliary loss helps most on most sets for small models.",
    ),
    Item(
        "digits/tab02",
        "Word problems: exact match by operation.",
        "Appended [AGG] falls below the baseline.",
    ),
    Item("digits/tab03", "Dataset sizes, as they ran."),
    Item("digits/tab04", "Training settings, as they ran."),
    Item(
        "digits/tab05",
        "Word problems: character error rate.",
        "The auxiliary loss lowers it on the 1000+ and decimal sets, more than [AGG].",
    ),
)

ITEMS = {item.id: item for item in (*XVAL, *FONE, *FLOAT, *DIGITS)}


def item_of(id: str) -> str:
    """The catalogue's id that an id belongs to: `xval/fig07-masses` is a view of `xval/fig07`.

    Raises
    ------
    ValueError
        For an id that no paper has. What explores beyond the papers is free: `explore/<name>`.

    Examples
    --------
    >>> item_of("xval/fig07-masses")
    'xval/fig07'
    """
    paper, _, name = id.partition("/")
    if paper not in PAPERS or not re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name):
        raise ValueError(
            f"an id is <paper>/<name>, such as xval/fig07, of {', '.join(PAPERS)}; got {id!r}"
        )
    if paper == "explore":
        return id
    item = f"{paper}/{re.split('[-_]', name)[0]}"
    if item not in ITEMS:
        names = ", ".join(i.partition("/")[2] for i in ITEMS if i.startswith(f"{paper}/"))
        raise ValueError(f"{paper} has {names} (and views of them, such as fig01-more); got {id!r}")
    return item
