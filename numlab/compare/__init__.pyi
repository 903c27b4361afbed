from .reading import read as read
from .regression import Regression as Regression
from .regression import regress as regress
from .report import Report as Report
from .report import report as report
