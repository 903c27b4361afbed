"""Word problems answered by tiny random Hugging Face models that write: BART, T5, GPT-2."""

import dataclasses

import numpy as np
import pytest
import torch
from tiny_transformers import MODELS, NAMES, byte_level

import numlab as nl
from numlab.tasks import DigitLengths, WordProblems
from numlab.tasks.word_problems import TEMPLATES

from .conftest import load

PretrainedWriter = load("digits/writer").PretrainedWriter

WRITERS = ("bart", "t5", "gpt2")
TASK = WordProblems((DigitLengths(1, 1), DigitLengths(2, 3, -1)), TEMPLATES[:5])
DIGITS = nl.Digits(4, 2, fences=True)


@pytest.fixture(params=WRITERS)
def kind(request):
    return request.param


@pytest.fixture
def folder(kind, tmp_path):
    """Of a random model and its tokenizer, as they would be downloaded."""
    torch.manual_seed(0)
    model = MODELS[kind]()
    model.save_pretrained(tmp_path)
    byte_level(**NAMES, eos_token="[SEP]").save_pretrained(tmp_path)
    return str(tmp_path)


def spec(folder, encoder=DIGITS, steps=3, **changed):
    return nl.RunSpec(
        task=TASK,
        encoder=encoder,
        objective=nl.CausalLM(only=("answer",)),
        model=PretrainedWriter(folder),
        n_train=64,
        n_valid=8,
        n_test=8,
        steps=steps,
        batch_size=16,
        learning_rate=1e-2,
        **changed,
    )


def theirs(model, ids, answer):
    """The logits of one text's answer and end, all at once from the table and the new rows."""
    numbers, hf = model.numbers, model.model
    table = hf.get_input_embeddings()
    rows = torch.cat([table(torch.arange(300)), numbers.embed.new])
    ids, answer = (rows[torch.as_tensor(part.tolist())][None] for part in (ids, answer))
    if numbers.two_parts:
        inputs = {
            "inputs_embeds": ids,
            "decoder_inputs_embeds": torch.cat([rows[:1][None], answer], 1),
        }
    else:
        inputs = {"inputs_embeds": torch.cat([ids, answer], 1)}
    with numbers.writing():
        logits = hf(**inputs).logits[0]
    return logits if numbers.two_parts else logits[ids.shape[1] - 1 :]


@torch.no_grad()
def test_answers_are_read_where_transformers_reads_them(folder, kind):
    one = spec(folder)
    tokenizer = one.tokenizer()
    model = one.model.build(tokenizer).eval()
    corpus = tokenizer(one.examples("test"), ("answer",))
    batch = corpus.batch(np.arange(len(corpus)))
    inputs, targets = one.objective.train(batch, np.random.default_rng(0))
    logits = model.logits(model.hidden(inputs, targets.reads))
    expected = []
    for row in range(len(corpus)):
        ids, asked = batch.ids[row][batch.real[row]], batch.in_slots(("answer",))[row]
        first = int(asked.argmax())
        expected.append(theirs(model, ids[:first], ids[first:-1]))
        assert ids[-1] == tokenizer.text.tokenizer.eos_token_id and (ids[first:-1] >= 300).all()
    torch.testing.assert_close(logits, torch.cat(expected), rtol=1e-4, atol=1e-5)


def test_a_model_learns_to_write_answers_and_is_stored_whole(folder, home):
    run = nl.train(spec(folder, nl.Aggregate(4, 2), steps=10, losses=(nl.AggregateLoss(),)))
    token = run.history.query("part == 'valid'").token
    assert token.iloc[-1] < 0.95 * token.iloc[0]
    learned = run.spec.model.build(run.tokenizer)
    assert not torch.equal(learned.embed.table.weight, run.model.embed.table.weight)
    answers = nl.predict(run, "test", "answer")
    assert len(answers) == 8 and answers.true.notna().all()
    assert 0 <= nl.metrics.exact_match(answers, 1e-3) <= 1


def test_what_is_written_together_is_what_is_likeliest_alone(folder, kind, home):
    run = nl.train(spec(folder, steps=10))
    corpus = run.tokenizer(run.examples("test"), ("answer",))
    batch = corpus.batch(np.arange(len(corpus)))
    answers = run.spec.objective.fill(run.model, batch, ("answer",))
    first = batch.in_slots(("answer",)).argmax(1)
    for row in range(len(corpus)):
        said = answers.ids[row][answers.mask[row]]
        with torch.no_grad():
            logits = theirs(run.model, batch.ids[row, : first[row]], said)
        assert logits[: len(said)].argmax(1).tolist() == said.tolist()
        ended = int(logits[-1].argmax()) < run.tokenizer.offset
        assert ended or len(said) > run.spec.encoder.length


