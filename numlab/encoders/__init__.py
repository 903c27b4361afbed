"""How a number becomes tokens and back: one file per family, one line here."""

from numlab.encoders.aggregate import (
    Aggregate,
    DigitMax,
    DigitMean,
    DigitMedian,
    DigitMin,
    DigitSum,
    WeightedSum,
)
from numlab.encoders.base import Encoder, Tokens, ValueEncoder
from numlab.encoders.bit_tokens import Base10Tokens, BitTokens
from numlab.encoders.columns import FusedBins, Standardised
from numlab.encoders.digit_values import DigitValues
from numlab.encoders.digits import Digits, NumeroLogic, Subword, SubwordFromRight
from numlab.encoders.exponent_first import ExponentFirst
from numlab.encoders.fone import FoNE
from numlab.encoders.fone_digits import FoNEDigits
from numlab.encoders.ieee import IEEE754
from numlab.encoders.integer_vocabulary import IntegerVocabulary
from numlab.encoders.log_bins import LogBins
from numlab.encoders.piecewise import PLE, Periodic, SoftBins
from numlab.encoders.scientific import B1999, FP15, P10, P1000
from numlab.encoders.uniform_bins import UniformBins
from numlab.encoders.variable_length import VariableLength
from numlab.encoders.xval import XVal

__all__ = ["Encoder", "Tokens", "ValueEncoder"]
__all__ += ["B1999", "FP15", "P10", "P1000"]  # a few figures, in words
__all__ += ["ExponentFirst", "VariableLength"]
__all__ += ["Digits", "NumeroLogic", "Subword", "SubwordFromRight"]  # digits, alone or in groups
__all__ += ["IntegerVocabulary", "LogBins", "UniformBins"]  # one word a number
__all__ += ["IEEE754", "DigitValues", "FoNE", "FoNEDigits", "XVal"]  # tokens that carry a number
__all__ += ["Aggregate", "DigitMax", "DigitMean", "DigitMedian", "DigitMin", "DigitSum"]
__all__ += ["WeightedSum"]
__all__ += ["PLE", "Base10Tokens", "BitTokens", "Periodic", "SoftBins"]  # beyond the four papers
__all__ += ["FusedBins", "Standardised"]  # that know a number's slot
