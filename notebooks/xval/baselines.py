"""Forecasts of temperatures that need no language model (xval, App. D.1.2)."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from stations import Stations, stations

from numlab import store
from numlab.claims import Gate
from numlab.examples import Examples
from numlab.tasks import Temperature
from numlab.tasks.temperature import STEP

PERSISTENCE, MLP_NAME = "persistence", "one-station MLP"


def persistence(examples: list[Examples]) -> pd.DataFrame:
    """The last temperature again: [example, slot, true, predicted, valid] for each station."""
    frames = []
    for e in examples:
        before, true = np.moveaxis(stations(e).temperatures[:, :, -2:], 2, 0)
        frames.append(_answers(e, true, before))
    return pd.concat(frames, ignore_index=True)


@dataclass(frozen=True)
class MLP:
    """An MLP that forecasts the last temperatures in texts of `Temperature`.

    `coordinates` and `start` say whether it reads the stations' coordinates, and the time of the
    first temperature that it reads; `together`, whether it forecasts all stations of a text at once
    or one at a time. `widths` are those of the hidden layers (3 of 256 for single stations, App.
    D.1.2, xval). It makes at most `updates`, and stops when the error on a tenth of the training
    rows has not fallen for a tenth of them.
    """

    coordinates: bool = True
    start: bool = True
    together: bool = False
    widths: tuple[int, ...] = (256, 256, 256)
    updates: int = 10_000
    seed: int = 0
    step: int = STEP  # hours between two temperatures

    version = 1

    def of_task(self, task: Temperature, n_train: int, n_test: int, test_seed: int = 0):
        """Its forecasts of a task's test texts, learned from training texts of its own seed.

        They are stored: the second time nothing is trained. Returns what `forecast` returns.
        """

        def make():
            test, *_ = task.split((n_test, 1, 1), test_seed)
            *_, train = task.split((n_test, 1, n_train), self.seed)
            return self.forecast(train, test)

        return store.table("forecasts", (self, task, n_train, n_test, test_seed), make)

    def forecast(self, train: list[Examples], test: list[Examples]) -> pd.DataFrame:
        """Learn from one corpus; forecast another.

        It reads the last times of each text, as many as the shortest text has; together, the first
        stations, as many as the smallest text has. The columns are example, slot, true, predicted,
        valid and ended (it stopped before its last update), a row for each station.
        """
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor

        shapes = [stations(e).temperatures.shape for e in (*train, *test)]
        fewest, shortest = (min(shape[i] for shape in shapes) for i in (1, 2))
        tables = [self._table(stations(e), fewest, shortest) for e in train]
        x, y = map(np.concatenate, zip(*tables, strict=True))
        batch = min(256, len(x) // 2)
        epochs = -(-self.updates * batch // round(0.9 * len(x)))
        settings = {"early_stopping": True, "max_iter": epochs, "batch_size": batch}
        settings |= {"n_iter_no_change": max(5, epochs // 10), "hidden_layer_sizes": self.widths}
        network = MLPRegressor(random_state=self.seed, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # `ended` says so
            network.fit(x, y)
        frames = []
        for e in test:
            inputs, true = self._table(stations(e), fewest, shortest)
            predicted = network.predict(inputs)
            frames.append(_answers(e, *(v.reshape(len(e), -1) for v in (true, predicted))))
        return pd.concat(frames, ignore_index=True).assign(ended=network.n_iter_ < epochs)

    def _table(self, texts: Stations, fewest: int, shortest: int):
        """Inputs (rows, columns) and temperatures to forecast, (rows,) or (rows, stations)."""
        temperatures = texts.temperatures[:, :, -shortest:]
        series, last = temperatures[..., :-1], temperatures[..., -1]
        columns = [series, texts.coordinates] if self.coordinates else [series]
        per_station = np.concatenate(columns, axis=-1)  # (n, stations, columns)
        if self.together:
            per_station, last = per_station[:, :fewest], last[:, :fewest]
        n, k = (len(last), 1) if self.together else last.shape
        x = per_station.reshape(n * k, -1)
        if self.start:
            start = _later(texts.start, self.step * (texts.temperatures.shape[2] - shortest))
            x = np.hstack([x, np.repeat(start, k, axis=0)])
        y = last if self.together else last.ravel()
        return x.astype(np.float32), y.astype(np.float32)


def to_the_end(forecasts: pd.DataFrame) -> Gate:
    """The gate "MLPs trained to the end" of forecasts of MLPs, with a column `ended`."""
    share = forecasts.ended.mean()
    return Gate("MLPs trained to the end", share == 1, f"{share:.0%} stopped by themselves")


def _answers(e: Examples, true: np.ndarray, predicted: np.ndarray) -> pd.DataFrame:
    """Rows as from `predict`, of (n, stations) temperatures."""
    n, k = true.shape
    index = np.arange(n) if e.index is None else e.index
    columns = {
        "example": np.repeat(index, k),
        "slot": np.tile([f"next{i}" for i in range(k)], n),
        "true": true.ravel().astype(float),
        "predicted": predicted.ravel().astype(float),
    }
    return pd.DataFrame(columns).assign(valid=True)


def _later(start: np.ndarray, hours: int) -> np.ndarray:
    """The start (n, 4) of texts of `Temperature`, some hours later."""
    angle = 2 * np.pi * hours / np.array([24, 24 * 365])  # of the hour, of the day
    turned = (start[:, 1::2] + 1j * start[:, ::2]) * np.exp(1j * angle)
    return np.stack([turned.imag, turned.real], axis=-1).reshape(-1, 4)
