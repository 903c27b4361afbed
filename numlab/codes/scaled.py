"""Numbers as one scaled float32 (xval, 2.1)."""

import numpy as np

from numlab.codes.base import LARGEST, Code

FLOAT32 = float(np.finfo(np.float32).max)


class ScaledCode(Code):
    """x / scale as a float32. A subclass is a dataclass with a field `scale`."""

    scale: float
    n_features = 1

    def __post_init__(self):
        if not 0 < self.scale < np.inf:
            name = type(self).__name__
            raise ValueError(f"{name} has a positive, finite scale; got {self.scale}")

    @property
    def bounds(self) -> tuple[float, float]:
        high = min(FLOAT32 * self.scale, LARGEST)
        return -high, high

    def features(self, numbers) -> np.ndarray:
        x = self.in_range(numbers).astype(np.float64, copy=False)
        return (x / self.scale).astype(np.float32)[:, None]

    def number(self, features: np.ndarray) -> np.ndarray:
        value = features[:, 0].astype(np.float64) * self.scale
        return np.where(np.isfinite(value), value, np.nan)
