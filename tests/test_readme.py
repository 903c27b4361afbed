"""What the README shows works as it stands there."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import numlab as nl

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
LIBRARY, ENCODER = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


LAWS = module("the_laws", ROOT / "tests/encoders/test_laws.py")


def of_every_encoder(law):
    """Whether a law is for every encoder, not for those alone that carry numbers."""
    marks = [m for m in getattr(law, "pytestmark", []) if m.name == "parametrize"]
    return [m.args[0] for m in marks] == ["encoder"] and any(
        not e.carriers for e in marks[0].args[1]
    )


LAWS_OF_ALL = [name for name, law in vars(LAWS).items() if of_every_encoder(law)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    path = tmp_path_factory.mktemp("readme") / "bits.py"
    path.write_text(ENCODER)
    made = module("readme_bits", path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nl.encoders, "Bits", made.Bits, raising=False)  # the one line
        yield made.Bits()


@pytest.mark.parametrize("law", LAWS_OF_ALL)
def test_its_encoder_keeps_every_law(encoder, law):
    getattr(LAWS, law)(encoder=encoder)


def test_its_encoder_spells(encoder):
    assert "".join(encoder.spell(-6)) == "-" + f"{6:020b}"


def test_its_model_trains(home):
    names = {}
    exec(LIBRARY, names)
    assert names["run"].folder.is_dir()
    assert 0 <= nl.evaluation.exact_match(names["answers"]) <= 1


def test_the_files_that_it_names_exist():
    for name in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / name.partition("#")[0]).exists(), name
    rows = re.findall(r"^\| (`.+?) \|", README, re.MULTILINE)
    folders = [n for row in rows for n in re.findall(r"`([\w/.]+(?:/|\.py))`", row)]
    for name in folders:
        assert any((ROOT / top / name).exists() for top in ("", "numlab")), name
