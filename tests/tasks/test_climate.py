import numpy as np
import pytest
from notebooks.conftest import load

from numlab.tasks import Climate, Temperature
from numlab.tasks.climate import weather

stations = load("xval/stations").stations


@pytest.fixture(scope="module")
def field():
    return Climate(years=2, degrees=10.0).field()


def test_two_fifths_of_the_cells_are_land(field):
    assert field.land.mean() == pytest.approx(0.4, abs=0.01)


def test_it_is_warmest_at_the_equator_and_temperate_everywhere(field):
    by_latitude = field.kelvin.mean(axis=(0, 2))
    assert abs(field.latitudes[by_latitude.argmax()]) <= 15
    assert by_latitude.argmin() in (0, len(by_latitude) - 1)
    assert field.kelvin.min() > 200 and field.kelvin.max() < 330


def amplitude(field, hours, cells):
    """Of a cycle of that many hours, the mean over cells."""
    turn = np.exp(2j * np.pi * field.hours / hours)
    return 2 * np.abs(np.tensordot(turn, field.kelvin[:, cells], 1)).mean() / len(turn)


@pytest.mark.parametrize(("hours", "ratio"), [(365 * 24, 2.5), (24, 5)], ids=["seasons", "days"])
def test_cycles_are_wider_on_land_than_on_the_sea(field, hours, ratio):
    assert amplitude(field, hours, field.land) > ratio * amplitude(field, hours, ~field.land)


def test_summer_is_in_july_in_the_north_and_in_january_in_the_south(field):
    month = field.hours // 24 % 365 * 12 // 365
    july, january = (field.kelvin[month == m].mean(axis=(0, 2)) for m in (6, 0))
    assert (july > january)[field.latitudes > 20].all()
    assert (july < january)[field.latitudes < -20].all()


def test_weather_keeps_its_variance_fades_over_space_and_time_and_drifts_eastwards():
    longitudes = np.arange(-180.0, 180.0, 20 / 3)
    w = weather(np.array([0.0, 5.0, 40.0]), longitudes, 3000, 8, np.random.default_rng(0))
    assert w.mean() == pytest.approx(0, abs=0.05)
    assert w.std(axis=(0, 2)) == pytest.approx(1, abs=0.05)

    def correlation(a, b):
        return np.corrcoef(a.ravel(), b.ravel())[0, 1]

    north = [correlation(w[:, 0], w[:, i]) for i in (1, 2)]
    assert north == pytest.approx([np.exp(-0.125), 0], abs=0.05)
    after_8_hours = [correlation(np.roll(w[:-1, 0], k, axis=1), w[1:, 0]) for k in (-1, 0, 1)]
    assert np.argmax(after_8_hours) == 2  # a third of 20 degrees east
    assert after_8_hours[2] == pytest.approx(0.73 ** (1 / 3), abs=0.02)


def test_history_place_and_neighbours_each_help_a_linear_forecast():
    """Tab08's order can come out: the task is no persistence."""
    task = Temperature(Climate(3, 2.5, (30, 50, 0, 30)), stations=(5, 5), times=(4, 4))
    (test,), (train,) = task.split((2000, 20_000), seed=0)

    def columns(examples):
        s = stations(examples)
        past, last = s.temperatures[:, :, :-1], s.temperatures[:, :, -1]
        n, k = last.shape
        start = np.repeat(s.start[:, None], k, axis=1)
        products = (past[..., None] * start[:, :, None]).reshape(n, k, -1)
        own = np.concatenate([past, np.ones((n, k, 1))], axis=-1)
        placed = np.concatenate([own, s.coordinates, start, products], axis=-1)
        east = np.degrees(np.arctan2(s.coordinates[..., 1], s.coordinates[..., 2]))
        north = np.degrees(np.arcsin(s.coordinates[..., 0]))
        east, north = (x[:, None, :] - x[:, :, None] for x in (east, north))
        seen = []
        for west in (0, 5, 10):
            near = np.exp(-((east + west) ** 2 + north**2) / 72) * (1 - np.eye(k))
            seen += [np.einsum("nij,njs->nis", near, past), near.sum(2)[..., None] * past]
        tables = (past[..., -1:], own, placed, np.concatenate([placed, *seen], axis=-1))
        return [t.reshape(n * k, -1) for t in tables], last.ravel()

    (learned, y), (asked, true) = columns(train), columns(test)
    fits = [np.linalg.lstsq(x, y, rcond=None)[0] for x in learned]
    errors = [np.mean((x @ w - true) ** 2) for x, w in zip(asked, fits, strict=True)]
    assert (np.diff(errors) < -0.04 * np.array(errors[:-1])).all()


def test_without_contrast_land_and_sea_have_one_climate():
    field = Climate(years=2, degrees=10.0, contrast=0.0).field()
    for hours in (365 * 24, 24):
        ratio = amplitude(field, hours, field.land) / amplitude(field, hours, ~field.land)
        assert ratio == pytest.approx(1, abs=0.25)


def borders(patches):
    """The share of neighbours, west to east, of which one is land and one is sea."""
    land = Climate(1, 1.25, (30, 50, 0, 30), patches=patches).field().land
    assert land.mean() == pytest.approx(0.4, abs=0.01)
    return (land[:, 1:] != land[:, :-1]).mean()


def test_small_patches_put_land_and_sea_side_by_side():
    assert borders(10.0) < 0.1 and borders(2.0) == pytest.approx(0.19, abs=0.05)
    assert borders(0.5) == pytest.approx(0.48, abs=0.07)  # 2 x 0.4 x 0.6: each cell on its own


def test_a_climate_is_its_seed_s():
    first, same, other = (Climate(1, 30.0, seed=s).field().kelvin for s in (0, 0, 1))
    assert (first == same).all() and (first != other).any()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"region": (30, 20, 0, 10)}, "a region is"),
        ({"region": (0, 10, 0, 400)}, "a region is"),
        ({"region": (-90, 90)}, "region is a tuple of 4 values"),
        ({"years": 0}, "expected years >= 1"),
        ({"degrees": 0.0}, "0 < degrees <= each side"),
        ({"patches": 0.0}, "0 < patches < 229"),
        ({"patches": 230.0}, "0 < patches < 229"),
        ({"contrast": -0.1}, "contrast >= 0"),
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        Climate(**settings)
