"""How a number is read off a hidden state: one file for each head."""

from numlab.heads.base import Head, HeadModule
from numlab.heads.bits import BitHead
from numlab.heads.circles import CircleHead
from numlab.heads.digits import DigitHead, DigitModule
from numlab.heads.mixture import MixtureHead
from numlab.heads.rounded import RoundedHead
from numlab.heads.value import ValueHead

__all__ = [
    "BitHead",
    "CircleHead",
    "DigitHead",
    "DigitModule",
    "Head",
    "HeadModule",
    "MixtureHead",
    "RoundedHead",
    "ValueHead",
]
