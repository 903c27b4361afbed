"""Use encoders inside Hugging Face models."""

from numlab.pretrained.model import Pretrained, PretrainedModel
from numlab.pretrained.numbers import NumberInputs
from numlab.pretrained.source import MINILM, locate
from numlab.pretrained.text import PretrainedTokenizer
from numlab.pretrained.writer import PretrainedWriter

__all__ = [
    "MINILM",
    "NumberInputs",
    "Pretrained",
    "PretrainedModel",
    "PretrainedTokenizer",
    "PretrainedWriter",
    "locate",
]
