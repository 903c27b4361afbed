"""Forecasts of temperatures by plain MLPs, to compare language models with (App. D.1.2, xval)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from stations import Stations, stations

from numlab.examples import Examples
from numlab.tasks.temperature import STEP

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MLP"]


@dataclass(frozen=True)
class MLP:
    """An MLP that forecasts the last temperatures in texts of `Temperature`.

    Parameters
    ----------
    coordinates, start : whether it reads the stations' coordinates, and the time of the first
        temperature that it reads.
    together : forecast all stations of a text at once, or one at a time.
    widths : of the hidden layers (3 of 256 for single stations, App. D.1.2, xval).
    epochs : at most; it stops when the error on a tenth of the training rows has not fallen for 5.
    """

    coordinates: bool = True
    start: bool = True
    together: bool = False
    widths: tuple[int, ...] = (256, 256, 256)
    epochs: int = 20
    seed: int = 0

    def forecast(self, train: list[Examples], test: list[Examples]) -> pd.DataFrame:
        """Learn from one corpus; forecast another, [true, predicted, valid] for each station.

        It reads the last times of each text, as many as the shortest text has; together, the
        first stations, as many as the smallest text has.
        """
        import pandas as pd
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPRegressor

        corpora = [[stations(e) for e in corpus] for corpus in (train, test)]
        shapes = [s.temperatures.shape for corpus in corpora for s in corpus]
        fewest, shortest = (min(shape[i] for shape in shapes) for i in (1, 2))
        (x, y), (inputs, true) = (
            map(np.concatenate, zip(*(self._table(s, fewest, shortest) for s in c), strict=True))
            for c in corpora
        )
        settings = {"early_stopping": True, "n_iter_no_change": 5, "max_iter": self.epochs}
        settings |= {"hidden_layer_sizes": self.widths, "batch_size": min(256, len(x) // 2)}
        network = MLPRegressor(random_state=self.seed, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # after the last epoch
            network.fit(x, y)
        columns = {"true": true, "predicted": network.predict(inputs)}
        frame = pd.DataFrame({name: x.ravel().astype(float) for name, x in columns.items()})
        return frame.assign(valid=True)

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
            start = _later(texts.start, STEP * (texts.temperatures.shape[2] - shortest))
            x = np.hstack([x, np.repeat(start, k, axis=0)])
        y = last if self.together else last.ravel()
        return x.astype(np.float32), y.astype(np.float32)


def _later(start: np.ndarray, hours: int) -> np.ndarray:
    """The start (n, 4) of texts of `Temperature`, some hours later."""
    angle = 2 * np.pi * hours / np.array([24, 24 * 365])  # of the hour, of the day
    turned = (start[:, 1::2] + 1j * start[:, ::2]) * np.exp(1j * angle)
    return np.stack([turned.imag, turned.real], axis=-1).reshape(-1, 4)
