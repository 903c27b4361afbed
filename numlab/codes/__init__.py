"""Which numbers can be written, and how a number becomes an array of features and back."""

from numlab.codes.base import Code, Range, ScaledCode, as_column, valid_only, written
from numlab.codes.bits import BitCode
from numlab.codes.decimal import Decimal, DigitCode, FigureCode

__all__ = ["BitCode", "Code", "Decimal", "DigitCode", "FigureCode", "Range", "ScaledCode"]
__all__ += ["as_column", "valid_only", "written"]
