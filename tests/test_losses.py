"""The auxiliary loss of aggregated digits against a plain reference, and what it moves."""

from __future__ import annotations

import dataclasses
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tiny import spec

import numlab as nl
from numlab import losses
from numlab.encoders import WeightedSum
from numlab.losses import FLOOR, AggregateLoss, NumberTokenLoss
from numlab.models.transformer import NumberEmbedding
from numlab.objectives import CausalLM
from numlab.tokenizer import Tokenizer

TASK = nl.tasks.Addition(int_digits=2)


def asked(encoder, n=6):
    """An embedding, and the targets of a few additions."""
    torch.manual_seed(0)
    tokenizer = Tokenizer.of(TASK.layouts(), encoder)
    corpus = tokenizer(TASK.sample(n, seed=0), ("answer",))
    batch = corpus.batch(np.arange(n))
    _, targets = CausalLM(only=("answer",)).train(batch, np.random.default_rng(0))
    return NumberEmbedding(tokenizer, 8), targets


def certain(ids, size):
    """Logits of a model that is sure of these words."""
    return torch.full((len(ids), size), -40.0).scatter(1, ids[:, None], 40.0)


@pytest.mark.parametrize("encoder", [nl.Digits(3, fences=True), nl.Aggregate(3), nl.Digits(3)])
def test_it_is_the_log2_of_the_mean_squared_error_of_the_aggregates(encoder):
    embed, targets = asked(encoder)
    logits = torch.randn(len(targets.ids), embed.table.num_embeddings)
    expected, words = [], embed.words[:10].detach()
    for row in targets.row.unique():  # one number a text
        own = (targets.row == row) & (targets.ids >= embed.offset)
        own &= targets.ids < embed.offset + 10
        if not own.any():  # the token that ends a number
            continue
        soft = logits[own].softmax(1)[:, embed.offset : embed.offset + 10] @ words
        weights = torch.from_numpy(WeightedSum().weights(int(own.sum()))).float()[:, None]
        gap = (weights * (soft - words[targets.ids[own] - embed.offset])).sum(0)
        expected.append(math.log2(float((gap**2).mean() + FLOOR * (words**2).mean())))
    loss = AggregateLoss(share=0.8)
    assert float(loss(logits, targets, embed)) == pytest.approx(np.mean(expected), rel=1e-4)
    assert loss.weight == pytest.approx(0.25)


def test_true_digits_cost_least_wrong_units_less_than_wrong_digits_a_non_number_its_size():
    embed, targets = asked(nl.Digits(3))
    size, loss = embed.table.num_embeddings, AggregateLoss(share=0.5)
    with torch.no_grad():  # digits in order, on a line
        embed.words[:10] = torch.arange(10.0)[:, None] + 1
    digit = (targets.ids >= embed.offset) & (targets.ids < embed.offset + 10)
    last = torch.cat([digit[:-1] & ~digit[1:], digit[-1:]])
    shifted = (targets.ids - embed.offset + 5) % 10 + embed.offset
    true = loss(certain(targets.ids, size), targets, embed)
    units = loss(certain(torch.where(last, shifted, targets.ids), size), targets, embed)
    every = loss(certain(torch.where(digit, shifted, targets.ids), size), targets, embed)
    none = loss(certain(torch.zeros_like(targets.ids), size), targets, embed)
    assert true < units < every
    answers = TASK.sample(6, seed=0)[0].column("answer")
    vectors = embed.words[:10].detach().numpy()
    digits = {x: np.array([[*map(int, str(int(x)))]]) for x in answers}
    table = {x: (WeightedSum()(digits[x], vectors) ** 2).mean() for x in answers}
    assert float(none) == pytest.approx(np.mean([math.log2(table[x]) for x in answers]), rel=1e-4)
    words = embed.words[:10].detach()
    assert float(true) == pytest.approx(math.log2(FLOOR * float((words**2).mean())))


def test_it_moves_the_logits_of_digits_and_no_embedding():
    embed, targets = asked(nl.Digits(3))
    logits = torch.randn(len(targets.ids), embed.table.num_embeddings, requires_grad=True)
    AggregateLoss()(logits, targets, embed).backward()
    digit = (targets.ids >= embed.offset) & (targets.ids < embed.offset + 10)
    assert logits.grad[digit].abs().sum(1).all() and not logits.grad[~digit].any()
    assert embed.table.weight.grad is None


