"""Own rows as a task: columns and texts, what is missing, what is held out, where they are kept."""

import dataclasses
import decimal
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import numlab as nl
from numlab.described import describe, restore
from numlab.store import digest
from numlab.tasks import Table, Texts
from numlab.tasks.frames import as_columns

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"y": RNG.normal(size=60), "a": RNG.normal(size=60), "kind": ["x", "y"] * 30})


def texts(corpus):
    """By their place."""
    return [
        text for _, text in sorted((e.index[i], e.text(i)) for e in corpus for i in range(len(e)))
    ]


def test_a_row_is_a_text_of_its_columns_with_the_target_last(home):
    (e,) = Table(FRAME, "y").layouts()
    assert e.literals == ("a=", " kind=", " y=", "")
    assert [slot.name for slot in e.slots] == ["a", "kind", "y"]


def test_a_missing_value_is_a_question_mark_and_its_row_stays(home):
    frame = pd.DataFrame({"a": [1.0, None, 3.0], "w": ["x", "y", None], "y": [1.0, 2.0, 3.0]})
    task = Table(frame, "y")
    assert sorted(texts(task.sample(3, 0))) == ["a= ? w=y y=2", "a=1 w=x y=1", "a=3 w= ? y=3"]


def test_a_question_mark_in_the_data_is_a_missing_word(home):
    task = Table(pd.DataFrame({"work": [" ?", "state", None], "y": [1.0, 2.0, 3.0]}), "y")
    assert texts(task.examples) == ["work= ? y=1", "work=state y=2", "work= ? y=3"]


def test_a_row_without_its_target_is_left_out(home):
    task = Table(pd.DataFrame({"a": [1.0, 2.0], "y": [None, 1.0]}), "y")
    assert texts(task.sample(1, 0)) == ["a=2 y=1"]
    with pytest.raises(ValueError, match="there are 1 texts; got sizes \\(2,\\)"):
        task.sample(2, 0)


def test_rows_that_repeat_are_kept_and_texts_are_not(home):
    task = Table(pd.DataFrame({"a": [1.0, 1.0, 1.0], "y": [0.0, 0.0, 2.0]}), "y")
    assert sorted(texts(task.sample(3, 0))) == ["a=1 y=0", "a=1 y=0", "a=1 y=2"]
    assert sorted(texts(Texts(["1 kg", "2 kg", "1 kg"]).sample(2, 0))) == ["1 kg", "2 kg"]


def test_parts_share_no_row_and_a_smaller_last_part_begins_a_larger(home):
    task = Table(FRAME, "y")
    parts = [set(texts(part)) for part in task.split((10, 20, 30), 0)]
    assert list(map(len, parts)) == [10, 20, 30] and len(set.union(*parts)) == 60
    assert texts(task.split((10, 20, 30), 0)[2])[:5] == texts(task.split((10, 20, 5), 0)[2])
    assert texts(task.sample(9, 0)) != texts(task.sample(9, 1))
    with pytest.raises(ValueError, match="can be held"):
        task.sample(2, 0, a=1.0)


def test_rows_in_an_interval_are_held_out(home):
    task = Table(FRAME, "y", without=(("y", 0.0, 0.5), ("y", 1.0, 9.0)))
    kept = np.concatenate([e.column("y") for e in task.sample(len(task.usable), 0)])
    held = np.concatenate([e.column("y") for e in task.held_out])
    assert not (((kept > 0) & (kept < 0.5)) | (kept > 1)).any()
    assert (((held > 0) & (held < 0.5)) | (held > 1)).all()
    assert len(kept) + len(held) == 60 and len(held) > 5


def test_a_row_without_its_target_is_not_held_out_either(home):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": [1.0, None, 3.0]})
    assert texts(Table(frame, "y", without=(("a", 1.5, 9.0),)).held_out) == ["a=3 y=3"]


@pytest.mark.parametrize(
    "gap", [("yy", 0.0, 1.0), ("y", 1.0, 0.0), ("y", 0.0, np.nan), ("kind", 0.0, 1.0), ("y", 0.0)]
)
def test_an_interval_that_can_hold_no_row_is_refused(home, gap):
    with pytest.raises(ValueError, match="without is of .slot, low, high. of the slots .*y"):
        Table(FRAME, "y", without=(gap,)).sample(1, 0)


