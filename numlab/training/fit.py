"""Training: the loop, its checkpoints, and what is stored.

Every random draw is a function of (seed, step): an interrupted run resumes from its last
checkpoint and ends with the same weights, to the bit on a CPU.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch

from numlab import store
from numlab.corpus import Corpus
from numlab.training.run import Run, best_device, has_bf16
from numlab.training.spec import RunSpec

CHECKPOINT_SECONDS = 20.0
PROGRESS_SECONDS = 1.0
_TORCH_GENERATOR = threading.Lock()  # one for the process: trainings seed it and draw in turn


def train(spec: RunSpec) -> Run:
    """The run of a spec: from the store, or trained now in this process, with a progress bar."""
    from tqdm.auto import tqdm

    with tqdm(total=spec.steps, desc=spec.name, leave=False, delay=1) as bar:
        run = fit_in_store(spec, lambda step, loss: _advance(bar, step, loss))
        bar.update(spec.steps - bar.n)  # a notebook paints an unfinished bar red
    return run


def _advance(bar, step: int, loss: float) -> None:
    bar.set_postfix(loss=f"{loss:.4g}", refresh=False)
    bar.update(step - bar.n)


def fit_in_store(spec: RunSpec, report: Callable[[int, float], None]) -> Run:
    run = Run(spec)
    with store.lock(run.folder):
        if not store.intact(run.folder):
            with threads(spec.threads):
                fit = Fit(spec, run.digest)
                fit.loop(report)
            store.write(run.folder, fit.save)
            shutil.rmtree(fit.folder, ignore_errors=True)
    return run


@contextlib.contextmanager
def threads(n: int) -> Iterator[None]:
    """Run a block on n of torch's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Fit:
    """A training in progress: model, optimizer, data, and the step that they are at."""

    def __init__(self, spec: RunSpec, key: str):
        self.spec, self.folder = spec, store.partial_dir(key)
        self.folder.mkdir(parents=True, exist_ok=True)
        tokenizer = spec.tokenizer()
        answers = spec.objective.answers
        self.corpus: Corpus = tokenizer(spec.examples("train"), answers)
        self.valid: Corpus = tokenizer(spec.examples("valid"), answers)
        if not self.corpus.in_slots(spec.objective.only).any():
            slots = ", ".join(slot.name for slot in self.corpus.examples[0].layout.slots[:12])
            raise ValueError(f"no slot fits {spec.objective}; the layout has {slots}")
        with _TORCH_GENERATOR:
            torch.manual_seed(spec.seed)
            self.model = spec.model.build(tokenizer).to(best_device()).train()
        self.parameters = list(self.model.parameters())
        self.optimizer = self._optimizer()
        self.step, self.history, self.tokens, self.seconds = 0, [], 0, 0.0
        self.sums: dict[str, float | torch.Tensor] = {}  # of the losses since the last record
        self._epoch = -1
        self._resume()

    def _optimizer(self) -> torch.optim.Optimizer:
        matrices = [p for p in self.parameters if p.ndim >= 2]
        others = [p for p in self.parameters if p.ndim < 2]
        groups = [{"params": matrices}, {"params": others, "weight_decay": 0.0}]
        decay = self.spec.weight_decay
        # our choice: AdamW's betas are 0.9 and 0.95; the papers are silent
        return torch.optim.AdamW(groups, weight_decay=decay, betas=(0.9, 0.95), fused=True)

    # -- the loop

    def loop(self, report: Callable[[int, float], None]) -> None:
        """Train to the last step; validation and checkpoints do not count in `seconds`."""
        spec, reported, every = self.spec, 0.0, max(1, self.spec.steps // 10)
        began = checked = time.monotonic()
        while self.step < spec.steps:
            parts = self._update(self.step)
            self.sums = {k: self.sums.get(k, 0.0) + v for k, v in parts.items()}
            self.step += 1
            if self.step % every == 0 or self.step == spec.steps:
                n = (self.step - 1) % every + 1
                means = {k: float(v) / n for k, v in self.sums.items()}  # waits for the device
                self.seconds += time.monotonic() - began
                self._record("train", means)
                self._record("valid", self._validate())
                self.sums, began = {}, time.monotonic()
            now = time.monotonic()
            if now - reported > PROGRESS_SECONDS:
                reported, loss = now, float(sum(parts.values()))
                self._write_progress(loss)
                report(self.step, loss)
            if now - checked > CHECKPOINT_SECONDS and self.step < spec.steps:
                self.seconds += now - began
                self._checkpoint()
                began = checked = time.monotonic()
        self.model.eval()

    def _update(self, step: int) -> dict[str, torch.Tensor]:
        spec = self.spec
        for group in self.optimizer.param_groups:
            group["lr"] = spec.rate(step)
        rng = np.random.default_rng((spec.seed, 2, step))
        batch = self.corpus.batch(self._rows(step))
        inputs, targets = spec.objective.train(batch, rng)
        self.tokens += int(batch.real.sum())
        with _TORCH_GENERATOR:
            self._seed_draws(_seed(spec.seed, 1, step))
            parts = self._losses(inputs, targets)
        loss = sum(parts.values())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, spec.clip)
        self.optimizer.step()
        return {k: v.detach() for k, v in parts.items()}

    def _seed_draws(self, seed: int) -> None:
        if self.model.device.type == "cpu":  # torch.manual_seed would format a traceback besides
            torch.default_generator.manual_seed(seed)
        else:
            torch.manual_seed(seed)

    def _losses(self, inputs, targets) -> dict[str, torch.Tensor]:
        device = self.model.device
        bf16 = self.spec.bf16 and has_bf16(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            return self.model.losses(inputs.to(device), targets.to(device), self.spec.losses)

    @torch.no_grad()
    def _validate(self) -> dict[str, float]:
        """Mean validation losses, under the same masks each time."""
        self.model.eval()
        rows = np.argsort(self.valid.lengths, kind="stable")
        sums: dict[str, float] = {}
        counts: dict[str, int] = {}  # the mean is over targets, not over batches
        for i in range(0, len(rows), 256):
            batch = self.valid.batch(rows[i : i + 256])
            inputs, targets = self.spec.objective.train(batch, np.random.default_rng((0, 3, i)))
            for k, v in self._losses(inputs, targets).items():
                n = len(targets.features) if k == "value" else len(targets.ids)
                sums[k] = sums.get(k, 0.0) + n * float(v)
                counts[k] = counts.get(k, 0) + n
        self.model.train()
        return {k: v / max(1, counts[k]) for k, v in sums.items()}

    def _rows(self, step: int) -> np.ndarray:
        """The texts of a step; the order in an epoch is a function of (seed, epoch)."""
        size = min(self.spec.batch_size, len(self.corpus))
        epoch, k = divmod(step, len(self.corpus) // size)
        if self._epoch != epoch:
            rng = np.random.default_rng((self.spec.seed, 0, epoch))
            self._epoch, self._order = epoch, epoch_order(self.corpus.lengths, size, rng)
        return self._order[k]

    def _record(self, part: str, losses: dict[str, float]) -> None:
        rate = self.spec.rate(self.step - 1)
        row = {"step": self.step, "part": part, "loss": sum(losses.values()), **losses}
        row |= {"learning_rate": rate, "tokens": self.tokens, "seconds": self.seconds}
        self.history.append(row)

    # -- what is stored

    def save(self, folder: Path) -> None:
        import pandas as pd
        from safetensors.torch import save_file

        save_file(_tensors(self.model.state_dict()), folder / "weights.safetensors")
        pd.DataFrame(self.history).to_parquet(folder / "history.parquet", index=False)
        (folder / "spec.json").write_text(json.dumps(store.describe(self.spec), indent=1))

    def _write_progress(self, loss: float) -> None:
        progress = {"step": self.step, "steps": self.spec.steps, "loss": loss}
        progress |= {"name": self.spec.name, "updated": time.time()}
        store.replace(self.folder / "progress.json", lambda p: p.write_text(json.dumps(progress)))

    def _checkpoint(self) -> None:
        from safetensors.torch import save_file

        state = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        for i, p in enumerate(self.parameters):
            state |= {f"adam.{i}.{k}": v for k, v in self.optimizer.state[p].items()}
        place = {"step": self.step, "history": self.history}
        place |= {"tokens": self.tokens, "seconds": self.seconds}
        place["sums"] = {k: float(v) for k, v in self.sums.items()}
        state = _tensors(state)
        meta = {"place": json.dumps(place), "checksum": _checksum(state)}
        target = self.folder / "checkpoint.safetensors"
        store.replace(target, lambda p: save_file(state, p, meta))

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
        for i, p in enumerate(self.parameters):
            names = ("step", "exp_avg", "exp_avg_sq")
            adam = {k: state[f"adam.{i}.{k}"] for k in names if f"adam.{i}.{k}" in state}
            if adam:  # a parameter that never had a gradient has no state
                self.optimizer.state[p] = {k: v.to(p.device) for k, v in adam.items()}
        for name, value in place.items():
            setattr(self, name, value)


def epoch_order(lengths: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """(n_batches, size) texts in random order, texts of similar length together to save padding."""
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
