"""scikit-learn estimators: a small model as a regressor, an encoder as a transformer."""

from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, RegressorMixin, TransformerMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from numlab.embeddings import token_vectors
from numlab.encoders import PLE, Encoder, Standardised
from numlab.encoders.columns import asinh_centre_scale
from numlab.evaluation import interval
from numlab.heads import HLGauss
from numlab.models import GPT2
from numlab.numbers import check_count
from numlab.objectives import MaskedLM
from numlab.tasks import Table
from numlab.tasks.frames import refuse_rounded
from numlab.tokenizer import Tokenizer
from numlab.training import RunSpec, train

EDGES = tuple(np.linspace(-2.5, 2.5, 21).tolist())  # of PLE, in deviations
EPOCHS = 40  # of n rows, 64 a step; they are 50 of the 0.8 n that a member learns from
LEAST = 8  # rows
HEADS = 4  # of attention


class _WithGaps(BaseEstimator):
    """An estimator that takes rows with missing numbers."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class NumberRegressor(RegressorMixin, _WithGaps):
    """Three small transformers that read a row as a text; each answers a histogram (HL-Gauss).

    Predictions are means over the three. All leave out the same fifth of the rows for validation,
    and intervals of `predict_interval` are so wide that they hold a share `coverage` of its numbers
    (see `Run.predict`). Columns may hold numbers, words and dates, and may have gaps. Fitted runs
    stay in the store, where a second fit finds them; their answers are scaled, as `learned_` says:
    models compute in float32. If y spans three decades (factors of ten) or more, the median is
    predicted, not the mean; if also all y are above 0, models learn log(y). If no y is below 0, no
    prediction is.

    Parameters
    ----------
    encoder : how columns of numbers are read; None: PLE of each column, standardised.
    steps : of each training; None: 50 epochs, 100 steps at least.
    d_model : width of the models, a multiple of 4.
    members : how many there are.

    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> NumberRegressor(steps=2, members=1).fit(x, x[:, 0]).predict_interval(x[:3]).shape
    (3, 2)
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        steps: int | None = None,
        d_model: int = 64,
        members: int = 3,
    ):
        self.encoder, self.steps, self.d_model, self.members = encoder, steps, d_model, members

    def fit(self, X, y) -> Self:
        """X is a DataFrame or (n, columns) numbers, y (n,) finite numbers.

        ValueError for fewer than 8 rows, and for an encoder of variable length.
        """
        self._check_parameters()
        _check_numbers(y, "y")
        if isinstance(X, pd.DataFrame):
            y = validate_data(self, y=y, y_numeric=True)  # forgets the columns of X: it comes first
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", y_numeric=True)
        frame, name = self._frame(X), "y"
        self._columns = [*frame]
        while name in frame:
            name += "'"
        y, head = self._scaled(np.asarray(y, float))
        spec = self._spec(Table(frame.assign(**{name: y}), name), head)
        self.runs_ = [train(own) for own in spec.seeds(self.members)]
        return self

    def _check_parameters(self) -> None:
        counts = {"d_model": self.d_model, "members": self.members, "steps": self.steps or 1}
        _check(self.encoder, **counts)
        if self.encoder is not None and not self.encoder.fixed:
            why = "the number of masks would show the target's length"
            wanted = f"expected an encoder of fixed length, such as P10 or FoNE(5) ({why})"
            raise ValueError(f"{wanted}; got {self.encoder!r}")
        if self.d_model % HEADS:
            raise ValueError(f"d_model is a multiple of {HEADS}; got {self.d_model}")

    def _scaled(self, y: np.ndarray) -> tuple[np.ndarray, HLGauss]:
        """The target as models learn it, and their head; `_answers` undoes it."""
        asinh, self.least_ = asinh_centre_scale(y)[0], float(y.min())
        self.decades_ = asinh > 0  # three or more
        if self._learns_log:
            y, asinh = np.log(y), 0.0
        if asinh:  # zeros stay
            low, high = np.quantile(y, [0.25, 0.75])
            self.centre_, self.scale_ = 0.0, float(high - low) or asinh
        else:
            self.centre_, self.scale_ = float(y.min()), float(np.ptp(y)) or abs(float(y[0])) or 1.0
        y = (y - self.centre_) / self.scale_
        return y, HLGauss.fit(y, 64, asinh=asinh > 0)

    @property
    def _learns_log(self) -> bool:
        return self.decades_ and self.least_ > 0

    @property
    def learned_(self) -> str:
        """What the fitted runs answer, as a formula: "(log(y) - 0.25) / 4"."""
        y = "log(y)" if self._learns_log else "y"
        return f"({y} - {self.centre_:.9g}) / {self.scale_:.9g}"

    def _spec(self, task: Table, head: HLGauss) -> RunSpec:
        if (n := len(task.usable)) < LEAST:
            raise ValueError(f"expected {LEAST} rows or more; got n_samples = {n}")
        encoder = self.encoder or Standardised.fit(task.split((n,), 0)[0], PLE(EDGES))
        longest = Tokenizer.of(task.layouts(), encoder, head)(task.examples).lengths.max()
        n_valid = max(1, n // 5)
        steps = max(100, EPOCHS * n // 64) if self.steps is None else self.steps
        return RunSpec(
            task=task,
            encoder=encoder,
            objective=MaskedLM(slots=1.0, literals=0.0, only=(task.slots,)),
            model=GPT2(int(self.d_model), 2, HEADS, context=max(1024, int(longest))),
            head=head,
            n_train=max(1, n - n_valid - 1),
            n_valid=n_valid,
            n_test=1,
            steps=int(steps),  # a search draws numpy's
            learning_rate=2e-3,
            data_seed=0,
        )

    def __getstate__(self):
        """With the weights, as there may be no store where it is read."""
        for run in getattr(self, "runs_", ()):
            _ = run.model
        return super().__getstate__()

    def predict(self, X) -> np.ndarray:
        """(n,) predictions."""
        return self._answers(X, None).predicted.to_numpy()

    def predict_interval(self, X, coverage: float = 0.8) -> np.ndarray:
        """(n, 2) ends of intervals that hold about a share `coverage` of the true numbers."""
        if coverage is None:
            raise ValueError("a coverage is above 0 and below 1; got None")
        return self._answers(X, coverage)[["low", "high"]].to_numpy()

    def _answers(self, X, coverage: float | None) -> pd.DataFrame:
        check_is_fitted(self)
        if named := isinstance(X, pd.DataFrame):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")
        rows = self._frame(X).reset_index(drop=True)
        if not (named and {*self._columns} <= {*rows}):  # by position: scikit-learn has warned
            rows.columns = self._columns
        spec = self.runs_[0].spec
        level = 0.5 if self.decades_ else None  # the largest numbers decide a mean
        found = interval(self.runs_, spec.task.read(rows), coverage, level)
        found = self.centre_ + self.scale_ * found.drop(columns=["example", "slot"])
        if self._learns_log:
            return np.exp(found)
        return found.clip(lower=0 if self.least_ >= 0 else None)

    @staticmethod
    def _frame(X) -> pd.DataFrame:
        if isinstance(X, pd.DataFrame):
            return X.set_axis([str(name) for name in X.columns], axis=1)  # also of pivot tables
        return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


class NumberEncoder(TransformerMixin, _WithGaps):
    """Columns of numbers as the vectors that an untrained model would read them as.

    Parameters
    ----------
    encoder : one that gives a number one token, such as FoNE(5); None: PLE of each column,
        standardised.
    d_model : entries for each column.

    >>> NumberEncoder(d_model=4).fit_transform([[1.0, 2.0], [3.0, 5.0]]).shape
    (2, 8)
    """

    def __init__(self, encoder: Encoder | None = None, d_model: int = 16):
        self.encoder, self.d_model = encoder, d_model

    def fit(self, X, y=None) -> Self:
        """X is a DataFrame or (n, columns) numbers, with gaps; y is not read.

        ValueError for dates, words, and an encoder of several tokens a number.
        """
        _check(self.encoder, d_model=self.d_model)
        if self.encoder and self.encoder.length > 1:
            needed = "expected an encoder with one token a number (a mean of several has no order)"
            raise ValueError(f"{needed}; got {self.encoder}")
        _check_numbers(X)
        X = validate_data(self, X, dtype=float, ensure_all_finite="allow-nan")
        known = (column[~np.isnan(column)] for column in X.T)
        self.encoders_ = [self.encoder or _standardised(numbers) for numbers in known]
        return self

    def transform(self, X) -> np.ndarray:
        """(n, columns * d_model); a missing number is zeros."""
        check_is_fitted(self)
        _check_numbers(X)
        X = validate_data(self, X, dtype=float, reset=False, ensure_all_finite="allow-nan")
        vectors = np.zeros((*X.shape, self.d_model))
        for j, encoder in enumerate(self.encoders_):
            known = ~np.isnan(X[:, j])
            vectors[known, j] = token_vectors(encoder, X[known, j], self.d_model)[0][:, 0]
        return vectors.reshape(len(X), -1)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """(columns * d_model,) names such as "x0_3", the entry 3 of the vector of column x0."""
        given = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return np.array([f"{n}_{i}" for n in given for i in range(self.d_model)], object)


def _check(encoder: Encoder | None, **counts: int) -> None:
    if encoder is not None and not isinstance(encoder, Encoder):
        raise ValueError(f"encoder is an encoder such as FoNE(5), or None; got {encoder!r}")
    for name, n in counts.items():
        check_count(name, n)


def _check_numbers(values, name: str = "X") -> None:
    """ValueError for integers that float64 rounds, and for dates: as float64 they are microseconds,
    and a missing one is a number."""
    is_frame = isinstance(values, pd.DataFrame)
    frame = values if is_frame else pd.DataFrame({name: np.asarray(values).ravel()})
    for name, column in frame.items():
        known = column.cat.categories if column.dtype == "category" else column
        if pd.api.types.infer_dtype(known).startswith(("date", "time", "period")):
            raise ValueError(f"columns are numbers; got dates in {name}")
        refuse_rounded(column, name)


def _standardised(numbers: np.ndarray) -> Standardised:
    fitted = asinh_centre_scale(numbers) if len(numbers) else (0.0, 0.0, 1.0)
    return Standardised(PLE(EDGES, kind="A"), (("*", *fitted),))
