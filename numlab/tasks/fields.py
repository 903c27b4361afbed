"""Surface temperature on a latitude-longitude grid: what it must be, and files that hold one."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    import xarray

KELVIN = (150.0, 350.0)  # what the surface of the Earth can have
NAMES = {  # of a dimension, in ERA5's files of today, of yesterday, and elsewhere
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
    latitudes, longitudes : arrays in degrees north and east
    land : array of shape (latitudes, longitudes) of bool, optional

    Raises
    ------
    ValueError
        For cells without a number, temperatures that are no kelvin, unequal time steps.
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
        """Over all cells and times, kelvin."""
        return float(self.kelvin.mean(dtype=np.float64))

    @functools.cached_property
    def std(self) -> float:
        """Over all cells and times, kelvin."""
        return float(self.kelvin.std(dtype=np.float64))


@dataclass(frozen=True)
class FieldFile:
    """The 2 m temperature of a GRIB, NetCDF or Zarr file, as ERA5's, read through xarray.

    The whole field is read into memory: cut or coarsen a large one first.

    Parameters
    ----------
    location : str
        A path; or a URL, which is downloaded once, into pooch's cache folder of numlab. What
        breaks off or has another checksum is not kept.
    checksum : str, optional
        "md5:..." or "sha256:...", as pooch writes it; a URL needs one. A file on this machine
        that has none gives a run its address by its name alone.
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
        """Where the file is, or will be when it has been downloaded."""
        if not self.remote:
            return Path(self.location)
        import pooch

        return Path(pooch.os_cache("numlab")) / self.location.rsplit("/", 1)[1]

    def field(self) -> Field:
        """The field, downloaded where it is not here yet.

        Raises
        ------
        FileNotFoundError
            Where there is no such file.
        ValueError
            For another checksum, a missing variable or dimension, wrong units, NaN cells.
        """
        return _read(self)

    def fetch(self) -> Path:
        """The file on this machine, its checksum checked."""
        import pooch

        if self.remote:
            folder, name = self.path.parent, self.path.name
            pooch.retrieve(self.location, self.checksum, name, folder)
        elif not self.path.exists():
            raise FileNotFoundError(f"a field's file is a path or a URL; there is no {self.path}")
        elif self.checksum is not None:
            kind, _, wanted = self.checksum.rpartition(":")
            found = pooch.file_hash(str(self.path), alg=kind or "sha256")
            if found != wanted:
                raise ValueError(f"{self.path} has the checksum {wanted}; got {found}")
        return self.path


@functools.lru_cache(maxsize=2)
def _read(source: FieldFile) -> Field:
    import xarray

    path = source.fetch()
    name = path.name.lower()
    options = {}
    if name.endswith((".grib", ".grb", ".grib2", ".grb2")):  # no index beside a file of others
        options = {"engine": "cfgrib", "backend_kwargs": {"indexpath": ""}}
    elif name.endswith((".zarr", ".zarr.zip")):
        options = {"engine": "zarr"}
    with xarray.open_dataset(path, **options) as dataset:
        try:
            return from_xarray(dataset)
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None


def from_xarray(dataset: xarray.Dataset) -> Field:
    """The field of a dataset that holds `t2m` and, for land and sea, `lsm` (ERA5's names)."""
    name = next((v for v in VARIABLES if v in dataset), None)
    if name is None:
        raise ValueError(f"a field holds one of {VARIABLES}; got {tuple(dataset.data_vars)}")
    array = dataset[name]
    dims = {d: next((n for n in names if n in array.dims), None) for d, names in NAMES.items()}
    missing = [dimension for dimension, found in dims.items() if found is None]
    if missing:
        raise ValueError(
            f"{name} has the dimensions time, latitude and longitude; got {array.dims}, without "
            f"{' and '.join(missing)}"
        )
    units = array.attrs.get("units", "K")  # without: judged by the numbers
    if units not in ("K", "kelvin", "Kelvin"):
        raise ValueError(f"{name} is in kelvin (units 'K'); got units {units!r}")
    array = _over(array, *dims.values())
    hours = array[dims["time"]].values.astype("datetime64[h]").astype(np.int64)
    latitudes, longitudes = (array[dims[d]].values.astype(float) for d in ("latitude", "longitude"))
    land = None
    if "lsm" in dataset:
        mask = dataset["lsm"]
        mask = mask.isel({d: 0 for d in mask.dims if d not in list(dims.values())[1:]})
        land = mask.transpose(dims["latitude"], dims["longitude"]).values > 0.5
    return Field(array.values.astype(np.float32), hours, latitudes, longitudes, land)


def _over(array: xarray.DataArray, *dims: str) -> xarray.DataArray:
    """The array over these dimensions; others have one entry, such as a member's number."""
    others = [d for d in array.dims if d not in dims]
    more = {d: array.sizes[d] for d in others if array.sizes[d] > 1}
    if more:
        raise ValueError(f"{array.name} has the dimensions {dims}; got also {more}")
    return array.squeeze(others, drop=True).transpose(*dims)
