"""Compare encoders on the numbers of a file, and advise which one to take."""

from numlab.compare.encodings import choices, encodings
from numlab.compare.masked import gap_errors, specs
from numlab.compare.report import advice, report
from numlab.compare.table import Table, read

__all__ = ["Table", "advice", "choices", "encodings", "gap_errors", "read", "report", "specs"]