def test_a_descent_on_it_brings_the_aggregates_together():
    embed, targets = asked(nl.Digits(3))
    logits = torch.zeros(len(targets.ids), embed.table.num_embeddings, requires_grad=True)
    optimizer, losses = torch.optim.Adam([logits], 1.0), []
    for _ in range(60):
        optimizer.zero_grad()
        losses.append(AggregateLoss(share=0.5)(logits, targets, embed))
        losses[-1].backward()
        optimizer.step()
    assert losses[-1] < losses[0] - 2


def test_targets_without_a_digit_cost_nothing():
    embed, targets = asked(nl.Digits(3))
    targets.ids = torch.zeros_like(targets.ids)
    assert AggregateLoss()(torch.randn(len(targets.ids), 40), targets, embed) == 0


@pytest.mark.parametrize(
    ("encoder", "spelled"),
    [
        (nl.P1000(overflow="clip"), "+ 120 E-1"),
        (nl.Subword(3), "12"),
        (nl.Digits(3, reverse=True), "2 1"),
        (nl.XVal(), "[NUM]"),
        (nl.Digits(1), "nothing: it holds |x| < 9.5"),
    ],
    ids=str,
)
def test_an_encoder_that_does_not_spell_digit_by_digit_is_refused_by_the_spec(encoder, spelled):
    message = re.escape(f"{encoder} spells 12 as {spelled}")
    with pytest.raises(ValueError, match=f"needs answers in digits, greatest first; {message}"):
        spec(encoder, losses=(AggregateLoss(),))


@pytest.mark.parametrize("share", [0, 1, -0.5, float("nan")])
def test_a_share_lies_between_0_and_1(share):
    with pytest.raises(ValueError, match="share is above 0 and below 1; got"):
        AggregateLoss(share=share)


@pytest.mark.parametrize("base", [0.0, -2.0])
def test_a_base_is_above_0(base):
    with pytest.raises(ValueError, match="WeightedSum has a positive, finite base"):
        AggregateLoss(base=base)


def test_it_trains_beside_the_objective(module_home):
    history = nl.train(spec(nl.Digits(3, fences=True), losses=(AggregateLoss(),))).history
    assert np.isfinite(history["aggregate"]).all()
    assert np.allclose(history.loss, history.token + history["aggregate"])


def test_two_terms_of_one_class_both_count(module_home):
    terms = AggregateLoss(), AggregateLoss(share=0.8, base=3.0, name="base 3")
    history = nl.train(spec(nl.Digits(3), losses=terms)).history
    assert np.allclose(history.loss, history.token + history["aggregate"] + history["base 3"])
    assert not np.allclose(history["aggregate"], history["base 3"])


@pytest.mark.parametrize("names", [("a", "a"), ("token",), ("value",), ("loss",), ("step",)])
def test_terms_that_would_hide_each_other_are_refused(names):
    with pytest.raises(ValueError, match="losses have different names"):
        spec(nl.Digits(3), losses=tuple(AggregateLoss(name=name) for name in names))


# -- number tokens

N_TEXT = 5  # words of texts stand before those of the encoder


def ask(encoder, true, logits, slots=None):
    """The embedding, targets and (t, V) logits of some words; -inf at all others."""
    index = {word: N_TEXT + i for i, word in enumerate(encoder.vocabulary)}
    slots = [0] * len(true) if slots is None else slots
    full = torch.full((len(true), N_TEXT + len(index)), -1e9)
    for row, own in zip(full, logits, strict=True):
        for word, logit in own.items():
            row[index[word]] = logit
    targets = SimpleNamespace(
        ids=torch.tensor([index[word] for word in true]),
        row=torch.zeros(len(true), dtype=torch.long),
        slot=torch.tensor(slots),
    )
    return full, targets, SimpleNamespace(offset=N_TEXT, encoder=encoder)


THIRDS = {str(i): i / 3 for i in range(10)}


def number_loss(y, n_text=0, **fields):
    logits, targets, embed = ask(nl.Digits(3), [str(y)], [THIRDS])
    logits[:, :n_text] = 0.0
    return float(NumberTokenLoss(**fields)(logits, targets, embed))


