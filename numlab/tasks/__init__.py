"""Tasks: one file a task. A new one is a file and a line here."""

from numlab.tasks.arithmetic import Addition, Multiplication, Subtraction
from numlab.tasks.base import Task
from numlab.tasks.planets import Planets

__all__ = ["Addition", "Multiplication", "Planets", "Subtraction", "Task"]
