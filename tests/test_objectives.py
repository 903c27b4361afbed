"""What is hidden, what is asked, and what comes back."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from encoders.precision import precision
from tiny import batch_of

import numlab as nl
from numlab.examples import Examples, Layout
from numlab.tokenizer import Text


def train(objective, batch, seed=0):
    return objective.train(batch, np.random.default_rng(seed))


@pytest.mark.parametrize("literals", [0.0, 0.5])
@pytest.mark.parametrize("encoder", [nl.P10(), nl.XVal(), nl.Digits(4)], ids=str)
def test_a_masked_slot_is_masked_whole(encoder, literals):
    batch = batch_of(encoder)
    inputs, _ = train(nl.MaskedLM(slots=0.5, literals=literals), batch)
    hidden = inputs.ids.numpy() == Text.mask
    for slot in range(3):
        share = np.array([hidden[i][batch.slot[i] == slot].mean() for i in range(64)])
        assert set(share) == {0.0, 1.0}
    assert hidden[(batch.slot < 0) & batch.real].mean() == pytest.approx(literals, abs=0.15)


SINGLE = nl.MaskedLM(slots=0.3, literals=0.0, whole=False)


def test_single_tokens_of_a_number_are_masked_on_their_own():
    batch = batch_of(nl.P10(), n=2000)
    inputs, targets = train(SINGLE, batch)
    hidden = inputs.ids.numpy() == Text.mask
    at = [hidden[batch.within == place] for place in range(1, 6)]  # each (3 numbers x 2000,)
    assert np.corrcoef(at) == pytest.approx(np.eye(5), abs=0.06)
    assert np.mean(at, axis=1) == pytest.approx(np.full(5, 0.3), abs=0.03)
    assert not hidden[batch.slot < 0].any() and len(targets.ids) == hidden.sum()


def test_single_tokens_are_masked_in_the_named_slots_only():
    objective = nl.MaskedLM(slots=0.9, literals=0.0, only=("answer",), whole=False)
    _, targets = train(objective, batch_of(nl.P10()))
    assert set(targets.slot.tolist()) == {2}


def test_a_number_that_is_asked_for_is_hidden_whole_however_it_was_trained():
    batch = batch_of(nl.P10())
    inputs, targets = SINGLE.ask(batch, ("answer",))
    assert (inputs.ids.numpy() == Text.mask).sum() == len(targets.ids) == 5 * 64


@pytest.mark.parametrize(
    "objective",
    [nl.MaskedLM(slots=0.5), SINGLE, nl.CausalLM(("answer",))],
    ids=["masked", "single", "causal"],
)
@pytest.mark.parametrize("encoder", [nl.XVal(), nl.FoNE(4)], ids=str)
def test_a_value_that_is_read_or_asked_for_is_that_of_its_own_place(encoder, objective):
    batch = batch_of(encoder, answers=objective.answers)
    numbers = batch.corpus.examples[0].numbers
    inputs, targets = train(objective, batch)
    row, column = np.divmod(inputs.carriers.numpy(), inputs.ids.shape[1])
    read = encoder.number(inputs.features.numpy())
    assert read.tolist() == numbers[row, batch.slot[row, column]].tolist()
    row, slot = (x[targets.carries].numpy() for x in (targets.row, targets.slot))
    assert encoder.number(targets.features.numpy()).tolist() == numbers[row, slot].tolist()


def test_a_masked_value_is_not_in_the_inputs():
    batch = batch_of(nl.XVal())
    inputs, targets = nl.MaskedLM().ask(batch, ("answer",))
    assert len(inputs.features) == 2 * 64 and len(targets.features) == 64
    assert not set(inputs.carriers.tolist()) & set(targets.reads.tolist())


def test_padding_is_never_masked():
    batch = batch_of(nl.Digits(4))
    inputs, targets = train(nl.MaskedLM(slots=1.0, literals=1.0), batch)
    assert len(targets.ids) == batch.real.sum()
    assert (inputs.ids.numpy()[~batch.real] == Text.pad).all()


def test_the_share_of_masked_slots_is_the_one_asked_for():
    batch = batch_of(nl.FP15(), n=4000)
    _, targets = train(nl.MaskedLM(slots=0.2, literals=0.0), batch)
    assert len(targets.ids) / (3 * 4000) == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize(
    "chances", [{"slots": 5.0}, {"slots": -0.1}, {"slots": 0, "literals": 0}, {"slots": np.nan}]
)
def test_chances_lie_between_0_and_1(chances):
    with pytest.raises(
        ValueError, match="slots and literals are chances from 0 to 1, at least one"
    ):
        nl.MaskedLM(**chances)


@pytest.mark.parametrize("objective", [nl.MaskedLM, nl.CausalLM])
def test_one_pattern_may_stand_alone(objective):
    assert objective(only="answer") == objective(only=("answer",))


def test_only_the_named_slots_are_masked():
    batch = batch_of(nl.P1000())
    _, targets = train(nl.MaskedLM(slots=1.0, literals=0.0, only=("a*",)), batch)
    assert set(targets.slot.tolist()) == {0, 2}


def test_a_causal_target_is_read_off_the_token_before_it():
    objective = nl.CausalLM(only=("answer",))
    batch = batch_of(nl.P1000(), answers=objective.answers)
    inputs, targets = train(objective, batch)
    assert inputs.ids.shape[1] == 10  # a, +, b, = and all but the last token of the answer
    before = inputs.ids.flatten()[targets.reads].view(64, 3)
    assert (before[:, 0] == before[0, 0]).all()  # the "="
    assert torch.equal(before[:, 1:], targets.ids.view(64, 3)[:, :2])


def test_a_batch_without_anything_to_predict_has_no_targets():
    _, targets = train(nl.CausalLM(only=("none",)), batch_of(nl.P1000()))
    assert len(targets.ids) == len(targets.reads) == 0


def test_a_number_of_variable_length_is_trained_and_asked_to_end():
    objective = nl.CausalLM(only=("answer",))
    batch = batch_of(nl.Digits(4), answers=objective.answers)
    for _, targets in train(objective, batch), objective.ask(batch, ("answer",)):
        assert (targets.ids == Text.end).sum() == 64


class Oracle:
    """Stands for a model that has learned its texts by heart, to test the objective alone."""

    device = torch.device("cpu")

    def __init__(self, batch):
        self.batch, self.size = batch, batch.corpus.tokenizer.size

    def cache(self):
        self.seen = None
        return [{}]

    def hidden(self, inputs, reads, cache=None):
        ids = inputs.ids.numpy()
        self.seen = ids if self.seen is None else np.concatenate([self.seen, ids], 1)
        n = min(self.seen.shape[1], self.batch.ids.shape[1])  # it knows nothing past the end
        known = (self.batch.ids[:, :n] == s[:n] for s in self.seen)
        rows = [int(np.flatnonzero(same.all(1))[0]) for same in known]
        return torch.from_numpy(self.batch.ids[rows, min(n, self.batch.ids.shape[1] - 1)]).long()

    def logits(self, hidden):
        return torch.nn.functional.one_hot(hidden, self.size).float()

    def carries(self, ids):
        return torch.zeros(len(ids), dtype=torch.bool)

    def read(self, hidden):
        return np.zeros((len(hidden), 0), np.float32)


@pytest.mark.parametrize("encoder", [nl.P10(), nl.Digits(4), nl.Subword(4)], ids=str)
def test_generation_returns_what_the_model_says_until_the_number_ends(encoder):
    objective = nl.CausalLM(only=("answer",))
    batch = batch_of(encoder, answers=objective.answers)
    answers = objective.fill(Oracle(batch), batch, ("answer",))
    numbers = batch.corpus.tokenizer.decode(answers.ids, answers.mask, answers.features)
    true = batch.corpus.examples[0].column("answer")
    tolerance = precision(encoder, true) + 1e-9
    assert (np.abs(numbers - true) <= tolerance).all()


def test_nothing_is_learned_of_a_number_of_one_token_that_begins_a_text():
    batch, rng = batch_of(nl.XVal(), answers=("a",)), np.random.default_rng(0)
    with pytest.raises(ValueError, match="begins a text: there is nothing to predict it from"):
        nl.CausalLM(only=("a",)).train(batch, rng)


def test_an_empty_word_cannot_be_asked_for():
    layout = Layout.of("{a}{w}!", w=("", "x"))
    e = Examples(layout, [[1.0], [2.0]], [[0], [1]])
    tokenizer = nl.Tokenizer.of([e.layout], nl.P1000())
    batch, model = tokenizer([e]).batch(np.arange(2)), nl.GPT2(8, 1, 1).build(tokenizer)
    with pytest.raises(ValueError, match="an empty word has no token to predict"):
        nl.MaskedLM().fill(model, batch, ("w",))


def test_a_slot_that_begins_a_text_cannot_be_generated():
    batch = batch_of(nl.P1000(), answers=("a",))
    with pytest.raises(ValueError, match="begins a text"):
        nl.CausalLM().fill(Oracle(batch), batch, ("a",))


def test_a_share_of_words_is_a_chance_and_slots_may_be_a_list():
    for share in (3.0, "a"):
        with pytest.raises(ValueError, match=f"share is a chance above 0; got {share}"):
            nl.MaskedWords(share)
    assert nl.CausalLM(only=["answer"]) == nl.CausalLM(only="answer") == nl.CausalLM(("answer",))
    assert {nl.MaskedLM(only=["a", "b"]), nl.MaskedLM(only=("a", "b"))} == {
        nl.MaskedLM(only=("a", "b"))
    }


def test_a_slot_that_no_text_has_cannot_be_generated():
    batch = batch_of(nl.P1000(), answers=("answer",))
    with pytest.raises(ValueError, match="no slot of a text fits .'answr'"):
        nl.CausalLM().fill(Oracle(batch), batch, ("answr",))


def test_one_slot_a_text_is_generated():
    batch = batch_of(nl.P1000(), answers=("*",))
    with pytest.raises(ValueError, match="several fit"):
        nl.CausalLM().fill(Oracle(batch), batch, ("b", "answer"))


def test_a_word_that_answers_never_hold_spells_no_number(monkeypatch):
    encoder = nl.Aggregate(4)
    objective = nl.CausalLM(only=("answer",))
    batch = batch_of(encoder, n=4, answers=objective.answers)
    model = nl.Transformer(nl.GPT2(16, 1, 2), batch.corpus.tokenizer)
    agg = batch.corpus.tokenizer.offset + encoder.token
    said = torch.nn.functional.one_hot(torch.tensor(agg), batch.corpus.tokenizer.size)
    monkeypatch.setattr(model, "logits", lambda h: said.repeat(len(h), 1))
    answers = objective.fill(model, batch, ("answer",))
    assert (answers.ids[answers.mask] == agg).all() and not len(answers.features)
    decoded = batch.corpus.tokenizer.decode(answers.ids, answers.mask, answers.features)
    assert np.isnan(decoded).all()


def test_a_word_is_generated_as_long_as_the_slot_has_it():
    layout = nl.Layout.of("{a} is {kind}", kind=("even number", "odd"))
    numbers = np.arange(8.0)[:, None]
    e = nl.Examples(layout, numbers, (numbers % 2).astype(int))
    objective = nl.CausalLM(only=("kind",))
    batch = nl.Tokenizer.of([layout], nl.P10())([e], objective.answers).batch(np.arange(8))
    answers = objective.fill(Oracle(batch), batch, ("kind",))
    words = batch.corpus.tokenizer.text.words
    rows = zip(answers.ids, answers.mask, strict=True)
    said = ["".join(words[i] for i in ids[mask]).strip() for ids, mask in rows]
    assert said == e.column("kind").tolist()


def test_the_chances_of_masks_are_those_of_the_papers():
    assert nl.MaskedLM() == nl.MaskedLM(slots=0.2, literals=0.2, only=("*",), whole=True)
    assert nl.MaskedWords() == nl.MaskedWords(share=0.15)


def test_every_word_beside_numbers_can_be_masked_but_not_the_end():
    batch = batch_of(nl.P10())
    inputs, _ = train(nl.MaskedWords(share=1.0), batch)
    hidden = inputs.ids.numpy() == Text.mask
    assert (hidden == (batch.real & (batch.within == 0) & (batch.ids != Text.end))).all()
    assert (batch.ids == Text.end).any()


def test_an_answer_does_not_depend_on_the_true_one():
    """A causal LM goes on from its own tokens."""
    said = []
    for first in (1000.0, 7777.0):
        numbers = np.column_stack([np.full((8, 2), 3.0), first + np.arange(8)])
        texts = nl.Examples(nl.Layout.of("{a}+{b}={answer}"), numbers)
        tokenizer = nl.Tokenizer.of([texts.layout], nl.Digits(4))
        batch = tokenizer([texts], ("answer",)).batch(np.arange(8))
        torch.manual_seed(0)
        model = nl.GPT2(16, 1, 2).build(tokenizer).eval()
        with torch.no_grad():
            for weight in model.parameters():
                weight *= 5  # so that answers differ with what is read
        said.append(nl.CausalLM(("answer",)).fill(model, batch, ("answer",)).ids)
    assert (said[0] == said[1]).all()
