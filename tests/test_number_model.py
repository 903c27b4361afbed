"""Hugging Face models that read and write numbers: trained, saved, loaded; tiny ones, offline."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny_transformers import LOOK, MODELS, NAMES, ROWS, SEQ2SEQ, SIZE, byte_level
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    GraniteConfig,
    GraniteForCausalLM,
    PhiConfig,
    PhiForCausalLM,
    T5GemmaConfig,
    T5GemmaForConditionalGeneration,
    T5GemmaModuleConfig,
)

import numlab as nl
from numlab.pretrained import NumberModel
from numlab.pretrained.text import PretrainedTokenizer
from numlab.training.fit import threads

WRITERS = ("gpt2", "llama", "t5", "bart")
ENCODERS = dict(
    zip(
        MODELS,
        (
            nl.P10(),
            nl.IEEE754(),
            nl.FoNE(4, 2),
            nl.XVal(),
            nl.BitTokens(combine="weighted_sum"),
            nl.Aggregate(4, 2),
        ),
        strict=True,
    )
)


def make(kind, encoder, seed=0):
    torch.manual_seed(seed)
    model = MODELS[kind]().eval()
    return NumberModel(model, byte_level(**NAMES, eos_token="[SEP]"), encoder)


@torch.no_grad()
@threads(1)  # on a busy machine two may share the work, and round, otherwise
def logits(kind, numbers):
    if kind not in WRITERS:
        return numbers.model(**numbers.inputs([row["question"] for row in ROWS])).logits
    return numbers(**numbers.collate(ROWS))["logits"]


# -- saved, and loaded elsewhere

LOAD = """
import sys
from pathlib import Path
import numpy as np
import transformers as hf
from numlab.pretrained import NumberModel
from test_number_model import MODELS, WRITERS, logits
for kind in MODELS:
    folder = Path(sys.argv[1]) / kind
    auto = type(MODELS[kind]())
    model = auto.from_pretrained(folder / "model")
    words = hf.AutoTokenizer.from_pretrained(folder / "model")
    numbers = NumberModel.from_pretrained(folder / "numbers", model=model, tokenizer=words)
    np.save(folder / "there.npy", logits(kind, numbers).numpy())
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of six saved models, which another process has loaded."""
    home = tmp_path_factory.mktemp("saved")
    for kind in MODELS:
        numbers = make(kind, ENCODERS[kind])
        numbers.model.save_pretrained(home / kind / "model")
        byte_level(**NAMES, eos_token="[SEP]").save_pretrained(home / kind / "model")
        numbers.save_pretrained(home / kind / "numbers")
        np.save(home / kind / "here.npy", logits(kind, numbers).numpy())
    paths = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
    subprocess.run(
        [sys.executable, "-c", LOAD, home], check=True, env=os.environ | {"PYTHONPATH": paths}
    )
    return home


@pytest.mark.parametrize("kind", MODELS)
def test_another_process_loads_the_same_to_the_bit(saved, kind):
    here, there = (np.load(saved / kind / f"{name}.npy") for name in ("here", "there"))
    assert here.shape[2] >= 300 and np.array_equal(here, there)


@pytest.mark.parametrize("kind", MODELS)
def test_only_the_encoder_and_the_new_weights_are_saved(saved, kind):
    files = {path.name for path in (saved / kind / "numbers").iterdir()}
    assert files == {"README.md", "config.json", "model.safetensors"}
    weights, numbers = (
        load_file(saved / kind / "numbers" / "model.safetensors"),
        make(kind, ENCODERS[kind]),
    )
    new = {id(p) for p in numbers.parameters()} - {id(p) for p in numbers.model.parameters()}
    assert weights.keys() == {name for name, p in numbers.named_parameters() if id(p) in new}


def test_what_is_pushed_is_what_is_loaded_by_name(monkeypatch, tmp_path):
    """A hub that is a folder."""

    class Hub:
        def __init__(self, token=None):
            pass

        def create_repo(self, repo_id, **_):
            return SimpleNamespace(repo_id=repo_id)

        def upload_folder(self, repo_id, folder_path, **_):
            shutil.copytree(folder_path, tmp_path / repo_id)

    def download(repo_id, filename, **_):
        return str(tmp_path / repo_id / filename)

    monkeypatch.setattr("huggingface_hub.hub_mixin.HfApi", Hub)
    monkeypatch.setattr("huggingface_hub.hub_mixin.hf_hub_download", download)
    monkeypatch.setattr("numlab.pretrained.numbers.hf_hub_download", download)
    numbers, other = make("gpt2", nl.FoNE(4, 2)), make("gpt2", nl.FoNE(4, 2), seed=1)
    numbers.push_to_hub("someone/numbers")
    assert "numlab" in (tmp_path / "someone/numbers/README.md").read_text()
    other.model.load_state_dict(numbers.model.state_dict())
    words = byte_level(**NAMES, eos_token="[SEP]")
    loaded = NumberModel.from_pretrained("someone/numbers", model=other.model, tokenizer=words)
    assert loaded.encoder == nl.FoNE(4, 2)
    assert torch.equal(logits("gpt2", loaded), logits("gpt2", numbers))


@dataclass(frozen=True)
class Own(nl.XVal):
    """An encoder outside of numlab."""


def test_a_saved_text_chooses_no_class_that_nobody_named(tmp_path):
    numbers = make("gpt2", Own())
    numbers.save_pretrained(tmp_path)
    parts = {"model": numbers.model, "tokenizer": byte_level(**NAMES, eos_token="[SEP]")}
    with pytest.raises(ValueError, match="classes are from numlab; got test_number_model.Own"):
        NumberModel.from_pretrained(tmp_path, **parts)
    assert NumberModel.from_pretrained(tmp_path, modules=(__name__,), **parts).encoder == Own()


def test_a_folder_without_an_encoder_is_named(tmp_path):
    parts = {"model": MODELS["gpt2"](), "tokenizer": byte_level(**NAMES, eos_token="[SEP]")}
    with pytest.raises(ValueError, match=f"expected config.json with an encoder in {tmp_path}"):
        NumberModel.from_pretrained(tmp_path, **parts)


def test_a_model_without_an_encoder_is_loaded_again(tmp_path):
    make("gpt2", None).save_pretrained(tmp_path)
    parts = {"model": MODELS["gpt2"](), "tokenizer": byte_level(**NAMES, eos_token="[SEP]")}
    assert NumberModel.from_pretrained(tmp_path, **parts).encoder is None


def test_nothing_pickled_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr("torch.load", lambda *_, **__: pytest.fail("unpickled"))
    numbers = make("gpt2", nl.XVal())
    numbers.save_pretrained(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    words = byte_level(**NAMES, eos_token="[SEP]")
    with pytest.raises(Exception, match="safetensors|epo id"):
        NumberModel.from_pretrained(tmp_path, model=numbers.model, tokenizer=words)


def test_weights_for_another_kind_of_model_are_refused(tmp_path):
    make("gpt2", nl.XVal()).save_pretrained(tmp_path)
    words = byte_level(**NAMES, eos_token="[SEP]")
    wider = GPT2LMHeadModel(GPT2Config(vocab_size=300, n_embd=48, n_layer=1, n_head=2))
    with pytest.raises(ValueError, match="do not have the shapes for this GPT2LMHeadModel"):
        NumberModel.from_pretrained(tmp_path, model=wider, tokenizer=words)
    with pytest.raises(ValueError, match="for this BertForMaskedLM"):
        NumberModel.from_pretrained(tmp_path, model=MODELS["bert"](), tokenizer=words)
    with pytest.raises(ValueError, match="options are revision, .* and modules; got module"):
        NumberModel.from_pretrained(tmp_path, model=wider, tokenizer=words, module="mine")
    with pytest.raises(ValueError, match="pass model= and tokenizer="):
        NumberModel.from_pretrained(tmp_path)


# -- written


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("encoder", [nl.XVal(), nl.FoNE(4, 2), nl.Digits(4, 2)], ids=str)
def test_a_step_of_writing_sees_what_training_sees(kind, encoder, monkeypatch):
    numbers, wrote = make(kind, encoder), []
    monkeypatch.setattr(PretrainedTokenizer, "written", lambda _, *args: wrote.append(args))
    question = ROWS[0]["question"]
    numbers.generate([question], **LOOK)
    ((ids, read),) = wrote
    carriers = np.flatnonzero(np.isin(ids, numbers.writes.carriers))
    assert len(carriers) == len(read) and (ids >= 300).sum() >= 5
    answer = {
        "ids": torch.from_numpy(ids),
        "within": None,
        "real": torch.ones(1, 8, dtype=torch.bool),
        "carriers": torch.from_numpy(carriers),
        "features": torch.from_numpy(np.concatenate(read)) if read else None,
        "causal": True,
    }
    with torch.no_grad():
        out = numbers(vars(numbers.read([question])), answer)
    is_number = answer["ids"] >= 300
    logits = out["logits"].masked_fill(
        (torch.arange(out["logits"].shape[2]) >= 300) != is_number[..., None], -torch.inf
    )
    logits[..., numbers.reads.text.end] = -torch.inf  # as min_new_tokens says
    assert torch.equal(logits.argmax(2)[:, :-1], answer["ids"][:, :-1])  # BART ends by force
    if encoder == nl.XVal():  # what was read is what the head says
        torch.testing.assert_close(out["losses"], torch.zeros(len(carriers)), atol=1e-8, rtol=0)


@pytest.mark.parametrize("kind", WRITERS)
def test_texts_with_and_without_numbers_are_continued_together_as_alone(kind):
    numbers, texts = make(kind, nl.FoNE(4, 2)), [row["question"] for row in ROWS]
    together = numbers.generate(texts, **LOOK)
    assert together == [numbers.generate([text], **LOOK)[0] for text in texts]
    assert sum(e.numbers.size for e in nl.parse(together)) >= 15


@pytest.mark.parametrize("kind", WRITERS)
def test_the_model_is_left_as_it_was(kind):
    numbers = make(kind, nl.XVal())
    with pytest.raises(ValueError, match="sets .*num_beams.* itself; got num_beams"):
        numbers.generate(["it is 5"], num_beams=2)
    with pytest.raises(ValueError, match="itself; got return_dict_in_generate"):
        numbers.generate(["it is 5"], return_dict_in_generate=True)
    numbers.generate(["it is 5"], **LOOK)
    ids = torch.tensor([[5, 6]])
    more = {"decoder_input_ids": ids} if kind in SEQ2SEQ else {}
    assert numbers.model(input_ids=ids, **more).logits.shape == (1, 2, 300)


def test_what_a_person_gets_wrong_is_said():
    numbers = make("gpt2", nl.P10())
    with pytest.raises(ValueError, match="texts are a list; got the text 'it is 3'"):
        numbers.generate("it is 3")
    with pytest.raises(ValueError, match="a row has a question and an answer"):
        numbers.collate([{"question": "it is 3"}])
    for wrong in ("P10", nl.FoNE):
        with pytest.raises(ValueError, match="encoder is an encoder such as FoNE"):
            make("gpt2", wrong)
    with pytest.raises(ValueError, match="texts are a list; got none"):
        numbers.generate([])
    endless = make("gpt2", nl.P10())
    endless.reads.text.tokenizer.eos_token = None
    with pytest.raises(ValueError, match="no eos_token"):
        endless.collate([{"question": "it is 3", "answer": "4"}])


def test_a_text_and_its_answer_fit_in_a_decoder_together():
    numbers, half = make("gpt2", nl.XVal()), "3" + " the" * 200  # 601 tokens
    expected = "the model reads 1024 tokens; got 601 of the longest text and "
    with pytest.raises(ValueError, match=f"{expected}425 to write"):
        numbers.generate([half], max_new_tokens=425)
    with pytest.raises(ValueError, match=f"{expected}602 to write"):
        numbers.collate([{"question": half, "answer": half}])
    assert make("bart", nl.XVal()).collate([{"question": half, "answer": half}])


@pytest.mark.parametrize("kind", [BertModel, BertForMaskedLM])
def test_a_model_that_cannot_generate_only_reads(kind):
    bert = kind(BertConfig(**SIZE, intermediate_size=16))
    reader = NumberModel(bert, byte_level(**NAMES), nl.P10())
    with pytest.raises(ValueError, match=f"{kind.__name__} cannot generate texts: it only reads"):
        reader.generate(["it is 3"])
    with pytest.raises(ValueError, match="it only reads"):
        reader.collate([{"question": "it is 3", "answer": "4"}])


def test_new_words_are_scaled_as_the_models_own():
    config = GraniteConfig(**SIZE, intermediate_size=16, logits_scaling=8.0)
    words, encoder = byte_level(**NAMES, eos_token="[SEP]"), nl.P10()
    numbers = NumberModel(GraniteForCausalLM(config), words, encoder)
    logits = numbers(**numbers.collate(ROWS))["logits"]
    own = logits[..., words.convert_tokens_to_ids("5")]
    torch.testing.assert_close(logits[..., 300 + encoder.vocabulary.index("5")], own)


def test_new_words_have_the_bias_of_the_models_own():
    config = PhiConfig(**SIZE, intermediate_size=16)
    model, words, encoder = PhiForCausalLM(config), byte_level(**NAMES), nl.P10()
    torch.nn.init.normal_(model.lm_head.bias)
    added = NumberModel(model, words, encoder).words.bias.detach()
    known = words.convert_tokens_to_ids("5")
    assert added[encoder.vocabulary.index("5")] == model.lm_head.bias[known]
    unknown = [word for word in encoder.vocabulary if word not in words.get_vocab()]
    assert added[encoder.vocabulary.index(unknown[0])] == pytest.approx(
        model.lm_head.bias.mean().item(), abs=1e-6
    )


def test_a_decoder_with_a_table_of_its_own_does_not_write():
    """It would write by its own table, and be trained on the encoder's."""
    parts = dict.fromkeys(["encoder", "decoder"], T5GemmaModuleConfig(**SIZE, intermediate_size=16))
    model = T5GemmaForConditionalGeneration(T5GemmaConfig(**parts, vocab_size=300))
    numbers = NumberModel(model, byte_level(**NAMES, eos_token="[SEP]"), nl.XVal())
    assert numbers.inputs(["it is 3"])["inputs_embeds"].shape[0] == 1
    for write in (lambda: numbers.generate(["it is 3"]), lambda: numbers.collate(ROWS)):
        with pytest.raises(ValueError, match="T5Gemma.* has a table of its own"):
            write()