def test_the_content_decides_the_address(home):
    changed = FRAME.assign(a=FRAME.a.where(FRAME.index != 7, 0.0))
    as_words = FRAME.assign(a=FRAME.a.map(repr).astype("category"))
    tasks = [Table(f, "y") for f in (FRAME, FRAME.copy(), changed, as_words)]
    first, same, *others = map(digest, tasks)
    assert first == same and len({first, *others}) == 3
    again = restore(describe(tasks[0]))
    assert again == tasks[0] and texts(again.sample(5, 0)) == texts(tasks[0].sample(5, 0))


def test_rows_that_the_store_has_lost_are_named(home):
    lost = "0123456789" * 2
    with pytest.raises(ValueError, match=f"the store holds no rows {lost}: read the data again"):
        Table(lost, "y").layouts()


def test_damaged_rows_are_set_aside_and_kept_anew(home):
    task = Table(FRAME, "y")
    (path,) = home.glob("data/own/*/rows.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with (
        pytest.warns(UserWarning, match="damaged .*rows.parquet has another checksum"),
        pytest.raises(ValueError, match="read the data again"),
    ):
        task.layouts()
    assert Table(FRAME, "y") == task and len(task.frame) == 60


def test_a_stored_spec_reads_no_file_outside_the_store(home):
    with pytest.raises(ValueError, match=r"20 hexadecimal digits.*; got '\.\./\.\./x'"):
        Table("../../x", "y").layouts()


def test_dates_become_years_months_and_days(home):
    days = pd.to_datetime(["2024-02-29", None, "2025-12-31"])
    found = as_columns(pd.DataFrame({"day": days, "ok": [True, False, True]}))
    assert list(found) == ["day year", "day month", "day day", "ok"]
    assert found.iloc[0].tolist() == [2024, 2, 29, "True"] and np.isnan(found.iloc[1, 0])
    assert "day hour" in as_columns(pd.DataFrame({"day": days + pd.Timedelta("90min")}))


def test_texts_that_are_dates_are_read_as_times(home):
    days = ["2024-02-29", None, "2025-12-31"]
    written = as_columns(pd.DataFrame({"day": days, "n": 1}))
    pd.testing.assert_frame_equal(
        written, as_columns(pd.DataFrame({"day": pd.to_datetime(days), "n": 1}))
    )
    assert as_columns(pd.DataFrame({"at": ["2024-02-29 12:30"]}))["at hour"].tolist() == [12.5]
    assert list(as_columns(pd.DataFrame({"day": ["2024-02-29", "soon"]}))) == ["day"]
    table = Table(pd.DataFrame({"day": days, "y": [1.0, 2.0, 3.0]}), "y")
    (one,) = table.read(pd.DataFrame({"day": ["2026-11-25"]}))
    assert one.column("day month").tolist() == [11]


@pytest.mark.parametrize("wrong", ["2026-02-30", "4711-00-25", "2026-01-01 25:00"])
def test_texts_that_only_look_like_dates_are_words_and_not_missing(home, wrong):
    found = as_columns(pd.DataFrame({"day": ["2026-02-28", wrong, None]}))
    assert found.day.tolist()[:2] == ["2026-02-28", wrong] and found.day.isna()[2]
    table = Table(pd.DataFrame({"day": ["2026-02-28", "2026-03-01"], "y": [1.0, 2.0]}), "y")
    with pytest.raises(ValueError, match=f"day holds dates such as 2026-11-25; got '{wrong}'"):
        table.read(pd.DataFrame({"day": ["2026-02-28", wrong]}))


