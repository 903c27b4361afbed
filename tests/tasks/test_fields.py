import http.server
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from numlab import store
from numlab.tasks import FieldFile, Temperature
from numlab.tasks.fields import Field, from_xarray

xarray = pytest.importorskip("xarray")

ERA5 = Path(__file__).resolve().parents[3] / "shared/data/era5/era5-2mt-2019-03-uk.grib"
URL = "https://github.com/pydata/xarray-data/raw/master/era5-2mt-2019-03-uk.grib"
MD5 = "md5:eae4f0d198f4f6c16ba950975a217155"


def dataset(n=40, step="8h", units="K", **names):
    """A small field as ERA5's files hold one."""
    kelvin = 280 + np.random.default_rng(0).normal(0, 5, (n, 3, 4)).astype(np.float32)
    coords = {
        "time": np.datetime64("2020-01-01") + np.arange(n) * np.timedelta64(step[:-1], step[-1]),
        "latitude": [50.0, 45.0, 40.0],
        "longitude": [0.0, 5.0, 10.0, 15.0],
    }
    data = xarray.Dataset({"t2m": (tuple(coords), kelvin, {"units": units})}, coords)
    return data.rename(names)


def test_a_field_is_read_from_xarray_in_kelvin_and_hours():
    field = from_xarray(dataset())
    assert field.kelvin.shape == (40, 3, 4) and field.step == 8 and field.land is None
    assert field.hours[0] == 24 * (50 * 365 + 12)  # 1 January 2020, with twelve leap days
    assert field.std == pytest.approx(5, rel=0.1)


def test_the_names_of_other_files_and_their_members_are_understood():
    data = dataset(time="valid_time", latitude="lat", longitude="lon").expand_dims(number=[0])
    data["lsm"] = ("lat", "lon"), np.eye(3, 4)
    data["time"] = np.datetime64("2020-01-01")  # of the forecast
    field = from_xarray(data.transpose("lon", ...))
    assert (field.kelvin == dataset().t2m.values).all()
    assert (field.land == np.eye(3, 4, dtype=bool)).all()


@pytest.mark.parametrize("suffix", [".nc", ".zarr"])
def test_a_file_gives_the_field_that_was_written(tmp_path, suffix):
    path = tmp_path / f"field{suffix}"
    data = dataset()
    data.to_netcdf(path, engine="h5netcdf") if suffix == ".nc" else data.to_zarr(path)
    field, told = FieldFile(str(path)).field(), from_xarray(data)
    for name in ("kelvin", "hours", "latitudes", "longitudes"):
        assert np.array_equal(getattr(field, name), getattr(told, name))


@pytest.mark.skipif(not ERA5.exists(), reason="no ERA5 file beside the project")
def test_the_real_era5_file_is_read_from_the_cache_and_gives_texts(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = FieldFile(URL, MD5)
    (tmp_path / "numlab").mkdir()
    shutil.copy(ERA5, tmp_path / "numlab" / ERA5.name)
    task = Temperature(source, stations=(6, 8), times=(3, 4))
    field = task.field()
    assert field.kelvin.shape == (744, 33, 49) and field.step == 1
    assert 275 < field.mean < 290
    test, _, train = task.split((20, 20, 50), seed=0)
    assert [sum(map(len, part)) for part in (test, train)] == [20, 50]
    assert all(np.isfinite(e.numbers).all() for e in train)


def broken(**changes):
    data = dataset(**{k: v for k, v in changes.items() if k != "edit"})
    return changes.get("edit", lambda d: d)(data)


def with_hole(data):
    data.t2m[3, 1, 2] = np.nan
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            lambda: broken(edit=with_hole),
            "1 of 12 cells are NaN.*latitude 45, longitude 10, time 3",
        ),
        (lambda: broken(units="degC"), "t2m is in kelvin.*got units 'degC'"),
        (lambda: dataset() - 273.15, "150 to 350; got .*degrees Celsius"),
        (lambda: broken(edit=lambda d: d.isel(latitude=0)), r"got no \['latitude'\]"),
        (
            lambda: broken(edit=lambda d: d.isel(time=0, longitude=0)),
            r"got no \['time', 'longitude'\]",
        ),
        (lambda: broken(edit=lambda d: d.isel(time=[0, 1, 3])), r"equal time steps; got \[8, 16\]"),
        (lambda: broken(t2m="tp"), r"one of \('t2m'.*got \('tp',\)"),
        (lambda: dataset().sel(latitude=slice(40, 50)), r"latitudes .*; got shape \(40, 0, 4\)"),
        (lambda: dataset().expand_dims(member=[0, 1]), "got also {'member': 2}"),
    ],
    ids=[
        "nan",
        "units",
        "celsius",
        "latitude",
        "two dims",
        "steps",
        "variable",
        "no latitude",
        "members",
    ],
)
def test_a_field_with_a_fault_is_refused_by_its_name(data, message):
    with pytest.raises(ValueError, match=message):
        from_xarray(data())