@pytest.mark.parametrize(
    ("y", "was", "mse"),
    [(0, 6.842210593, 46.81584580), (4, 3.275428811, 8.078161054), (9, 2.157789407, 4.656055126)],
)
def test_the_oracles_of_the_number_token_loss(y, was, mse):
    for squash in (9.0, None):  # digits are 1 to 9 apart as they are
        assert number_loss(y, squash=squash) == pytest.approx(was, rel=1e-5)
    assert number_loss(y, kind="mse") == pytest.approx(mse, rel=1e-5)


def test_the_oracles_of_reweighting_and_squashing():
    assert number_loss(4, N_TEXT) == pytest.approx(3.671902687, rel=1e-6)
    assert number_loss(4, N_TEXT, kind="mse") == pytest.approx(13.10565956, rel=1e-6)
    assert number_loss(4, N_TEXT, reweigh=False) == pytest.approx(3.275428811, rel=1e-6)
    assert number_loss(4, squash=3.0) == pytest.approx(1.527216472, rel=1e-6)


def test_with_a_word_for_each_number_the_squared_error_is_that_of_their_mean():
    """The loss of regression-aware fine-tuning."""
    shares = {"-2": 0.1, "-1": 0.2, "0": 0.05, "1": 0.4, "2": 0.25}  # their mean is 0.5
    logits = {word: np.log(share) for word, share in shares.items()}
    asked = ask(nl.UniformBins(bins=5, high=2.0), ["1"], [logits])
    loss = NumberTokenLoss("mse", reweigh=False)
    assert float(loss(*asked)) == pytest.approx((0.5 - 1) ** 2, rel=1e-6)


@pytest.mark.parametrize(
    ("values", "least", "width"),
    [([0.0, 1.0], 1.0, 1.0), ([0.0, 1e6], 1e6, 1e6), ([3.0], 1.0, 0.0)],
    ids=str,
)
def test_two_words_are_one_apart_as_neighbouring_digits_are(values, least, width):
    values = torch.tensor(values)
    words = losses._Words(values, torch.ones(len(values), dtype=bool), least, width)
    assert torch.equal(NumberTokenLoss()._distances(words, values), 1 - torch.eye(len(values)))


@pytest.mark.parametrize("encoder", [nl.Digits(3), nl.P10(), nl.P1000(), nl.Subword(4)], ids=str)
def test_it_is_the_wasserstein_distance(encoder):
    from scipy.stats import wasserstein_distance

    rng, words = np.random.default_rng(0), np.array(encoder.vocabulary)
    valued = words[~np.isnan(encoder.word_values)]
    values = encoder.word_values[~np.isnan(encoder.word_values)]
    true = rng.choice(len(valued), 6)
    rows = rng.normal(size=(6, len(valued)))
    logits = [dict(zip(valued, row, strict=True)) for row in rows]
    asked = ask(encoder, valued[true].tolist(), logits)
    loss = float(NumberTokenLoss(squash=None, reweigh=False)(*asked))
    share = np.exp(rows) / np.exp(rows).sum(1, keepdims=True)
    expected = [
        wasserstein_distance(values, values[i : i + 1], p, [1.0])
        for i, p in zip(true, share, strict=True)
    ]
    assert loss == pytest.approx(np.mean(expected), rel=1e-6)


def test_the_number_level_puts_digits_together_and_counts_a_number_once():
    logits = [{"1": 0.0, "3": 0.0}, {"2": 0.0}, {".": 0.0}, {"5": 0.0}, {"7": 0.0}]
    asked = ask(nl.Digits(3, 2), ["1", "2", ".", "4", "9"], logits, slots=[0, 0, 0, 0, 1])
    expected = (abs(225 - 124) / (225 + 124) + abs(7 - 9) / 16) / 2
    assert float(NumberTokenLoss("number")(*asked)) == pytest.approx(expected, rel=1e-6)


def test_words_that_are_no_numbers_cost_as_much_as_the_worst_number():
    far = number_loss(0, kind="was", weight=1.0)
    sure = ask(nl.Digits(3), ["0"], [{"9": 40.0}])
    assert float(NumberTokenLoss()(*sure)) == pytest.approx(9) and far < 9
    sure[0][:, 0] = 80.0  # a word of a text
    assert float(NumberTokenLoss()(*sure)) == pytest.approx(1.01 * 9)
    text = ask(nl.Digits(3), ["-", "."], [{}, {}])
    assert float(NumberTokenLoss()(*text)) == 0


