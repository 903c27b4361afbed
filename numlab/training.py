"""Specs become trained models: one at a time, or side by side on a Dask cluster.

Every draw of a training is a function of (seed, step), so a run that was interrupted resumes from
its last checkpoint and ends where an uninterrupted one ends, to the bit on a CPU.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import math
import os
import shutil
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from numlab import store
from numlab.examples import Examples
from numlab.models import ModelSpec, Transformer
from numlab.tokenizer import Corpus, Tokenizer

CHECKPOINT_SECONDS = 20.0
PROGRESS_SECONDS = 1.0


@dataclass(frozen=True)
class RunSpec:
    """Everything that decides a run.

    Parameters
    ----------
    task, encoder, objective, model : what is learned, how numbers are spelled, how, by what.
    n_train, n_valid, n_test : examples drawn from the task, disjoint, with `data_seed`.
    steps, batch_size : how long.
    learning_rate : of AdamW at its peak, after a linear warm-up over `warmup` of the steps; it
        falls along a cosine to `min_lr_ratio` of it at the end (xval, Appendix C).
    weight_decay : of the matrices; norms and biases have none.
    clip : largest norm of the gradient.
    auxiliary : losses added to the objective's.
    bf16 : autocast to bfloat16; pays from d_model 128 on.
    threads : one and two threads give different bits, so they stand here.
    """

    version: ClassVar[int] = 1
    task: Any
    encoder: Any
    objective: Any
    model: ModelSpec
    n_train: int
    steps: int
    learning_rate: float
    batch_size: int = 64
    n_valid: int = 512
    n_test: int = 1024
    warmup: float = 0.05
    min_lr_ratio: float = 0.1
    weight_decay: float = 0.1
    clip: float = 1.0
    auxiliary: tuple[Any, ...] = ()
    bf16: bool = False
    threads: int = 1
    data_seed: int = 0
    seed: int = 0

    def __post_init__(self):
        for field in ("n_train", "n_valid", "n_test", "steps", "batch_size", "threads"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} is at least 1; got {getattr(self, field)}")

    @property
    def name(self) -> str:
        """For a person: what is trained on what."""
        return f"{type(self.task).__name__} · {self.encoder} · seed {self.seed}"

    def tokenizer(self) -> Tokenizer:
        return Tokenizer.of(self.task.layouts(), self.encoder)

    def examples(self, part: str) -> list[Examples]:
        """The "train", "valid" or "test" part of the data."""
        sizes = (self.n_test, self.n_valid, self.n_train)  # the test part never moves
        parts = store.split(self.task, sizes, self.data_seed)
        return dict(zip(("test", "valid", "train"), parts, strict=True))[part]

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        warm = max(1, round(self.warmup * self.steps))
        if step < warm:
            return self.learning_rate * (step + 1) / warm
        done = (step - warm) / max(1, self.steps - 1 - warm)
        fall = (1 + math.cos(math.pi * min(1.0, done))) / 2
        return self.learning_rate * (self.min_lr_ratio + (1 - self.min_lr_ratio) * fall)


@dataclass(frozen=True)
class Run:
    """A trained model in the store."""

    spec: RunSpec

    @functools.cached_property
    def digest(self) -> str:
        return store.digest(self.spec)

    @property
    def folder(self) -> Path:
        return store.runs_dir() / self.digest

    @functools.cached_property
    def tokenizer(self) -> Tokenizer:
        return self.spec.tokenizer()

    @functools.cached_property
    def model(self) -> Transformer:
        """The trained model, in eval mode, on the best device that there is."""
        from safetensors.torch import load_file

        store.mark_used(self.digest)
        model = Transformer(self.spec.model, self.tokenizer)
        model.load_state_dict(load_file(self.folder / "weights.safetensors"))
        return model.to(_device()).eval()

    @functools.cached_property
    def history(self):
        """DataFrame [step, part, loss, token, value, ..., learning_rate, tokens, seconds]:
        "train" rows are means since the row before, "valid" rows the validation loss."""
        import pandas as pd

        store.mark_used(self.digest)
        return pd.read_parquet(self.folder / "history.parquet")

    @property
    def valid_loss(self) -> float:
        """The validation loss at the end."""
        return float(self.history.query("part == 'valid'").loss.iloc[-1])

    def examples(self, part: str) -> list[Examples]:
        """The "train", "valid" or "test" examples."""
        return self.spec.examples(part)


def train(spec: RunSpec) -> Run:
    """The run of a spec: from the store, or trained now, in this process."""
    from tqdm.auto import tqdm

    with tqdm(total=spec.steps, desc=spec.name, leave=False, delay=1) as bar:
        return _train(spec, lambda step, loss: _advance(bar, step, loss))


def train_all(specs: list[RunSpec], scheduler: str | None = None) -> list[Run]:
    """The runs of many specs, in their order; what is missing is trained side by side.

    Parameters
    ----------
    scheduler : address of a Dask scheduler whose workers see this store; default: the one that
        NUMLAB_SCHEDULER names, else a LocalCluster with a one-thread worker a core.

    Raises
    ------
    ValueError
        When the scheduler does not answer.
    """
    keys = {store.digest(spec): spec for spec in specs}
    missing = {k: s for k, s in keys.items() if not _in_store(k)}
    if missing:
        for data in {
            (s.task, s.n_test, s.n_valid, s.n_train, s.data_seed): s for s in missing.values()
        }.values():
            data.examples("train")  # drawn once, here, before many workers want it
        with _client(scheduler, len(missing)) as client:
            _train_remotely(client, missing)
    return [Run(spec) for spec in specs]


def choose_learning_rates(specs: list[RunSpec], rates: tuple[float, ...], steps: int):
    """Each spec with the learning rate that has the lowest validation loss after `steps` steps.

    The same grid for every encoder, so that none is favoured (xval, Appendix D).

    Returns
    -------
    specs : the specs, each with its learning rate.
    record : DataFrame [encoder, learning_rate, valid_loss, chosen].
    """
    import pandas as pd

    columns = ["encoder", "learning_rate", "valid_loss", "chosen"]
    if len(rates) == 1:  # nothing to choose
        chosen = [dataclasses.replace(s, learning_rate=rates[0]) for s in specs]
        return chosen, pd.DataFrame(
            [(str(s.encoder), *rates, None, True) for s in specs], columns=columns
        )
    grid = [[dataclasses.replace(s, learning_rate=r, steps=steps) for r in rates] for s in specs]
    runs = iter(train_all([trial for row in grid for trial in row]))
    chosen, record = [], []
    for spec in specs:
        losses = [next(runs).valid_loss for _ in rates]
        best = int(np.nanargmin(losses))
        chosen.append(dataclasses.replace(spec, learning_rate=rates[best]))
        record += [
            (str(spec.encoder), rate, loss, i == best)
            for i, (rate, loss) in enumerate(zip(rates, losses, strict=True))
        ]
    return chosen, pd.DataFrame(record, columns=columns)


def _in_store(key: str) -> bool:
    """Whether a run is there and whole. Who holds a lock is training what is not there yet."""
    entry = store.runs_dir() / key
    if not entry.exists():
        return False
    with store.lock(entry):
        return store.intact(entry)


def _device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _advance(bar, step: int, loss: float) -> None:
    bar.set_postfix(loss=f"{loss:.4g}", refresh=False)
    bar.update(step - bar.n)


# ---------------------------------------------------------------- side by side


def _client(scheduler: str | None, n_specs: int):
    """A Dask client of the scheduler that is named, or of a LocalCluster of its own."""
    from distributed import Client

    address = scheduler or os.environ.get("NUMLAB_SCHEDULER")
    if address is None:
        return Client(local_cluster(n_specs))
    try:
        return Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {address!r} ({error})") from None


def local_cluster(n_workers: int | None = None):
    """A Dask cluster on this machine: two one-thread workers beat one of two threads."""
    import dask
    from dask.system import CPU_COUNT
    from distributed import LocalCluster

    # Dask's workers give every freed page back at once: a training step then takes twice as long.
    trim = "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_"
    with dask.config.set({trim: None}):
        return LocalCluster(
            n_workers=min(n_workers or CPU_COUNT, CPU_COUNT),
            threads_per_worker=1,
            memory_limit=0,  # a large model is no leak
            dashboard_address=":0",
        )


def _train_remotely(client, missing: dict[str, RunSpec]) -> None:
    from distributed import wait
    from tqdm.auto import tqdm

    futures = {
        client.submit(_train_at, str(store.home()), spec, key=f"numlab-{key}", pure=False): key
        for key, spec in missing.items()
    }
    total = sum(spec.steps for spec in missing.values())
    with tqdm(total=total, desc=f"training {len(missing)} runs", unit="step") as bar:
        pending = set(futures)
        while pending:
            with contextlib.suppress(TimeoutError):
                ended = wait(pending, timeout=PROGRESS_SECONDS, return_when="FIRST_COMPLETED")
                pending = ended.not_done
                for future in ended.done:
                    _check(future, missing[futures[future]], futures[future])
            bar.update(sum(_steps_done(k, s) for k, s in missing.items()) - bar.n)


def _check(future, spec: RunSpec, key: str) -> None:
    """Raise what went wrong with a run as soon as it has."""
    if future.status == "error":
        raise RuntimeError(f"training {spec.name} failed: {future.exception()!r}")
    if future.status != "finished":
        raise RuntimeError(f"training {spec.name} was {future.status}: is the scheduler gone?")
    if not _in_store(key):
        raise RuntimeError(
            f"the worker trained {spec.name}, but {store.runs_dir()} does not hold it: "
            "the workers must see the same store"
        )


def _train_at(home: str, spec: RunSpec) -> None:
    """Train on a worker, into the store at `home`."""
    os.environ["NUMLAB_HOME"] = home
    _train(spec, lambda step, loss: None)


def _steps_done(key: str, spec: RunSpec) -> int:
    if (store.runs_dir() / key).exists():
        return spec.steps
    try:
        return json.loads((store.partial_dir(key) / "progress.json").read_text())["step"]
    except (OSError, ValueError, KeyError):
        return 0


# ---------------------------------------------------------------- one run


def _train(spec: RunSpec, report: Callable[[int, float], None]) -> Run:
    run = Run(spec)
    with store.lock(run.folder):
        if not store.intact(run.folder):
            with _threads(spec.threads):
                fit = _Fit(spec, run.digest)
                fit.loop(report)
            store.write(run.folder, fit.save)
            shutil.rmtree(fit.folder, ignore_errors=True)
    return run


class _threads:
    """Run a block on a number of threads."""

    def __init__(self, n: int):
        self.n = n

    def __enter__(self):
        self.before = torch.get_num_threads()
        torch.set_num_threads(self.n)

    def __exit__(self, *_):
        torch.set_num_threads(self.before)


class _Fit:
    """One training: model, optimizer, data and where they stand."""

    def __init__(self, spec: RunSpec, key: str):
        self.spec, self.folder = spec, store.partial_dir(key)
        self.folder.mkdir(parents=True, exist_ok=True)
        tokenizer = spec.tokenizer()
        answers = spec.objective.answers
        self.corpus: Corpus = tokenizer(spec.examples("train"), answers)
        self.valid: Corpus = tokenizer(spec.examples("valid"), answers)
        if not self.corpus.asked(spec.objective.only).any():
            slots = ", ".join(slot.name for slot in self.corpus.examples[0].layout.slots[:12])
            raise ValueError(f"no slot fits {spec.objective}; the layout has {slots}")
        torch.manual_seed(spec.seed)
        self.model = Transformer(spec.model, tokenizer).to(_device())
        self.optimizer = self._optimizer()
        self.step, self.history, self.tokens, self.seconds = 0, [], 0, 0.0
        self.sums: dict[str, float | torch.Tensor] = {}  # of the losses since the last record
        self._resume()

    def _optimizer(self) -> torch.optim.Optimizer:
        matrices = [p for p in self.model.parameters() if p.ndim >= 2]
        others = [p for p in self.model.parameters() if p.ndim < 2]
        groups = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
        decay = self.spec.weight_decay
        # betas: our choice, the papers are silent
        return torch.optim.AdamW(groups, weight_decay=decay, betas=(0.9, 0.95), fused=True)

    # -- the loop

    def loop(self, report: Callable[[int, float], None]) -> None:
        spec, checked, said = self.spec, time.monotonic(), 0.0
        every = max(1, spec.steps // 10)
        while self.step < spec.steps:
            began = time.monotonic()
            parts = self._update(self.step)
            self.sums = {k: self.sums.get(k, 0.0) + v for k, v in parts.items()}
            self.step += 1
            self.seconds += time.monotonic() - began
            if self.step % every == 0 or self.step == spec.steps:
                n = (self.step - 1) % every + 1
                self._record("train", {k: float(v) / n for k, v in self.sums.items()})
                self._record("valid", self._validate())
                self.sums = {}
            now = time.monotonic()
            if now - said > PROGRESS_SECONDS:
                said, loss = now, float(sum(parts.values()))
                self._say(loss)
                report(self.step, loss)
            if now - checked > CHECKPOINT_SECONDS and self.step < spec.steps:
                checked = now
                self._checkpoint()
        self.model.eval()

    def _update(self, step: int) -> dict[str, torch.Tensor]:
        spec = self.spec
        for group in self.optimizer.param_groups:
            group["lr"] = spec.rate(step)
        torch.manual_seed(_seed(spec.seed, 1, step))
        rng = np.random.default_rng((spec.seed, 2, step))
        batch = self.corpus.batch(self._rows(step))
        inputs, targets = spec.objective.train(batch, rng)
        self.tokens += int(batch.real.sum())
        self.model.train()
        parts = self._losses(inputs, targets)
        loss = sum(parts.values())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), spec.clip)
        self.optimizer.step()
        return {k: v.detach() for k, v in parts.items()}

    def _losses(self, inputs, targets) -> dict[str, torch.Tensor]:
        device = self.model.device
        with torch.autocast(device.type, torch.bfloat16, enabled=self.spec.bf16):
            return self.model.losses(inputs.to(device), targets.to(device), self.spec.auxiliary)

    @torch.no_grad()
    def _validate(self) -> dict[str, float]:
        """The same masks each time."""
        self.model.eval()
        rows = np.argsort(self.valid.lengths, kind="stable")
        sums: dict[str, float] = {}
        counts: dict[str, int] = {}  # means over the targets, however they fall on batches
        for i in range(0, len(rows), 256):
            batch = self.valid.batch(rows[i : i + 256])
            inputs, targets = self.spec.objective.train(batch, np.random.default_rng((0, 3, i)))
            for k, v in self._losses(inputs, targets).items():
                n = len(targets.features) if k == "value" else len(targets.ids)
                sums[k] = sums.get(k, 0.0) + n * float(v)
                counts[k] = counts.get(k, 0) + n
        return {k: v / max(1, counts[k]) for k, v in sums.items()}

    def _rows(self, step: int) -> np.ndarray:
        """The texts of a step; an epoch's order is a function of (seed, epoch)."""
        size = min(self.spec.batch_size, len(self.corpus))
        epoch, k = divmod(step, len(self.corpus) // size)
        if getattr(self, "_epoch", None) != epoch:
            rng = np.random.default_rng((self.spec.seed, 0, epoch))
            self._epoch, self._order = epoch, epoch_order(self.corpus.lengths, size, rng)
        return self._order[k]

    def _record(self, part: str, losses: dict[str, float]) -> None:
        rate = self.spec.rate(self.step - 1)
        row = {"step": self.step, "part": part, "loss": sum(losses.values()), **losses}
        row |= {"learning_rate": rate, "tokens": self.tokens, "seconds": self.seconds}
        self.history.append(row)

    # -- what is kept

    def save(self, folder: Path) -> None:
        import pandas as pd
        from safetensors.torch import save_file

        save_file(_tensors(self.model.state_dict()), folder / "weights.safetensors")
        pd.DataFrame(self.history).to_parquet(folder / "history.parquet", index=False)
        (folder / "spec.json").write_text(json.dumps(store.describe(self.spec), indent=1))

    def _say(self, loss: float) -> None:
        said = {"step": self.step, "steps": self.spec.steps, "loss": loss}
        said |= {"name": self.spec.name, "updated": time.time()}
        _replace(self.folder / "progress.json", lambda p: p.write_text(json.dumps(said)))

    def _checkpoint(self) -> None:
        from safetensors.torch import save_file

        state = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        for i, p in enumerate(self.model.parameters()):
            state |= {f"adam.{i}.{k}": v for k, v in self.optimizer.state[p].items()}
        place = {"step": self.step, "history": self.history}
        place |= {"tokens": self.tokens, "seconds": self.seconds}
        place["sums"] = {k: float(v) for k, v in self.sums.items()}
        state = _tensors(state)
        meta = {"place": json.dumps(place), "checksum": _checksum(state)}
        target = self.folder / "checkpoint.safetensors"
        _replace(target, lambda p: save_file(state, p, meta))

    def _resume(self) -> None:
        from safetensors import SafetensorError, safe_open

        target = self.folder / "checkpoint.safetensors"
        if not target.exists():
            return
        try:
            with safe_open(target, "pt") as f:
                place = json.loads(f.metadata()["place"])
                state = {k: f.get_tensor(k) for k in f.keys()}  # noqa: SIM118 (not a dict)
                if f.metadata()["checksum"] != _checksum(state):
                    raise ValueError("another checksum than when it was written")
        except (SafetensorError, OSError, ValueError, KeyError) as error:
            warnings.warn(f"{target} is damaged ({error}): training starts again", stacklevel=2)
            return
        model = {k[6:]: v for k, v in state.items() if k.startswith("model.")}
        self.model.load_state_dict(model)
        for i, p in enumerate(self.model.parameters()):
            names = ("step", "exp_avg", "exp_avg_sq")
            adam = {k: state[f"adam.{i}.{k}"] for k in names if f"adam.{i}.{k}" in state}
            if adam:  # a parameter that never had a gradient has no state
                self.optimizer.state[p] = {k: v.to(p.device) for k, v in adam.items()}
        for name, value in place.items():
            setattr(self, name, value)


def epoch_order(lengths: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """(n_batches, size) texts in random order, texts of like length together to save padding."""
    n = len(lengths) // size
    rows = rng.permutation(len(lengths))[: n * size]
    pool = 50 * size  # sorted within a pool of batches: the order stays nearly random
    for i in range(0, len(rows), pool):
        part = rows[i : i + pool]
        rows[i : i + pool] = part[np.argsort(lengths[part], kind="stable")]
    return rng.permutation(rows.reshape(n, size))


def _seed(*entropy: int) -> int:
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def _checksum(state: dict[str, torch.Tensor]) -> str:
    total = hashlib.sha256()
    for name in sorted(state):
        total.update(name.encode() + state[name].numpy().tobytes())
    return total.hexdigest()


def _tensors(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {k: v.detach().cpu().contiguous() for k, v in state.items()}


def _replace(target: Path, write: Callable[[Path], Any]) -> None:
    """Write beside a file and rename onto it: a reader sees the old one or the new one."""
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    write(draft)
    draft.replace(target)