@torch.no_grad()
def test_every_step_of_a_cached_answer_has_the_logits_of_transformers(folder, kind, monkeypatch):
    one = spec(folder)
    tokenizer = one.tokenizer()
    model = one.model.build(tokenizer).eval()
    read, steps, words = model.logits, [], torch.arange(tokenizer.offset)

    def write_on(hidden):  # the encoder's words only, so that no answer ends early
        steps.append(read(hidden))
        return steps[-1].index_fill(1, words, -torch.inf)

    monkeypatch.setattr(model, "logits", write_on)
    corpus = tokenizer(one.examples("test"), ("answer",))
    for row in range(3):
        steps.clear()
        batch = corpus.batch(np.array([row]))
        answers = one.objective.fill(model, batch, ("answer",))
        said = answers.ids[0][answers.mask[0]]
        assert len(said) == len(steps) > 5
        question = batch.ids[0, : int(batch.in_slots(("answer",))[0].argmax())]
        expected = theirs(model, question, said)[: len(said)]
        torch.testing.assert_close(torch.cat(steps), expected, rtol=1e-4, atol=1e-5)


def test_digits_begin_as_the_models_own(folder):
    one = spec(folder)
    tokenizer = one.tokenizer()
    model = one.model.build(tokenizer)
    seven = tokenizer.text.tokenizer.get_vocab()["7"]
    read, written = model.model.get_input_embeddings(), model.model.get_output_embeddings().weight
    assert torch.equal(model.embed.new[7], read(torch.tensor(seven)))
    assert torch.equal(model.words.weight[7], written[seven])
    assert len(written) == 300 and len(model.words.weight) == len(one.encoder.vocabulary)


def test_an_aggregate_reaches_the_model(folder):
    one = spec(folder, nl.Aggregate(4, 2))
    tokenizer = one.tokenizer()
    model = one.model.build(tokenizer).eval()
    batch = tokenizer(TASK.sample(3, 0), ("answer",)).batch(np.arange(3))
    inputs, targets = one.objective.train(batch, np.random.default_rng(0))
    before = model.hidden(inputs, targets.reads)
    inputs.features = inputs.features + 1.0
    assert not torch.allclose(before, model.hidden(inputs, targets.reads))


# -- errors


@pytest.mark.parametrize("kind", ["gpt2"])
@pytest.mark.parametrize("encoder", [None, nl.XVal(), nl.FoNE(4, 2)], ids=str)
def test_answers_are_words(folder, encoder):
    with pytest.raises(ValueError, match="a pretrained model answers in words"):
        spec(folder, encoder).tokenizer()


@pytest.mark.parametrize("kind", ["bert"])
def test_a_model_that_would_see_its_answer_is_refused(folder):
    with pytest.raises(ValueError, match=r"\(bert\) is a masked LM and cannot generate"):
        spec(folder).tokenizer()


@pytest.mark.parametrize("kind", ["gpt2"])
def test_a_tokenizer_without_an_end_is_refused(folder):
    byte_level(**NAMES).save_pretrained(folder)
    with pytest.raises(ValueError, match="has no token that ends an answer"):
        spec(folder).tokenizer()


@pytest.mark.parametrize("kind", ["gpt2"])
def test_a_text_that_goes_on_after_its_answer_is_named(folder):
    tokenizer = spec(folder).tokenizer()
    with pytest.raises(
        ValueError, match=r"ends in the number that is asked for; got '1 \+ 2 = 3!'"
    ):
        tokenizer([nl.Examples(nl.Layout.of("{a} + {b} = {c}!"), [[1, 2, 3]])])


@pytest.mark.parametrize("kind", ["bart"])
def test_weights_of_another_model_are_refused(folder):
    one = spec(folder)
    model = one.model.build(one.tokenizer())
    with pytest.raises(ValueError, match="weights of another model"):
        model.load_state_dict({})


def test_nothing_is_downloaded_for_a_folder_that_is_not_there(tmp_path):
    missing = dataclasses.replace(spec(str(tmp_path / "absent")))
    with pytest.raises(ValueError, match="there is no folder .*/absent"):
        missing.tokenizer()
