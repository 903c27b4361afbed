"""Forecasts by plain MLPs, beside which a language model is measured (App. D.1.2, xval)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from numlab.examples import Examples
from numlab.tasks.temperature import STEP, Stations, stations

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class MLP:
    """An MLP that forecasts the last temperature of the texts of `Temperature` from the others.

    Parameters
    ----------
    coordinates, start : bool
        Whether it reads where the stations are, and when the first temperature was that it reads.
    together : bool
        All stations of a text at once; else one station at a time.
    widths : tuple of int
        Of its hidden layers (3 of 256 for single stations, App. D.1.2, xval).
    epochs : int
        At most; it stops when the error on a tenth of the training rows has not fallen for 5.
    seed : int
    """

    coordinates: bool = True
    start: bool = True
    together: bool = False
    widths: tuple[int, ...] = (256, 256, 256)
    epochs: int = 20
    seed: int = 0

    def forecast(self, train: list[Examples], test: list[Examples]) -> pd.DataFrame:
        """Learn from one corpus, forecast another.

        Of every text the last times are read, as many as the shortest text has; together, the
        first stations, as many as the smallest text has.

        Returns
        -------
        DataFrame [true, predicted, valid]
            A row a station of the test texts.
        """
        import pandas as pd
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor

        corpora = [[stations(e) for e in corpus] for corpus in (train, test)]
        shapes = [s.temperatures.shape for corpus in corpora for s in corpus]
        fewest, shortest = (min(shape[i] for shape in shapes) for i in (1, 2))
        (x, y), (asked, true) = (
            _joined([self._table(s, fewest, shortest) for s in corpus]) for corpus in corpora
        )
        network = MLPRegressor(
            hidden_layer_sizes=self.widths,
            batch_size=min(256, len(x) // 2),
            max_iter=self.epochs,
            early_stopping=True,
            n_iter_no_change=5,
            random_state=self.seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the epochs are spent
            network.fit(x, y)
        predicted = network.predict(asked).astype(float).ravel()
        return pd.DataFrame(
            {"true": true.ravel().astype(float), "predicted": predicted, "valid": True}
        )

    def _table(self, texts: Stations, fewest: int, shortest: int):
        """(rows, inputs) and (rows,) or (rows, stations) to be forecast, float32."""
        temperatures = texts.temperatures[:, :, -shortest:]
        series, last = temperatures[..., :-1], temperatures[..., -1]
        columns = [series, texts.coordinates] if self.coordinates else [series]
        per_station = np.concatenate(columns, axis=-1)  # (n, stations, ...)
        n, k = last.shape
        if self.together:
            per_station, last, k = per_station[:, :fewest], last[:, :fewest], 1
        x = per_station.reshape(n * k, -1)
        if self.start:
            start = _later(texts.start, STEP * (texts.temperatures.shape[2] - shortest))
            x = np.hstack([x, np.repeat(start, k, axis=0)])
        y = last if self.together else last.ravel()
        return x.astype(np.float32), y.astype(np.float32)


def _later(start: np.ndarray, hours: int) -> np.ndarray:
    """The clock (n, 4) of `Temperature`, some hours later."""
    angle = 2 * np.pi * hours / np.array([24, 24 * 365])  # of the hour, of the day
    turned = (start[:, 1::2] + 1j * start[:, ::2]) * np.exp(1j * angle)
    return np.stack([turned.imag, turned.real], axis=-1).reshape(-1, 4)


def _joined(tables: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    x, y = zip(*tables, strict=True)
    return np.concatenate(x), np.concatenate(y)
