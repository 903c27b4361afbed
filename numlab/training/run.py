"""A trained model in the store."""

import contextlib
import functools
import json
import math
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Self

import torch
from safetensors.torch import load_file

from numlab import store
from numlab.described import ForeignClass, restore
from numlab.evaluation import interval
from numlab.examples import Examples, as_list
from numlab.models import Model
from numlab.tokenizer import Tokenizer
from numlab.training.own_code import warn_if_changed
from numlab.training.spec import RunSpec

TORCH_GENERATOR = threading.Lock()  # one for the process: who seeds it draws alone


@dataclass(frozen=True)
class Run:
    """A trained model in the store.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.train(spec).history.part.tolist()
    ['train', 'valid', 'train', 'valid']
    """

    spec: RunSpec

    def __repr__(self) -> str:
        return f"Run({self.spec.name})"

    @classmethod
    def stored(cls, digest: str, modules: str | tuple[str, ...] = ()) -> Self:
        """The run that the store holds under a digest.

        Its spec may name classes of numlab and of `modules`, such as "mine". ValueError if the
        store has no such run, if its spec names another class, or if a class has changed its
        version since.
        """
        folder = store.runs_dir() / digest
        if not folder.is_dir() and store.is_shipped(folder):
            with store.lock(folder):
                store.intact(folder)  # copies it
        path = folder / "spec.json"
        if not path.is_file():
            raise ValueError(f"the store holds no run {digest}: train it again from its spec")
        run = cls(restore(json.loads(path.read_text("utf-8")), modules))
        if run.digest != digest:
            raise ValueError(f"run {digest} is of an older version: train it again from its spec")
        warn_if_changed(run.folder, run.spec)
        return run

    @functools.cached_property
    def digest(self) -> str:
        """The address of the run in the store: 20 hexadecimal digits of its spec and its data."""
        return store.digest(self.spec)

    @property
    def folder(self) -> Path:
        """Where the store keeps the run; missing if it is not trained."""
        return store.runs_dir() / self.digest

    @functools.cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the run was trained with."""
        return self.spec.tokenizer()

    @functools.cached_property
    def model(self) -> Model:
        """The trained model, in eval mode, on the best device available."""
        store.used[self.digest] = self.spec
        with TORCH_GENERATOR, torch.random.fork_rng(devices=[]), float32_weights():
            model = self.spec.model.build(self.tokenizer)
        model.load_state_dict(load_file(self._stored_file("weights.safetensors")))
        return model.to(best_device()).eval()

    @functools.cached_property
    def history(self):
        """DataFrame [step, part, loss, token, value, ..., learning_rate, tokens, seconds]:
        "train" rows are means since the previous row, "valid" rows the validation loss."""
        store.used[self.digest] = self.spec
        return self._read_history()

    def _read_history(self):
        import pandas as pd

        return pd.read_parquet(self._stored_file("history.parquet"))

    def _stored_file(self, name: str) -> Path:
        if not (path := self.folder / name).is_file():
            raise ValueError(f"{self.spec.name} is not in the store: nl.train(spec) trains it")
        return path

    @property
    def valid_loss(self) -> float:
        """The validation loss at the end."""
        return _valid_loss(self.history)

    def warn_if_diverged(self) -> None:
        """Warn where the validation loss is not a finite number."""
        loss = _valid_loss(self._read_history())
        if not math.isfinite(loss):
            diverged = f"{self.spec.name} diverged: its validation loss is {loss}"
            lower = f"try a learning_rate below {self.spec.learning_rate:g}"
            warnings.warn(f"{diverged}; {lower}", stacklevel=3)

    def predict(self, rows, coverage: float | None = 0.8):
        """What the run predicts for other rows of its own task, a `tasks.Table` or `tasks.Texts`.

        The interval holds the true number with about the probability `coverage`: its width is
        fitted to the validation examples (split conformal prediction). Where the head's
        distribution has a formula, the ends are two of its quantiles, at levels that cover enough
        validation examples (Chernozhukov and others, 2021); else all intervals are equally wide.
        A quantile of the validation numbers replaces an answer that is not a number: the median, or
        for an end of the interval that end's quantile. A task without a target has each number
        predicted from all others of its row. ValueError for a run of another task, and for a masked
        LM whose encoder has no fixed length.

        Parameters
        ----------
        rows : DataFrame, in which the target may be missing; or list of str, in which any number
            stands for it.
        coverage : above 0 and below 1, for each slot; None: no interval.

        Returns
        -------
        DataFrame [example, slot, predicted, low, high]
            A row for each slot that is predicted; `example` is the place among `rows`.
        """
        spec = self.spec
        if not hasattr(spec.task, "read"):
            other = f"for {spec.task} take nl.predict(run, texts, slots)"
            raise ValueError(f"run.predict takes rows of a Table or Texts; {other}")
        if spec.objective.fills_at_once and not (spec.encoder and spec.encoder.fixed):
            needed = "a masked LM needs a fixed-length encoder"
            raise ValueError(f"{needed} (masks show the true token count); got {spec.encoder}")
        return interval([self], spec.task.read(rows), coverage)

    def examples(self, part: str | list[Examples]) -> list[Examples]:
        """The "train", "valid" or "test" examples; texts are passed on: probes take either."""
        return self.spec.examples(part) if isinstance(part, str) else as_list(part)

    def _repr_html_(self) -> str:
        """In a notebook: the loss over the steps, and the last losses."""
        if not self.folder.is_dir():
            return f"<b>{escape(self.spec.name)}</b>: not trained yet"
        last = self.history.groupby("part").tail(1).set_index("part").T.map("{:.4g}".format)
        curve = _curve(self.history)
        return f"<b>{escape(self.spec.name)}</b><br>{curve}{last.to_html()}"


def stored_runs():
    """DataFrame [run, name, steps, megabytes, trained]: the runs in the store, the newest first.

    `trained` is in local time.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> run = nl.train(spec)
    >>> nl.stored_runs().set_index("run").name[run.digest]
    'Addition · P10 · seed 0 · MaskedLM · rate 0.001'
    """
    import pandas as pd

    rows = []
    for folder in store.runs_dir().glob("[0-9a-f]*/"):
        try:
            name, steps = _named(json.loads((folder / "spec.json").read_text("utf-8")))
        except FileNotFoundError:
            name, steps = "its spec.json is missing", None
        except (ValueError, AttributeError, KeyError, TypeError):
            name, steps = "not of the classes of this numlab", None
        with contextlib.suppress(FileNotFoundError):  # somebody has just deleted it
            megabytes = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
            trained = datetime.fromtimestamp(folder.stat().st_mtime)
            rows.append((folder.name, name, steps, megabytes, trained))
    frame = pd.DataFrame(rows, columns=["run", "name", "steps", "megabytes", "trained"])
    frame = frame.astype({"steps": "Int64"}).sort_values("trained", ascending=False)
    return frame.astype({"trained": "datetime64[s]"}).reset_index(drop=True)


def _valid_loss(history) -> float:
    return float(history.query("part == 'valid'").loss.iloc[-1])


def _named(described: dict) -> tuple[str, int]:
    """A described spec in words, and its steps; of classes outside numlab, only their names."""
    try:
        spec = restore(described)
        terms = [type(spec.objective).__name__, *filter(None, [spec.head]), *spec.losses]
        name = " · ".join([spec.name, *map(str, terms), f"rate {spec.learning_rate:g}"])
        return name, spec.steps
    except ForeignClass:
        task, encoder = (described[part] or {"class": "None"} for part in ("task", "encoder"))
        task, encoder = (part["class"].rpartition(".")[2] for part in (task, encoder))
        return f"{task} · {encoder} · seed {described['seed']}", described["steps"]


def _curve(history) -> str:
    """The training and validation loss over the steps as an SVG picture."""
    from io import StringIO

    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 2.2), layout="constrained")
    losses = history.pivot(index="step", columns="part", values="loss")
    losses.plot(ax=figure.subplots(), marker=".", ylabel="loss").legend(frameon=False)
    figure.savefig(svg := StringIO(), format="svg")
    return svg.getvalue()[svg.getvalue().index("<svg") :]


@contextlib.contextmanager
def float32_weights() -> Iterator[None]:
    """Build weights in float32 in a block, whatever torch's default is: digests do not tell it."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def best_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def autocast(device: torch.device, bf16: bool) -> torch.autocast:
    """Compute in bfloat16 if asked to, on a device that has units for it: emulation is several
    times slower than float32."""
    units = ("amx_bf16", "avx512_bf16", "bf16")  # the last: ARM
    fast = device.type != "cpu" or any(map(torch.cpu.get_capabilities().get, units))
    return torch.autocast(device.type, torch.bfloat16, enabled=bf16 and fast)
