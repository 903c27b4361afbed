"""A regressor and an encoder for scikit-learn, and a regression from a file."""

import functools
import json
import pickle
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import numlab as nl
from numlab.cli import app
from numlab.compare.baselines import baselines
from numlab.compare.regression import Regression, regress
from numlab.estimators import NumberEncoder, NumberRegressor

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (300, 2))
Y = X[:, 0] - 2 * X[:, 1] + RNG.normal(0, 0.1, 300)
# checks that do not apply, and why
EXPECTED = {"check_regressors_train": "two steps teach too little for its R² of 0.5"}


def test_the_regressor_is_an_estimator_of_scikit_learn(home):
    from sklearn.utils.estimator_checks import check_estimator  # a second, which others can spare

    check_estimator(NumberRegressor(steps=2, members=1, d_model=8), expected_failed_checks=EXPECTED)


def test_the_encoder_is_a_transformer_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(NumberEncoder(d_model=4))


def test_a_regressor_learns_and_its_intervals_hold_the_share_asked_for(home):
    model = NumberRegressor(steps=100, members=1, d_model=32).fit(X[:200], Y[:200])
    assert model.score(X[200:], Y[200:]) > 0.5
    low, high = model.predict_interval(X[200:], 0.8).T
    assert 0.65 < ((low <= Y[200:]) & (Y[200:] <= high)).mean() < 0.95


def test_the_unit_and_the_offset_of_the_target_do_not_matter(home):
    def learned(y):
        model = NumberRegressor(steps=100, members=1, d_model=32).fit(X[:200], y[:200])
        return np.column_stack([model.predict(X[200:]), model.predict_interval(X[200:])])

    expected = learned(Y)
    assert np.corrcoef(expected[:, 0], Y[200:])[0, 1] > 0.7
    for offset, unit in ((1.7e9, 100.0), (0.0, 1e-46)):
        assert (learned(offset + unit * Y) - offset) / unit == pytest.approx(expected, abs=0.05)


def test_a_small_constant_is_predicted_in_its_own_unit(home):
    model = NumberRegressor(steps=20, members=1, d_model=8).fit(X[:60], np.full(60, 1e-3))
    assert model.predict(X[:5]) == pytest.approx(1e-3, rel=0.6)  # after few steps


@pytest.mark.parametrize("least", [0.0, 1e-6])
def test_a_target_of_many_decades_is_predicted_within_its_intervals_and_not_below_0(home, least):
    x = np.random.default_rng(1).uniform(0, 1, 300)
    y = np.where(x < 0.1, least, 10 ** (12 * x - 6))
    model = NumberRegressor(steps=150, members=1, d_model=32).fit(x[:200, None], y[:200])
    predicted, (low, high) = model.predict(x[200:, None]), model.predict_interval(x[200:, None]).T
    assert ((low <= predicted) & (predicted <= high) & (low >= 0)).all()
    if least:
        assert np.corrcoef(np.log(predicted), np.log(y[200:]))[0, 1] > 0.9


def test_several_members_predict_their_mean_and_their_intervals_rest_on_all_rows_left_out(home):
    model = NumberRegressor(steps=60, members=2, d_model=16).fit(X[:200], Y[:200])
    alone = [run.predict(pd.DataFrame(X[200:], columns=["x0", "x1"])) for run in model.runs_]
    units = (model.predict(X[200:]) - model.centre_) / model.scale_
    assert np.allclose(units, (alone[0].predicted + alone[1].predicted) / 2)
    low, high = model.predict_interval(X[200:]).T
    assert 0.65 < ((low <= Y[200:]) & (Y[200:] <= high)).mean() < 0.95
    assert np.allclose(model.predict_interval(X[:199:-1])[::-1], np.stack([low, high], 1))


def test_a_fitted_regressor_is_found_in_the_store(home):
    first, second = (NumberRegressor(steps=2, members=2, d_model=8).fit(X, Y) for _ in range(2))
    assert [r.digest for r in first.runs_] == [r.digest for r in second.runs_]
    assert len(list(nl.store.runs_dir().glob("[!.]*"))) == 2
    assert nl.Run.stored(first.runs_[0].digest).spec.task.target == "y"


