"""The bar of `numlab regress`: five tables that scikit-learn ships or makes.

`python -m tests.benchmarks.regressions` prints, for each table, means over ten splits: the mean
absolute error of numlab and of gradient boosting, and the share of the numbers in the 80 %
intervals, which is to be 75 to 85 %.
"""

import pandas as pd
from sklearn import datasets
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

from numlab.compare.baselines import baselines
from numlab.estimators import NumberRegressor

SIZES = ["radius", "perimeter"]  # of a cell, which its area follows from


def tables():
    """Pairs of a DataFrame and the name of its target."""
    yield datasets.load_diabetes(as_frame=True).frame, "target"
    yield datasets.load_wine(as_frame=True).data, "alcohol"
    cells = datasets.load_breast_cancer(as_frame=True).data
    known = [c for c in cells if c == "worst area" or c.split()[-1] in SIZES]
    yield cells.drop(columns=known), "mean area"
    x, y = datasets.make_friedman1(600, noise=1, random_state=0)
    yield pd.DataFrame(x).add_prefix("x").assign(y=y), "y"
    yield datasets.load_iris(as_frame=True).data, "petal length (cm)"


def judge(frame: pd.DataFrame, target: str, split: int) -> dict:
    train, test = train_test_split(frame, random_state=split)
    x, fresh, true = train.drop(columns=target), test.drop(columns=target), test[target]
    model = NumberRegressor().fit(x, train[target].to_numpy())
    boosting = baselines()["boosting"].fit(x, train[target])
    low, high = model.predict_interval(fresh).T
    return {
        "target": target,
        "numlab": mean_absolute_error(true, model.predict(fresh)),
        "boosting": mean_absolute_error(true, boosting.predict(fresh)),
        "covered": true.between(low, high).mean(),
    }


def main() -> None:
    rows = [judge(*table, split) for table in tables() for split in range(10)]
    means = pd.DataFrame(rows).groupby("target", sort=False).mean()
    print(means.to_string(float_format="{:.3g}".format))


if __name__ == "__main__":
    main()
