"""A file is read, measured, trained on, and advised on; what is wrong with it is explained."""

import io
import json
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import numlab as nl
from numlab import compare
from numlab.cli import app
from numlab.compare import files, learning
from numlab.compare.encodings import choices, encodings, needed_digits
from numlab.compare.learning import CONSTANTS, PARTS, best_constant
from numlab.compare.report import TRAINED, about, advise
from numlab.encoders.columns import by_column
from numlab.training import stored_runs

RNG = np.random.default_rng(0)
A = RNG.uniform(0.1, 5, 400).round(2)
STARS = pd.DataFrame({"name": [f"s{i}" for i in range(400)], "a": A, "b": (2 * A).round(2)})


def saved(folder, name, frame):
    path = folder / name
    writers = {
        "csv": lambda: frame.to_csv(path, index=False),
        "tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        "parquet": lambda: frame.to_parquet(path),
        "json": lambda: frame.to_json(path, orient="records"),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }
    writers[name.rpartition(".")[2]]()
    return path


def read(folder, name, text, *args, **options):
    (folder / name).write_text(text)
    return compare.read(folder / name, *args, **options)


def kinds(found):
    return dict(zip(found.columns.column, found.columns.kind, strict=True))


@pytest.mark.parametrize("name", ["n.jsonl", "n.csv"])
def test_a_file_of_numbers_without_a_header_loses_none(tmp_path, name):
    (numbers,) = read(tmp_path, name, "1.5\n2.5\n4\n").numbers.values()
    assert numbers.tolist() == [1.5, 2.5, 4.0]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1,5;2,5\n3,5;4,5\n", [1.5, 2.5]),
        ("1.5,1.5,2\n3,4,5\n", [1.5, 1.5, 2.0]),
        ("1.5,,2\n3,4,5\n", [1.5, 4.0, 2.0]),
    ],
)
def test_a_first_row_of_numbers_is_no_header(tmp_path, text, first):
    found = read(tmp_path, "n.csv", text)
    assert [x[0] for x in found.numbers.values()] == first and len(found.frame) == 2


def test_numbers_beside_a_corner_are_names(tmp_path):
    pd.DataFrame([[1.5, 2.0], [3.0, 4.0]]).to_csv(tmp_path / "n.csv")
    assert compare.read(tmp_path / "n.csv").frame.columns.tolist() == ["0", "1"]


def test_names_that_pandas_counts_are_names(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(5, 3)))
    found = read(tmp_path, "n.csv", frame.to_csv(index=False))
    assert [*found.frame] == ["0", "1", "2"] and len(found.frame) == 5


@pytest.mark.parametrize("form", ["%.18e", "%.3f"])
def test_a_first_row_of_numbers_with_spaces_between_them_is_no_header(tmp_path, form):
    np.savetxt(file := io.StringIO(), [[1.5, -2.5], [3.5, 4.5]], form)
    assert read(tmp_path, "n.csv", file.getvalue()).numbers["n0"].tolist() == [1.5, 3.5]


@pytest.mark.parametrize("gap", ["", "NA", "n/a"])
def test_names_with_units_stay_names_above_a_gap(tmp_path, gap):
    found = read(tmp_path, "n.csv", f"10m,20m\n1.5,{gap}\n2.5,3\n").numbers
    assert {name: x.tolist() for name, x in found.items()} == {"10m": [1.5, 2.5], "20m": [3]}


def test_names_with_a_space_behind_stay_names(tmp_path):
    found = read(tmp_path, "n.csv", "2024-01 ,2024-02 \n5,6\n7,8\n")
    assert [name.strip() for name in found.frame] == ["2024-01", "2024-02"]


def test_the_first_row_is_said_to_be_names_where_there_is_one(tmp_path):
    found = read(tmp_path, "n.csv", "5.1,setosa\n" + "4.9,setosa\n3.5,other\n" * 3)
    assert found.notes == ("the first row (5.1, setosa) is taken for names",)
    frame = pd.DataFrame({"land": [1.5, 2], "1990": [3, 4]})
    assert compare.read(saved(tmp_path, "n.parquet", frame)).notes == ()


def test_equal_values_in_a_first_row_may_want_names(tmp_path):
    with pytest.raises(ValueError, match="'0': rename one, or write names above"):
        read(tmp_path, "n.csv", "5,a,0,0\n6,b,1,2\n")


@pytest.mark.parametrize("code", ["{0}-50-60", "{0}-{0}-{0}"])
def test_codes_that_are_mostly_no_dates_are_none(tmp_path, code):
    text = "x,code\n" + "".join(f"{i}.5,{code.format(i)}\n" for i in range(10, 90))
    assert read(tmp_path, "n.csv", text).columns.kind.tolist() == ["number", "text"]
    assert compare.report(tmp_path / "n.csv", steps=0).advice.encoder


@pytest.mark.parametrize("form", ["{:02}:30", "{:02}:30:15", "{} pm", "T{:02}:30", "now"])
def test_a_time_without_a_day_is_no_date(tmp_path, form):
    text = "x,t\n" + "".join(f"{i},{form.format(i)}\n" for i in range(24))
    with pytest.raises(ValueError, match="t: expected the kind date; got"):
        read(tmp_path, "n.csv", text, ["x", "t"], kinds={"t": "date"})


def test_a_time_may_stand_before_its_day(tmp_path):
    text = "x,t\n" + "".join(f"{i},{i}:30 2024-01-05\n" for i in range(10, 24))
    assert (
        read(tmp_path, "n.csv", text, ["x", "t"], kinds={"t": "date"}).numbers["t hour"][0] == 10.5
    )


def test_durations_of_a_parquet_file_are_hours(tmp_path):
    frame = pd.DataFrame({"x": range(60), "t": pd.to_timedelta(np.arange(60), "min")})
    found = compare.read(saved(tmp_path, "n.parquet", frame)).numbers
    assert found["t"][:2].tolist() == [0, 1 / 60]


def test_few_numbers_are_said_only_where_each_column_is_predicted(tmp_path):
    text = "x,y\n" + "".join(f"{i},{i if i % 2 else ''}\n" for i in range(60))
    assert "too few to predict" in read(tmp_path, "n.csv", text).columns.note[1]
    for target in "xy":
        assert not read(tmp_path, "n.csv", text, target=target).columns.note.any()


def test_a_comma_at_the_end_of_each_line_moves_no_column(tmp_path):
    found = read(tmp_path, "n.csv", "a,b\n0,2,\n1,4,\n")
    assert found.frame.to_dict("list") == {"a": [0, 1], "b": [2, 4]}


def test_of_thousands_of_columns_the_first_hundred_and_named_ones_are_looked_at(tmp_path):
    path, names = tmp_path / "wide.csv", [f"c{i}" for i in range(3000)]
    path.write_text("\n".join([",".join(names), *[",".join(["1"] * 3000)] * 2]))
    reading = nl.compare.read(path, target="c2999")
    assert reading.columns.kind.value_counts().to_dict() == {"-": 2899, "number": 101}
    assert reading.of_kind("number")[-1] == "c2999"


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "json", "jsonl"])
def test_columns_of_numbers_are_read_from_every_kind_of_file(tmp_path, kind):
    found = compare.read(saved(tmp_path, f"stars.{kind}", STARS))
    assert list(found.frame) == ["a", "b"] and found.frame.a.tolist() == A.tolist()
    assert kinds(found) == {"name": "text", "a": "number", "b": "number"}
    assert found.columns.note[0] == "400 different texts"


def test_markdown_and_text_are_read(tmp_path):
    table = "# Stars\n| a | b |\n|---|--:|\n| 1 | 2.5 |\n| 3 | 4 |\n"
    assert read(tmp_path, "t.md", table).frame.to_dict("list") == {"a": [1, 3], "b": [2.5, 4]}
    found = read(tmp_path, "t.txt", "it weighs 1,234.56 kg\n\nno number\nat 3×10^8 m/s")
    assert found.frame.text.tolist() == ["it weighs 1234.56 kg", "at 3e8 m/s"]
    said = "3×10^8 is read as 3e8 (texts: 1)", "1,234 is read as 1234 (texts: 1)"
    assert found.notes == said