def test_words_dates_and_gaps_are_columns_too(home):
    frame = pd.DataFrame({"w": ["a", None, "b"] * 10, "d": pd.date_range("2024", periods=30)})
    frame["x"] = [None, *np.arange(29.0)]
    model = NumberRegressor(steps=2, members=1, d_model=8).fit(frame, np.arange(30.0))
    assert np.isfinite(model.predict(frame.iloc[:4])).all()


def test_estimators_are_cloned_searched_and_piped(home):
    model = clone(NumberRegressor(steps=1, members=1, d_model=8))
    search = GridSearchCV(model, {"encoder": [None, nl.FoNE(3, 3)]}, cv=2, error_score="raise")
    assert search.fit(X[:40].round(3), Y[:40]).best_params_.keys() == {"encoder"}
    piped = make_pipeline(NumberEncoder(), Ridge(1e-3)).fit(X, np.sin(4 * X[:, 0]))
    plain = Ridge(1e-3).fit(X, np.sin(4 * X[:, 0]))
    assert piped.score(X, np.sin(4 * X[:, 0])) > 0.98 > plain.score(X, np.sin(4 * X[:, 0]))


def test_what_is_missing_is_zeros_to_the_encoder():
    found = NumberEncoder(d_model=3).fit([[1.0], [2.0]]).transform([[np.nan], [2.0]])
    assert (found[0] == 0).all() and (found[1] != 0).any()


def test_dates_are_no_numbers_to_the_encoder():
    days = pd.DataFrame({"x": 1.0, "day": pd.to_datetime(["2024-01-01", None])})
    with pytest.raises(ValueError, match="columns are numbers; got dates in day"):
        NumberEncoder().fit(days)
    fitted = NumberEncoder().fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="got dates in X"):
        fitted.transform(days[["day"]].to_numpy())


def test_categorical_dates_are_no_numbers_either():
    days = pd.Categorical(pd.to_datetime(["2024-01-01", None]))
    with pytest.raises(ValueError, match="got dates in day"):
        NumberEncoder().fit(pd.DataFrame({"day": days}))


