"""Embeddings hold one finite vector a number, and come from matrices, digits and encoders."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tiny
import torch

import numlab as nl
from numlab.embeddings import (
    Embeddings,
    from_encoder,
    from_run,
    from_words,
    text_vectors,
)
from numlab.encoders import P10, P1000, Digits, FoNE, Subword, XVal

ENCODERS = [P10(), P1000(), XVal(), XVal(k=2), FoNE(), FoNE(project=False), Digits(), Subword()]


@pytest.mark.parametrize(
    ("numbers", "vectors", "message"),
    [
        ([1, 2], np.zeros((3, 4)), r"2 numbers need vectors \(2, d\); got \(3, 4\)"),
        ([1, 2], np.zeros(2), r"got \(2,\)"),
        ([1, 2], np.zeros((2, 0)), r"got \(2, 0\)"),
        ([3, 1, 3], np.zeros((3, 1)), "3.0 comes twice"),
        ([1, np.nan], np.zeros((2, 1)), "numbers are finite, up to 1.8e308; got nan"),
        ([1, 10**400], np.zeros((2, 1)), "numbers are finite, up to 1.8e308; got an integer"),
        ([1, 2], [[0.0], [np.inf]], "the vector of 2.0 is not"),
        ([1, 2], [[np.nan], [0.0]], "the vector of 1.0 is not"),
        ([[1, 2]], np.zeros((1, 1)), r"shape \(n,\); got \(1, 2\)"),
    ],
)
def test_wrong_embeddings_are_refused(numbers, vectors, message):
    with pytest.raises(ValueError, match=message):
        Embeddings(numbers, vectors, "test")


def test_integers_beyond_a_float_stay_different():
    huge = [10**40, 10**40 + 1]
    assert Embeddings(huge, np.eye(2), "test").numbers.tolist() == huge


def test_an_untrained_encoder_reads_integers_beyond_a_float_beside_small_ones():
    huge = [-1, 2**63 + 1]
    assert from_encoder(Digits(20), huge, 4).numbers.tolist() == huge


@pytest.mark.parametrize(
    ("given", "kept"), [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i8", "f8")]
)
def test_vectors_are_kept_as_float32_or_float64(given, kept):
    assert Embeddings([1], np.ones((1, 2), given), "test").vectors.dtype == kept


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_an_untrained_encoder_embeds_the_same_from_the_same_seed(encoder):
    numbers = np.array([0.0, 7, 70, 700])
    before = torch.get_rng_state()
    once, again = (from_encoder(encoder, numbers, d_model=32, seed=3) for _ in range(2))
    np.testing.assert_array_equal(once.vectors, again.vectors)
    assert once.vectors.shape == (4, 32)
    assert (from_encoder(encoder, numbers, 32, seed=4).vectors != once.vectors).any()
    assert torch.equal(torch.get_rng_state(), before)


def test_xval_scales_one_vector():
    vectors = from_encoder(XVal(), np.array([1.0, 2.0, -3.0])).vectors
    np.testing.assert_allclose(vectors[1:], vectors[:1] * [[2], [-3]], rtol=1e-6)


def test_a_text_encoder_embeds_the_mean_of_its_tokens():
    vectors = from_encoder(Digits(), np.array([1.0, 2.0, 12.0, 21.0])).vectors
    np.testing.assert_allclose(vectors[2], vectors[:2].mean(axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(vectors[2], vectors[3])


def test_numbers_of_the_same_digits_have_the_same_vector():
    vectors = from_encoder(Digits(4, 2), [123, 321, 213]).vectors
    assert (vectors == vectors[0]).all()  # in float32 they differ by 2e-8


def test_vectors_are_the_same_in_threads_and_leave_torch_s_draws_alone():
    before, encoder = torch.get_rng_state(), FoNE(3, project=True)
    with ThreadPoolExecutor(4) as pool:
        tables = [*pool.map(lambda _: from_encoder(encoder, [1.0, 2.0]).vectors, range(40))]
    assert all((table == tables[0]).all() for table in tables)
    assert (torch.get_rng_state() == before).all()


def test_a_number_that_the_encoder_does_not_hold_is_refused():
    with pytest.raises(ValueError, match="Digits holds"):
        from_encoder(Digits(int_digits=2), np.array([100.0]))


@pytest.mark.parametrize("encoder", [P1000(), Digits(3), XVal(), FoNE(3)], ids=str)
def test_a_run_has_a_vector_for_each_number_at_each_layer(encoder, home):
    run = nl.train(tiny.spec(encoder, model=nl.GPT2(32, 2, 2)))
    numbers = np.array([5.0, 17.0, 123.0, 0.0])
    for layer in range(3):
        one_by_one = [from_run(run, [x], layer).vectors[0] for x in numbers]
        assert from_run(run, numbers, layer).vectors == pytest.approx(
            np.array(one_by_one), abs=1e-5
        )
    with pytest.raises(ValueError, match="layers 0 to 2; got 3"):
        from_run(run, numbers, layer=3)


def test_answers_are_read_as_the_run_was_trained_to_write_them(home):
    texts = tiny.SPEC.task.sample(200, seed=1)  # most sums have three digits: no word of the input
    run = nl.train(tiny.spec(nl.IntegerVocabulary(2)))
    assert text_vectors(run, texts, "a").shape == (200, 32)


def test_the_trained_embedding_of_a_word_is_its_row_of_the_table(home):
    task = nl.tasks.Planets(n_steps=1, n_planets=(2, 2))
    run = nl.train(tiny.spec(nl.FP15(), objective=nl.MaskedLM(), task=task))
    word = nl.FP15().encode([1.5]).ids[0, 0]
    row = run.model.embed.words[word].detach().numpy()
    assert from_run(run, [1.5]).vectors[0] == pytest.approx(row)


@pytest.fixture(scope="module")
def p1000(module_home):
    return nl.train(tiny.spec(P1000(), objective=nl.MaskedLM()))


def test_words_that_are_numbers_have_their_rows_of_the_trained_table(p1000):
    found = from_words(p1000, ["999", "100", "602"])
    assert found.numbers.tolist() == [999, 100, 602]
    table = p1000.model.embed.table.weight.detach().numpy()
    words = [P1000().vocabulary.index(word) for word in ("999", "100", "602")]
    assert (found.vectors == table[[p1000.tokenizer.offset + word for word in words]]).all()


@pytest.mark.parametrize("word", ["E-1", "+", "7"])
def test_a_word_that_is_no_number_by_itself_has_no_vector_of_one(p1000, word):
    with pytest.raises(
        ValueError, match=f"P1000 has no word {re.escape(repr(word))} that is a number"
    ):
        from_words(p1000, ["602", word])


def test_bins_of_several_columns_have_vectors_of_one_of_them():
    bins = nl.FusedBins((("m*", (1.0, 2.0)), ("x*", (10.0, 20.0))))
    for encoder in (bins, nl.Standardised(columns=(("m*", 0, 1, 1),))):
        with pytest.raises(ValueError, match=r"has columns, m.*: take encoder\.at\(column\)"):
            encoder.encode([1.0])
        assert "spells" not in encoder._repr_html_() and "spells" in encoder.at("m0")._repr_html_()
    for wrong in ({"centres": ()}, {"column": 3}):
        with pytest.raises(ValueError, match="FusedBins"):
            nl.FusedBins(**wrong)
    with pytest.raises(ValueError, match=r"has columns, m\*, x\*: take encoder.at"):
        from_encoder(bins, [1.0, 2.0], 8)
    assert len(np.unique(from_encoder(bins.at("m0"), [1.0, 2.0], 8).vectors, axis=0)) == 2
    assert len(np.unique(from_encoder(bins.at("x0"), [1.0, 2.0], 8).vectors, axis=0)) == 1
    assert len(from_encoder(nl.FusedBins((("m*", (1.0, 2.0)),)).at("m0"), [1.0, 2.0], 8)) == 2


def test_an_encoder_by_column_has_vectors_of_one_of_its_columns(home):
    encoder = nl.Standardised(columns=(("[ab]", 0.0, 100.0, 10.0), ("answer", 0.0, 0.0, 10.0)))
    with pytest.raises(ValueError, match="columns, .* answer: take encoder.at"):
        from_encoder(encoder, [90.0, 105.0], 8)
    word = from_encoder(XVal(), [1.0], 8).vectors
    vectors = from_encoder(encoder.at("a"), [90.0, 105.0], 8).vectors
    assert vectors == pytest.approx(np.array([[-1.0], [0.5]]) * word)
    task, model = nl.tasks.Addition(2), nl.GPT2(8, 1, 1)
    run = nl.train(nl.RunSpec(task, encoder, nl.MaskedLM(), model, 64, 2, 1e-3))
    with pytest.raises(ValueError, match="columns, .* take text_vectors"):
        from_run(run, [90.0, 105.0])
