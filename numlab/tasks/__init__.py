"""Tasks: texts about numbers to train on. A new task is a file and a line here."""

from numlab.tasks.arithmetic import Addition, LongAddition, Multiplication, Subtraction
from numlab.tasks.base import Task
from numlab.tasks.classification import Classification
from numlab.tasks.climate import Climate
from numlab.tasks.fields import FieldFile
from numlab.tasks.lookup import Lookup
from numlab.tasks.planets import Planets
from numlab.tasks.quantities import Quantities
from numlab.tasks.sentences import Sentences
from numlab.tasks.temperature import Temperature
from numlab.tasks.trees import BinaryTrees
from numlab.tasks.word_problems import DigitLengths, WordProblems

__all__ = [
    "Addition", "BinaryTrees", "Classification", "Climate", "DigitLengths", "FieldFile",
    "LongAddition", "Lookup", "Multiplication", "Planets", "Quantities", "Sentences",
    "Subtraction", "Task", "Temperature", "WordProblems",
]  # fmt: skip
