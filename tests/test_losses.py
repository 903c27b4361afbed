"""The auxiliary loss of aggregated digits against a plain reference, and what it moves."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import torch

import numlab as nl
from numlab.encoders import WeightedSum
from numlab.losses import FLOOR, AggregateLoss
from numlab.models import NumberEmbedding
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
    ],
    ids=str,
)
def test_an_encoder_that_does_not_spell_digit_by_digit_is_refused_by_the_spec(encoder, spelled):
    message = re.escape(f"{encoder} spells 12 as {spelled}")
    with pytest.raises(ValueError, match=f"needs answers in digits, greatest first; {message}"):
        spec(encoder, AggregateLoss())


@pytest.mark.parametrize("share", [0, 1, -0.5, float("nan")])
def test_a_share_lies_between_0_and_1(share):
    with pytest.raises(ValueError, match="share is above 0 and below 1; got"):
        AggregateLoss(share=share)


def spec(encoder, *losses):
    return nl.RunSpec(
        task=TASK,
        encoder=encoder,
        objective=CausalLM(only=("answer",)),
        model=nl.GPT2(16, 1, 2),
        n_train=64,
        n_valid=16,
        n_test=16,
        steps=3,
        learning_rate=1e-3,
        losses=losses,
    )


def test_it_trains_beside_the_objective(module_home):
    history = nl.train(spec(nl.Digits(3, fences=True), AggregateLoss())).history
    assert np.isfinite(history["aggregate"]).all()
    assert np.allclose(history.loss, history.token + history["aggregate"])


def test_two_terms_of_one_class_both_count(module_home):
    terms = AggregateLoss(), AggregateLoss(share=0.8, base=3.0, name="base 3")
    history = nl.train(spec(nl.Digits(3), *terms)).history
    assert np.allclose(history.loss, history.token + history["aggregate"] + history["base 3"])
    assert not np.allclose(history["aggregate"], history["base 3"])


@pytest.mark.parametrize("names", [("a", "a"), ("token",), ("value",)])
def test_terms_that_would_hide_each_other_are_refused(names):
    with pytest.raises(ValueError, match="losses have different names"):
        spec(nl.Digits(3), *(AggregateLoss(name=name) for name in names))