@pytest.mark.parametrize(
    "edit, message",
    [
        (lambda d: d.drop_vars("longitude"), r"has coordinates along .*; got no \['longitude'\]"),
        (lambda d: d.assign_coords(time=range(40)), "time holds dates; got .*without units"),
        (
            lambda d: d.assign_coords(time=d.time + np.timedelta64(30, "m")),
            "whole hours; got 2020-01-01T00:30",
        ),
        (
            lambda d: d.assign_coords(latitude=[50, 45, np.nan]),
            "latitudes are -90 to 90 degrees; got nan",
        ),
        (
            lambda d: d.assign_coords(longitude=[0, 5e5, 6e5, 7e5]),  # metres of a map
            "longitudes are -360 to 360 degrees; got 500000",
        ),
    ],
)
def test_places_and_times_are_not_made_up(edit, message):
    with pytest.raises(ValueError, match=message):
        from_xarray(edit(dataset()))


def test_a_file_s_fault_names_the_file(tmp_path):
    dataset(units="degC").to_netcdf(tmp_path / "warm.nc", engine="h5netcdf")
    with pytest.raises(ValueError, match=r"warm.nc: t2m is in kelvin"):
        FieldFile(str(tmp_path / "warm.nc")).field()


def test_a_field_has_the_shape_of_its_axes():
    with pytest.raises(ValueError, match=r"shape \(2, 1, 1\); got \(3, 1, 1\)"):
        Field(np.full((3, 1, 1), 280.0), np.arange(2), np.zeros(1), np.zeros(1))


@pytest.mark.parametrize(
    ("data", "settings", "message"),
    [
        (lambda: dataset(n=5), {"times": (8, 8)}, "8 times at 8 hours are 8 steps.*got 5"),
        (lambda: dataset(step="3h"), {}, "divides 8 hours; got 3"),
        (lambda: dataset(), {"stations": (5, 20)}, "20 stations need as many cells; got 12"),
    ],
    ids=["few steps", "step", "few cells"],
)
def test_a_field_that_gives_no_texts_is_refused(tmp_path, data, settings, message):
    data().to_netcdf(tmp_path / "f.nc", engine="h5netcdf")
    source = FieldFile(str(tmp_path / "f.nc"))
    task = Temperature(source, **{"stations": (2, 3), "times": (2, 3)} | settings)
    with pytest.raises(ValueError, match=message):
        task.sample(4, seed=0)


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"no field at all"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + 100 * ("short" in self.path)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    http_server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=http_server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http_server.server_port}"
    http_server.shutdown()


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("other.nc", ValueError, "does not match the known hash"),
        ("short.nc", OSError, "IncompleteRead"),
    ],
    ids=["other checksum", "breaks off"],
)
def test_of_a_failed_download_nothing_is_kept(server, tmp_path, monkeypatch, name, error, said):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = FieldFile(f"{server}/{name}", checksum="sha256:" + 64 * "0")
    with pytest.raises(error, match=said):
        source.fetch()
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_local_file_of_another_checksum_is_refused(tmp_path):
    path = tmp_path / "f.nc"
    path.write_bytes(b"x")
    with pytest.raises(ValueError, match="checksum 0000.*got "):
        FieldFile(str(path), "sha256:" + 64 * "0").fetch()


@pytest.mark.parametrize("suffix", [".nc", ".zarr"])
def test_a_file_that_changes_has_another_address_and_the_old_one_is_refused(tmp_path, suffix):
    path = tmp_path / f"f{suffix}"

    def write(data):
        data.to_zarr(path, mode="w") if suffix == ".zarr" else data.to_netcdf(path)
        return FieldFile(str(path))

    before = write(dataset())
    if suffix == ".zarr":  # HDF5 may hold the time of writing
        assert write(dataset()) == before
    after = write(dataset() + 1)
    assert store.digest(after) != store.digest(before)
    assert after.field().mean == pytest.approx(float(dataset().t2m.mean()) + 1, rel=1e-6)
    with pytest.raises(ValueError, match="another file: expected the checksum"):
        before.field()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.nc"):
        FieldFile(str(tmp_path / "nowhere.nc")).field()


def test_a_url_without_a_checksum_is_refused():
    with pytest.raises(ValueError, match="needs a checksum"):
        FieldFile(URL)


@pytest.mark.parametrize(
    ("kelvin", "hours", "told"),
    [
        ([21.0, 30.0, 25.0], [0, 1, 2], "in kelvin, 150 to 350; got 21.0 to 30.0: degrees Celsius"),
        ([290.0, 291.0, 292.0], [2, 1, 0], r"equal time steps; got \[-1\] hours"),
        ([290.0, 291.0, 292.0], [0, 0, 0], r"equal time steps; got \[0\] hours"),
    ],
)
def test_a_warm_field_in_celsius_and_times_that_do_not_ascend_are_refused(kelvin, hours, told):
    grid = np.array(kelvin)[:, None, None], np.array(hours), np.array([50.0]), np.array([0.0])
    with pytest.raises(ValueError, match=told):
        Field(*grid)
