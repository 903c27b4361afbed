from .encodings import choices as choices
from .encodings import encodings as encodings
from .masked import gap_errors as gap_errors
from .masked import specs as specs
from .report import advice as advice
from .report import report as report
from .table import Table as Table
from .table import read as read
