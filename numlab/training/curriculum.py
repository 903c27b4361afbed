"""A curriculum: which levels of difficulty a training draws (BitTokens, 2510.06824)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from numlab.corpus import Corpus
from numlab.numbers import check_count
from numlab.tasks import Task

CHECKS = 100  # of the front in a training
TEXTS = 64  # of a level that are answered in a check, at most


@dataclass(frozen=True)
class Curriculum:
    """The easiest 15 % of a task's levels of difficulty, and more as they are mastered.

    The front, the hardest open level, is checked 100 times in a training. It advances by 2 % of the
    levels, at least by about one, when each of the last 3 open levels reaches a score of 0.9.
    The score that a level needs falls to 0 over a quarter of the steps: from 0 to 25 % of them for
    the easiest level, from 50 to 75 % for the hardest, so that no training gets stuck. 20 % of the
    draws preview harder levels, each 0.8 times as often as the one before it. Each task of a
    `Mixture` has a front of its own.

    Our choice: the score of a level is the share of its validation texts that are answered exactly,
    each token after the true ones before it.

    Parameters
    ----------
    first : share of the levels that are open at the start, the easiest 15 %.
    advance : share of the levels by which the front advances, 2 %.
    last : how many of the hardest open levels must be mastered, 3.
    threshold : the score that they need, 0.9, before it falls.
    preview : share of the draws that preview harder levels, 20 %.
    decay : how often a previewed level is drawn, relative to the one before it, 0.8.
    base : of the digits whose number makes a text hard: 10, or 2 for encoders of bits.

    >>> course = nl.Curriculum()
    >>> course.weights(31, front=4).round(4)[[0, 4, 5, 18]].tolist()
    [0.16, 0.16, 0.0401, 0.0022]
    """

    first: float = 0.15
    advance: float = 0.02
    last: int = 3
    threshold: float = 0.9
    preview: float = 0.2
    decay: float = 0.8
    base: int = 10

    def __post_init__(self):
        shares = self.first, self.advance, self.threshold, self.preview, self.decay
        numbers = all(isinstance(share, (int, float)) for share in shares)
        if not (numbers and all(0 < share <= 1 for share in shares) and self.preview < 1):
            wanted = "a curriculum's shares are above 0 and at most 1, preview is below 1"
            raise ValueError(f"{wanted}; got {self}")
        check_count("last", self.last)
        if self.base not in (2, 10):
            raise ValueError(f"digits are counted in base 10 or 2; got base={self.base}")

    def weights(self, n_levels: int, front: int) -> np.ndarray:
        """(levels,) how often each is drawn; they sum to 1."""
        harder = self.decay ** np.arange(n_levels - front - 1)
        preview = self.preview * harder / harder.sum() if len(harder) else harder
        easy = np.full(front + 1, (1 - preview.sum()) / (front + 1))
        return np.concatenate([easy, preview])

    def needed(self, n_levels: int, level: int, done: float) -> float:
        """The score that a level needs after a share of the steps."""
        begins = 0.5 * level / max(1, n_levels - 1)
        return self.threshold * float(np.clip(1 - (done - begins) / 0.25, 0, 1))


class Course:
    """A curriculum in a training: `reached` is the open share of the levels of each task.

    ValueError for a task that does not say how hard its texts are.
    """

    def __init__(self, curriculum: Curriculum, task: Task, corpus: Corpus, valid: Corpus):
        tasks = dict.fromkeys(task.task_of(e.layout) for e in corpus.examples)
        self.curriculum, self.tasks = curriculum, list(tasks)
        self.n_levels = [len(t.levels(curriculum.base)) for t in self.tasks]
        self.reached = [curriculum.first] * len(self.tasks)
        self.train, self.valid = (self._levels(task, c) for c in (corpus, valid))
        self._drawn = None  # the front and the cumulated chances of the texts

    def _levels(self, task: Task, corpus: Corpus) -> np.ndarray:
        """(2, n) the task of each text, and its level from 0."""
        base, parts = self.curriculum.base, []
        for e in corpus.examples:
            part = task.task_of(e.layout)
            level = part.difficulty(e, base) - part.levels(base)[0]
            parts.append(np.stack([np.full(len(e), self.tasks.index(part)), level]))
        return np.concatenate(parts, axis=1)

    @property
    def fronts(self) -> list[int]:
        """The hardest open level of each task, from 0."""
        return [round(r * (n - 1)) for n, r in zip(self.n_levels, self.reached, strict=True)]

    def rows(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """(n,) texts of a step, drawn with replacement; tasks keep their shares."""
        if self._drawn is None or self._drawn[0] != self.fronts:
            self._drawn = self.fronts, np.cumsum(self._chances())
        chances = self._drawn[1]
        return np.searchsorted(chances, rng.random(n) * chances[-1], side="right")

    def _chances(self) -> np.ndarray:
        """(texts,) in proportion to their chance to be drawn."""
        chances = np.zeros(self.train.shape[1])
        for i, (n, front) in enumerate(zip(self.n_levels, self.fronts, strict=True)):
            mine = self.train[0] == i
            level = self.train[1, mine]
            held = np.bincount(level, minlength=n)
            weights = self.curriculum.weights(n, front) / np.maximum(held, 1)
            chances[mine] = weights[level] / weights[level].sum() * mine.sum()
        return chances

    def check(self, right: Callable[[np.ndarray], np.ndarray], done: float) -> None:
        """Advance the front of each task that has mastered its last levels.

        `right` tells of validation texts (their rows) whether they are answered exactly. Levels
        without a validation text do not hold a task up. `done` is the share of the steps.
        """
        course = self.curriculum
        for i, (n, front) in enumerate(zip(self.n_levels, self.fronts, strict=True)):
            if front < n - 1 and all(
                self._score(i, level, right) >= course.needed(n, level, done)
                for level in range(max(0, front + 1 - course.last), front + 1)
            ):
                self.reached[i] = min(1.0, self.reached[i] + max(course.advance, 1 / n))

    def _score(self, task: int, level: int, right: Callable[[np.ndarray], np.ndarray]) -> float:
        rows = np.flatnonzero((self.valid[0] == task) & (self.valid[1] == level))[:TEXTS]
        return float(right(rows).mean()) if len(rows) else 1.0