@pytest.mark.parametrize(
    ("text", "numbers", "note"),
    [
        ("x;y\n1,5;a\n2,25;b\n", [1.5, 2.25], "1,5 is read as 1.5"),
        ("x;y\n1.234,5;a\n2,25;b\n", [1234.5, 2.25], "1.234,5 is read as 1234.5"),
        (
            "x;y\n1.5;a\n2,25;b\n3.75;c\n",
            [1.5, 2.25, 3.75],
            "2,25 is read as 2.25; 1.5 is read as 1.5",
        ),
        ('x,y\n"1,234.56",a\n7,b\n', [1234.56, 7], "1,234.56 is read as 1234.56"),
        (
            'x,y\n"1,234",a\n7,b\n',
            [1234, 7],
            '1,234 is read as 1234; if that is wrong: --decimal ","',
        ),
        ("x;y\n1.234;a\n2.345.678;b\n7;c\n", [1234, 2345678, 7], "1.234 is read as 1234"),
        ("x;y\n0,123;a\n1,234;b\n", [0.123, 1.234], "0,123 is read as 0.123"),
        ("x;y\n0,123;a\n1,5e-06;b\n", [0.123, 1.5e-6], "0,123 is read as 0.123"),
        (
            "x;y\n1,5;a\n2,5;b\nabout 3,5;c\n",
            [1.5, 2.5],
            "1,5 is read as 1.5; not numbers: 1 ('about 3,5')",
        ),
        ("x;y\n3×10^8;a\n−2.5E-3;b\n", [3e8, -0.0025], ""),
        ('x;y\n"1,2,3";a\n5;b\n6;b\n', [5, 6], "not numbers: 1 ('1,2,3')"),
        ("x;y\n1 234;a\n?;b\n5;c\n", [1234, 5], ""),
    ],
)
def test_numbers_are_read_as_people_write_them(tmp_path, text, numbers, note):
    found = read(tmp_path, "n.csv", text)
    assert found.numbers["x"].tolist() == numbers and found.columns.note[0] == note


def test_points_beside_decimal_commas_stand_for_thousands_where_they_can(tmp_path):
    text = "a;b;c;d\n1,5;1.234;1.25;1.234\n2,5;12.500;3.750;2,5\n"
    found = read(tmp_path, "n.csv", text)
    assert found.columns.note[1] == "1.234 is read as 1234"
    assert found.numbers["b"].tolist() == [1234, 12500]
    assert found.numbers["c"].tolist() == [1.25, 3.75] and found.numbers["d"].tolist() == [
        1234,
        2.5,
    ]
    assert not read(tmp_path, "n.csv", "a;b\n1.5;1.234\n2.5;12.500\n").columns.note.any()


UNITS = [
    ("125,5 m²;80 m²;1.234,5 m²", [125.5, 80, 1234.5], "m² is left off; 125,5 is read as 125.5"),
    ("$1,505.05;-$2;$ (3.50)", [1505.05, -2, -3.5], "$ (3.50) is taken for -$3.50; $ is left off"),
    ("EUR 5;EUR 7;8", [5, 7, 8], "EUR is left off (without it: 1)"),
    ("99%;80.5 %;7%", [99, 80.5, 7], "% is left off"),
    ("1’234.50 CHF;12.00 CHF;3e6 CHF", [1234.5, 12, 3e6], "CHF is left off"),
    ("5 m2;- 3 m2;8 m2", [5, -3, 8], "m2 is left off"),
    ("(67.5);3;4", [-67.5, 3, 4], "(67.5) is taken for -67.5"),
]
UNLIKE = ["5 kg;5 km;7 s", "A1;A2;A3", "08:03;09:10;10:00", "3 of 4;1 of 2;x", "SKU 1;SKU 2;SKU 3"]
UNLIKE += ["$1K;$2K;$3K;900", "€ 5 M;€ 6 M;€ 7 M;900000", "5 million;7 million;900000"]
UNLIKE += ["2 mln;3 mln;5000", "1.5k;2k;3k;900", "50%;70%;0.3", "5 MW;7 mW;9 MW", "6 kg;x;y"]
UNLIKE += ["5 Millions;7 Millions;900000", "5M€;7M€;900000", "(5,7);(3,4);(1,2)"]


def entered(folder, entries):
    rows = "".join(f"{entry}|1\n" for entry in entries.split(";"))
    return read(folder, "n.csv", "x|y\n" + rows)


@pytest.mark.parametrize(("entries", "numbers", "note"), UNITS)
def test_the_unit_of_a_column_is_left_off_and_parentheses_are_a_minus(
    tmp_path, entries, numbers, note
):
    found = entered(tmp_path, entries)
    assert found.numbers["x"].tolist() == numbers and found.columns.note[0].startswith(note)


@pytest.mark.parametrize("entries", UNLIKE)
def test_different_units_scales_codes_and_pairs_are_not_read_as_numbers(tmp_path, entries):
    assert "x" not in entered(tmp_path, entries).numbers


def test_a_separator_within_quotes_is_none(tmp_path):
    found = read(tmp_path, "n.csv", 'a;note;b\n1,5;"new; dry";2\n2,5;old;3\n')
    assert [*found.columns.column] == ["a", "note", "b"]
    assert found.numbers["a"].tolist() == [1.5, 2.5]
    assert [*read(tmp_path, "n.csv", "a;b,c\n1,2\n3,4\n").columns.column] == ["a;b", "c"]
    with pytest.raises(ValueError, match="Expected 3 fields in line 4, saw 4"):
        read(tmp_path, "n.csv", "a;b;c\n1;2;3\n1;2;3\n1;2;3;4\n")
    long = "w 5 " * 40_000
    assert len(read(tmp_path, "n.csv", f'a,b\n1,"{long}"\n2,x\n').frame) == 2


def test_a_first_row_of_numbers_with_units_is_no_header(tmp_path):
    found = read(tmp_path, "n.csv", "5 kg,3 m\n6 kg,4 m\n7 kg,5 m\n")
    assert [x.tolist() for x in found.numbers.values()] == [[5, 6, 7], [3, 4, 5]]


@pytest.mark.parametrize("first", ["-1,5", "1,5"])
@pytest.mark.parametrize("points", ["1.234;12.500", "1.234 €;12.500 €", "-1.234;12.500"])
def test_grouped_points_are_seen_behind_signs_and_units(tmp_path, first, points):
    low, high = points.split(";")
    found = read(tmp_path, "n.csv", f"a;b\n{first};{low}\n2,5;{high}\n3,5;{high}\n")
    assert np.abs(found.numbers["b"]).tolist() == [1234, 12500, 12500]


def test_numbers_that_are_no_texts_keep_their_point(tmp_path):
    path = saved(tmp_path, "n.json", pd.DataFrame({"x": [1.234, 2.345], "y": [1, 2]}))
    assert compare.read(path, decimal=",").numbers["x"].tolist() == [1.234, 2.345]


def test_digits_of_an_id_with_a_unit_are_guarded(tmp_path):
    rows = "".join(f"{i:04d}A,{i}\n" for i in range(1, 60))
    assert kinds(read(tmp_path, "n.csv", "nr,y\n" + rows))["nr"] == "id"


def test_beside_ids_alone_texts_with_numbers_are_read(tmp_path):
    texts = [f"parcel with {n} books" for n in range(60)]
    frame = pd.DataFrame({"id": range(1, 61), "uuid": [f"{n}-x" for n in range(60)], "text": texts})
    found = compare.read(saved(tmp_path, "n.jsonl", frame))
    assert found.of_texts and found.frame.text.tolist() == texts
    assert found.notes == ("no column is a quantity, so texts with numbers are read",)
    assert compare.read(tmp_path / "n.jsonl", ["id"]).of_kind("id") == ["id"]
    phones = frame.assign(text=[f"+49 30 99{n}" for n in range(60)])
    assert not compare.read(saved(tmp_path, "p.jsonl", phones)).of_texts


def test_a_target_of_words_is_refused_before_any_work(tmp_path):
    with pytest.raises(ValueError, match=r"the target is a column of numbers \(b\); got a"):
        read(tmp_path, "n.csv", "a,b\nrome,2\noslo,3\nrome,5\n", target="a")


def test_rows_without_the_target_are_said_to_be_left_out(tmp_path):
    lines = about(read(tmp_path, "n.csv", "a,b\n1,2\n,3\n4,\n", target="b"))
    assert "Missing values of a: 1; the rows stay." in lines
    assert "Missing values of b: 1; these rows are left out." in lines


def test_rows_without_any_value_are_counted(tmp_path):
    lines = about(read(tmp_path, "n.csv", "a\n1\n2e400\n2\n3\n"))
    assert "3 rows. Read as a (number)" in lines[0]
    assert "Rows with none of these columns, left out: 1." in lines