def test_fractions_of_a_second_are_kept(home):
    times = pd.to_datetime(["2026-01-01 10:00:00.25", "2026-01-01 10:00:00.5"])
    hours = as_columns(pd.DataFrame({"at": times}))["at hour"]
    assert hours.tolist() == [10 + 0.25 / 3600, 10 + 0.5 / 3600]


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([1.5, None, 2], object),
        [decimal.Decimal("1.5"), None, decimal.Decimal(2)],
        pd.array([1.5, None, 2], "Float64"),
    ],
    ids=["objects", "decimals", "nullable"],
)
def test_numbers_of_any_type_are_numbers(home, numbers):
    found = as_columns(pd.DataFrame({"x": numbers, "y": 1.0}))
    assert found.x.dtype == float and found.x.dropna().tolist() == [1.5, 2]


def test_complex_numbers_lose_no_part():
    found = as_columns(pd.DataFrame({"z": [1 + 2j, 3 + 0j]}))
    assert found.z.tolist() == ["(1+2j)", "(3+0j)"]


@pytest.mark.parametrize("kind", [decimal.Decimal, lambda n: n], ids=["decimals", "objects"])
def test_whole_numbers_beside_fractions_are_not_rounded_either(kind):
    column = pd.Series([kind(2**53 + 1), kind(0.5)], dtype=object)
    with pytest.raises(ValueError, match=r"float64 rounds .* got 9007199254740993 in id"):
        as_columns(pd.DataFrame({"id": column}))


def test_columns_that_a_table_does_not_use_do_not_matter(home):
    cars = pd.DataFrame({"model year": [1980.0, 1981.0], "mpg": [1, 2]})
    task = Table(cars, "mpg")
    (texts,) = task.read(cars.assign(model=["ford", "opel"], odd=[2**53 + 1, np.inf]))
    assert texts.column("model year").tolist() == [1980.0, 1981.0]


@pytest.mark.parametrize("task", [lambda: Table(FRAME, "y"), lambda: Texts(["2 kg", "3 kg"])])
def test_rows_travel_to_where_no_store_holds_them(home, tmp_path, monkeypatch, task):
    sent = pickle.dumps(task())
    monkeypatch.setenv("NUMLAB_HOME", str(tmp_path / "elsewhere"))
    assert pickle.loads(sent).frame.equals(task().frame)


def test_texts_may_come_from_an_iterator(home):
    (texts,) = Texts(["2 kg", "3 kg"]).read(f"{n} kg" for n in (5, 6))
    assert texts.numbers.tolist() == [[5.0], [6.0]]


@pytest.mark.parametrize("kind", ["int64", "Int64", object])
def test_whole_numbers_that_float64_rounds_are_refused_by_name(home, kind):
    column = pd.Series([2**53 + 1, 1], dtype=kind)
    with pytest.raises(
        ValueError, match="rounds whole numbers above 2.53; got 9007199254740993 in id"
    ):
        Table(pd.DataFrame({"id": column, "y": [1.0, 2.0]}), "y")
    exact = as_columns(pd.DataFrame({"id": 2 * column - 2, "low": pd.Series([-(2**63), 1])}))
    assert exact.id.tolist() == [2.0**54, 0.0] and exact.low[0] == -(2.0**63)


@pytest.mark.parametrize("kind", ["date", "date32[pyarrow]"])
def test_days_of_any_type_are_dates(home, kind):
    days = pd.Series(pd.to_datetime(["2024-02-29", None]))
    column = days.dt.date if kind == "date" else days.astype(kind)
    found = as_columns(pd.DataFrame({"day": column}))
    assert list(found) == ["day year", "day month", "day day"] and found.iloc[0, 2] == 29


def test_times_stay_in_their_zone(home):
    frame = pd.DataFrame({"at": pd.to_datetime(["2020-01-01 05:00+09:00"]), "y": 1.0})
    task = Table(frame, "y")
    assert texts(task.examples) == texts(task.read(frame))
    assert task.frame.iloc[0].tolist() == [2020, 1, 1, 5, 1]


@pytest.mark.parametrize("written", ["%Y-%m-%d %H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f%z", None])
def test_times_that_are_texts_or_objects_stay_in_their_zone_too(home, written):
    summer_and_winter = pd.to_datetime(["2026-07-01 23:30", "2026-12-01 00:30"])
    times = pd.Series(summer_and_winter.tz_localize("Europe/Berlin"))
    other = times.astype(object) if written is None else times.dt.strftime(written)
    frame = pd.DataFrame({"at": times, "y": 1.0})
    task = Table(frame, "y")
    assert texts(task.read(frame.assign(at=other))) == texts(task.examples)
    assert Table(frame.assign(at=other), "y").rows == task.rows


