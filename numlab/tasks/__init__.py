"""Tasks: one file a task. A new one is a file and a line here."""

from numlab.tasks.arithmetic import Addition, Multiplication, Subtraction
from numlab.tasks.base import Task
from numlab.tasks.climate import Climate
from numlab.tasks.fields import FieldFile
from numlab.tasks.planets import Planets
from numlab.tasks.temperature import Temperature
from numlab.tasks.trees import BinaryTrees

__all__ = [
    "Addition",
    "BinaryTrees",
    "Climate",
    "FieldFile",
    "Multiplication",
    "Planets",
    "Subtraction",
    "Task",
    "Temperature",
]