def test_a_text_that_is_missing_is_counted_once(tmp_path):
    rows = "".join(f"{i} whales swim\n" if i % 2 else '""\n' for i in range(20))
    found = read(tmp_path, "t.csv", f"text\n{rows}")
    assert found.columns.missing[0] == 10 and not found.columns.note[0]


def test_an_entry_of_an_id_that_is_no_number_is_named(tmp_path):
    rows = "".join(f"{i if i % 5 else 'n.b.'},{i}.5\n" for i in range(1000, 1050))
    note = read(tmp_path, "n.csv", f"order id,x\n{rows}").columns.note[0]
    assert "taken for an id" in note and "not numbers: 10 ('n.b.')" in note


def test_of_a_long_entry_that_is_no_number_the_beginning_is_said(tmp_path):
    note = read(tmp_path, "n.csv", f"a,b\n1,2\n3,4\n{'x' * 500},5\n").columns.note[0]
    assert note == f"not numbers: 1 ('{'x' * 40}')"


@pytest.mark.parametrize("mark", ["/", "."])
def test_the_order_of_dates_is_that_of_most(tmp_path, mark):
    days = [f"12{mark}{day}{mark}1999" for day in range(13, 32)] * 3
    days += [f"13{mark}01{mark}2000"]  # a slip
    rows = "".join(f"{day},{i}.5\n" for i, day in enumerate(days))
    found = read(tmp_path, "n.csv", f"when,x\n{rows}")
    assert found.columns.missing[0] == 1 and found.numbers["when month"].tolist() == [12] * 57


def test_a_slip_does_not_turn_dates_with_points_and_leaves_the_hint(tmp_path):
    days = [f"{i % 12 + 1:02}.{i % 9 + 1:02}.2023" for i in range(60)] + ["01.13.2000"]
    rows = "".join(f"{day},{i}.5\n" for i, day in enumerate(days))
    note = read(tmp_path, "n.csv", f"when,x\n{rows}").columns.note[0]
    assert "the day first; if that is wrong: --kinds when:mdy; 1 are not such dates" in note


def test_what_is_ambiguous_is_said_by_an_option(tmp_path):
    text = 'x,day\n"1,234",01/02/2024\n7,03/04/2024\n'
    found = read(tmp_path, "n.csv", text)
    assert "month first; if that is wrong: --kinds day:dmy" in found.columns.note[1]
    assert found.numbers["day month"].tolist() == [1, 3]
    found = read(tmp_path, "n.csv", text, ["x"], kinds={"day": "dmy"}, decimal=",")
    assert found.numbers["day month"].tolist() == [2, 4] and found.numbers["x"][0] == 1.234
    found = read(tmp_path, "n.csv", "x,y\n1.234,a\n1.5,b\n", ["x"], decimal=",")
    assert found.numbers["x"].tolist() == [1.234, 1.5]  # a point means one thing
    with pytest.raises(ValueError, match="n.csv has the columns x, day; got z"):
        read(tmp_path, "n.csv", text, ["z"])
    with pytest.raises(ValueError, match="kinds are number, .*; got month"):
        read(tmp_path, "n.csv", text, kinds={"day": "month"})


def test_a_kind_changes_its_column_alone(tmp_path):
    text = "zip,a,b\n" + "".join(f"{10000 + i % 7},{i}.5,{2 * i}\n" for i in range(60))
    assert kinds(read(tmp_path, "n.csv", text))["zip"] == "code"
    found = read(tmp_path, "n.csv", text, kinds={"zip": "number"})
    assert found.of_kind("number") == ["zip", "a", "b"]


@pytest.mark.parametrize("target", ["when", "when year"])
def test_only_columns_of_numbers_are_offered_as_targets(tmp_path, target):
    text = "when,x\n" + "".join(f"2026-11-{i:02},{i}.5\n" for i in range(1, 29))
    with pytest.raises(ValueError, match=r"(numbers \(x\)|columns when, x); got when"):
        read(tmp_path, "n.csv", text, target=target)


def test_a_row_of_dashes_in_a_markdown_table_is_of_missing_values(tmp_path):
    found = read(tmp_path, "t.md", "| a | b |\n|---|---|\n| - | - |\n| 2 | 3 |\n")
    assert found.columns.missing.tolist() == [1, 1]


def test_an_empty_cell_at_the_edge_of_a_markdown_table_moves_no_number(tmp_path):
    rows = "".join(f"||{i}|{10 * i}|\n|{i}|{i}||\n" for i in range(1, 4))
    found = read(tmp_path, "t.md", f"|a|b|c|\n|-|-|-|\n{rows}")
    expected = {"a": [1, 2, 3], "b": [1, 1, 2, 2, 3, 3], "c": [10, 20, 30]}
    assert {name: x.tolist() for name, x in found.numbers.items()} == expected


def test_a_product_with_ten_is_no_power_of_ten(tmp_path):
    lines = ["4x100 relay", "2 * 1000 g", "3 x 105 mm", "it is 5×10^{-3} m"]
    found = read(tmp_path, "t.txt", "\n".join(lines))
    assert found.frame.text.tolist() == [*lines[:3], "it is 5e-3 m"]
    assert found.notes == ("3×10^8 is read as 3e8 (texts: 1)",)


def test_ids_codes_dates_and_words_are_recognised(tmp_path):
    n = 60
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"order id": rng.integers(10**11, 10**12, n), "plz": "01069"})
    frame = frame.assign(serial=rng.integers(10**8, 10**9, n), kind=["a", "b", "c"] * 20)
    frame["when"], frame["price"] = pd.date_range("2024", periods=n), rng.uniform(size=n)
    found = compare.read(saved(tmp_path, "orders.csv", frame))
    expected = {"order id": "id", "plz": "code", "serial": "id", "kind": "words"}
    assert kinds(found) == expected | {"when": "date", "price": "number"}
    assert "--kinds serial:number" in found.columns.note[2]
    assert "zeros at the beginning are not kept" in found.columns.note[1]
    again = compare.read(tmp_path / "orders.csv", kinds={"serial": "number"})
    assert again.of_kind("number") == ["serial", "price"]


def test_of_named_columns_one_holds_numbers(tmp_path):
    text = "id,when,kind\n" + "".join(f"{i},{i % 28 + 1:02}.11.2023,a\n" for i in range(60))
    for name, kinds in (("when", {}), ("when", {"when": "dmy"}), ("kind", {})):
        with pytest.raises(ValueError, match=f"name a column of numbers, too; got {name}"):
            read(tmp_path, "n.csv", text, [name], kinds=kinds)


def test_an_id_takes_no_place_from_columns_that_models_read(tmp_path):
    columns = {f"c{i}": np.arange(60) ** 0.5 + i for i in range(9)}
    frame = pd.DataFrame({"order_id": RNG.permutation(60) + 100} | columns)
    found = compare.read(saved(tmp_path, "t.csv", frame))
    assert found.of_kind("id") == ["order_id"]
    assert found.of_kind("number") == [f"c{i}" for i in range(8)]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([1.5, 2.5, 60, -999, -999], "-999 occurs 2 times, far from the rest"),
        ([1.5, 2.5, 60, 9999, 9999], "9999 occurs 2 times, far from the rest"),
        ([1.5, 2.5, 60, -999], ""),  # once
        ([1.5, 2.5, 900, 999, 999], ""),  # near
        ([1.5, 2.5, 60, -888, -888], ""),
    ],
)
def test_a_number_that_may_stand_for_a_missing_one_is_named(tmp_path, numbers, said):
    (note,) = compare.read(saved(tmp_path, "t.csv", pd.DataFrame({"kg": numbers}))).columns.note
    assert note.startswith(said) and bool(note) == bool(said)


def test_why_a_column_is_not_used_comes_first(tmp_path):
    text = "x;y\n" + "".join(f"{i},5;{i}\n" for i in range(60))
    for given, most in ({"columns": ["y"]}, 8), ({"target": "y"}, 1):
        note = read(tmp_path, "n.csv", text, most=most, **given).columns.note[0]
        assert note.startswith(("not among the named columns; ", "only 1 are used unless"))
        assert note.endswith("; 0,5 is read as 0.5")


