"""How a number is read off a hidden state: one file for each kind of feature."""

from numlab.heads.base import Head, HeadModule
from numlab.heads.bits import BitHead
from numlab.heads.digits import CircleHead, DigitHead, RoundedHead
from numlab.heads.value import MixtureHead, ValueHead

__all__ = ["Head", "HeadModule"]
__all__ += ["BitHead", "CircleHead", "DigitHead", "MixtureHead", "RoundedHead", "ValueHead"]