def test_names_of_features_need_a_fit_and_one_for_each_column():
    with pytest.raises(NotFittedError):
        NumberEncoder().get_feature_names_out()
    fitted = NumberEncoder(d_model=2).fit(np.ones((3, 2)))
    assert fitted.get_feature_names_out(["a", "b"]).tolist() == ["a_0", "a_1", "b_0", "b_1"]
    with pytest.raises(
        ValueError, match="should have length equal to number of features .2., got 1"
    ):
        fitted.get_feature_names_out(["a"])
    named = NumberEncoder(d_model=2).fit(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        named.get_feature_names_out(["b", "a"])


def test_integers_that_float64_rounds_are_refused():
    with pytest.raises(
        ValueError, match="float64 rounds whole numbers above 2.53; got 9007199254740993"
    ):
        NumberEncoder().fit(pd.DataFrame({"a": [2**53 + 1, 1]}))


def test_dates_are_no_target():
    days = pd.to_datetime([None, *["2024-01-01"] * 8])
    with pytest.raises(ValueError, match="columns are numbers; got dates in y"):
        NumberRegressor().fit(np.ones((9, 1)), days)


def test_settings_may_be_numbers_of_numpy(home):
    counts = {name: np.int64(n) for name, n in {"steps": 2, "members": 1, "d_model": 8}.items()}
    x = np.linspace(0, 1, 10)[:, None]
    assert len(NumberRegressor(**counts).fit(x, x[:, 0]).predict(x)) == 10


WRONG = [{"encoder": nl.FoNE}, {"encoder": "P10"}, {"d_model": 0}, {"d_model": 8.0}]


@pytest.mark.parametrize("settings", WRONG)
@pytest.mark.parametrize("kind", [NumberEncoder, NumberRegressor])
def test_settings_that_are_wrong_are_named(kind, settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        kind(**settings).fit(np.ones((9, 2)), np.arange(9.0))


def test_an_encoder_whose_masks_would_show_the_target_is_refused():
    with pytest.raises(ValueError, match="expected an encoder of fixed length"):
        NumberRegressor(nl.Digits(3)).fit(np.ones((9, 2)), np.arange(9.0))


def test_too_few_rows_for_an_interval_are_said(home):
    x = np.linspace(0, 1, 10)[:, None]
    model = NumberRegressor(steps=2, members=1).fit(x, x[:, 0])
    with pytest.warns(UserWarning, match="too few for intervals of 99%"):
        model.predict_interval(x, 0.99)


def test_baselines_take_words_and_gaps():
    frame = pd.DataFrame({"x": [np.nan, *np.arange(39.0)], "w": ["a", None] * 20})
    for model in baselines().values():
        assert np.isfinite(model.fit(frame, np.arange(40.0)).predict(frame)).all()


def test_baselines_take_a_column_without_any_number():
    frame = pd.DataFrame({"x": np.full(40, np.nan), "z": np.arange(40.0)})
    for model in baselines().values():
        found = model.fit(frame, frame.z).predict(asked := frame.assign(x=[np.nan, *range(39)]))
        assert np.isfinite(found).all()
        assert found[:1] == pytest.approx(model.predict(asked[:1]))  # whatever stands beside it


@pytest.mark.parametrize("n", [10**400, Decimal("1e400")], ids=["int", "decimal"])
def test_a_whole_number_beyond_float64_is_named(n):
    frame = pd.DataFrame({"a": pd.Series([n, n], dtype=object)})
    with pytest.raises(ValueError, match="an integer of about 40. digits in a"):
        NumberEncoder().fit(frame)


def test_the_shell_fits_a_column_of_a_file_and_prints_it_as_text_or_json(
    tmp_path, home, monkeypatch
):
    monkeypatch.setattr("numlab.estimators.EPOCHS", 0)
    once = functools.cache(lambda: regress(frame, "y"))

    def given(rows, target, say):
        assert ({*rows}, target) == ({"a", "b", "y"}, "y")
        return once()

    monkeypatch.setattr("numlab.compare.regression.regress", given)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=Y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    picture = tmp_path / "t.png"
    options = ["regress", str(tmp_path / "t.csv"), "--target", "y", "--picture", str(picture)]
    done = CliRunner().invoke(app, [*options, "--columns", "a,b"])
    assert done.exit_code == 0, done.exception
    assert "Read as a (number), b (number), y (number)" in done.output
    for part in ("on 75 rows", "boosting errs least", "80% intervals", "models predict (y - "):
        assert part in done.output
    assert picture.stat().st_size > 5000
    said = json.loads(CliRunner().invoke(app, [*options[:4], "--json"]).stdout)
    assert said["target"] == "y" and said["rows_tested"] == 75 and len(said["runs"]) == 3
    assert said["errors"]["boosting"]["mae"] > 0 and 0 <= said["interval"]["covered"] <= 1


@pytest.mark.parametrize(("named", "read"), [([], ["x"]), (["order id", "x"], ["order id", "x"])])
def test_a_regression_learns_from_an_id_only_if_it_is_named(
    tmp_path, home, monkeypatch, named, read
):
    learned = []

    def regress(frame, target, say):
        learned.extend(frame.columns.drop(target))
        raise ValueError("enough")

    monkeypatch.setattr("numlab.compare.regress", regress)
    rows = pd.DataFrame({"order id": np.arange(10**7, 10**7 + 60), "x": np.arange(60) ** 0.5})
    rows.assign(y=rows.x).sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv", index=False)
    options = ["regress", str(tmp_path / "t.csv"), "--target", "y"]
    said = CliRunner().invoke(app, [*options, *(["--columns", ",".join(named)] if named else [])])
    assert learned == read
    assert ("No model reads the ids order id" in said.output) == (not named)


@pytest.mark.parametrize(
    ("true", "mae", "said"),
    [
        ([1.0, 2, 3], 1.0, "it has learned nothing"),
        ([1.0, 2, 3], 0.5, ""),
        (10.0 ** np.arange(9), 0.5, "y has three decades or more"),
        (np.arange(30.0), 0.5, "intervals are too wide, by 2.7 standard errors"),
    ],
)
def test_a_regression_says_what_its_errors_do_not(true, mae, said):
    models = ["numlab", "the mean", "the median"]
    errors = pd.DataFrame({"model": models, "mae": [mae, 1, 1], "rmse": [mae, 1, 1], "behind": 0.0})
    predictions = pd.DataFrame(dict.fromkeys(("true", "predicted", "low", "high"), true))
    regression = Regression("y", SimpleNamespace(runs_=[], learned_="y"), errors, predictions, 0.8)
    for found in (regression.text, " ".join(json.loads(regression.json)["notes"])):
        warnings = [w for w in ("learned nothing", "three decades", "too wide") if w in found]
        assert said in found and len(warnings) == bool(said)
        assert f"numlab errs least; numlab errs {mae:.2g} times as much as the mean." in found


def test_rows_that_repeat_are_observations(home, monkeypatch):
    monkeypatch.setattr("numlab.estimators.EPOCHS", 0)
    x = np.arange(400) % 2
    y = np.where(np.arange(400) % 20 < 2, 10.0, 0.0)  # 1 in average
    model = NumberRegressor(members=1, d_model=16).fit(x[:, None], y)
    assert model.runs_[0].spec.n_train == 400 - 80 - 1
    assert model.predict([[0], [1]]) == pytest.approx([1, 1], abs=0.7)
    assert len(regress(pd.DataFrame({"x": x, "y": y}), "y").predictions) == 100


def test_fewer_than_eight_rows_are_refused(home):
    with pytest.raises(ValueError, match="expected 8 rows or more; got n_samples = 7"):
        NumberRegressor(steps=2, members=1).fit(np.ones((7, 1)), np.ones(7))


@pytest.mark.parametrize("n", [16, 17, 19])
def test_sixteen_rows_are_enough(home, monkeypatch, n):
    monkeypatch.setattr("numlab.estimators.EPOCHS", 0)
    monkeypatch.setattr(
        "numlab.compare.regression.NumberRegressor", lambda: NumberRegressor(steps=1)
    )
    found = regress(pd.DataFrame(X[:n], columns=["a", "b"]), "a")
    assert found.errors.model.nunique() == 5


def test_a_target_alone_is_refused(home):
    with pytest.raises(ValueError, match="expected another column to predict a from; got none"):
        regress(pd.DataFrame({"a": X[:, 0]}), "a")


def test_columns_without_names_are_taken_by_position(home):
    frame, settings = pd.DataFrame(X, columns=["a", "b"]), {"steps": 2, "members": 1, "d_model": 8}
    named, bare = (NumberRegressor(**settings).fit(given, Y) for given in (frame, X))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(named.predict(X[:5]), named.predict(frame[:5]))
    with pytest.warns(UserWarning, match="X has feature names"):
        assert np.array_equal(bare.predict(frame[:5]), bare.predict(X[:5]))


def test_columns_that_are_named_as_bare_ones_are_taken_by_position(home):
    frame = pd.DataFrame(X, columns=["x1", "x0"])
    named = NumberRegressor(steps=2, members=1, d_model=8).fit(frame, Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(named.predict(X[:5]), named.predict(frame[:5]))


def test_a_target_may_be_a_column(home):
    frame, settings = pd.DataFrame(X, columns=["a", "b"]), {"steps": 2, "members": 1, "d_model": 8}
    with pytest.warns(DataConversionWarning):
        column = NumberRegressor(**settings).fit(frame, Y[:, None])
    expected = NumberRegressor(**settings).fit(frame, Y)
    assert np.array_equal(column.predict(frame), expected.predict(frame))


def test_a_width_that_heads_do_not_share_is_named():
    with pytest.raises(ValueError, match="d_model is a multiple of 4; got 10"):
        NumberRegressor(d_model=10).fit(X, Y)


def test_hundreds_of_columns_are_read(home):
    wide = np.random.default_rng(1).normal(size=(20, 600))
    model = NumberRegressor(steps=1, members=1, d_model=4).fit(wide, wide[:, 0])
    assert model.predict(wide[:2]).shape == (2,)


def test_a_pickle_needs_no_store(home, monkeypatch, tmp_path):
    model = NumberRegressor(steps=2, members=1, d_model=8).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path / "elsewhere"))
    assert np.array_equal(copy.predict_interval(X[:5]), model.predict_interval(X[:5]))


def test_an_encoder_of_several_tokens_is_refused():
    with pytest.raises(ValueError, match="one token a number .*; got P10"):
        NumberEncoder(nl.P10()).fit([[12.0], [21.0]])


@pytest.mark.parametrize(("n", "message"), [(9, "expected 16 rows"), (40, "a, b.; got c")])
def test_too_few_rows_and_unknown_targets_are_refused(home, n, message):
    frame = pd.DataFrame(X[:n], columns=["a", "b"])
    with pytest.raises(ValueError, match=message):
        regress(frame, "a" if n < 16 else "c")


def test_columns_of_a_pivot_table_have_names_of_several_parts(home):
    x = np.arange(12.0)
    frame = pd.DataFrame({("mass", "mean"): x, ("mass", "std"): x % 3})
    model = NumberRegressor(steps=2, members=1, d_model=4).fit(frame, x)
    assert np.isfinite(model.predict(frame)).all()


def test_a_regression_counts_the_true_numbers_in_their_intervals():
    models = ["numlab", "the mean", "the median"]
    errors = pd.DataFrame({"model": models, "mae": 1.0, "rmse": 1.0, "behind": 0.0})
    rows = {"true": [1.0, 5, 9, 13], "predicted": 2.0, "low": 0.0, "high": [3.0, 6, 3, 3]}
    found = Regression(
        "y", SimpleNamespace(runs_=[], learned_="y"), errors, pd.DataFrame(rows), 0.8
    )
    assert found.covered == 0.5 and "50% of the numbers lie in numlab's 80%" in found.text


def test_members_learn_from_the_same_rows_and_start_from_their_own_weights(home):
    model = NumberRegressor(steps=2, members=2, d_model=8).fit(X[:60], Y[:60])
    first, second = (run.examples("train")[0].numbers for run in model.runs_)
    assert np.array_equal(first, second)
    assert model.runs_[0].digest != model.runs_[1].digest
    assert model.runs_[0].spec.n_valid == 12


def test_many_rows_are_trained_for_more_steps(home, monkeypatch):
    steps = []
    monkeypatch.setattr(
        "numlab.estimators.train", lambda spec: steps.append(spec.steps) or SimpleNamespace()
    )
    for n in (40, 640):
        NumberRegressor(members=1, d_model=8).fit(np.arange(n)[:, None], np.arange(float(n)))
    assert steps == [100, 400]  # 40 epochs of 64 rows a step, 100 steps at least


def test_a_column_named_y_is_no_target(home):
    frame = pd.DataFrame(X[:20], columns=["y", "a"])
    model = NumberRegressor(steps=1, members=1, d_model=8).fit(frame, Y[:20])
    assert model.runs_[0].spec.task.target == "y'"
    assert model.predict(frame[:3]).shape == (3,)


def test_a_regression_tests_the_same_rows_each_time_and_names_the_least_error_first(
    home, monkeypatch
):
    small = functools.partial(NumberRegressor, steps=1, members=1, d_model=8)
    monkeypatch.setattr("numlab.compare.regression.NumberRegressor", small)
    frame = pd.DataFrame(X[:60], columns=["a", "b"]).assign(y=Y[:60])
    first, second = (regress(frame, "y") for _ in range(2))
    assert first.predictions.equals(second.predictions) and len(first.predictions) == 15
    assert first.errors.mae.is_monotonic_increasing


def test_columns_that_are_alike_have_vectors_that_are_alike():
    fitted = NumberEncoder(d_model=4).fit([[1.0, 1.0], [2.0, 2.0], [5.0, 5.0]])
    first, second = fitted.transform([[2.0, 2.0]]).reshape(2, 4)
    assert first.any() and np.array_equal(first, second)
