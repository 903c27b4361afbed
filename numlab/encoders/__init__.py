"""How a number becomes tokens and back: one file a family, one line here."""

from numlab.encoders.base import Encoder, Tokens, ValueEncoder
from numlab.encoders.digit_values import DigitValues
from numlab.encoders.digits import Digits
from numlab.encoders.fone import FoNE
from numlab.encoders.fone_digits import FoNEDigits
from numlab.encoders.scientific import B1999, FP15, P10, P1000
from numlab.encoders.subword import Subword
from numlab.encoders.whole import Whole
from numlab.encoders.xval import XVal

__all__ = [
    "B1999",
    "FP15",
    "P10",
    "P1000",
    "DigitValues",
    "Digits",
    "Encoder",
    "FoNE",
    "FoNEDigits",
    "Subword",
    "Tokens",
    "ValueEncoder",
    "Whole",
    "XVal",
]