def test_what_is_categorical_is_words_though_it_looks_like_dates(home):
    days = pd.Series(["2024-02-29", None], dtype="category")
    found = as_columns(as_columns(pd.DataFrame({"day": days})))
    assert list(found) == ["day"] and found.day.dropna().tolist() == ["2024-02-29"]


def test_other_rows_may_lack_a_date_or_write_it_otherwise(home):
    days = pd.to_datetime(["2024-02-29", "2025-12-31"])
    task = Table(pd.DataFrame({"day": days, "y": [1.0, 2.0]}), "y")
    for value in ("2026-11-25", days[0].date().replace(2026, 11, 25)):
        assert task.read(pd.DataFrame({"day": [value]}))[0].column("day month").tolist() == [11]
    (lacking,) = task.read(pd.DataFrame({"day": [None]}))
    assert lacking.text(0) == "day year= ? day month= ? day day= ? y=1"  # stands for any
    with pytest.raises(ValueError, match="day holds dates such as 2026-11-25; got '03/01/2020'"):
        task.read(pd.DataFrame({"day": ["03/01/2020"]}))


def test_dates_for_numbers_are_said(home):
    task = Table(FRAME, "y")
    with pytest.raises(ValueError, match="rows have the columns a, kind, y; got dates a"):
        task.read(pd.DataFrame({"a": pd.date_range("2024", periods=1), "kind": "x"}))


def test_other_rows_may_write_true_as_1(home):
    task = Table(pd.DataFrame({"ok": [True, False], "y": [1.0, 2.0]}), "y")
    (found,) = task.read(pd.DataFrame({"ok": [1, 0, 2]}))
    assert found.column("ok").tolist() == ["True", "False", " ?"]


def test_other_rows_are_a_frame(home):
    with pytest.raises(ValueError, match="rows are a DataFrame; got a dict"):
        Table(FRAME, "y").read({"a": [1.0]})


@pytest.mark.parametrize(
    ("frame", "target", "message"),
    [
        (FRAME, "kind", "the target is a column of numbers .y, a.; got kind"),
        (FRAME[["kind"]], "kind", "a column of numbers .of which there is none.; got kind"),
        (pd.DataFrame([[1.0, 2.0]], columns=["y", "y"]), "y", "different names; got y twice"),
        (
            pd.DataFrame({"t year": ["a"], "t": pd.to_datetime(["2020-01-01"])}),
            None,
            "different names; got t year twice",
        ),
        (pd.DataFrame({"y": [np.inf]}), "y", "finite; got an infinite one in y"),
        (FRAME[:0], "y", "rows and columns are needed; got 0 and 3"),
        (FRAME.y, "y", "rows are a DataFrame; got a Series"),
        ("mine.csv", "y", "rows are data, or the checksum of stored ones .*; got 'mine.csv'"),
    ],
)
def test_what_is_no_table_is_refused(home, frame, target, message):
    with pytest.raises(ValueError, match=message):
        Table(frame, target)


def test_names_of_columns_may_be_numbers(home):
    frame = FRAME.rename(columns={"y": 0, "a": 1})
    assert Table(frame, 0).layouts()[0].number_slots == ("1", "0")


def test_a_word_among_numbers_is_named_with_its_column(home):
    for wrong in ("heavy", "inf"):
        with pytest.raises(ValueError, match=f"a holds numbers; got '{wrong}'"):
            Table(FRAME, "y").read(pd.DataFrame({"kind": ["x"], "a": [wrong]}))


def test_other_rows_are_read_as_the_kept_ones(home):
    task = Table(FRAME, "y")
    new = pd.DataFrame({"kind": ["x", "new", None], "a": ["1.5", None, 3]})
    with pytest.warns(UserWarning, match="'new' is no word of kind in the table"):
        found = sorted(text.partition(" y=")[0] for text in texts(task.read(new)))
    assert found == ["a= ? kind= ?", "a=1.5 kind=x", "a=3 kind= ?"]
    with pytest.raises(ValueError, match="rows have the columns a, kind, y; got no a"):
        task.read(new[["kind"]])


