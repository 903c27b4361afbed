"""Your own numbers: what each encoder makes of them, and which one to take."""

from numlab.compare.advice import advice
from numlab.compare.encodings import choices, encodings
from numlab.compare.masked import Rows, gap_errors, specs
from numlab.compare.report import report
from numlab.compare.table import Table, read

__all__ = [
    "Rows",
    "Table",
    "advice",
    "choices",
    "encodings",
    "gap_errors",
    "read",
    "report",
    "specs",
]
