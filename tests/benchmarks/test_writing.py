"""A Hugging Face model that writes numbers takes at most a tenth more time than without them."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch
import transformers as hf
from test_numbers_in_pretrained import NAMES, byte_level

import numlab as nl
from numlab.pretrained import NumberModel

ROUNDS, TOKENS, WORDS = 15, 32, 8192
TEXTS = ["it is -3.5 degrees and", "the whale weighs 140000 kg"] * 4
PARTS = {"encoder_layers": 4, "decoder_layers": 4, "encoder_ffn_dim": 1024, "decoder_ffn_dim": 1024}
MODELS = {
    "gpt2": lambda: hf.GPT2LMHeadModel(
        hf.GPT2Config(vocab_size=WORDS, n_embd=256, n_layer=4, n_head=4)
    ),
    "bart": lambda: hf.BartForConditionalGeneration(
        hf.BartConfig(vocab_size=WORDS, d_model=256, **PARTS)
    ),
}


def in_turn(ids, scores):
    """Have every other token be the encoder's, where there is one."""
    scores[:, slice(WORDS) if ids.shape[1] % 2 else slice(WORDS, None)] = -torch.inf
    return scores


@pytest.fixture
def one_thread():
    """Two would wait for each other on a busy machine, and their waiting is processor time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("encoder", [nl.XVal(), nl.FoNE(6, 3)], ids=str)
def test_numbers_cost_a_tenth_at_most(kind, encoder, capsys):
    torch.manual_seed(0)
    model, tokenizer = MODELS[kind]().eval(), byte_level(**NAMES, eos_token="[SEP]")
    look = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "logits_processor": [in_turn]}
    numbers = NumberModel(model, tokenizer, encoder)
    tokenizer.padding_side = "right" if numbers.two_parts else "left"

    def plain():
        ids = tokenizer(TEXTS, padding=True, return_tensors="pt", return_token_type_ids=False)
        tokenizer.batch_decode(model.generate(**ids, **look, num_beams=1))

    ways, took = [plain, lambda: numbers.generate(TEXTS, **look)], np.zeros((ROUNDS + 1, 2))
    for times in took:  # in turn: both meet the same machine
        for way, write in enumerate(ways):
            began = time.process_time()
            write()
            times[way] = time.process_time() - began
    took = took[1:]  # the first round also loads
    low, ratio, high = np.quantile(took[:, 1] / took[:, 0], [0.25, 0.5, 0.75])
    without, given = 1e3 * took.min(0)
    with capsys.disabled():
        print(f"\n{kind}, {encoder}: {without:.0f} ms and {given:.0f} ms at best, ", end="")
        print(f"{ratio:.2f} times (half of the rounds {low:.2f} to {high:.2f})")
    assert ratio < 1.1
