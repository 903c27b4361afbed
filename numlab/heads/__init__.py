"""How a number is read off a hidden state: one file for each kind of feature."""

from numlab.heads.base import Head, HeadModule
from numlab.heads.bins import Bars, HLGauss
from numlab.heads.bits import BitHead
from numlab.heads.digits import CircleHead, DigitHead, FigureHead, RoundedHead
from numlab.heads.distributions import Distribution, Histogram, Normals, Points
from numlab.heads.value import MixtureHead, ValueHead

__all__ = ["Distribution", "Head", "HeadModule", "Histogram", "Normals", "Points"]
__all__ += ["Bars", "BitHead", "CircleHead", "DigitHead", "FigureHead", "HLGauss"]
__all__ += ["MixtureHead", "RoundedHead", "ValueHead"]