def test_a_number_that_follows_a_word_follows_a_space():
    numbers = make("gpt2", nl.Digits(4, 2, fences=True))
    text = " is 12.5, h=3 and -4"
    ids = numbers.read([text], answers=True).ids.numpy()
    assert numbers.writes.written(ids, []) == [text]


@pytest.mark.parametrize(
    "words", [("+", "+", "1", "2", "E+0"), ("+", "1", "2")], ids=["wrong", "cut off"]
)
def test_words_that_spell_no_number_are_written_as_nan(words):
    numbers = make("gpt2", nl.P10())
    ids = [numbers.writes.offset + nl.P10().vocabulary.index(word) for word in words]
    assert numbers.writes.written(np.array([ids]), []) == ["nan"]


@pytest.mark.parametrize("kind", ["gpt2", "bart"])
def test_a_number_is_learned_and_written(kind, steps=200, rate=1e-2):
    x = np.random.default_rng(0).uniform(1, 9, 600).round(1)
    rows = [{"question": f"it is {v} or", "answer": f" say {2 * v:.1f} kg"} for v in x]
    numbers, rng = make(kind, nl.XVal(scale=3.0)), np.random.default_rng(0)
    optimizer = torch.optim.AdamW(numbers.parameters(), rate)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        batch = numbers.collate([rows[i] for i in rng.integers(32, len(rows), 32)])
        loss = numbers(**batch)["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    said = numbers.generate([row["question"] for row in rows[:32]], max_new_tokens=8)
    assert all(text.startswith(" say ") and text.endswith(" kg") for text in said)
    written = np.concatenate([e.numbers[:, 0] for e in nl.parse(said)])
    error = np.abs(written - 2 * x[:32])  # of numbers from 2 to 18
    assert np.median(error) < 0.5 and error.max() < 2


def test_an_answer_without_a_start_is_said():
    numbers = make("t5", nl.XVal())
    numbers.model.generation_config.decoder_start_token_id = None
    with pytest.raises(ValueError, match=r"set generation_config\.decoder_start_token_id"):
        numbers(**numbers.collate(ROWS))


# -- Trainer


def test_trainer_computes_the_loss_of_a_batch():
    from transformers.trainer import Trainer  # most of a second, which others can spare

    numbers = make("gpt2", nl.FoNE(4, 2))
    batch = numbers.collate(ROWS)
    n = (batch["labels"] != -100).sum()
    own = numbers(**batch)["loss"]
    trainer = SimpleNamespace(
        accelerator=None,
        label_smoother=None,
        compute_loss_func=numbers.compute_loss,
        model_accepts_loss_kwargs=False,
        args=SimpleNamespace(average_tokens_across_devices=False),
    )
    theirs = Trainer.compute_loss(trainer, numbers, batch, num_items_in_batch=2 * n)
    torch.testing.assert_close(theirs, own / 2)


def test_a_text_that_ended_before_others_ends_there_without_a_pad_token():
    numbers = make("gpt2", nl.XVal())
    numbers = NumberModel(numbers.model, byte_level(eos_token="[SEP]"), nl.XVal())
    end, step = numbers.reads.text.end, []

    def first_ends(_, scores):
        step.append(1)
        scores[:] = -torch.inf
        scores[:, 70] = scores[0, end] = 0.0
        scores[0, 70 if len(step) > 2 else end] = -torch.inf
        return scores

    said = numbers.generate(["it is 5", "it is 6"], max_new_tokens=6, logits_processor=[first_ends])
    letter = said[1][0]
    assert said == [2 * letter, 6 * letter]


def test_a_scaled_number_beyond_float32_is_written():
    numbers = make("gpt2", nl.XVal(scale=1e40))
    features = numbers.encoder.features([2.5e40])
    (text,) = numbers.writes.written(np.array([[numbers.writes.offset]]), [features])
    assert float(text) == pytest.approx(2.5e40)


@pytest.mark.parametrize(
    "encoder",
    [
        nl.Standardised(columns=(("mass", 0.0, 5.0, 2.0),)),
        nl.FusedBins((("n0", (1.0, 2.0)), ("n1", (100.0, 200.0)))),
    ],
    ids=str,
)
def test_an_encoder_that_reads_numbers_by_column_is_refused(encoder):
    with pytest.raises(ValueError, match="a Hugging Face model reads all numbers alike; got "):
        make("gpt2", encoder).read(["from 2 to 200"])


@pytest.mark.parametrize("kind", WRITERS)
def test_a_cast_is_for_the_model_and_what_is_added_stays_float32(kind):
    numbers = make(kind, ENCODERS[kind])
    before = {name: weight.clone() for name, weight in numbers.added().items()}
    numbers.to(torch.bfloat16)
    assert next(numbers.model.parameters()).dtype == torch.bfloat16
    assert all(torch.equal(weight, before[name]) for name, weight in numbers.added().items())
    assert numbers(**numbers.collate(ROWS))["logits"].isfinite().all()
    assert len(numbers.generate(["it is -3.5 degrees"], **LOOK)) == 1


def test_the_loss_of_a_batch_is_that_of_all_its_tokens_and_numbers_over_the_number_of_tokens():
    labels = torch.tensor([[1, 2, -100], [3, -100, -100]])
    outputs = {"logits": torch.zeros(2, 3, 5), "losses": torch.tensor([1.0, 2.0, 6.0])}
    total = 3 * float(np.log(5)) + 9.0
    compute_loss = nl.pretrained.NumberModel.compute_loss
    assert float(compute_loss(outputs, labels)) == pytest.approx(total / 3)
    assert float(compute_loss(outputs, labels, 12)) == pytest.approx(total / 12)  # of Trainer
