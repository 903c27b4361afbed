"""The linear probe, and the vectors of texts that it reads."""

import numpy as np
import pytest

import numlab as nl
from numlab.embeddings import text_vectors
from numlab.probes import linear


def test_a_probe_finds_what_is_linear_and_nothing_else():
    x = np.random.default_rng(0).normal(size=(2000, 4))
    assert linear(x, x @ [1, 2, 0, -1] > 0).roc_auc.min() > 0.99
    assert linear(x, x[:, 0] * x[:, 1] > 0).roc_auc.mean() == pytest.approx(0.5, abs=0.06)


def test_the_scale_of_the_vectors_does_not_matter():
    x = np.random.default_rng(0).normal(size=(400, 2))
    scores = [linear(x * scale, x[:, 0] > 0, 200).roc_auc.tolist() for scale in (1, 1e-200, 1e200)]
    assert scores[1] == pytest.approx(scores[0]) and scores[2] == pytest.approx(scores[0])


def test_a_probe_is_tested_on_rows_that_it_did_not_train_on():
    noise = np.random.default_rng(1).normal(size=(200, 100))
    chance = np.random.default_rng(2).random(200) > 0.5
    frame = linear(noise, chance, n_train=100, draws=10)
    assert frame.roc_auc.mean() == pytest.approx(0.5, abs=0.1)
    assert (frame.n_test == 100).all() and len(frame) == 10


def test_a_rare_answer_is_on_both_sides():
    rare = np.arange(100) < 2
    assert len(linear(np.random.default_rng(0).normal(size=(100, 2)), rare, n_train=50)) == 5


@pytest.mark.parametrize(
    ("target", "n_train", "message"),
    [
        (np.ones(10, bool), 5, "both answers must occur on either side"),
        (np.arange(10) < 2, 8, "both answers must occur .* got 2 of 10 True, and n_train 8"),
        (np.arange(10) > 4, 9, "n_train <= n - 2; got 10 targets, 10 vectors and n_train 9"),
        (np.arange(9) > 4, 5, "got 9 targets, 10 vectors"),
        (np.arange(10) % 3, 5, r"targets are True or False; got \[0 1 2\]"),
        ([0, np.nan] * 5, 5, "targets are True or False"),
    ],
    ids=["one answer", "none to test", "none left", "lengths", "three answers", "none known"],
)
def test_impossible_targets_are_refused(target, n_train, message):
    with pytest.raises(ValueError, match=message):
        linear(np.zeros((10, 2)), target, n_train)


@pytest.fixture(scope="module")
def run(module_home):
    return nl.train(
        nl.RunSpec(
            task=nl.tasks.Temperature(
                nl.tasks.Climate(years=1, degrees=30.0), stations=(2, 3), times=(2, 2)
            ),
            encoder=nl.P10(),
            objective=nl.MaskedLM(),
            model=nl.GPT2(16, 2, 2),
            n_train=16,
            n_valid=8,
            n_test=12,
            steps=1,
            learning_rate=1e-3,
        )
    )


def test_the_vector_of_a_text_is_the_mean_hidden_state_over_the_slot_s_tokens(run):
    import torch

    test = run.examples("test")
    vectors = text_vectors(run, test, ("T0.*", "next0"), layer=1)
    assert vectors.shape == (12, 16)
    for e in test:
        for i in (0, len(e) - 1):  # a text alone, without padding
            batch = run.tokenizer([e.take([i])]).batch(np.array([0]))
            inputs = run.spec.objective.show(batch)
            with torch.no_grad():
                hidden = run.model.hidden(inputs, layer=1)[0].numpy()
            names = [slot.name for slot in e.layout.slots]
            read = np.isin(batch.slot[0], [names.index("T0.0"), names.index("next0")])
            assert read.sum() == 10
            np.testing.assert_allclose(vectors[e.index[i]], hidden[read].mean(0), atol=1e-5)


def test_the_last_block_is_read_unless_another_is_named(run):
    test = run.examples("test")
    assert np.array_equal(text_vectors(run, test), text_vectors(run, test, layer=2))


def test_a_slot_that_no_text_has_is_refused(run):
    with pytest.raises(ValueError, match="no slot fits"):
        text_vectors(run, run.examples("test"), "humidity*")


def test_texts_of_two_samples_keep_their_order_where_their_index_repeats(run):
    samples = [run.spec.task.sample(20, seed=seed) for seed in (1, 2)]
    each = [text_vectors(run, sample, "T*") for sample in samples]
    both = text_vectors(run, [*samples[0], *samples[1]], "T*")
    assert np.allclose(both, np.stack(each, axis=1).reshape(40, -1), atol=1e-6)


def test_a_vector_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="holds NaN or infinity"):
        linear(np.full((4, 1), np.nan), [True, True, False, False], n_train=2)
