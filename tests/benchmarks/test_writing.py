"""GPT-2 and BART that write numbers take at most a tenth more time than without them.

Their sizes are those of `gpt2` and `bart-base`; the weights are random. What the numbers add is
printed in milliseconds a token: it hardly depends on the size, so it is a larger share of a tiny
model's time.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch
import transformers as hf
from tiny_transformers import NAMES, byte_level

import numlab as nl
from numlab.pretrained import NumberModel

ROUNDS, TOKENS = 5, 32
TEXTS = ["it is -3.5 degrees and", "the whale weighs 140000 kg"] * 4
PART = {"layers": 6, "ffn_dim": 3072, "attention_heads": 12}
BASE = {f"{part}_{k}": size for part in ("encoder", "decoder") for k, size in PART.items()}
MODELS = {
    "gpt2": lambda: hf.GPT2LMHeadModel(hf.GPT2Config()),
    "bart": lambda: hf.BartForConditionalGeneration(hf.BartConfig(d_model=768, **BASE)),
}


def in_turn(n_words):
    """Have every other token be the encoder's, where there is one."""

    def choose(ids, scores):
        scores[:, slice(n_words) if ids.shape[1] % 2 else slice(n_words, None)] = -torch.inf
        return scores

    return choose


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
    look = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS}
    look["logits_processor"] = [in_turn(model.config.vocab_size)]
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
    without, given = 1e3 * took.min(0) / TOKENS
    with capsys.disabled():
        print(f"\n{kind}, {encoder}: {without:.1f} and {given:.1f} ms a token at best, ", end="")
        print(f"{ratio:.2f} times (half of the rounds {low:.2f} to {high:.2f})")
    assert ratio < 1.1