def test_words_that_are_read_again_as_numbers_stay_words(home):
    task = Table(pd.DataFrame({"code": ["17", "01A", "5"], "y": [1.0, 2.0, 3.0]}), "y")
    assert texts(task.read(pd.DataFrame({"code": [17, 5]}))) == ["code=17 y=1", "code=5 y=1"]
    (found,) = task.read(pd.DataFrame({"code": [17, None]}))  # 17.0, as pandas has it
    assert found.column("code").tolist() == ["17", " ?"]


def test_words_that_a_gap_made_floats_are_known_without_one(home):
    sizes = pd.Series([1, 2, None]).astype("category")  # its categories are 1.0 and 2.0
    task = Table(pd.DataFrame({"size": sizes, "y": [1.0, 2.0, 3.0]}), "y")
    for kind in ("category", int, str):
        (found,) = task.read(pd.DataFrame({"size": pd.Series([1, 2], dtype=kind)}))
        assert found.column("size").tolist() == ["1.0", "2.0"]


def test_rows_of_midnight_have_an_hour_where_others_had_one(home):
    days = pd.to_datetime(["2020-01-01 05:00", "2020-01-02 00:00"])
    task = Table(pd.DataFrame({"day": days, "y": [1.0, 2.0]}), "y")
    (found,) = task.read(pd.DataFrame({"day": days[1:]}))
    assert found.column("day hour").tolist() == [0.0] and found.column("day day").tolist() == [2]


def test_texts_are_a_task_of_their_numbers(home):
    task = Texts([f"{i} and {2 * i}" for i in range(40)], "n1", without=(("n0", 9.5, 19.5),))
    assert len(task.usable) == 30 and len(task.held_out[0]) == 10
    assert len(set(texts(task.split((10, 20), 0)[1]))) == 20
    assert len(restore(describe(task)).usable) == 30


@pytest.mark.parametrize("number", ["1,000", "-12,345,678", "1,234.5"])
def test_a_number_with_commas_is_no_row_of_numbers(home, number):
    for found in (Texts, Texts(["it costs 7"]).read):
        with pytest.raises(ValueError, match="text 1: a comma separates .*; got -?1"):
            found(["it costs 1,23 or 1,2345 or 0,123 or 1,234,5", f"it costs {number} dollars"])


@pytest.mark.parametrize("number", ["1'000", "1’234’567", "12\u00a0000", "3\u202f000.5"])
def test_nor_is_one_with_an_apostrophe_or_a_no_break_space_in_it(home, number):
    with pytest.raises(ValueError, match="text 1: expected 1000 without separators.*; got ."):
        Texts(["it costs 1' 000, 12'00 or 5'1234", f"it costs {number} dollars"])


def test_texts_are_strings(home):
    with pytest.raises(ValueError, match="text 1: expected a str; got None"):
        Texts(["1 and 2", None])


