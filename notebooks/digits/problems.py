"""Word problems of known kinds, answered by many runs, and tables of the answers."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from fermat import operation_of, problems, read_fermat
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

import numlab as nl
from numlab.examples import Examples
from numlab.tasks import DigitLengths, WordProblems
from numlab.tokenizer import Tokenizer


def last_stage(spec: nl.RunSpec, curriculum: Sequence[tuple[int, int, int]]) -> nl.RunSpec:
    """The last of some stages, each of which starts from the weights of the one before.

    `spec` is the first; `curriculum` has the others, as (most digits, problems, steps).
    """
    for most, n_train, steps in curriculum:
        task = dataclasses.replace(spec.task, numbers=(DigitLengths(1, most),))
        spec = dataclasses.replace(spec, task=task, n_train=n_train, steps=steps, start=spec)
    return spec


def stages(spec: nl.RunSpec) -> Iterator[nl.RunSpec]:
    """A spec, the one that it starts from, and so on."""
    while spec:
        yield spec
        spec = spec.start


def question_sets(
    task: WordProblems,
    kinds: Mapping[str, DigitLengths],
    n: int,
    training: Sequence[Examples],
) -> tuple[list[Examples], pd.DataFrame]:
    """Problems with numbers of one kind each, without those that occur in `training`.

    `kinds` makes one test set each, of `n` problems drawn from the templates of `task`. `index` of
    the examples is the row of the frame, whose columns are set and operation, such as "a+b"; None
    where a problem has two steps.
    """
    seen = {(e.layout, *row) for e in training for row in e.numbers.tolist()}
    templates = zip(task.layouts(), task.templates, strict=True)
    operations = {layout: operation_of(expression) for layout, (_, expression) in templates}
    examples, rows = [], []
    for name, kind in kinds.items():
        drawn = WordProblems((kind,), task.templates).sample(n, seed=len(rows) + 1)
        for e in drawn:
            e = e.take([(e.layout, *row) not in seen for row in e.numbers.tolist()])
            examples.append(dataclasses.replace(e, index=len(rows) + np.arange(len(e))))
            rows += [(name, operations[e.layout])] * len(e)
    return [e for e in examples if len(e)], pd.DataFrame(rows, columns=["set", "operation"])


def fermat_sets(
    folder: Path, n: int, tokenizer: Tokenizer
) -> tuple[list[Examples], pd.DataFrame, dict[str, float]]:
    """The first n problems of each of FERMAT's test sets, as `question_sets`.

    The third value is the share of words in each set that the tokenizer does not know.
    """
    examples, rows, unknown = [], [], {}
    for path in sorted((folder / "questions").glob("*.q")):
        frame = read_fermat(folder, path.stem).head(n)
        frame.answer = frame.answer.round(2)  # as in training
        corpus = problems(frame)
        words = [i for e in corpus for text in e.layout.literals for i in tokenizer.text.ids(text)]
        unknown[path.stem] = float(np.mean(np.array(words) == tokenizer.text.unknown))
        examples += [dataclasses.replace(e, index=e.index + len(rows)) for e in corpus]
        rows += [(path.stem, operation) for operation in frame.operation]
    return examples, pd.DataFrame(rows, columns=["set", "operation"]), unknown


def answered(
    names: Sequence[str], runs: Sequence[nl.Run], questions: list[Examples], about: pd.DataFrame
) -> pd.DataFrame:
    """The answers of runs, with the name of each as `setting`, and what is known of the questions.

    There may be more names than runs.
    """
    parts = [
        nl.predict(run, questions, "answer", batch_size=1024).assign(setting=name)
        for name, run in zip(names[: len(runs)], runs, strict=True)
    ]
    return pd.concat(parts).join(about, on="example")


def with_commonest(answers: pd.DataFrame) -> pd.DataFrame:
    """Answers, and one more setting: each time the commonest true answer of the set.

    `answers` are rows of `predict`, with the columns setting and set.
    """
    one = answers[answers.setting == answers.setting.iloc[0]]
    mode = one.groupby(["seed", "set"]).true.transform(lambda true: true.mode().iloc[0])
    trivial = one.assign(setting="commonest answer", predicted=mode, valid=True)
    return pd.concat([answers, trivial], ignore_index=True)


def by_run(answers: pd.DataFrame, metric: Callable, column: str) -> pd.DataFrame:
    """A metric in percent: one row for each (setting, seed), one column for each value of `column`.

    `answers` are rows of `predict`, with the columns setting and `column`; `metric` makes a number
    of a DataFrame.
    """
    groups = answers.groupby(["setting", "seed", column], sort=False)
    return 100 * groups[["true", "predicted", "valid"]].apply(metric).unstack(sort=False)


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores from `by_run` as text: mean ± standard deviation over the seeds; the last column is
    the mean of the others."""

    def text(values: pd.Series) -> str:
        return f"{values.mean():.1f}" + (f" ± {values.std():.1f}" if len(values) > 1 else "")

    whole = scores.assign(mean=scores.mean(axis=1))
    return whole.groupby("setting", sort=False).agg(text).rename_axis(columns=None)


def character_error_rate(frame: pd.DataFrame) -> float:
    """Mean of edit distance over the length of the true number, both as decimals (digits, 5).

    1 is 100 %, and more is possible (our choice: an answer that is not a number costs 1, as an
    empty one does).

    >>> frame = pd.DataFrame({"true": [321, 321, 321.5], "predicted": [320, 32, None]})
    >>> round(character_error_rate(frame.assign(valid=[True, True, False])), 3)
    0.556
    """
    if not len(frame):
        return float("nan")
    true = [_decimal(x) for x in frame.true]
    answers = zip(frame.predicted, frame.valid, strict=True)
    predicted = [_decimal(x) if valid else "" for x, valid in answers]
    edits = process.cpdist(true, predicted, scorer=Levenshtein.distance)
    return float((edits / np.char.str_len(true)).mean())


def _decimal(x: float | int) -> str:
    return str(x) if isinstance(x, int) else np.format_float_positional(x, trim="-")


def as_ran(name: str, run: nl.Run) -> dict[str, float]:
    """The settings of a run, and what it cost (digits, Table 4)."""
    spec, last = run.spec, run.history.iloc[-1]
    return {
        "setting": name,
        "parameters": sum(p.numel() for p in run.model.parameters()),
        "learning rate": spec.learning_rate,
        "batch size": spec.batch_size,
        "steps": spec.steps,
        "epochs": spec.steps * spec.batch_size / spec.n_train,
        "weight decay": spec.weight_decay,
        "warm-up": round(spec.warmup * spec.steps),
        "lambda": spec.losses[0].share if spec.losses else np.nan,
        "tokens a problem": last.tokens / spec.steps / spec.batch_size,
        "minutes": last.seconds / 60,
    }
