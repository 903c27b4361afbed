"""What the claims of these notebooks share: gates, pairs of errors, invalid answers."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

import numlab as nl
from numlab.claims import Gate
from numlab.training.fit import validation_losses


def trained(
    runs: Sequence[nl.Run], rates: pd.DataFrame, names: Iterable[str], floor: float = -np.inf
) -> list[Gate]:
    """The gates "plateau" and "rates inside the grid" of the encoders that a claim compares.

    `rates` and `names` are as in `searched`. A validation loss below `floor` is at its plateau; see
    `nl.gates.plateau`.
    """
    names = [*names]
    return [nl.gates.plateau(_of(runs, names), floor), searched(runs, rates, names)]


def searched(runs: Sequence[nl.Run], rates: pd.DataFrame, names: Iterable[str]) -> Gate:
    """The gate "rates inside the grid" of the encoders that a claim compares.

    `rates` is the record of `nl.choose_learning_rates`; `names` are labels of the encoders.
    """
    return nl.gates.rates_inside(rates, of={run.spec.encoder for run in _of(runs, names)})


def _of(runs: Sequence[nl.Run], names: Iterable[str]) -> list[nl.Run]:
    """The runs of some encoders, each of which has runs."""
    names, labels = set(names), nl.evaluation.labels(runs)
    if unknown := names - {*labels.values()}:
        raise ValueError(f"the runs are of {', '.join({*labels.values()})}; got {min(unknown)}")
    return [run for run, label in labels.items() if label in names]


def filled(answers: pd.DataFrame, value: float | pd.Series) -> pd.DataFrame:
    """The answers of `predict` with a number in place of each invalid one."""
    return answers.assign(predicted=answers.predicted.where(answers.valid, value), valid=True)


def pairs(
    errors: pd.DataFrame, names: Sequence[str], other: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Errors of some encoders, and beside each of them that of another one for the same slot.

    `errors` has a row for each seed and the columns (slot, encoder); `names` and `other` are labels
    of the encoders.
    """
    columns = [(slot, name) for slot in errors.columns.unique(0) for name in names]
    beside = {(slot, name): errors[slot, other] for slot, name in columns}
    return errors[columns], pd.DataFrame(beside, index=errors.index)


def speeds(paths: pd.DataFrame, column: str) -> pd.Series:
    """How fast a prediction moves along a sweep, where it moves fastest.

    `paths` has the columns seed, text, true and `column`, predictions for the same texts at each
    true value. The result is, for each seed, the median over the texts of the greatest |change /
    change of the true value|; 1 for a perfect prediction.

    >>> path = pd.DataFrame({"seed": 0, "text": 0, "true": [0, 1, 2], "x": [0, 3, 4]})
    >>> speeds(path, "x").tolist()
    [3.0]
    """
    wide = paths.pivot(index="true", columns=["seed", "text"], values=column)
    change = wide.diff().div(np.diff(wide.index, prepend=np.nan), axis=0).abs()
    return change.max().groupby("seed").median()


def unseen(answers: pd.DataFrame, examples: list[nl.Examples]) -> pd.Series:
    """Whether a valid answer differs by over 1 % from every value that these texts have there.

    The values are rounded to two decimals.
    """
    new = []
    for slot, rows in answers.groupby("slot"):
        values = np.unique(np.concatenate([e.column(slot) for e in examples]).round(2))
        predicted = rows.predicted.to_numpy(float)
        nearest = values[np.abs(predicted[:, None] - values).argmin(1)]
        far = np.abs(predicted - nearest) > 0.01 * np.abs(nearest) + 1e-9  # 1.01 is 1 % away
        new.append(pd.Series(far & rows.valid.to_numpy(), rows.index))
    return pd.concat(new)


def loss_under(run: nl.Run, objective: nl.MaskedLM) -> float:
    """The validation loss of a run under other masks than those of its training."""
    model = run.model

    def losses(inputs, targets):
        return model.losses(inputs.to(model.device), targets.to(model.device), run.spec.losses)

    corpus = run.tokenizer(run.examples("valid"), objective.answers)
    return sum(validation_losses(corpus, objective, losses).values())