def test_dates_have_one_order_and_others_are_missing(tmp_path):
    days = "".join(f"{i},{i:02}.01.2023\n" for i in range(1, 29))
    found = read(
        tmp_path, "n.csv", f"id,when\n{days}", ["id", "when"], kinds={"id": "number", "when": "mdy"}
    )
    assert found.columns.missing.tolist() == [0, 16]
    assert "16 are not such dates" in found.columns.note[1]
    assert found.frame["when month"].dropna().tolist() == list(range(1, 13))
    assert found.frame["when day"].dropna().unique().tolist() == [1]


@pytest.mark.parametrize("kind", [{}, {"when": "date"}])
def test_the_days_of_a_column_are_all_read_in_one_order(tmp_path, kind):
    days = "".join(f"{i},{i:02}/04/2026\n" for i in range(1, 29))
    found = read(tmp_path, "n.csv", f"x,when\n{days}", ["x", "when"], kinds=kind)
    assert found.frame["when month"].unique().tolist() == [4]
    assert found.columns.note[1] == "01/04/2026 is read with the day first"
    found = read(
        tmp_path, "n.csv", "x,when\n1,01/02/2024\n2,03/04/2024\n", ["x", "when"], kinds=kind
    )
    assert "if that is wrong: --kinds when:dmy" in found.columns.note[1]


def test_times_stay_in_their_zone(tmp_path):
    times = "".join(
        f"{i},2026-{month}-01T23:30:00+0{i}:00\n" for i, month in ((1, "12"), (2, "07"))
    )
    found = read(tmp_path, "n.csv", f"x,at\n{times}")
    assert found.frame["at hour"].tolist() == [23.5, 23.5] and found.columns.note[1] == ""


@pytest.mark.parametrize("kind", [{}, {"when": "dmy"}])
def test_a_date_may_be_missing(tmp_path, kind):
    days = "".join(f"{i / 2},{'n/a' if i == 3 else f'{i}.05.2020'}\n" for i in range(1, 29))
    found = read(tmp_path, "n.csv", f"x,when\n{days}", ["x", "when"], kinds=kind)
    assert found.columns.missing.tolist() == [0, 1]
    assert found.frame["when day"].dropna().tolist() == [1, 2, *range(4, 29)]


def test_decimal_commas_in_texts_are_an_option_and_noted_without_it(tmp_path):
    lines = ["75,35 Euro", "1.234,5 Euro", "3 Euro", "1.234.567 Euro", "75,35, aber mehr"]
    text = "\n".join(f"Es kostet {line}" for line in lines)
    found = read(tmp_path, "t.txt", text, decimal=",")
    assert found.numbers["n0"].tolist() == [75.35, 1234.5, 3.0, 1234567.0, 75.35]
    assert found.notes == ("1.234,5 is read as 1234.5 (texts: 4)",)
    (note,) = read(tmp_path, "t.txt", text).notes
    assert note == '1,5 is read as 1 and 5 (texts: 3); if that is wrong: --decimal ","'


def test_a_number_that_begins_with_0_has_no_thousands(tmp_path):
    found = read(tmp_path, "t.txt", "it is 0,123 m\nor 1,234 m")
    assert found.frame.text.tolist() == ["it is 0,123 m", "or 1234 m"]


def test_ids_beyond_float64_are_not_read(tmp_path):
    ids = [12345678901234567890 + i for i in range(60)]
    rows = "".join(f"{i},{i % 7 / 2}\n" for i in ids)
    found = read(tmp_path, "n.csv", f"id,kg\n{rows}")
    assert list(found.frame) == ["kg"] and "more than 15 digits" in found.columns.note[0]
    with pytest.raises(ValueError, match="more than 15 digits"):
        read(tmp_path, "n.csv", "\n".join(["id", *map(str, ids)]))


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet"])
def test_a_missing_id_rounds_no_other(tmp_path, kind):
    ids = [None, *(12345678901234560 + 7 * (i * 37 % 60) for i in range(60))]
    frame = pd.DataFrame({"user_id": pd.array(ids, "Int64"), "x": np.arange(61) / 2})
    path = tmp_path / f"n.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    else:
        rows = [{"user_id": i, "x": k / 2} for k, i in enumerate(ids)]
        path.write_text("\n".join(map(json.dumps, rows)) if kind == "jsonl" else json.dumps(rows))
    found = compare.read(path)
    assert list(found.frame) == ["x"] and "more than 15 digits" in found.columns.note[0]


def test_an_index_with_a_name_is_a_column(tmp_path):
    named = pd.DataFrame({"kg": [1.5, 2.0]}, index=pd.Index([3.5, 4.0], name="cm"))
    for frame, columns in ((named, {"kg", "cm"}), (named.rename_axis(None), {"kg"})):
        frame.to_parquet(tmp_path / "n.parquet")
        assert set(compare.read(tmp_path / "n.parquet").frame) == columns


def test_a_column_of_truths_is_no_number(tmp_path):
    with pytest.raises(ValueError, match=r"b: expected the kind number; got \['True'\]"):
        read(tmp_path, "n.csv", "b,x\nTrue,1\nFalse,2\n", ["b", "x"], kinds={"b": "number"})


@pytest.mark.parametrize("kind", ["number", "id", "date", "dmy"])
def test_a_kind_that_no_value_has_is_refused(tmp_path, kind):
    text = "name,x\n" + "".join(f"n{i},{i}.5\n" for i in range(9))
    with pytest.raises(ValueError, match=rf"name: expected the kind {kind}; got \['n0'\]"):
        read(tmp_path, "n.csv", text, ["name", "x"], kinds={"name": kind})


def test_dates_that_are_called_words_are_words(tmp_path):
    text = "d,x\n" + "".join(f"2020-01-0{i % 9 + 1},{i}.5\n" for i in range(120))
    found = read(tmp_path, "n.csv", text, ["d", "x"], kinds={"d": "words"})
    (spec,) = learning.specs(found, [nl.XVal()], seeds=1)
    assert list(found.frame) == list(spec.task.frame) == ["d", "x"]


def test_times_of_a_parquet_file_that_are_called_words_are_words(tmp_path):
    frame = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2020-01-02"] * 60), "x": range(120)})
    path = saved(tmp_path, "n.parquet", frame)
    found = compare.read(path, ["d", "x"], kinds={"d": "words"})
    assert kinds(found) == {"d": "words", "x": "number"} and list(found.frame) == ["d", "x"]
    with pytest.raises(ValueError, match="d: expected the kind number; got"):
        compare.read(path, ["d", "x"], kinds={"d": "number"})


def test_what_is_no_date_is_counted(tmp_path):
    text = "d,x\n" + "".join(f"2020-01-{i:02},{i}.5\n" for i in range(1, 31)) + "soon,7.5\n"
    assert read(tmp_path, "n.csv", text).columns.note[0] == "not dates: 1"


@pytest.mark.parametrize("kind", [{}, {"d": "date"}])
def test_among_dates_of_iso_8601_one_of_another_order_is_counted_and_not_guessed(tmp_path, kind):
    days = "".join(f"2026-01-{i:02},{i}.5\n" for i in range(1, 31))
    found = read(
        tmp_path, "n.csv", f"d,x\n{days}13/04/2026,1\n05/04/2026,2\n", ["d", "x"], kinds=kind
    )
    assert found.columns.note[0] == "not dates: 2"
    assert found.frame["d month"].dropna().unique().tolist() == [1]


def test_a_mark_of_utf8_is_no_text(tmp_path):
    (tmp_path / "n.md").write_text("| a | b |\n|---|---|\n| 1 | 2 |\n", encoding="utf-8-sig")
    assert compare.read(tmp_path / "n.md").frame.to_dict("list") == {"a": [1], "b": [2]}


def test_a_decimal_sign_is_a_comma_or_a_point(tmp_path):
    with pytest.raises(ValueError, match="decimal is"):
        read(tmp_path, "n.csv", "a\n1\n2\n", decimal="x")