def test_numbers_that_are_texts_are_words_with_a_warning(home):
    frame = pd.DataFrame({"a": ["1", "2", "", "4"], "b": [1.0, 2, 3, 4]})
    with pytest.warns(UserWarning, match="column a holds words, as '1' is a text: pass pd.to_num"):
        Table(frame, "b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Table(frame.astype({"a": "category"}), "b")


def test_one_cell_that_makes_words_of_numbers_is_named(home):
    frame = pd.DataFrame({"a": ["1", "2", "<0.1", "4"], "b": [1.0, 2, 3, 4]})
    with pytest.warns(UserWarning, match="column a holds words, as '<0.1' is no number"):
        Table(frame, "b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Table(frame.astype({"a": "category"}), "b")
        numbers = Table(frame.assign(a=pd.to_numeric(frame.a, errors="coerce")), "b")
        assert numbers.frame.a.isna().sum() == 1
        Table(frame.assign(a=[True, False, True, "unknown"]), "b")
        Table(frame.assign(a=["x", "y", "3", "4"]), "b")


def spec(task, encoder, **changes):
    sizes = {"n_train": 40, "n_valid": 10, "n_test": 5, "steps": 3, "learning_rate": 1e-3}
    objective = nl.MaskedLM(slots=1.0, literals=0.0, only=(task.slots,))
    return nl.RunSpec(task, encoder, objective, nl.GPT2(16, 1, 2), **sizes | changes)


@pytest.mark.parametrize("head", [None, nl.heads.HLGauss.fit(FRAME.y, 32)])
def test_a_run_predicts_new_rows_with_intervals_that_hold_the_share_asked_for(home, head):
    task = Table(FRAME, "y")
    run = nl.train(spec(task, nl.Standardised.fit(task.sample(60, 0)), head=head))
    new = FRAME[["kind", "a"]].iloc[[3, 1, 2]]
    found = run.predict(new)
    assert found.example.tolist() == [0, 1, 2] and set(found.slot) == {"y"}
    assert ((found.low < found.predicted) & (found.predicted < found.high)).all()
    assert (run.predict(new, 0.9).eval("high - low") >= found.eval("high - low")).all()
    (valid,) = run.examples("valid")
    rows = pd.DataFrame({"a": valid.column("a"), "kind": valid.column("kind")})
    inside = pd.Series(valid.column("y")).between(*run.predict(rows)[["low", "high"]].to_numpy().T)
    assert inside.mean() >= 0.8
    assert run.predict(new, None).equals(found.drop(columns=["low", "high"]))
    with pytest.raises(ValueError, match="above 0 and below 1; got 1.5"):
        run.predict(new, 1.5)


@pytest.mark.parametrize("head", [None, nl.heads.HLGauss.fit([0, 2000], 32)])
def test_each_slot_has_an_interval_of_its_own_errors(home, head):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"small": rng.uniform(size=60), "large": rng.uniform(1e3, 2e3, 60)})
    task = Table(frame)
    run = nl.train(spec(task, nl.Standardised.fit(task.sample(60, 0)), head=head))
    width = run.predict(frame).eval("high - low").groupby(run.predict(frame).slot).mean()
    assert head or width["large"] > 100 * width["small"]
    (valid,) = run.examples("valid")
    rows = pd.DataFrame({name: valid.column(name) for name in frame})
    for slot, own in run.predict(rows).groupby("slot"):
        inside = pd.Series(valid.column(slot)).between(*own[["low", "high"]].to_numpy().T)
        assert inside.mean() >= 0.8


def test_without_a_target_the_numbers_are_predicted_and_no_words(home):
    run = nl.train(spec(Table(FRAME), nl.FoNE(3, 2)))
    found = run.predict(FRAME.iloc[[3, 1]])
    assert {*found.slot} == {*FRAME.select_dtypes("number")}
    assert found.example.is_monotonic_increasing and found.low.notna().all()


def test_without_a_target_each_number_is_predicted_from_the_others(home):
    frame = pd.DataFrame({"x": np.linspace(-1, 1, 60), "y": 3 * np.linspace(-1, 1, 60)})
    task = Table(frame)
    long = spec(task, nl.Standardised.fit(task.examples), steps=200, learning_rate=5e-3)
    run = nl.train(dataclasses.replace(long, objective=nl.MaskedLM(slots=0.5, literals=0.0)))
    found = run.predict(frame).pivot(index="example", columns="slot", values="predicted")
    assert np.corrcoef(found.y, frame.y)[0, 1] > 0.9 < np.corrcoef(found.x, frame.x)[0, 1]
    gaps = run.predict(frame.mask(np.arange(60)[:, None] == [[0, 1]]))
    assert gaps.groupby("example").slot.apply(list).tolist()[:3] == [["y"], ["x"], ["x", "y"]]


def test_the_hidden_target_stands_for_a_number_that_the_encoder_holds(home):
    frame = FRAME.assign(y=np.rint(2000 + 5 * FRAME.y))
    task = Table(frame, "y")
    run = nl.train(spec(task, nl.Standardised.fit(task.examples, nl.FoNE(2, 2))))
    assert run.predict(frame.drop(columns="y")).equals(run.predict(frame))


