"""Several tasks at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from numlab.examples import Examples, Layout, as_list
from numlab.tasks.base import Task, child_seed, hold, natural


@dataclass(frozen=True)
class Mixture(Task):
    """Texts of several tasks in turn: text i is of task i modulo their number.

    No two tasks share a layout, so `task_of` finds the task of a text by its layout.

    >>> from numlab.tasks import Addition, Multiplication
    >>> mixture = Mixture((Addition(2), Multiplication(1)))
    >>> [e.text(0) for e in mixture.sample(2, seed=0)]
    ['94+99=193', '0*5=0']
    """

    tasks: tuple[Task, ...]

    def __post_init__(self):
        object.__setattr__(self, "tasks", tuple(as_list(self.tasks, Task, "a mixture is of tasks")))
        layouts = self.layouts()
        if not layouts or len(set(layouts)) < len(layouts):
            raise ValueError(f"a mixture has tasks that share no layout; got {self.tasks}")

    def layouts(self) -> list[Layout]:
        return [layout for task in self.tasks for layout in task.layouts()]

    def task_of(self, layout: Layout) -> Task:
        return next(t for t in self.tasks if layout in t.layouts()).task_of(layout)

    def sample(self, n: int, seed: int, **fixed) -> list[Examples]:
        hold(fixed, {}, n)  # nothing can be held
        shares = self._shares(natural(n))
        seeds = [child_seed(seed, j) for j in range(len(self.tasks))]
        drawn = (t.sample(k, s) for t, k, s in zip(self.tasks, shares, seeds, strict=True))
        return self._in_turn(drawn)

    def split(self, sizes: Sequence[int], seed: int) -> tuple[list[Examples], ...]:
        shares = zip(*(self._shares(natural(n)) for n in sizes), strict=True)
        seeds = [child_seed(seed, j) for j in range(len(self.tasks))]
        drawn = (t.split(k, s) for t, k, s in zip(self.tasks, shares, seeds, strict=True))
        return tuple(self._in_turn(parts) for parts in zip(*drawn, strict=True))

    def _shares(self, n: int) -> list[int]:
        """How many of n texts each task has."""
        return [len(range(j, n, len(self.tasks))) for j in range(len(self.tasks))]

    def _in_turn(self, drawn: Iterable[list[Examples]]) -> list[Examples]:
        k = len(self.tasks)
        return [replace(e, index=k * e.index + j) for j, part in enumerate(drawn) for e in part]
