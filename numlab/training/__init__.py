"""Specs become trained models: one at a time, or side by side on a Dask cluster."""

from numlab.training.cluster import train_all
from numlab.training.fit import train
from numlab.training.learning_rates import choose_learning_rates
from numlab.training.run import Run
from numlab.training.spec import RunSpec
from numlab.training.timing import step_costs

__all__ = [
    "Run",
    "RunSpec",
    "choose_learning_rates",
    "step_costs",
    "train",
    "train_all",
]
