"""The drawings of the notebooks on floating-point bits, and their check of the bits."""

import numpy as np
import pandas as pd
import pytest
import torch

import numlab as nl
from notebooks.conftest import load

figures, formats, anatomy = (load(f"float/{name}") for name in ("figures", "bits", "anatomy"))

BITS = pd.DataFrame(
    {
        "number": np.repeat(["-1", "2"], 4),
        "meaning": np.repeat(["one", "two"], 4),
        "part": ["sign", "exponent", "exponent", "significand"] * 2,
        "bit": [1, 0, 1, 0, 0, 1, 0, 0],
    }
)


def texts(figure):
    return [t.get_text() for ax in figure.axes for t in ax.texts]


def test_bits_stand_in_rows_under_the_names_of_their_parts():
    (ax,) = figures.bits(BITS).axes
    written = [t.get_text() for t in ax.texts]
    assert [t for t in written if t in "01"] == [str(bit) for bit in BITS.bit]
    assert written[-3:] == ["sign", "exponent", "significand"]
    assert len(ax.patches) == 8 and len({p.get_facecolor() for p in ax.patches}) == 5


def test_each_vector_is_a_strip_with_what_made_it():
    frame = pd.DataFrame(
        [(s, f"by {s}" if s > "a" else "", i, -2.0 * i) for s in "abc" for i in range(4)],
        columns=["step", "made_by", "entry", "value"],
    )
    figure = figures.activations(frame, residual=("a", "c"))
    strips = [ax for ax in figure.axes if ax.images]
    assert [ax.images[0].get_array().tolist() for ax in strips] == [[[0, -1 / 3, -2 / 3, -1]]] * 3
    assert {"a", "b", "c", "by b", "by c", "4 entries, up to 6"} <= set(texts(figure))


def test_a_head_stands_at_masks_only():
    tokens = pd.DataFrame(
        [("a", "literal", "", ""), ("[MASK]", "mask", "", "whale"), ("[NUM]", "number", "67", "")],
        columns=["word", "kind", "note", "target"],
    )
    parts = pd.DataFrame(
        {"text": list("pqrs"), "learned": [False, True, False, True]},
        index=["words", "numbers", "trunk", "head"],
    )
    written = texts(figures.model(tokens, parts))
    assert written.count("head") == written.count("whale") == 1
    assert {"p", "q", "r", "s", "[MASK]", "[NUM]", "67"} <= set(written)


def test_bits_are_written_as_a_product():
    assert formats.product(nl.IEEE754().features([0.375])[0]) == "1.5 · $2^{-2}$"


def test_the_bits_are_those_of_struct_and_others_are_noticed(monkeypatch):
    assert formats.unlike_struct(64, 100) == 0
    features = nl.IEEE754.features
    monkeypatch.setattr(nl.IEEE754, "features", lambda self, x: features(self, x)[:, ::-1])
    assert formats.unlike_struct(32, 100) > 90


def test_each_bit_of_a_number_has_a_row():
    frame = formats.bit_table([-28.5, 1_000_000])
    assert frame.number.unique().tolist() == ["-28.5", "1,000,000"]
    example = "".join(map(str, frame.bit[:32]))
    assert example == "11000001111001000000000000000000"
    assert frame.part.value_counts().to_dict() == {"significand": 46, "exponent": 16, "sign": 2}


@pytest.fixture(scope="module")
def model():
    spec = nl.pretrained.Pretrained()
    return spec.build(spec.tokenizer([], nl.IEEE754()))


def test_the_steps_of_the_module_end_in_its_output(model):
    steps = anatomy.module_steps(model.embed.values, 85)
    assert steps.step.unique().tolist()[0] == "$x$: bits of 85"
    with torch.no_grad():
        features = torch.from_numpy(nl.IEEE754().features([85]))
        embedding = model.embed.values(features, model.embed.words)[0]
    drawn = steps[steps.step == "embedding"].value
    np.testing.assert_allclose(drawn, embedding, atol=1e-6)


def test_a_text_has_one_mask_and_its_numbers(model):
    inputs, tokens = anatomy.masked_text(model, "a dog of 22 kilograms eats 0.5", "dog")
    assert tokens.word.tolist()[:4] == ["[CLS]", "a", "[MASK]", "of"]
    assert tokens[tokens.kind == "number"].note.tolist() == ["22", "0.5"]
    assert tokens[tokens.kind == "mask"].target.tolist() == ["dog"]
    assert anatomy.misread_tokens(model, inputs, [22, 0.5]) == 0
    assert anatomy.misread_tokens(model, inputs, [22, 0.6]) == 1


def test_the_new_weights_are_those_that_train(model):
    assert set(anatomy.new_weights(model)) == set(model.parameters())
    assert anatomy.parts(model).learned.to_dict() == {
        "words": False,
        "numbers": True,
        "trunk": False,
        "head": True,
    }


def test_kinds_of_words_have_a_panel_each_with_every_seed_and_the_trivial_answer():
    rows = [
        ("thing", "IEEE754", 0, 4.0),
        ("thing", "IEEE754", 1, 6.0),
        ("thing", "default", 0, 1.0),
    ]
    rows += [("unit", name, seed, value + 60) for _, name, seed, value in rows]
    rows += [(kind, "words' frequencies", 0, 2.0) for kind in ("thing", "unit")]
    frame = pd.DataFrame(rows, columns=["kind", "embedding", "seed", "top-5"])
    figure = figures.kinds(frame, "words' frequencies")
    thing = figure.axes[0]
    assert [label.get_text() for label in thing.get_yticklabels()] == [
        "IEEE754: the number's bits",
        "default: as words",
    ]
    names = ("a thing (dog)", "a unit (kilograms)")
    titles = [f"{name}\ncommonest words: 2 %" for name in names]
    assert [ax.get_title() for ax in figure.axes] == titles
    seeds, mean = thing.collections[:2]
    assert sorted(seeds.get_offsets()[:, 0]) == [4, 6] and mean.get_offsets()[0, 0] == 5