def test_a_number_whose_length_would_show_cannot_be_predicted(home):
    task = Table(FRAME.assign(y=FRAME.y.round(2), a=FRAME.a.round(2)), "y")
    run = nl.train(spec(task, nl.Subword(3, 2)))
    for head in (None, nl.heads.HLGauss.fit([-9, 9])):  # a head reads a number behind its masks
        with pytest.raises(ValueError, match="masks show the true token count"):
            nl.Run(dataclasses.replace(run.spec, head=head)).predict(FRAME)
    writes = dataclasses.replace(run.spec, objective=nl.CausalLM(only=("y",)))
    assert len(nl.train(writes).predict(FRAME[:3])) == 3  # it ends a number by itself


def test_an_integer_beyond_float64_can_be_held_out_and_is_refused_where_floats_are_needed(home):
    texts = [f"order {10**400} and 2", "order 3 and 4", "order 8 and 4"]
    task = Texts(texts, without=(("n0", 5.0, 9.0),))
    assert task.usable.tolist() == [0, 1]
    with pytest.raises(ValueError, match="numbers of n0 are finite, .* of about 400 digits"):
        nl.encoders.Standardised.fit(task.examples)


def test_an_empty_text_is_a_missing_date_or_number():
    frame = pd.DataFrame({"day": ["2020-01-01", "", "2020-01-03"], "n": [1, "", 3]}, dtype=object)
    columns = as_columns(frame)
    assert (
        columns["day day"].isna().tolist() == columns["n"].isna().tolist() == [False, True, False]
    )


@pytest.mark.parametrize("number", [decimal.Decimal("Infinity"), 10**400])
def test_a_number_that_float64_does_not_hold_is_refused_by_name(number):
    with pytest.raises(ValueError, match="a has a number|an infinite one in a"):
        as_columns(pd.DataFrame({"a": [number]}, dtype=object))


def test_columns_of_several_levels_are_named_whole():
    frame = pd.DataFrame({("a", 1): [1.0, 2], ("b", 2): [2.0, 3]})
    assert Table(frame, target=("b", 2)).layouts()[0].literals[:2] == (
        "('a', 1)=",
        " ('b', 2)=",
    )


def test_the_target_of_texts_is_one_pattern(home):
    with pytest.raises(ValueError, match="target is a pattern of slots, such as 'n1'; got .'n0', "):
        Texts(["1 and 2"], target=("n0", "n1"))


def test_a_frame_of_texts_is_refused(home):
    frame, task = pd.DataFrame({"text 1": ["1 kg"]}), Texts(["2 kg"])
    for read in (Texts, task.read):
        with pytest.raises(ValueError, match="got a DataFrame: pass one column"):
            read(frame)


@pytest.mark.parametrize("kind", [object, "timedelta64[s]", "duration[us][pyarrow]"])
def test_durations_of_any_type_are_hours(kind):
    times = pd.Series(pd.to_timedelta(["90min", None])).astype(kind)
    assert as_columns(pd.DataFrame({"t": times}))["t"][0] == 1.5


def test_durations_of_which_none_is_known_are_numbers():
    assert as_columns(pd.DataFrame({"t": pd.to_timedelta([None, None])}))["t"].dtype == float


def test_a_target_that_some_rows_lack_is_said_to_be_a_placeholder():
    task = nl.tasks.Table(pd.DataFrame({"x": range(20), "y": range(20)}), "y")
    with pytest.warns(UserWarning, match="1 of 2 rows lack y: their true number is a placeholder"):
        task.read(pd.DataFrame({"x": [1.0, 2.0], "y": [np.nan, 3.0]}))


def test_an_interval_of_a_head_with_a_formula_has_quantiles_for_ends_which_lie_unevenly(home):
    task = Table(FRAME, "y")
    head = nl.heads.HLGauss.fit(FRAME.y, 32)
    run = nl.train(spec(task, nl.Standardised.fit(task.sample(60, 0)), head=head))
    found = run.predict(FRAME[["a", "kind"]])
    assert not np.allclose(found.eval("(low + high) / 2"), found.predicted)
