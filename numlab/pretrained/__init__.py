"""The door by which every encoder of numlab enters a pretrained Hugging Face model."""

from numlab.pretrained.model import Pretrained, PretrainedModel
from numlab.pretrained.numbers import Numbers, frozen
from numlab.pretrained.place import MINILM, local_only, place
from numlab.pretrained.text import PretrainedTokenizer
from numlab.pretrained.writer import PretrainedWriter

__all__ = [
    "MINILM",
    "Numbers",
    "Pretrained",
    "PretrainedModel",
    "PretrainedTokenizer",
    "PretrainedWriter",
    "frozen",
    "local_only",
    "place",
]
