"""What a model has to beat."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

CONSTANTS = ("the mean", "the median")
LEAST_SKILL = 0.03  # share of the best constant's error that a model must save


def baselines(rows: int = 15) -> dict[str, BaseEstimator]:
    """Two constants, neighbours, and gradient boosting.

    `rows`: how many they are fitted on. They take frames of `tasks.frames.as_columns`, with gaps.
    """
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", max_categories=50, sparse_output=False)
    kinds = make_column_selector(dtype_include=float), make_column_selector(dtype_exclude=float)

    def on_columns(numbers, regressor):
        read = make_column_transformer((numbers, kinds[0]), (words, kinds[1]))
        return make_pipeline(read, regressor)

    return {
        "the mean": DummyRegressor(),
        "the median": DummyRegressor(strategy="median"),
        "15 neighbours": on_columns(numbers, KNeighborsRegressor(min(15, rows))),
        "boosting": on_columns("passthrough", _Boosting(random_state=0)),
    }


class _Boosting(HistGradientBoostingRegressor):
    """It also takes columns that have no number in training, for which it finds no bins."""

    def fit(self, X, y):
        return super().fit(np.where(np.isnan(X).all(0), 0.0, X), y)