@pytest.mark.parametrize("reweigh", [True, False])
def test_a_squared_distance_is_never_below_0(reweigh):
    words = [str(i) for i in range(1000)]
    for row in np.random.default_rng(0).normal(size=(20, 1000)):
        logits = {**dict(zip(words, row, strict=True)), "500": 16.0}
        asked = ask(nl.Subword(3), ["500"], [logits])
        assert NumberTokenLoss("mse", reweigh=reweigh)(*asked) >= 0


def test_encoders_without_words_of_value_are_refused():
    with pytest.raises(ValueError, match="needs words that are numbers; XVal has none"):
        spec(nl.XVal(), losses=(NumberTokenLoss(),))
    columns = (("a", (0.0, 1.0)), ("*", (0.0, 2.0)))
    with pytest.raises(ValueError, match="words that are the same numbers in every column"):
        spec(nl.encoders.FusedBins(columns), losses=(NumberTokenLoss(),))
    with pytest.raises(ValueError, match="NumberTokenLoss needs answers in digits"):
        spec(nl.P1000(overflow="clip"), losses=(NumberTokenLoss("number"),))
    standardised = nl.Standardised(nl.Digits(3), (("answer", 0.0, 5.0, 2.0),))
    with pytest.raises(ValueError, match=r"same numbers in every column; got .* \(by column\)"):
        spec(standardised, losses=(NumberTokenLoss("number"),))
    with pytest.raises(ValueError, match="kind is 'was', 'mse' or 'number'"):
        NumberTokenLoss("mae")


def test_the_loss_reads_the_words_that_are_predicted(module_home):
    words = spec(nl.encoders.IntegerVocabulary(1), losses=(NumberTokenLoss(),))
    single = dataclasses.replace(words, task=nl.tasks.Addition(1), n_train=16, n_valid=8, n_test=8)
    assert nl.train(single).history["number tokens"].gt(0).all()  # answers are in digits
    with pytest.raises(ValueError, match="read answers in the words of Digits.*itself spells them"):
        dataclasses.replace(single, objective=nl.MaskedLM(only="answer"))


@pytest.mark.parametrize("kind", ["was", "mse", "number"])
def test_the_number_token_loss_trains_beside_the_objective(kind, module_home):
    history = nl.train(spec(nl.Digits(3), losses=(NumberTokenLoss(kind),))).history
    assert np.isfinite(history["number tokens"]).all()
    assert np.allclose(history.loss, history.token + history["number tokens"])


@pytest.mark.parametrize("loss", [AggregateLoss(), NumberTokenLoss("number")])
def test_losses_of_long_numbers_and_their_gradients_are_finite(loss):
    n = 45
    encoder = nl.Digits(n)
    embed = SimpleNamespace(encoder=encoder, offset=0, words=torch.randn(13, 8))
    logits = torch.randn(2 * n, len(encoder.vocabulary), requires_grad=True)
    row, slot = torch.arange(2).repeat_interleave(n), torch.zeros(2 * n, dtype=torch.long)
    targets = SimpleNamespace(ids=torch.arange(2 * n) % 10, row=row, slot=slot)
    cost = loss(logits, targets, embed)
    cost.backward()
    assert cost.dtype == torch.float32 and cost.isfinite() and logits.grad.isfinite().all()


def test_the_weights_of_the_losses_are_those_of_their_papers():
    assert AggregateLoss() == AggregateLoss(share=0.6, base=10.0)
    assert NumberTokenLoss() == NumberTokenLoss("was", weight=0.3, reweigh=True, squash=9.0)


@pytest.mark.parametrize("kind", ["was", "mse"])
def test_a_model_that_is_sure_of_a_word_that_is_no_number_has_a_finite_loss(kind):
    logits, targets, embed = ask(nl.Digits(3), ["0"], [{"9": 0.0}])
    logits[:, 0] = 300.0  # a word of a text: the numbers' share underflows to 0
    logits.requires_grad_()
    loss = NumberTokenLoss(kind)(logits, targets, embed)
    loss.backward()
    assert loss.isfinite() and logits.grad.isfinite().all()


def test_a_squash_of_1_would_make_all_distances_alike():
    with pytest.raises(ValueError, match="squash is above 1, or None; got 1.0"):
        NumberTokenLoss(squash=1.0)
