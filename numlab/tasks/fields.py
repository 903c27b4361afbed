"""Surface temperatures on a latitude-longitude grid, and files that hold them."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from numlab.tasks.files import check_sum

if TYPE_CHECKING:
    import xarray

__all__ = ["Field", "FieldFile", "from_xarray"]

KELVIN = (150.0, 350.0)  # wider than any temperature at the surface of the Earth
NAMES = {  # names of dimensions, in new and old files of ERA5 and elsewhere
    "time": ("time", "valid_time"),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon"),
}
VARIABLES = ("t2m", "2t", "2m_temperature")


@dataclass(frozen=True, eq=False)
class Field:
    """Temperatures on a grid at equal time steps.

    Parameters
    ----------
    kelvin : array of shape (times, latitudes, longitudes)
    hours : array of shape (times,)
        Whole hours since 1970-01-01 00:00 UTC.
    latitudes, longitudes : arrays, in degrees north and east
    land : array of shape (latitudes, longitudes) of bool, optional

    Raises
    ------
    ValueError
        For NaN cells, temperatures that are not in kelvin, unequal time steps.
    """

    kelvin: np.ndarray
    hours: np.ndarray
    latitudes: np.ndarray
    longitudes: np.ndarray
    land: np.ndarray | None = None

    def __post_init__(self):
        shape = (len(self.hours), len(self.latitudes), len(self.longitudes))
        if self.kelvin.shape != shape:
            raise ValueError(f"a field has shape {shape}; got {self.kelvin.shape}")
        missing = ~np.isfinite(self.kelvin)
        if missing.any():
            t, i, j = np.argwhere(missing)[0]
            cells = missing.any(axis=0)
            raise ValueError(
                f"a field has a temperature everywhere; {cells.sum()} of {cells.size} cells are "
                f"NaN at some time, the first at latitude {self.latitudes[i]:g}, longitude "
                f"{self.longitudes[j]:g} at time step {t}"
            )
        low, high = float(self.kelvin.min()), float(self.kelvin.max())
        if low < KELVIN[0] or high > KELVIN[1]:
            raise ValueError(
                f"a field is in kelvin, {KELVIN[0]:g} to {KELVIN[1]:g}; got {low:.1f} to "
                f"{high:.1f}: degrees Celsius?"
            )
        steps = np.unique(np.diff(self.hours))
        if len(self.hours) > 1 and (len(steps) > 1 or steps[0] <= 0):
            raise ValueError(f"a field has equal time steps; got {steps[:5].tolist()} hours")

    @property
    def step(self) -> int:
        """Hours between two times; 0 where there is only one."""
        return int(self.hours[1] - self.hours[0]) if len(self.hours) > 1 else 0

    @functools.cached_property
    def mean(self) -> float:
        """Over all cells and times, in kelvin."""
        return float(self.kelvin.mean(dtype=np.float64))

    @functools.cached_property
    def std(self) -> float:
        """Over all cells and times, in kelvin."""
        return float(self.kelvin.std(dtype=np.float64))


@dataclass(frozen=True)
class FieldFile:
    """The 2 m temperature in a GRIB, NetCDF or Zarr file with ERA5's names, read through xarray.

    The whole field is read into memory: crop or coarsen a large one first.

    Parameters
    ----------
    location : str
        A path; or a URL, downloaded once into pooch's cache folder of numlab.
    checksum : str, optional
        "md5:..." or "sha256:...". A URL needs one. Without it, a run's address depends on the
        path alone, not on the file's content.
    """

    location: str
    checksum: str | None = None

    version: ClassVar[int] = 1

    def __post_init__(self):
        if self.remote and self.checksum is None:
            raise ValueError(f"a URL needs a checksum, 'sha256:...'; got none for {self.location}")

    @property
    def remote(self) -> bool:
        return "://" in self.location

    @property
    def path(self) -> Path:
        """The file, or where it will be downloaded to."""
        if not self.remote:
            return Path(self.location)
        import pooch

        return Path(pooch.os_cache("numlab")) / self.location.rsplit("/", 1)[1]

    def field(self) -> Field:
        """Read the field; download its file first if necessary.

        Raises
        ------
        FileNotFoundError
        ValueError
            For another checksum, a missing variable or dimension, wrong units, NaN cells.
        """
        return _read(self)

    def fetch(self) -> Path:
        """The file on this machine, with its checksum checked."""
        import pooch

        if self.remote:
            pooch.retrieve(self.location, self.checksum, self.path.name, self.path.parent)
        elif not self.path.exists():
            raise FileNotFoundError(f"expected a path or a URL; there is no {self.path}")
        else:
            check_sum(self.path, self.checksum)
        return self.path


@functools.lru_cache(maxsize=2)
def _read(source: FieldFile) -> Field:
    import xarray

    path = source.fetch()
    name, options = path.name.lower(), {}
    if name.endswith((".grib", ".grb", ".grib2", ".grb2")):  # write no index beside the file
        options = {"engine": "cfgrib", "backend_kwargs": {"indexpath": ""}}
    elif name.endswith((".zarr", ".zarr.zip")):
        options = {"engine": "zarr"}
    with xarray.open_dataset(path, **options) as dataset:
        try:
            return from_xarray(dataset)
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None


def from_xarray(dataset: xarray.Dataset) -> Field:
    """The field in a dataset with `t2m` and, for land and sea, `lsm` (ERA5's names)."""
    variable = next((name for name in VARIABLES if name in dataset), None)
    if variable is None:
        raise ValueError(f"a field holds one of {VARIABLES}; got {tuple(dataset.data_vars)}")
    aliases = {alias: name for name, names in NAMES.items() for alias in names[1:]}
    dataset = dataset.rename({a: name for a, name in aliases.items() if a in dataset.dims})
    array = dataset[variable]
    if missing := [name for name in NAMES if name not in array.dims]:
        raise ValueError(
            f"{variable} has the dimensions time, latitude and longitude; got {array.dims}, "
            f"without {' and '.join(missing)}"
        )
    units = array.attrs.get("units", "K")
    if units not in ("K", "kelvin", "Kelvin"):
        raise ValueError(f"{variable} is in kelvin (units 'K'); got units {units!r}")
    others = [d for d in array.dims if d not in NAMES]  # such as the number of a member
    if several := {d: array.sizes[d] for d in others if array.sizes[d] > 1}:
        raise ValueError(f"{variable} has the dimensions {tuple(NAMES)}; got also {several}")
    array = array.squeeze(others, drop=True).transpose(*NAMES)
    hours = array.time.values.astype("datetime64[h]").astype(np.int64)
    latitudes, longitudes = (array[name].values.astype(float) for name in list(NAMES)[1:])
    land = None
    if "lsm" in dataset:
        mask = dataset["lsm"]
        mask = mask.isel({d: 0 for d in mask.dims if d not in ("latitude", "longitude")})
        land = mask.transpose("latitude", "longitude").values > 0.5
    return Field(array.values.astype(np.float32), hours, latitudes, longitudes, land)
