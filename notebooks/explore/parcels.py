"""A table of parcels and their prices, and a small decoder that has read nothing yet."""

import numpy as np
import pandas as pd
import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ["[PAD]", "[END]"]


def table(n: int, seed: int, per_km: float = 0.5) -> pd.DataFrame:
    """DataFrame [question, answer, price]: n parcels; one in ten has no weight and no price."""
    rng = np.random.default_rng(seed)
    weight, way = rng.uniform(0.5, 30, n).round(1), rng.uniform(1, 40, n).round(1)
    price = (3 + 0.8 * weight + per_km * way).round(2)
    known = rng.random(n) > 0.1
    asked = [f"A parcel of {w} kg goes {d} km." for w, d in zip(weight, way, strict=True)]
    said = [f" It costs {p} euros." for p in price]
    return pd.DataFrame(
        {
            "question": np.where(known, asked, "A parcel goes to the moon."),
            "answer": np.where(known, said, " We do not go there."),
            "price": np.where(known, price, np.nan),
        }
    )


def decoder(texts: list[str], d_model: int, n_layer: int, seed: int):
    """A GPT-2 with random weights, and a tokenizer whose tokens are frequent in the texts."""
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    words.train_from_iterator(texts, trainer)
    pad, end = SPECIAL
    tokenizer = hf.PreTrainedTokenizerFast(tokenizer_object=words, pad_token=pad, eos_token=end)
    hf.set_seed(seed)
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
    shape = {"n_embd": d_model, "n_layer": n_layer, "n_head": 4, "n_positions": 64}
    quiet = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = hf.GPT2Config(vocab_size=len(tokenizer), **shape, **quiet, **ids)
    return hf.GPT2LMHeadModel(config), tokenizer


def pretrained(name: str):
    """A decoder or an encoder-decoder of Hugging Face, and its tokenizer, by name or path."""
    writes = hf.AutoModelForCausalLM
    if hf.AutoConfig.from_pretrained(name).is_encoder_decoder:
        writes = hf.AutoModelForSeq2SeqLM
    return writes.from_pretrained(name), hf.AutoTokenizer.from_pretrained(name)


def price(said: pd.Series) -> pd.Series:
    """The price in each answer, in euros; NaN where there is none."""
    return said.str.extract(r"costs (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)", expand=False).astype(float)
