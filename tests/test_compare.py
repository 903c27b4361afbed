"""A file is read, measured, trained on, and advised on; what is wrong with it is explained."""

import dataclasses
import json
import types

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import numlab as nl
from numlab import compare
from numlab.cli import app
from numlab.compare import table as tables
from numlab.compare.encodings import encodings, needed_digits

RNG = np.random.default_rng(0)
A = RNG.uniform(0.1, 5, 400).round(2)
PARTS = ("test", "valid", "train")
STARS = pd.DataFrame({"name": [f"s{i}" for i in range(400)], "a": A, "b": (2 * A).round(2)})


def saved(folder, name, frame):
    path = folder / name
    writers = {
        "csv": lambda: frame.to_csv(path, index=False),
        "tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        "parquet": lambda: frame.to_parquet(path),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }
    writers[name.rpartition(".")[2]]()
    return path


@pytest.mark.parametrize(
    ("name", "text"), [("n.jsonl", "1.5\n2.5\n4\n"), ("n.csv", "1.5\n2.5\n4\n")]
)
def test_a_file_of_numbers_without_a_header_loses_none(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    table = compare.read(path)
    assert table.numbers.tolist() == [1.5, 2.5, 4.0] and not table.of_texts


def test_a_comma_at_the_end_of_each_line_moves_no_column(tmp_path):
    (tmp_path / "n.csv").write_text("a,b\n0,2,\n1,4,\n")
    assert compare.read(tmp_path / "n.csv").frame.to_dict("list") == {"a": [0, 1], "b": [2, 4]}


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl"])
def test_columns_of_numbers_are_read_from_every_kind_of_file(tmp_path, kind):
    table = compare.read(saved(tmp_path, f"stars.{kind}", STARS))
    assert list(table.frame) == ["a", "b"]
    assert table.frame.a.tolist() == A.tolist()
    assert table.notes == ()
    assert table.examples[0].text(0) == f"a={A[0]:g}, b={2 * A[0]:g}"


def test_texts_are_read_where_there_are_no_columns_of_numbers(tmp_path):
    frame = pd.DataFrame({"id": ["x", "y", "z"], "note": ["1 of 2", "none", "3 of 4 {!}"]})
    table = compare.read(saved(tmp_path, "notes.csv", frame))
    assert table.numbers.tolist() == [1, 2, 3, 4]
    assert table.notes == ("1 texts of note have no number, or one beyond float64",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("photo.csv", b"\x89PNG\r\n\x1a\n\x00\xff\xfe" * 50, "cannot be read as a table"),
        ("photo.parquet", b"\x89PNG", "cannot be read as a table"),
        ("photo.jsonl", b"\x89PNG {", "cannot be read as a table"),
        ("photo.png", b"\x89PNG", "expected .csv, .tsv, .parquet, .jsonl or .ndjson; got .png"),
        ("empty.csv", b"", "cannot be read as a table"),
        ("head.csv", b"a,b\n", "it has no rows"),
        ("words.csv", b"a,b\nx,y\nz,w\n", "words.csv has no numbers: 2 rows of the columns a, b"),
        ("holes.csv", b"a\nnan\ninf\n", "has no numbers"),
        (
            "names.csv",
            b"a,b\nx,1,2\ny,3,4\n",
            "its rows have more fields than its header has names",
        ),
        ("turns.csv", b"a,b\n1,\n,2\n", "no row has a number in each of the columns a, b"),
    ],
)
def test_a_file_without_a_table_is_refused_with_a_reason(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        compare.read(tmp_path / name)
    with pytest.raises(ValueError, match="there is no file"):
        compare.read(tmp_path / "nothing.csv")


@pytest.mark.parametrize("outside", [120, 4000])
def test_a_gap_of_any_size_leaves_something_to_train_on(home, outside):
    numbers = np.concatenate([np.linspace(0, 4, outside // 2), np.linspace(6, 10, outside // 2)])
    table = tables.Table(
        "t", pd.DataFrame({"n1": np.append(numbers, np.linspace(4.9, 5, 880))}), ()
    )
    (spec,) = compare.specs(table, [nl.P10()])
    n_outside = (~spec.task.in_gap).sum()
    parts = [np.concatenate([e.numbers[:, 0] for e in spec.examples(p)]) for p in PARTS]
    assert len(parts[-1]) > n_outside // 2
    assert len(np.unique(np.concatenate(parts))) == sum(map(len, parts)) <= n_outside
    (held_out,) = spec.task.split((5,), 0, gap=True)[0]
    low, high = spec.task.gap
    assert ((held_out.numbers > low) & (held_out.numbers < high)).all()
    assert not any(((part > low) & (part < high)).any() for part in parts)


def test_mixed_types_and_nan_are_left_out_and_counted(tmp_path):
    frame = STARS.astype({"a": object})
    frame.loc[0, "a"], frame.loc[1, "a"], frame.loc[2, "b"] = "about 3", None, np.inf
    table = compare.read(saved(tmp_path, "mixed.csv", frame))
    assert table.notes == (
        "2 entries of a are not finite numbers: 'about 3', nan",
        "1 entries of b are not finite numbers: inf",
        "3 of 400 rows are left out for that",
    )
    assert len(table.frame) == 397


def test_a_long_file_is_sampled_in_one_pass_with_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "SAMPLE", 100)
    monkeypatch.setattr(tables, "CHUNK", 1000)
    path = saved(tmp_path, "long.csv", pd.DataFrame({"n": np.arange(20_000)}))
    table = compare.read(path)
    assert table.notes == ("20,000 rows: 100 of them, drawn at random, are used",)
    n = table.frame.n.to_numpy()
    assert len(n) == 100 and (np.diff(n) > 0).all()
    assert 8000 < n.mean() < 12_000


def test_encoders_are_measured_on_the_numbers(tmp_path):
    table = compare.read(saved(tmp_path, "n.csv", pd.DataFrame({"n": [*range(40), 12345.25, 1e9]})))
    frame = encodings(table, [nl.P1000(), nl.XVal(), nl.FoNE(2, 0)]).set_index("encoder")
    p1000, xval, fone = (frame.iloc[i] for i in range(3))
    assert p1000.example == "12345.25 → 12300"
    assert p1000.exact == pytest.approx(41 / 42)
    assert (p1000.tokens, xval.tokens, xval.text_tokens) == (3, 1, 6)
    assert fone.held == pytest.approx(40 / 42) and fone.refused == 12345.25
    assert xval.f1 > fone.f1 > 0.2
    assert "10" in fone.periods and xval.periods == "–"


def test_digits_and_scale_are_as_the_numbers_need_them():
    assert needed_digits(np.array([-0.001, 7.0])) == (1, 3)
    assert needed_digits(np.array([0.25, 130.0])) == (3, 2)
    assert needed_digits(np.array([0.0])) == (1, 0)
    assert needed_digits(np.array([123456789.0, 0.1 / 3])) == (9, 6)
    assert needed_digits(np.array([1e20, 0.1 + 0.2])) == (15, 0)
    *_, xval, fone, _, _ = map(str, compare.choices(np.array([0.25, 130.0])))
    assert (xval, fone) == ("XVal(scale=26.0)", "FoNE(int_digits=3, frac_digits=2)")
    for encoder in compare.choices(A):
        assert np.abs(encoder.decode(encoder.encode(A)).astype(float) - A).max() < 0.05


@pytest.fixture(scope="module")
def trained(module_home):
    return compare.report(saved(module_home, "stars.csv", STARS), steps=3)


def test_no_number_of_the_gap_is_trained_on(trained, module_home):
    spec = compare.specs(trained.table, [nl.XVal()], steps=3)[0]
    low, high = spec.task.gap
    column = int(spec.task.slot[1:])
    rows = [spec.examples(part)[0].numbers for part in PARTS]
    numbers = np.concatenate(rows)[:, column]
    assert not ((numbers > low) & (numbers < high)).any()
    texts = [set(map(tuple, part)) for part in rows]
    assert len(texts[0]) > 10 and not texts[0] & texts[2]


def test_a_report_has_every_encoder_its_errors_and_advice(trained):
    assert trained.untrained is None
    names = trained.errors.encoder.unique().tolist()
    assert names == [*trained.encodings.encoder, "always the median"]
    gap = trained.errors[trained.errors.part == "gap"]
    assert (gap.n > 10).all()
    assert trained.text.count("Take ") == 1
    for name in trained.encodings.encoder:
        assert name in trained.text
    page = trained._repr_html_()
    assert "<table" in page and 'src="data:image/svg+xml;base64,' in page


def test_errors_are_listed_from_the_least_and_no_number_is_a_dash(trained):
    by = {("XVal", "gap"): (0.2, 0.0), ("P10", "gap"): (np.inf, 0.6), ("FP15", "gap"): (0.1, 0.0)}
    by |= {(name, "seen"): (0.3, 0.0) for name, _ in list(by)}
    found = pd.DataFrame([(*key, *row) for key, row in by.items()])
    found.columns = ["encoder", "part", "error", "invalid"]
    report = dataclasses.replace(trained, errors=found)
    *_, shown = report.tables.values()
    assert shown.encoder.tolist() == ["FP15", "XVal", "P10"]
    assert shown["in the gap"].tolist() == ["0.1", "0.2", "–"]
    assert shown["no number, gap"].tolist() == ["0%", "0%", "60%"]


def errors(**gap):
    rows = [(name, part, e) for name, e in gap.items() for part in ("gap", "seen")]
    return pd.DataFrame(rows, columns=["encoder", "part", "error"]).replace(
        "median", "always the median"
    )


PLAIN = {"held": 1.0, "refused": None, "exact": 1.0, "worst": 0.0, "example": None, "f1": 1.0}
PLAIN |= {"tokens": 1.0, "text_tokens": 5.0}


def measured(**own):
    rows = {name: PLAIN | changes for name, changes in own.items()}
    return pd.DataFrame(rows).T.infer_objects().rename_axis("encoder").reset_index()


@pytest.mark.parametrize(
    ("frame", "gaps", "best"),
    [
        (measured(A={}, B={"held": 0.5, "refused": 7.0}), None, "A"),
        (measured(A={"worst": 0.1, "exact": 0.5, "example": "1 → 2"}, B={}), None, "B"),
        (measured(A={"tokens": 3.0}, B={}), None, "B"),
        (measured(A={}, B={}), errors(A=0.5, B=0.1, median=1.0), "B"),
        (measured(A={"tokens": 3.0}, B={}), errors(A=0.10, B=0.11, median=1.0), "B"),
        (measured(A={}, B={"tokens": 2.0}), errors(A=9.0, B=5.0, median=1.0), "A"),
    ],
)
def test_advice_follows_range_then_the_gap_then_precision_then_length(frame, gaps, best):
    assert compare.advice(frame, gaps)[0] == f"Take {best}."


def test_advice_mentions_what_neighbours_decide():
    sentences = compare.advice(measured(A={"f1": 0.2}, B={}, C={"tokens": 2.0}), None)
    assert sentences[0] == "Take B."
    assert "As good in that: A; neighbours stay nearest in its own" in " ".join(sentences)
    assert "1.00, then 0.20" in " ".join(sentences)


def test_too_few_rows_are_compared_without_a_model_and_the_report_says_so(tmp_path, home):
    few = compare.report(saved(tmp_path, "few.csv", STARS[:9]))
    assert few.errors is None
    assert "No model was trained: a gap needs 4 rows in it" in few.text


def test_errors_are_medians_over_the_spread_of_the_trained_numbers(monkeypatch):
    answers = pd.DataFrame(
        {
            "true": [5.0, 5, 5, 1, 9],
            "predicted": [5.5, 4, np.nan, 1, 8],
            "valid": [True, True, False, True, True],
        }
    )
    monkeypatch.setattr(compare.masked, "predict", lambda *_: answers)
    trained = [nl.Examples(nl.Layout.of("{n0}"), [[0.0], [2], [8], [10]])]
    middle, spread = 5, 8.5 - 1.5
    task = types.SimpleNamespace(
        slot="n0", gap=(4.0, 6.0), in_gap=np.array([True]), split=lambda *_, **__: (trained,)
    )
    spec = types.SimpleNamespace(task=task, encoder="A", n_test=1, examples=lambda part: trained)
    frame = compare.gap_errors([types.SimpleNamespace(spec=spec)]).set_index(["encoder", "part"])
    assert frame.error["A"].to_dict() == pytest.approx({"gap": 1 / spread, "seen": 0.5 / spread})
    always = frame.error[compare.masked.BASELINE].to_dict()
    assert always == pytest.approx({"gap": abs(5 - middle), "seen": 4 / spread})
    assert frame.invalid["A"].to_dict() == pytest.approx({"gap": 1 / 3, "seen": 0})


def test_texts_train_too(tmp_path, home):
    frame = pd.DataFrame({"text": [f"a={x:g} and twice that {2 * x:g}" for x in A]})
    table = compare.read(saved(tmp_path, "texts.csv", frame))
    runs = [nl.train(spec) for spec in compare.specs(table, [nl.XVal()], steps=2)]
    found = compare.gap_errors(runs)
    assert found[found.part == "gap"].n.min() > 10


def test_the_texts_that_are_learned_from_are_drawn_from_the_whole_file(home, monkeypatch):
    monkeypatch.setattr(compare.masked, "TEXTS", 300)
    frame = pd.DataFrame({"text": [f"row {i}" for i in range(5000)]})
    task = compare.masked.Rows.keep(tables.Table("t", frame, ()))
    assert len(task.in_gap) == 300 and task.in_gap.sum() >= 25
    assert 2000 < np.median(task.table.numbers) < 3000


@pytest.mark.parametrize("bad", ["order 123456789012345678 cost 12", f"order 1{'0' * 400} cost 1"])
def test_a_text_with_a_number_beyond_float64_is_left_out_and_counted(tmp_path, bad):
    path = tmp_path / "orders.jsonl"
    path.write_text("\n".join(map(json.dumps, [bad, "order 7 cost 12.50"])))
    table = compare.read(path)
    assert table.numbers.tolist() == [7.0, 12.5]
    assert "1 texts of text have no number, or one beyond float64" in table.notes


def test_the_share_that_comes_back_is_of_all_numbers_not_of_the_different_ones(tmp_path):
    frame = pd.DataFrame({"n": [1.0] * 99 + [1.2345678]})
    found = encodings(compare.read(saved(tmp_path, "n.csv", frame)), [nl.P1000()])
    assert found.exact.tolist() == [0.99]


def test_the_shell_compares_a_file(tmp_path, home):
    path = saved(tmp_path, "stars.csv", STARS)
    done = CliRunner().invoke(app, ["compare", str(path), "--steps", "0"])
    assert done.exit_code == 0
    assert "Take " in done.output and "IEEE754" in done.output


def test_long_integers_and_plain_texts_are_read_from_json_lines(tmp_path):
    path = tmp_path / "big.jsonl"
    path.write_text("\n".join(json.dumps({"n": n}) for n in (1, 2, 10**30)))
    assert compare.read(path).numbers.tolist() == [1.0, 2.0, 1e30]
    path.write_text('"from 1 to 2"\n\n"nothing"\n')
    assert compare.read(path).numbers.tolist() == [1.0, 2.0]