def test_a_row_with_a_gap_stays_and_gaps_are_counted(tmp_path):
    frame = STARS.astype({"a": object})
    frame.loc[0, "a"], frame.loc[1, "a"] = "about 3", None
    found = compare.read(saved(tmp_path, "mixed.csv", frame))
    assert found.columns.missing.tolist() == [0, 2, 0] and len(found.frame) == 400
    assert found.columns.note[1] == "not numbers: 1 ('about 3')"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("photo.csv", b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 50, "cannot be read as a table"),
        ("photo.parquet", b"\x89PNG", "cannot be read as a table"),
        ("photo.jsonl", b"\x89PNG {", "cannot be read as a table"),
        ("deep.jsonl", b"[" * 100_000, "cannot be read as a table"),
        ("object.json", b'{"a": 1}', "expected a list of rows, or of texts"),
        ("broken.json", b'[{"a": 1},\n{"a": ]', """value near '.*{"a": ]'"""),
        ("broken.jsonl", b'{"a": 1}\n{"a":\n', """value near '{"a":'"""),
        ("photo.png", b"\x89PNG", "expected .csv, .tsv, .* or .*; got .png|.md; got .png"),
        ("empty.csv", b"", "cannot be read as a table"),
        ("head.csv", b"a,b\n", "it has no rows"),
        ("words.csv", b"a,b\nx,y\nz,w\n", "words.csv has no numbers: 2 rows of the columns a, b"),
        ("holes.csv", b"a\nnan\ninf\n", "has no numbers"),
        ("latin.csv", "größe,b\n1,2\n".encode("latin-1"), "not UTF-8: save it as UTF-8"),
        ("names.csv", b"a,b\nx,1,2\ny,3,4\n", "more fields than its header has names"),
    ],
)
def test_a_file_without_a_table_is_refused_with_a_reason(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        compare.read(tmp_path / name)
    with pytest.raises(ValueError, match="there is no file"):
        compare.read(tmp_path / "nothing.csv")


def test_a_column_may_have_any_name(tmp_path):
    assert list(read(tmp_path, "n.csv", "a, key\n1,10\n2,20\n").frame) == ["a", "key"]


def test_columns_with_one_name_are_refused(tmp_path):
    for text in ("a, a\n1,10\n2,20\n", "a,a\n1,10\n2,20\n"):
        with pytest.raises(ValueError, match="several columns with the name 'a'"):
            read(tmp_path, "n.csv", text)


def test_a_long_file_is_sampled_in_one_pass_with_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "SAMPLE", 100)
    monkeypatch.setattr(files, "CHUNK", 1000)
    found = compare.read(saved(tmp_path, "long.csv", pd.DataFrame({"n": np.arange(20_000)})))
    assert found.notes == ("20,000 rows: 100 of them, drawn at random, are used",)
    n = found.frame.n.to_numpy()
    assert len(n) == 100 and (np.diff(n) > 0).all() and 8000 < n.mean() < 12_000


def test_a_page_says_to_how_many_figures_numbers_are_exact(tmp_path):
    path = saved(tmp_path, "n.csv", pd.DataFrame({"n": [1 + 4e-13, 2.5, 3.5] * 4}))
    table = compare.report(path, steps=0).tables["Before training"].set_index("encoder")
    assert table["exact to 12 figures"].filter(like="Digits").tolist() == ["100.0%"]  # reads 1


def test_encoders_are_measured_on_the_numbers():
    numbers = {"n": np.array([*range(40), 12345.25, 1e9])}
    frame = encodings(numbers, [nl.P1000(), nl.XVal(), nl.FoNE(2, 0)]).set_index("encoder")
    p1000, xval, fone = (frame.iloc[i] for i in range(3))
    assert p1000.example == "12345.25 → 12300" and p1000.exact == pytest.approx(41 / 42)
    assert (p1000.tokens, xval.tokens) == (3, 1)
    assert fone.held == pytest.approx(40 / 42) and fone.refused == 12345.25
    assert xval.f1 > fone.f1 > 0.2


def test_ids_count_digit_by_digit():
    rng = np.random.default_rng(1)
    numbers = {"id": rng.integers(10**11, 10**12, 50).astype(float), "x": np.array([0.5, 2.0])}
    frame = encodings(numbers, choices(numbers), ["id"]).set_index("encoder")
    lost = frame.index[frame.ids < 1]
    assert {"XVal (by column)", "P1000", "FP15"} <= set(lost)
    assert not any(name.startswith(("FoNE", "Digits", "Subword")) for name in lost)


def test_a_short_code_is_a_whole_number_again_and_a_version_is_not():
    numbers = {"zip": np.arange(10000.0, 10050), "version": np.array([1.5, 2.0, 2.5])}
    of_zip, of_version = (encodings(numbers, choices(numbers), [name]) for name in numbers)
    by_column = of_zip.encoder.str.contains("by column")
    assert by_column.sum() == 3 and (of_zip.ids[by_column] == 1).all()
    assert of_version.ids.max() == 1 and (of_version.ids < 1).any()


def test_digits_are_as_the_numbers_need_them():
    assert needed_digits(np.array([-0.001, 7.0])) == (1, 3)
    assert needed_digits(np.array([0.25, 130.0])) == (3, 2)
    assert needed_digits(np.array([0.0])) == (1, 0)
    assert needed_digits(np.array([123456789.0, 0.1 / 3])) == (9, 6)
    assert needed_digits(np.array([1e20, 0.1 + 0.2])) == (15, 0)


@pytest.fixture(scope="module")
def trained(module_home, cluster):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMLAB_SCHEDULER", cluster)
        return compare.report(saved(module_home, "stars.csv", STARS), steps=2, seeds=2)


def test_no_number_of_a_gap_is_trained_on(trained):
    (spec, *_) = learning.specs(trained.reading, [nl.XVal()], steps=2)
    (train,) = spec.examples("train")
    assert len(spec.task.without) == 6 and len(train) > 100
    for name, low, high in spec.task.without:
        assert not ((train.column(name) > low) & (train.column(name) < high)).any()
        assert not low < np.median(A) * (2 if name == "b" else 1) < high  # away from the centre


def test_a_column_that_is_mostly_zeros_is_predicted(module_home):
    rain = np.where(np.arange(100) < 60, 0.0, np.arange(100))
    found = compare.read(saved(module_home, "rain.csv", pd.DataFrame({"rain": rain, "b": rain})))
    (spec,) = learning.specs(found, [nl.XVal()], "rain", steps=2, seeds=1)
    assert [low > 0 for _, low, _ in spec.task.without] == [True, True]


def test_rows_that_repeat_are_learned_from(module_home):
    frame = pd.DataFrame({"a": np.arange(400) % 10, "b": np.arange(400) % 5})
    found = compare.read(saved(module_home, "repeats.csv", frame))
    (spec,) = learning.specs(found, [nl.XVal()], steps=2, seeds=1)
    assert len(spec.task.usable) == 400


@pytest.fixture
def few_encoders(monkeypatch):
    """Three encoders in place of nine, where it does not matter which."""
    few = [nl.P10(), nl.FP15(), nl.XVal()]
    monkeypatch.setattr(sys.modules["numlab.compare.report"], "choices", lambda *_: few)


def test_a_column_of_few_numbers_is_named_and_not_predicted(tmp_path, trains_here, few_encoders):
    rng = np.random.default_rng(1)
    frame = STARS.drop(columns="name").assign(rare=A + rng.normal(size=400).round(2))
    frame.loc[9:, "rare"] = None
    found = compare.report(saved(tmp_path, "rare.csv", frame), steps=1, seeds=1)
    assert found.untrained is None and set(found.answers.column) == {"a", "b"}
    assert "rare: 9 known numbers are too few to predict." in found.text


@pytest.mark.parametrize(("module", "name"), [("learning", "answers"), ("report", "train_all")])
def test_a_mistake_of_ours_is_not_what_the_data_lack(
    module, name, tmp_path, trains_here, few_encoders, monkeypatch
):
    def broken(*_, **__):
        raise ValueError("ours")

    monkeypatch.setattr(sys.modules[f"numlab.compare.{module}"], name, broken)
    with pytest.raises(ValueError, match="ours"):
        compare.report(saved(tmp_path, "stars.csv", STARS), steps=1, seeds=1)


