"""Texts become tokens and come back."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import SUM, sums

import numlab as nl
from numlab import corpus as corpora
from numlab.examples import matches
from numlab.tokenizer import Text

ENCODERS = [
    nl.P10(),
    nl.P1000(),
    nl.FP15(),
    nl.XVal(),
    nl.XVal(k=1),
    nl.FoNE(4, 2),
    nl.Digits(4, 2),
]
SPELLED_APART = [
    nl.IntegerVocabulary(4),
    nl.Aggregate(4),
    nl.Aggregate(4, how=None),
    nl.Aggregate(4, before=False),
]


def test_patterns_name_slots_and_a_name_with_brackets_itself():
    assert matches("x1.4", ("a", "x*")) and not matches("stepsize", ("a0", "x*"))
    assert matches("y [m]", ("y [m]",)) and not matches("y m", ("y [n]",))


@pytest.mark.parametrize("encoder", ENCODERS, ids=str)
def test_every_number_of_a_corpus_is_found_again_in_its_batch(encoder):
    examples = sums()
    corpus = nl.Tokenizer.of([SUM], encoder)([examples])
    batch = corpus.batch(np.arange(5))
    offset, owner = corpus.tokenizer.offset, batch.carriers // batch.ids.shape[1]
    for row in range(5):
        for slot in range(3):
            here = batch.slot[row] == slot
            ids = batch.ids[row][here][None] - offset
            column = batch.slot.ravel()[batch.carriers]
            features = batch.features[(owner == row) & (column == slot)]
            decoded = encoder.decode(nl.Tokens(ids, np.ones(ids.shape, bool), features))
            assert decoded[0] == pytest.approx(examples.numbers[row, slot], rel=1e-2)


@pytest.mark.parametrize("answers", [(), ("*",)], ids=["numbers", "answers"])
@pytest.mark.parametrize("encoder", [*ENCODERS, *SPELLED_APART], ids=str)
def test_what_is_to_be_predicted_spells_its_number(encoder, answers):
    """Also where carriers are no targets, and where answers are spelled in other words."""
    examples = sums()
    tokenizer = nl.Tokenizer.of([SUM], encoder)
    corpus = tokenizer([examples], answers)
    batch = corpus.batch(np.arange(5))
    for slot in range(3):
        target = (batch.slot == slot) & ~np.isin(batch.ids, tokenizer.input_only)
        carried = target.ravel()[batch.carriers]
        n = target.sum(1)
        mask = np.arange(n.max()) < n[:, None]
        ids = np.zeros(mask.shape, int)
        ids[mask] = batch.ids[target]
        decoded = tokenizer.decode(ids, mask, batch.features[carried], bool(answers))
        np.testing.assert_allclose(decoded.astype(float), examples.numbers[:, slot], rtol=1e-2)


def test_places_count_the_tokens_of_a_number_and_are_zero_in_literals():
    batch = nl.Tokenizer.of([SUM], nl.P1000())([sums(1)]).batch(np.array([0]))
    assert batch.within[0].tolist() == [1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]


def test_a_text_ends_with_the_end_token_and_padding_follows_it():
    mixed = nl.Examples(SUM, np.array([[1.0, 2.0, 3.0], [100.0, 200.0, 300.0]]))
    batch = nl.Tokenizer.of([SUM], nl.Digits(4))([mixed]).batch(np.array([0, 1]))
    assert batch.ids[0][batch.real[0]][-1] == Text.end
    assert (batch.ids[0][~batch.real[0]] == Text.pad).all() and (~batch.real[0]).sum() == 6


def test_floats_and_long_integers_share_a_corpus():
    texts = nl.parse(["x=1 y", "a 12345678901234567"])
    tokenizer = nl.Tokenizer.of([e.layout for e in texts], nl.Digits(18))
    batch = tokenizer(texts).batch(np.arange(2))
    spelled = [
        "".join(tokenizer.words[i][1] for i in ids[slot == 0])
        for ids, slot in zip(batch.ids, batch.slot, strict=True)
    ]
    assert spelled == ["1", "12345678901234567"]
    texts = nl.parse(["x=1.5 y", "a 12345678901234567"])
    corpus = nl.Tokenizer.of([e.layout for e in texts], nl.BitTokens(64))(texts)
    batch, own = corpus.batch(np.arange(2)), nl.BitTokens(64)
    assert own.number(batch.features).tolist() == [1.5, 12345678901234568]


@pytest.mark.parametrize("examples", [[], [nl.Examples(SUM, np.zeros((0, 3)))]])
def test_a_corpus_without_texts_is_refused(examples):
    with pytest.raises(ValueError, match="got no examples"):
        nl.Tokenizer.of([SUM], nl.XVal())(examples)


def test_zero_carries_a_number():
    zeros = nl.Examples(SUM, np.zeros((1, 3)))
    assert len(nl.Tokenizer.of([SUM], nl.XVal())([zeros]).batch(np.array([0])).carriers) == 3


def test_words_in_slots_are_spelled_as_text():
    layout = nl.Layout.of("{a} is {kind}", kind=("even number", "odd"))
    e = nl.Examples(layout, np.array([[2.0], [3.0]]), words=np.array([[0], [1]]))
    tokenizer = nl.Tokenizer.of([layout], nl.XVal())
    batch = tokenizer([e]).batch(np.array([0, 1]))
    spoken = [tokenizer.text.words[i] for i in batch.ids[0][batch.slot[0] == 1]]
    assert "".join(spoken) == "even number"
    silent = nl.Examples(nl.Layout.of("{a}{kind}!", kind=("",)), [[2.0]], [[0]])
    assert nl.Tokenizer.of([silent.layout], nl.XVal())([silent]).lengths.tolist() == [3]


def test_an_unknown_word_is_unknown():
    assert Text.of([SUM]).ids("?") == [Text.unknown]


@pytest.mark.parametrize("parts", [(nl.FoNE(2),), (nl.P10(), nl.heads.DigitHead(2))], ids=str)
def test_a_number_out_of_range_is_named_with_its_slot(parts):
    with pytest.raises(ValueError, match=r"answer: .* holds \|x\| < 99\.5; got 150"):
        nl.Tokenizer.of([SUM], *parts)([nl.Examples(SUM, np.array([[70.0, 80.0, 150.0]]))])


def test_texts_of_several_layouts_share_a_corpus():
    other = nl.Layout.of("{a}-{b}={answer}")
    corpus = nl.Tokenizer.of([SUM, other], nl.FP15())(
        [sums(3), nl.Examples(other, np.array([[5.0, 3.0, 2.0]]))]
    )
    assert corpus.part.tolist() == [0, 0, 0, 1] and corpus.starts.tolist() == [0, 3, 4]
    assert corpus.in_slots(("answer",)).tolist() == [[False, False, True, False]] * 2


@pytest.mark.parametrize("encoder", ENCODERS, ids=str)
def test_texts_that_are_tokenized_as_batches_are_drawn_are_those_that_are_kept(
    encoder, monkeypatch
):
    task = nl.tasks.Planets(n_steps=2)
    examples, rows = task.sample(40, seed=0), np.random.default_rng(0).permutation(40)[:16]
    tokenize = nl.Tokenizer.of(task.layouts(), encoder)
    kept = tokenize(examples, ("m*",))
    monkeypatch.setattr(corpora, "KEPT", 0)
    monkeypatch.setattr(corpora, "CHUNK", 7)
    drawn = tokenize(examples, ("m*",))
    assert np.array_equal(drawn.lengths, kept.lengths)
    for field in ("ids", "real", "slot", "within", "carriers", "features", "labels"):
        ours, theirs = getattr(drawn.batch(rows), field), getattr(kept.batch(rows), field)
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs), field
