"""Random Hugging Face models of six kinds and their tokenizer, as small as they come."""

import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

TEXTS = [
    "the whale weighs 140000 kg and lives for 90 years",
    "it is -3.5 degrees",
    "a cup holds 0.25 liters, a bath 250, a pool 400000",
]
ROWS = [
    {"question": "it is -3.5 degrees and", "answer": " 7 later"},
    {"question": "it is cold", "answer": " so be it"},
    {"question": "from 20 to 300 in 90 years", "answer": ""},
]
SIZE = {"vocab_size": 300, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
PARTS = {"encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
HEADS = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
MODELS = {
    "bert": lambda: hf.BertForMaskedLM(hf.BertConfig(**SIZE, intermediate_size=16)),
    "roberta": lambda: hf.RobertaForMaskedLM(
        hf.RobertaConfig(**SIZE, intermediate_size=16, pad_token_id=0)
    ),
    "gpt2": lambda: hf.GPT2LMHeadModel(
        hf.GPT2Config(vocab_size=300, n_embd=32, n_layer=2, n_head=2)
    ),
    "llama": lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**SIZE, intermediate_size=16)),
    "t5": lambda: hf.T5ForConditionalGeneration(
        hf.T5Config(
            vocab_size=300,
            d_model=32,
            d_kv=8,
            d_ff=32,
            num_layers=2,
            num_heads=2,
            decoder_start_token_id=0,
        )
    ),
    "bart": lambda: hf.BartForConditionalGeneration(
        hf.BartConfig(
            vocab_size=300,
            d_model=32,
            scale_embedding=True,
            decoder_start_token_id=0,
            **PARTS,
            **HEADS,
        )
    ),
}
SEQ2SEQ = ("t5", "bart")
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]")
NAMES = dict(
    zip(("pad_token", "cls_token", "sep_token", "unk_token", "mask_token"), WORDS, strict=True)
)


def byte_level(**names):
    """A small byte-level BPE tokenizer, as GPT-2's and RoBERTa's."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=[*WORDS], initial_alphabet=alphabet
    )
    inner.train_from_iterator(TEXTS * 3, trainer)
    inner.post_processor = processors.ByteLevel(trim_offsets=False)
    return hf.PreTrainedTokenizerFast(tokenizer_object=inner, **names)


def in_turn(ids, scores):
    """Have two of three tokens be the encoder's."""
    left = slice(300) if ids.shape[1] % 3 else slice(300, None)
    scores[:, left] = -torch.inf
    return scores


LOOK = {"max_new_tokens": 8, "min_new_tokens": 8, "logits_processor": [in_turn]}
