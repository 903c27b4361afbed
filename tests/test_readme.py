"""What the README shows works as it stands there."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from test_project import STAGES

import numlab as nl

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
LIBRARY, VALUE, TEXT = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


LAWS = module("the_laws", ROOT / "tests/encoders/test_laws.py")


ENCODERS = {"OneHot": VALUE, "Bits": TEXT}


def of_encoders(law):
    """Whether a law is tested on encoders alone; and whether on those without carriers, too."""
    marks = [m for m in getattr(law, "pytestmark", []) if m.name == "parametrize"]
    if [m.args[0] for m in marks] != ["encoder"]:
        return False, False
    return True, any(not e.carriers for e in marks[0].args[1])


LAWS_OF = {name: of_encoders(law) for name, law in vars(LAWS).items()}
CASES = [("OneHot", law) for law, (fits, _) in LAWS_OF.items() if fits]
CASES += [("Bits", law) for law, (_, for_text) in LAWS_OF.items() if for_text]


@pytest.fixture(scope="module")
def encoders(tmp_path_factory):
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, source in ENCODERS.items():
            path = tmp_path_factory.mktemp("readme") / f"{name}.py"
            path.write_text(source)
            made[name] = getattr(module(f"readme_{name}", path), name)
            patch.setattr(nl.encoders, name, made[name], raising=False)  # the one line
        LAWS.precision.register(made["Bits"], lambda encoder, x: np.full(len(x), 0.5))
        yield {name: encoder() for name, encoder in made.items()}


@pytest.mark.parametrize(("name", "law"), CASES)
def test_its_encoders_keep_every_law(encoders, name, law):
    getattr(LAWS, law)(encoder=encoders[name])


def test_its_value_encoder_is_short():
    assert len(VALUE.strip().splitlines()) <= 45


def test_its_text_encoder_spells(encoders):
    assert "".join(encoders["Bits"].spell(-6)) == "-" + f"{6:020b}"


def test_its_model_trains(home):
    names = {}
    exec(LIBRARY, names)
    assert names["run"].folder.is_dir()
    assert nl.metrics.exact_match(names["answers"]) > 0.5


def test_its_direction_of_imports_is_the_one_that_is_tested():
    (said,) = re.findall(r"checks it: (.*?)\. Where", README, re.DOTALL)
    stages = [{*" ".join(part.split()).split(", ")} for part in said.split("→")]
    assert stages == [*STAGES[:-2], {"command line"}]


def test_the_files_that_it_names_exist():
    for name in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / name.partition("#")[0]).exists(), name
    rows = re.findall(r"^\| (`.+?) \|", README, re.MULTILINE)
    folders = [n for row in rows for n in re.findall(r"`([\w/.]+(?:/|\.py))`", row)]
    for name in folders:
        assert any((ROOT / top / name).exists() for top in ("", "numlab")), name