def test_what_say_raises_ends_the_training_and_keeps_what_is_trained(tmp_path, trains_here):
    def cancel(doing):
        if doing.startswith("trained"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare.report(saved(tmp_path, "stars.csv", STARS), steps=30, say=cancel, seeds=1)
    assert 1 <= len(stored_runs()) < 7


def test_an_id_that_is_the_target_stays(module_home):
    rng = np.random.default_rng(1)
    frame = STARS.assign(a_id=rng.permutation(400))
    found = compare.read(saved(module_home, "ids.csv", frame))
    assert found.of_kind("id") == ["a_id"]
    spec = learning.specs(found, [nl.XVal()], "a_id", steps=2, seeds=1)[0]
    assert spec.task.target == "a_id"


@pytest.mark.parametrize("wrong", [{"steps": 2.5}, {"seeds": 0}], ids=str)
def test_a_report_of_no_such_steps_or_seeds_is_refused(tmp_path, wrong):
    with pytest.raises(ValueError, match="is a whole number, . or more; got "):
        nl.compare.report(tmp_path / "n.csv", **wrong)


def test_a_report_has_every_encoder_its_errors_and_advice(trained):
    assert trained.untrained is None
    able = trained.encodings.encoder[~trained.encodings.encoder.str.contains("Digits|Subword")]
    assert {*able, "boosting", *CONSTANTS} <= set(trained.answers.encoder)
    assert set(trained.answers.part) == set(PARTS) and set(trained.answers.seed) == {0, 1}
    assert trained.advice.predictable  # boosting tells b from a, whatever two steps have learned
    assert trained.text.count("Take ") == 1 and "times that of the better constant" in trained.text
    page = trained._repr_html_()
    assert "<table" in page and 'src="data:image/svg+xml;base64,' in page


def test_a_script_in_a_file_s_name_its_columns_or_words_is_text_in_the_page(tmp_path, home):
    script = "<script>alert(1)<|script>"  # a file's name has no slash
    rows = 30
    frame = pd.DataFrame({script: range(rows), "b": range(rows), "w": [script, "x"] * (rows // 2)})
    frame.to_csv(path := tmp_path / f"{script}.csv", index=False)
    page = compare.report(path, steps=0)._repr_html_()
    assert "&lt;script&gt;alert" in page and "<script" not in page


def test_the_report_is_one_json_object(trained):
    found = json.loads(trained.json)
    assert set(found) == {"advice", "columns", "encoders", "notes"}
    assert set(found["advice"]) == {"encoder", "predictable", "why", "columns"}
    assert [c["column"] for c in found["columns"]] == ["name", "a", "b"]
    assert found["advice"]["columns"]["b"] and "as in training" in found["encoders"][0]


def test_what_an_encoder_loses_is_not_rounded_to_0_in_json(tmp_path):
    rows = "".join(f"{x}\n" for x in ("12345.6", "0.123456789004", *range(12)))
    (tmp_path / "n.csv").write_text(f"x\n{rows}")
    found = compare.report(tmp_path / "n.csv", steps=0)
    worst = {row["encoder"]: row["worst"] for row in json.loads(found.json)["encoders"]}
    assert 1e-11 < worst["FoNE(int_digits=5, frac_digits=10)"] < 5e-11
    for row in found.encodings.itertuples():
        assert worst[row.encoder] == pytest.approx(row.worst, rel=1e-3)


def made(**errors):
    """Answers in column y of 100 rows with two seeds: an encoder's mean errors, by seed."""
    rng, rows = np.random.default_rng(0), []
    errors = {"the mean": (1.0, 1.0), "the median": (1.1, 1.1), **errors}
    for name, means in errors.items():
        for seed, mean in enumerate(means):
            noise = mean * rng.uniform(0.9, 1.1, 100)
            rows.append(pd.DataFrame({"encoder": name, "seed": seed, "error": noise}))
    return pd.concat(rows, ignore_index=True).assign(column="y", part=PARTS[0])


def predictable(found):
    return learning.predictable(learning.skills(found))


def test_a_column_is_predictable_that_something_tells_better_than_its_best_constant():
    assert predictable(made(A=(0.99, 1.01), B=(1.5, 1.5))) == []
    assert predictable(made(A=(0.8, 0.8))) == ["y"]
    assert predictable(made(A=(1.05, 1.05))) == []  # better than the median alone
    assert set(best_constant(made()).encoder) == {"the mean"}


def test_encoders_that_seeds_do_not_tell_apart_are_tied():
    found = made(A=(0.5, 0.5), B=(0.51, 0.49), C=(0.9, 0.9))
    assert sorted(learning.tied(found, ["y"])) == ["A", "B"]
    errors = learning.relative_errors(found, ["y"]).set_index("encoder")
    assert errors.error["C"] == pytest.approx(0.9, rel=0.05)
    assert (errors.low <= errors.error).all() and (errors.error <= errors.high).all()


PLAIN = {"held": 1.0, "refused": None, "exact": 1.0, "ids": np.nan, "worst": 0.0, "example": None}
PLAIN |= {"f1": 1.0, "tokens": 1.0}


def measured(**own):
    rows = {name: PLAIN | changes for name, changes in own.items()}
    return pd.DataFrame(rows).T.infer_objects().rename_axis("encoder").reset_index()


LOSSY = {"worst": 0.1, "exact": 0.5, "example": "1 → 2"}


@pytest.mark.parametrize(
    ("frame", "found", "best"),
    [
        (measured(A={}, B={"held": 0.5, "refused": 7.0}), None, "A"),
        (measured(A=LOSSY, B={}), None, "B"),
        (measured(A={"tokens": 3.0}, B={}), None, "B"),
        (measured(A={"f1": 0.2}, B={}, C={"tokens": 2.0}), None, "B"),
        (measured(A={}, B=LOSSY | {"tokens": 3.0}), {"A": (0.5, 0.5), "B": (0.1, 0.1)}, "B"),
        (measured(A={}, B={"tokens": 2.0}), {"A": (1.2, 1.2), "B": (1.0, 1.0)}, "A"),
        (measured(A={"ids": 0.0}, B={"ids": 1.0}), {"A": (0.1, 0.1), "B": (0.5, 0.5)}, "B"),
    ],
)
def test_advice_follows_range_then_ids_then_what_was_learned_then_precision(frame, found, best):
    advice = advise(frame, None if found is None else made(boosting=(1, 1), **found))
    assert advice.encoder == best and advice.why[0] == f"Take {best}."
    nothing = "No model and no baseline predicts" in " ".join(advice.why)
    assert nothing == (found is not None and not advice.predictable)


def test_advice_from_one_seed_or_no_better_than_the_constant_says_so():
    frame, found = measured(A={}, B={}), made(boosting=(0.5, 0.5), A=(1.2, 1.2), B=(1.3, 1.3))
    why = " ".join(advise(frame, found).why)
    assert "no better than the constant: the small models need more steps" in why
    assert "One seed" not in why
    why = " ".join(advise(frame, found[found.seed == 0]).why)
    assert "One seed cannot tell" in why and "tied" not in why and "over the seeds" not in why


def test_noise_teaches_nothing_and_the_report_shows_it(tmp_path, trains_here, few_encoders):
    rng = np.random.default_rng(1)
    noise = pd.DataFrame({"a": rng.uniform(size=300), "b": rng.normal(size=300)}).round(3)
    found = compare.report(saved(tmp_path, "noise.csv", noise), steps=2, seeds=1)
    assert not found.advice.predictable
    assert "No model and no baseline predicts a column clearly better" in found.text
    assert {*found.errors.encoder} >= {"boosting", found.advice.encoder}
    assert "As trained here" in found.text and TRAINED in found.text


def test_what_is_nearest_to_predicting_is_named_with_its_evidence():
    frame, constant = measured(A={}, B={}), {"the mean": np.full(100, 2.0)}
    constant["the median"] = constant["the mean"]
    noise = np.tile([0.9, -0.9], 50)  # a standard error of 0.09
    found = errors(**constant, boosting=1.74 + noise, A=2.5 + noise, B=2.2 + noise)
    why = " ".join(advise(frame, found).why)
    assert "boosting for y, with 0.87 times the constant's error on 100 numbers" in why
    assert "2.9 standard errors less" in why
    assert "error of A is 1.25 times the constant's; the least of the encoders is that of B" in why


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (STARS[:9], "expected a column to predict with 48 known numbers"),
        (STARS[["a"]], "nothing to predict"),
    ],
)
def test_what_cannot_be_learned_is_compared_without_a_model(tmp_path, home, frame, reason):
    found = compare.report(saved(tmp_path, "few.csv", frame))
    assert found.answers is None
    assert f"No model was trained: {reason}" in " ".join(found.text.split())


def test_texts_train_too(tmp_path, trains_here):
    frame = pd.DataFrame({"text": [f"a={x:g} and twice that {2 * x:g}" for x in A]})
    found = compare.report(saved(tmp_path, "texts.csv", frame), steps=2, seeds=1)
    assert found.reading.of_texts and set(found.answers.column) == {"n0", "n1"}
    assert list(found.advice.columns) == ["n0", "n1"]
    assert "n0 is the first number of a text" in found.text


@pytest.mark.parametrize("bad", ["order 123456789012345678 cost 12", f"order 1{'0' * 400} cost 1"])
def test_a_text_with_a_number_beyond_float64_is_left_out_and_counted(tmp_path, bad):
    lines = "\n".join(map(json.dumps, [bad, "order 7 cost 12.50"]))
    found = read(tmp_path, "orders.jsonl", lines)
    assert [x.tolist() for x in found.numbers.values()] == [[7.0], [12.5]]
    assert (
        found.columns.note[0] == "texts without a number, or with one beyond float64, left out: 1"
    )


def test_the_shell_compares_a_file(tmp_path, home):
    path = saved(tmp_path, "a<b.csv", STARS)
    page = tmp_path / "page.html"
    options = ["compare", str(path), "--steps", "0", "--json", "--html", str(page)]
    done = CliRunner().invoke(app, [*options, "--columns", "a,b", "--target", "b"])
    assert done.exit_code == 0, done.exception
    assert json.loads(done.stdout)["advice"]["predictable"] is False
    assert "numlab: 400 rows. Read as a (number), b (number)." in done.stderr
    text = page.read_text("utf-8")
    assert "Take " in text and '<meta charset="utf-8">' in text[:60]  # else a browser guesses
    assert text.startswith("<!doctype html>\n<html lang=") and "<title>a&lt;b.csv</title>" in text


def test_an_encoder_of_one_s_own_is_measured_beside_the_eleven(tmp_path, home):
    path = saved(tmp_path, "kg.csv", pd.DataFrame({"kg": [2.5, 4, 7, 9] * 20}))
    options = ["compare", str(path), "--steps", "0", "--json", "--encoder", "BitTokens(bits=16)"]
    done = CliRunner().invoke(app, [*options, "--encoder", "numlab.encoders:PLE"])
    names = [encoder["encoder"] for encoder in json.loads(done.stdout)["encoders"]]
    assert len(names) == 13 and names[-2:] == ["BitTokens(bits=16)", "PLE"]


def test_two_encoders_of_one_name_are_refused_and_one_is_asked_once(tmp_path):
    path = saved(tmp_path, "kg.csv", pd.DataFrame({"kg": [2.5, 4, 7, 9] * 20}))
    assert len(compare.report(path, 0, encoders=[nl.P10()]).encodings) == 11
    with pytest.raises(ValueError, match="two different encoders are called XVal .by column.*"):
        compare.report(path, 0, encoders=[nl.Standardised()])


def test_bounds_beyond_float64_hold_every_number():
    found = encodings({"x": np.array([1.0, 22.0])}, [nl.Digits(400, 0)], ())
    assert found.held.item() == found.exact.item() == 1


@dataclass(frozen=True)
class WholeOnly(nl.P10):
    """Its bounds hold fractions, and it refuses them."""

    def encode(self, numbers):
        if (np.asarray(numbers) % 1).any():
            raise ValueError("whole numbers only")
        return super().encode(numbers)


def test_an_encoder_that_refuses_a_number_is_named():
    with pytest.raises(ValueError, match="WholeOnly: whole numbers only"):
        encodings({"x": np.array([1.0, 2.5])}, [WholeOnly()], ())


def test_functions_of_the_value_are_fitted_to_the_columns_together():
    columns = {"a": np.linspace(0, 1, 50), "b": np.linspace(5e6, 7e6, 50)}
    of_inner = {type(e.inner): e for e in choices(columns) if isinstance(e, nl.Standardised)}
    assert {*of_inner} == {nl.XVal, nl.Periodic, nl.PLE}
    edges = np.array(of_inner[nl.PLE].inner.edges)
    for name, x in columns.items():
        assert edges.min() <= of_inner[nl.PLE].at(name).units(x).min() + 1e-9
        assert edges.max() >= of_inner[nl.PLE].at(name).units(x).max() - 1e-9


def test_functions_of_the_value_are_fitted_outside_of_the_gaps_alone(tmp_path, monkeypatch):
    x, given = np.random.default_rng(0).normal(size=400), []

    def specs(reading, encoders, *_):
        given.extend(encoders)
        raise ValueError("asked enough")

    monkeypatch.setattr(learning, "specs", specs)
    pd.DataFrame({"x": x, "y": np.exp(2 * x)}).to_csv(tmp_path / "t.csv", index=False)
    nl.compare.report(tmp_path / "t.csv")
    (own,) = (e for e in given if isinstance(getattr(e, "inner", None), nl.PLE))
    task, _ = learning.task_of(nl.compare.read(tmp_path / "t.csv"))
    known = by_column(task.usable_texts).items()
    assert own.inner.edges[-1] == pytest.approx(max(own.at(c).units(x).max() for c, x in known))
    assert own.at("y").units([np.exp(2 * x.max())]) > own.inner.edges[-1]


def test_a_number_far_from_all_others_has_a_piece_too(tmp_path):
    numbers = [*np.random.default_rng(0).normal(100, 1, 500), -1e10]
    pd.DataFrame({"a": numbers}).to_csv(tmp_path / "t.csv", index=False)
    assert "PLE" in " ".join(nl.compare.report(tmp_path / "t.csv", steps=0).encodings.encoder)


@pytest.mark.parametrize("encoders", [["BitTokens"], nl.P10()], ids=str)
def test_what_is_no_list_of_encoders_is_refused_before_the_work(encoders):
    with pytest.raises(ValueError, match="encoders are a list, such as"):
        nl.compare.report("nothing.csv", encoders=encoders)


def test_a_file_of_one_number_has_no_pieces():
    assert len(choices({"a": np.full(60, 2.5)})) == 10


def test_a_year_of_two_digits_is_told(tmp_path):
    found = read(tmp_path, "people.csv", "born,x\n25.11.68,1\n26.11.70,2\n")
    assert found.frame["born year"].tolist() == [2068, 1970]
    assert "the year of 25.11.68 is read as 2068" in found.columns.note[0]


def test_a_time_stays_in_its_zone_by_name_and_am_is_no_zone(tmp_path):
    rows = "when,x\n2026-01-01 10:00:00 {},1\n2026-01-02 11:00:00 {},2\n"
    for zones, hour in {("CET", "America/New_York"): 10, ("PM", "AM"): 22}.items():
        found = read(tmp_path, "times.csv", rows.format(*zones))
        assert found.frame["when hour"].tolist() == [hour, 11]


def test_spaces_group_thousands_but_a_telephone_s_number_is_a_text(tmp_path):
    found = read(tmp_path, "calls.csv", "tel,n\n030 123 456,12 345\n040 123 457,48 123\n")
    assert kinds(found)["tel"] == "text" and found.frame.n.tolist() == [12345, 48123]


def test_a_column_s_name_with_a_comma_stands_in_quotes(tmp_path, home):
    path = saved(tmp_path, "rooms.csv", pd.DataFrame({"width, m": [2.5, 4] * 20, "height": 6.5}))
    options = ["compare", str(path), "--steps", "0", "--json", "--columns", '"width, m",height']
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.exception
    assert "Read as width, m (number), height (number)." in done.stderr


def test_long_integers_and_plain_texts_are_read_from_json_lines(tmp_path):
    lines = "\n".join(json.dumps({"n": n}) for n in (1, 2, 10**30))
    assert read(tmp_path, "big.jsonl", lines).numbers["n"].tolist() == [1.0, 2.0, 1e30]
    texts = read(tmp_path, "big.jsonl", '"from 1 to 2"\n\n"nothing"\n').numbers
    assert [x.tolist() for x in texts.values()] == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("form", "kind", "month", "hour"),
    [
        ("{:02}.04.2024 10:30", "date", 4, 10.5),
        ("{:02}.04.2024 10:30", "dmy", 4, 10.5),
        ("1/{}/2024 10:30 PM", "date", 1, 22.5),
        ("2024/04/{:02}", "date", 4, None),
    ],
)
def test_days_with_a_time_have_one_order_too(tmp_path, form, kind, month, hour):
    lines = [f"{form.format(day)},{day}" for day in range(5, 25)]
    found = read(
        tmp_path, "n.csv", "\n".join(["d,x", *lines]), ["d", "x"], kinds={"d": kind}
    ).numbers
    assert found["d day"].tolist() == [*range(5, 25)] and set(found["d month"]) == {month}
    assert set(found.get("d hour", [None])) == {hour}


@pytest.mark.parametrize("seconds", ["00", "00.500"])
def test_a_fraction_of_a_second_does_not_decide_the_order_of_a_date(tmp_path, seconds):
    lines = [f"03/{day:02}/2026 10:00:{seconds},{day}" for day in range(1, 8)]
    found = read(
        tmp_path, "n.csv", "\n".join(["d,x", *lines]), ["d", "x"], kinds={"d": "date"}
    ).numbers
    assert found["d day"].tolist() == [*range(1, 8)]


def test_an_ending_in_capitals_is_that_ending(tmp_path):
    notes = "text\na parcel, 5 kg\na letter, 0.1 kg\n"
    lower, upper = (read(tmp_path, name, notes).numbers for name in ("a.tsv", "A.TSV"))
    assert {name: [*x] for name, x in upper.items()} == {name: [*x] for name, x in lower.items()}


def test_numbers_of_a_parquet_file_stand_beside_texts_with_commas(tmp_path):
    frame = pd.DataFrame({"a": pd.Categorical(["1,5", "2,5"] * 30), "x": range(60)})
    found = compare.read(saved(tmp_path, "n.parquet", frame)).numbers
    assert found["a"][:2].tolist() == [1.5, 2.5] and found["x"].tolist() == [*range(60)]


def test_numbers_of_json_keep_their_point_beside_texts(tmp_path):
    rows = [{"a": 1.234, "b": "2,5"}, {"a": 2.5, "b": "3,5"}, {"a": "n/a", "b": "4,5"}]
    assert read(tmp_path, "n.json", json.dumps(rows)).numbers["a"].tolist() == [1.234, 2.5]


@pytest.mark.parametrize(
    ("entries", "numbers"),
    [
        (["1,5", "2.25", "1.500", "7.0"], [1.5, 2.25, 1.5, 7]),
        (["1,5", "2.250", "1.234,5"], [1.5, 2250, 1234.5]),
    ],
)
def test_a_point_means_one_thing_in_a_column(tmp_path, entries, numbers):
    assert (
        read(tmp_path, "n.csv", "a;b\n" + ";1\n".join([*entries, ""])).numbers["a"].tolist()
        == numbers
    )


def test_thousands_in_texts_are_put_together(tmp_path):
    text = "3 rooms cost 1'203 francs\n4 rooms cost 1\u202f303 francs\n"
    found = read(tmp_path, "n.txt", text)
    assert (
        found.numbers["n1"].tolist() == [1203, 1303] and "1'234 is read as 1234" in found.notes[0]
    )


def test_a_first_row_with_a_number_is_said_to_be_names(tmp_path):
    assert (
        "the first row (u0, 0.5) is taken for names"
        in read(tmp_path, "n.csv", "u0,0.5\nu1,1\n").notes
    )
    found = read(tmp_path, "n.csv", "1m,5m\n1,2\n3,4\n")
    assert list(found.numbers) == ["1m", "5m"] and found.notes == ()


def test_of_two_markdown_tables_the_first_is_read(tmp_path):
    text = "| a |\n|---|\n| 1 |\n\n| c |\n|---|\n| 5 |\n"
    assert read(tmp_path, "n.md", text).numbers["a"].tolist() == [1]


@pytest.mark.parametrize("form", ["${:,}", "{} bytes", "{:.2f}"])
def test_large_quantities_are_no_ids(tmp_path, form):
    numbers = np.random.default_rng(0).integers(10**7, 10**8, 60).tolist()
    lines = [f'"{form.format(n)}",1' for n in numbers]
    found = read(tmp_path, "n.csv", "\n".join(["n,x", *lines]))
    assert found.columns.kind[0] == "number"


def test_columns_of_missing_dates_and_of_all_of_float64_are_read(tmp_path):
    frame = pd.DataFrame({"d": pd.Series([pd.NaT] * 60, dtype="datetime64[ns]")})
    frame["x"] = 10 ** np.random.default_rng(0).uniform(-300, 300, 60)
    frame["y"] = [1.7e308, -1.7e308] * 30
    frame.to_parquet(tmp_path / "n.parquet")
    found = nl.compare.report(tmp_path / "n.parquet", steps=0).reading
    assert found.columns.kind.tolist() == ["-", "number", "number"]


def test_what_excel_says_of_a_separator_and_pandas_of_rows_is_no_column(tmp_path):
    assert read(tmp_path, "n.csv", "sep=;\na;b\n0;0,5\n1;1,5\n").numbers["b"].tolist() == [0.5, 1.5]
    frame = pd.DataFrame({"x": [3.0, 1, 2]}, index=[2, 0, 1])  # of shuffled rows
    for text in (frame.to_csv(), frame.reset_index(names="Unnamed: 0").to_csv()):  # saved twice
        found = read(tmp_path, "n.csv", text)
        assert set(found.columns.kind[:-1]) == {"-"} and list(found.numbers) == ["x"]


@pytest.mark.parametrize(
    ("frame", "best"),
    [
        (measured(A={"worst": 1e-3, "exact": 0.5}, B={"tokens": 3.0}), "B"),
        (measured(A={"worst": 1e-7, "exact": 0.5}, B={"tokens": 3.0}), "A"),  # float32's rounding
        (measured(A={"tokens": 2.0}, B={"f1": 0.5}), "B"),
    ],
)
def test_precision_counts_before_tokens_and_tokens_before_neighbours(frame, best):
    assert advise(frame).encoder == best


def errors(**columns):
    """Answers in column y of 100 rows of one seed, with these errors."""
    parts = [pd.DataFrame({"encoder": name, "error": e}) for name, e in columns.items()]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(seed=0, column="y", part=PARTS[0])


def test_what_chance_or_too_little_explains_is_not_predictable():
    constant = {"the mean": np.full(100, 2.0), "the median": np.full(100, 2.5)}
    noise = np.tile([1.0, -1.0], 50)  # a standard error of 0.1
    assert predictable(errors(**constant, A=1.75 + noise)) == []  # 2.5 of them
    assert predictable(errors(**constant, A=1.60 + noise)) == ["y"]  # 4
    assert predictable(errors(**constant, A=np.full(100, 1.95))) == []  # 2.5 %
    assert predictable(errors(**constant, A=np.full(100, 1.93))) == ["y"]  # 3.5 %


def test_each_column_is_masked_as_often_and_a_quarter_of_the_rows_tests(trained):
    spec = learning.specs(trained.reading, [nl.XVal()], steps=2, seeds=1)[0]
    n = len(spec.task.usable)
    assert spec.objective.slots == 0.5 and spec.objective.literals == 0
    assert (spec.n_test, spec.n_valid) == (n // 4, n // 8)
    assert spec.n_train == n - n // 4 - n // 8


def test_an_answer_that_is_no_number_errs_by_the_range_and_none_by_more(trained):
    found = trained.answers
    assert found.error.notna().all()
    for name, own in found.groupby("column"):
        spans = [
            np.ptp(nl.Standardised.fit(s.examples("train")).at(name).units(e.column(name)))
            for s in learning.specs(trained.reading, [nl.XVal()], steps=2, seeds=2)
            for e in s.examples("train")
        ]
        assert own.error.max() <= max(spans) + 1e-9


def test_an_interval_over_seeds_is_of_90_percent():
    seeds = pd.DataFrame({"A": [0.0, 1.0, 2.0]})
    assert learning._half_width(seeds)["A"] == pytest.approx(2.91998558 / 3**0.5)  # t of 2 degrees


def test_a_column_of_few_different_numbers_has_no_gap():
    few, many = np.tile(np.arange(15.0), 20), np.linspace(0, 1, 300)
    assert learning._gaps({"few": few, "many": many}, ["few"]) == ()
    assert {name for name, *_ in learning._gaps({"few": few, "many": many}, ["few", "many"])} == {
        "many"
    }


def test_numbers_are_standardised_by_those_of_training_alone(trained, monkeypatch):
    spec = learning.specs(trained.reading, [nl.P10()], steps=2, seeds=1)[0]
    fit, seen = nl.Standardised.fit, []
    monkeypatch.setattr(
        learning.Standardised, "fit", lambda e, *a: seen.append(sum(map(len, e))) or fit(e, *a)
    )
    own, rows = learning.baselines, []
    monkeypatch.setattr(learning, "baselines", lambda n: rows.append(n) or own(n))
    assert [*learning._of_seed([nl.train(spec)], None)] and seen == [spec.n_train]
    assert set(rows) == {spec.n_train}  # baselines, too, see none of validation
