"""One column of a table learned from the others, beside baselines."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from sklearn.model_selection import train_test_split

from numlab.compare.baselines import CONSTANTS, LEAST_SKILL, baselines
from numlab.encoders.columns import asinh_centre_scale
from numlab.estimators import LEAST, NumberRegressor
from numlab.tasks.frames import as_columns

CLEAR = 2.0  # standard errors from which intervals are said to be too narrow or too wide


@dataclass(frozen=True, eq=False)
class Regression:
    """A fitted regressor and its baselines, tested on rows that none of them has seen.

    >>> answers = {"true": [1, 2], "predicted": [1.5, 2.0], "low": [1.1, 1.0], "high": [2, 3]}
    >>> errors = pd.DataFrame(columns=["model", "mae", "rmse", "behind"])
    >>> nl.compare.Regression("y", None, errors, pd.DataFrame(answers), 0.8).covered
    0.5
    """

    target: str
    model: NumberRegressor
    errors: pd.DataFrame  # [model, mae, rmse, behind], the least mae first
    predictions: pd.DataFrame  # [true, predicted, low, high]
    coverage: float

    @property
    def covered(self) -> float:
        """The share of the true numbers in their intervals."""
        p = self.predictions
        return float(p.true.between(p.low, p.high).mean())

    @property
    def _notes(self) -> list[str]:
        lines, errors = [], self.errors.set_index("model")
        first, second = self.errors.model[:2]
        other = second if first == "numlab" else first
        times = errors.mae["numlab"] / errors.mae[other]
        lines.append(f"{first} errs least; numlab errs {times:.2g} times as much as {other}.")
        scores, constants = errors[["mae", "rmse"]], errors.loc[[*CONSTANTS], ["mae", "rmse"]]
        if (scores.loc["numlab"] > (1 - LEAST_SKILL) * constants.min()).all():
            lines.append("numlab is no better than a constant: it has learned nothing.")
        error = math.sqrt(self.coverage * (1 - self.coverage) / len(self.predictions))
        if abs(off := (self.covered - self.coverage) / error) > CLEAR:
            which = "narrow" if off < 0 else "wide"
            lines.append(f"numlab's intervals are too {which}, by {abs(off):.1f} standard errors.")
        if asinh_centre_scale(self.predictions.true.to_numpy())[0]:
            spans = f"{self.target} has three decades or more"
            lines.append(f"{spans}: its largest numbers decide the errors.")
            lines.append("Errors of their logarithms would count all numbers alike.")
        return lines

    @property
    def text(self) -> str:
        n, runs = len(self.predictions), ", ".join(run.digest for run in self.model.runs_)
        learned = re.sub(r"\by\b", lambda _: self.target, self.model.learned_)
        lines = [
            f"{self.target}, on {n:,} rows that no model has seen:",
            self.errors.to_string(index=False, float_format="{:.4g}".format),
            "(behind: standard errors by which the mae lies above the least)",
            f"{self.covered:.0%} of the numbers lie in numlab's {self.coverage:.0%} intervals.",
            *self._notes,
            f"numlab's models predict {learned}. nl.Run.stored reads them from the store: {runs}",
        ]
        return "\n".join(lines)

    @property
    def json(self) -> str:
        found = {
            "target": self.target,
            "rows_tested": len(self.predictions),
            "errors": self.errors.set_index("model").to_dict("index"),
            "interval": {"asked": self.coverage, "covered": self.covered},
            "notes": self._notes,
            "runs": [run.digest for run in self.model.runs_],
            "runs_answer": self.model.learned_,
        }
        return json.dumps(found, indent=1, ensure_ascii=False)


def regress(
    frame: pd.DataFrame, target: str, say: Callable[[str], None] = lambda _: None
) -> Regression:
    """Fit a regressor and the baselines to three quarters of the rows, and measure on the others.

    ValueError where the target is not a column of numbers or the only column, or rows are too few.

    >>> nl.compare.regress(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), "b")
    Traceback (most recent call last):
    ValueError: expected 16 rows or more; got 2
    """
    frame = as_columns(frame, target).dropna(subset=target)
    if len(frame) < 2 * LEAST:
        raise ValueError(f"expected {2 * LEAST} rows or more; got {len(frame)}")
    X, y = frame.drop(columns=target), frame[target].to_numpy()
    if X.empty:
        raise ValueError(f"expected another column to predict {target} from; got none")
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    models = {**baselines(len(X)), "numlab": NumberRegressor()}
    rows, predicted, distances = [], {}, {}
    for name, model in models.items():
        say(f"fitting {name}")
        predicted[name] = model.fit(X, y).predict(X_test)
        given = y_test, predicted[name]
        scores = mean_absolute_error(*given), root_mean_squared_error(*given)
        rows.append((name, *scores))
        distances[name] = abs(y_test - predicted[name])
    low, high = model.predict_interval(X_test).T
    answers = {"true": y_test, "predicted": predicted["numlab"], "low": low, "high": high}
    errors = pd.DataFrame(rows, columns=["model", "mae", "rmse"])
    errors = errors.sort_values("mae", ignore_index=True)
    more = pd.DataFrame(distances).sub(distances[errors.model[0]], axis=0)
    errors["behind"] = (more.mean() / more.sem()).fillna(0.0)[errors.model].to_numpy()
    return Regression(target, model, errors, pd.DataFrame(answers), 0.8)
