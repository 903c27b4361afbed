from .reading import read as read
from .report import Report as Report
from .report import report as report
