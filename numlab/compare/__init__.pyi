from .encodings import choices as choices
from .encodings import encodings as encodings
from .reading import Reading as Reading
from .reading import read as read
from .report import Advice as Advice
from .report import Report as Report
from .report import advise as advise
from .report import report as report
