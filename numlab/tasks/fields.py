"""Surface temperatures on a latitude-longitude grid, and files that hold them."""

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from numlab.tasks.files import checksum, optional, verify

VARIABLES = ("t2m", "2t", "2m_temperature")
AXES = ("time", "latitude", "longitude")
ALIASES = {"valid_time": "time", "lat": "latitude", "lon": "longitude"}


@dataclass(frozen=True, eq=False)
class Field:
    """Temperatures on a grid at equal time steps."""

    kelvin: np.ndarray  # (times, latitudes, longitudes)
    hours: np.ndarray  # (times,) whole hours since 1970-01-01 00:00 UTC
    latitudes: np.ndarray  # in degrees north
    longitudes: np.ndarray  # in degrees east
    land: np.ndarray | None = None  # (latitudes, longitudes) bool; None where it is not known

    def __post_init__(self):
        shape = (len(self.hours), len(self.latitudes), len(self.longitudes))
        if self.kelvin.shape != shape:
            raise ValueError(f"a field has shape {shape}; got {self.kelvin.shape}")
        if not self.kelvin.size:  # of a slice whose ends are in the other order, perhaps
            raise ValueError(f"a field has times, latitudes and longitudes; got shape {shape}")
        for name, most in (("latitudes", 90), ("longitudes", 360)):
            degrees = getattr(self, name)
            if (wrong := ~(np.abs(degrees) <= most)).any():
                raise ValueError(f"{name} are -{most} to {most} degrees; got {degrees[wrong][0]}")
        missing = ~np.isfinite(self.kelvin)
        if missing.any():
            (t, i, j), cells = np.argwhere(missing)[0], missing.any(axis=0)
            first = f"latitude {self.latitudes[i]:g}, longitude {self.longitudes[j]:g}, time {t}"
            raise ValueError(f"{cells.sum()} of {cells.size} cells are NaN; the first at {first}")
        low, high = float(self.kelvin.min()), float(self.kelvin.max())
        if low < 150 or high > 350:
            got = f"{low:.1f} to {high:.1f}: degrees Celsius?"
            raise ValueError(f"a field is in kelvin, 150 to 350; got {got}")
        steps = np.unique(np.diff(self.hours))
        if len(self.hours) > 1 and (len(steps) > 1 or steps[0] <= 0):
            raise ValueError(f"a field has equal time steps; got {steps[:5].tolist()} hours")

    @property
    def step(self) -> int:
        """Hours between two times; 0 where there is only one."""
        return int(self.hours[1] - self.hours[0]) if len(self.hours) > 1 else 0

    @functools.cached_property
    def mean(self) -> float:
        return float(self.kelvin.mean(dtype=np.float64))

    @functools.cached_property
    def std(self) -> float:
        return float(self.kelvin.std(dtype=np.float64))


@dataclass(frozen=True)
class FieldFile:
    """The 2 m temperature in a GRIB, NetCDF or Zarr file with ERA5's names, read through xarray.

    The whole field is read into memory: crop or coarsen a large one first.

    Parameters
    ----------
    location : a path; or a URL, downloaded once into pooch's cache folder of numlab.
    checksum : "md5:..." or "sha256:...", on which a run's address depends; a URL needs one. None:
        that of the file now.

    >>> import tempfile, xarray
    >>> time = np.array(["2020-01-01"], "M8[ns]")
    >>> axes = {"time": time, "latitude": [50.0, 45.0], "longitude": [0.0]}
    >>> kelvin = xarray.DataArray([[[280.0], [290.0]]], axes, tuple(axes))
    >>> path = tempfile.mkdtemp() + "/t.nc"; kelvin.to_dataset(name="t2m").to_netcdf(path)
    >>> nl.tasks.FieldFile(path).field().mean
    285.0
    """

    location: str
    checksum: str | None = None

    def __post_init__(self):
        if self.checksum is not None:
            return
        if "://" in self.location:
            raise ValueError(f"a URL needs a checksum, 'sha256:...'; got none for {self.location}")
        object.__setattr__(self, "checksum", f"sha256:{checksum(Path(self.location))}")

    def fetch(self) -> Path:
        """Download the file if necessary, and check it."""
        import pooch

        if "://" in self.location:
            name, folder = self.location.rsplit("/", 1)[1], pooch.os_cache("numlab")
            return Path(pooch.retrieve(self.location, self.checksum, name, folder))
        verify(path := Path(self.location), self.checksum)
        return path

    def field(self) -> Field:
        xarray = optional("xarray")
        path = self.fetch()
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


def from_xarray(dataset) -> Field:
    """The field in an xarray.Dataset with `t2m` and, for land and sea, `lsm` (ERA5's names)."""
    variable = next((name for name in VARIABLES if name in dataset), None)
    if variable is None:
        raise ValueError(f"a field holds one of {VARIABLES}; got {tuple(dataset.data_vars)}")
    renames = {a: b for a, b in ALIASES.items() if a in dataset.dims and b not in dataset.dims}
    dataset = dataset.drop_vars(list(renames.values()), errors="ignore").rename(renames)
    array = dataset[variable]
    if missing := [name for name in AXES if name not in array.indexes]:  # xarray counts from 0
        raise ValueError(f"{variable} has coordinates along {AXES}; got no {missing}")
    units = array.attrs.get("units", "K")
    if units not in ("K", "kelvin", "Kelvin"):
        raise ValueError(f"{variable} is in kelvin (units 'K'); got units {units!r}")
    others = [d for d in array.dims if d not in AXES]  # such as the number of a member
    if several := {d: array.sizes[d] for d in others if array.sizes[d] > 1}:
        raise ValueError(f"{variable} has the dimensions {AXES}; got also {several}")
    array = array.squeeze(others, drop=True).transpose(*AXES)
    times, latitudes, longitudes = (array[name].values for name in AXES)
    if times.dtype.kind != "M":  # numbers could be hours or days, since any date
        raise ValueError(f"time holds dates; got {times[0]!r}, perhaps without units")
    hours = times.astype("datetime64[h]")
    if (between := times[times != hours]).size:
        raise ValueError(f"times are whole hours; got {between[0]}")
    land = None
    if "lsm" in dataset:
        first = {d: 0 for d in dataset.lsm.dims if d not in AXES[1:]}
        land = dataset.lsm.isel(first).transpose(*AXES[1:]).values > 0.5
    kelvin = array.values.astype(np.float32)
    degrees = latitudes.astype(float), longitudes.astype(float)
    return Field(kelvin, hours.astype(np.int64), *degrees, land)
