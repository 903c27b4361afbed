"""Training: the loop, its checkpoints, and what is stored.

Every random draw is a function of (seed, step): an interrupted run resumes from its last
checkpoint and ends with the same weights, to the bit on a CPU.
"""

import contextlib
import json
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save

from numlab import store
from numlab.corpus import Corpus
from numlab.encoders.checks import check_slots
from numlab.examples import matches
from numlab.objectives import Objective
from numlab.training import processes
from numlab.training.curriculum import CHECKS, Course
from numlab.training.own_code import OWN_CODE, own_code, warn_if_changed
from numlab.training.run import TORCH_GENERATOR, Run, autocast, best_device, float32_weights
from numlab.training.spec import RunSpec

CHECKPOINT_SECONDS = 20.0
PROGRESS_SECONDS = 1.0


def train(spec: RunSpec) -> Run:
    """The run of a spec: from the store, or trained now, on a GPU if there is one.

    It shows a progress bar; an interrupted training goes on from its last checkpoint.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.train(spec).spec.name
    'Addition · P10 · seed 0'
    """
    from tqdm.auto import tqdm

    if not isinstance(spec, RunSpec):
        raise ValueError(f"train takes a RunSpec, train_all several; got a {type(spec).__name__}")
    with tqdm(total=spec.steps, desc=spec.name, delay=1) as bar:

        def report(step: int, loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.4g}", refresh=False)
            bar.update(step - bar.n)

        run = fit_in_store(spec, report)
        bar.update(spec.steps - bar.n)  # a notebook paints an unfinished bar red
    run.warn_if_diverged()
    return run


def fit_in_store(spec: RunSpec, report: Callable[[int, float], None]) -> Run:
    """The run of a spec, trained now if it is missing; `report` is called with step and loss."""
    run, first = Run(spec), processes.rank() == 0
    with store.lock(run.folder) if first else contextlib.nullcontext():
        if processes.from_rank_0(first and store.intact(run.folder)):
            warn_if_changed(run.folder, spec)
        else:
            with as_trained(spec.threads):
                fit = Fit(spec, run.digest)
                fit.loop(report)
            if first:
                store.write(run.folder, fit.save)
        if first:
            shutil.rmtree(store.partial_dir(run.digest), ignore_errors=True)
    processes.from_rank_0(True)  # the run is there
    return run


@contextlib.contextmanager
def as_trained(n: int) -> Iterator[None]:
    """Run a block on n of torch's threads, with gradients and without autocast, whatever the user
    has set, as for probes."""
    plain = autocast(best_device(), False)
    with threads(n), torch.inference_mode(False), torch.enable_grad(), plain:
        yield


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
        self.own_code = own_code(spec)  # now: somebody may edit it before the training ends
        tokenizer, answers = spec.tokenizer(), spec.objective.answers
        valid = spec.examples("valid")
        if spec.encoder:
            check_slots(spec.encoder, valid, answers)
        self.corpus = tokenizer(spec.examples("train"), answers)
        self.valid = tokenizer(valid, answers)
        if not self.corpus.in_slots(spec.objective.only).any():
            slots = ", ".join(slot.name for slot in self.corpus.examples[0].layout.slots[:12])
            raise ValueError(f"no slot fits {spec.objective}; the layout has {slots}")
        # the user's draws on the CPU go on as before
        with TORCH_GENERATOR, torch.random.fork_rng(devices=[]), float32_weights():
            torch.manual_seed(spec.seed)
            self.model = spec.model.build(tokenizer).to(best_device()).train()
        if spec.start:
            self.model.start_from(fit_in_store(spec.start, lambda step, loss: None).model)
        self.parameters = self._trainable()
        self._check_lengths()
        matrices = {"params": [p for p in self.parameters if p.ndim >= 2]}
        others = {"params": [p for p in self.parameters if p.ndim < 2], "weight_decay": 0.0}
        # our choice: AdamW's betas are 0.9 and 0.95; the papers are silent
        self.optimizer = torch.optim.AdamW(
            [matrices, others], weight_decay=spec.weight_decay, betas=(0.9, 0.95), fused=True
        )
        self.step, self.history, self.tokens, self.seconds = 0, [], 0, 0.0
        self.sums: dict[str, float | torch.Tensor] = {}  # of the losses since the last record
        self._epoch = -1
        self.course = None
        if spec.curriculum:
            self.course = Course(spec.curriculum, spec.task, self.corpus, self.valid)
        self._resume()

    @torch.no_grad()
    def _check_lengths(self) -> None:
        """Read the longest texts: positions may not reach so far, an error now and not later."""
        self.model.eval()  # some positions are drawn in training
        for corpus in (self.corpus, self.valid):
            longest = corpus.batch(corpus.lengths.argmax(keepdims=True))
            inputs, targets = self.spec.objective.train(longest, np.random.default_rng(0))
            device = self.model.device
            self.model.hidden(inputs.to(device), targets.reads.to(device))
        self.model.train()

    def _trainable(self) -> list[torch.nn.Parameter]:
        """The parameters to be trained; the others get no gradient."""
        patterns = ("*",) if self.spec.trainable is None else self.spec.trainable
        for name, parameter in self.model.named_parameters():
            parameter.requires_grad_(matches(name, patterns) and parameter.requires_grad)
        if trained := [p for p in self.model.parameters() if p.requires_grad]:
            return trained
        names = ", ".join(name for name, _ in self.model.named_parameters())
        raise ValueError(f"no parameter fits trainable={patterns}; the model has {names}")

    def loop(self, report: Callable[[int, float], None]) -> None:
        """Train to the last step. `seconds` leaves out validation and checkpoints, not the checks
        of a curriculum."""
        self.folder.mkdir(parents=True, exist_ok=True)
        spec, reported, every = self.spec, 0.0, max(1, self.spec.steps // 10)
        began = checked = time.monotonic()
        while self.step < spec.steps:
            parts = self._update(self.step)
            names = self.sums | parts  # a batch may lack a part
            self.sums = {k: self.sums.get(k, 0.0) + parts.get(k, 0.0) for k in names}
            self.step += 1
            checks = self.step * CHECKS // spec.steps
            if self.course and checks > (self.step - 1) * CHECKS // spec.steps:
                self.course.check(self._right, self.step / spec.steps)
            if self.step % every == 0 or self.step == spec.steps:
                n = (self.step - 1) % every + 1
                means = {k: float(v) / n for k, v in self.sums.items()}  # waits for the device
                self.seconds += time.monotonic() - began
                self._record("train", means)
                self._record("valid", self._validate())
                self.sums, began = {}, time.monotonic()
            now = time.monotonic()
            if now - reported > PROGRESS_SECONDS:
                reported = now
                self._write_progress()
                report(self.step, float(sum(parts.values())))
            if now - checked > CHECKPOINT_SECONDS and self.step < spec.steps:
                self.seconds += now - began
                self._checkpoint()
                began = checked = time.monotonic()
        self.model.eval()

    def _update(self, step: int) -> dict[str, torch.Tensor]:
        spec = self.spec
        for group in self.optimizer.param_groups:
            group["lr"] = spec.rate(step)
        batch = self.corpus.batch(self._rows(step))
        inputs, targets = spec.objective.train(batch, np.random.default_rng((spec.seed, 2, step)))
        self.tokens += int(batch.real.sum())
        entropy = np.random.SeedSequence((spec.seed, 1, step))
        with TORCH_GENERATOR, torch.random.fork_rng(devices=[]):
            # torch.manual_seed formats a traceback besides: slow where the generator alone will do
            on_cpu = self.model.device.type == "cpu"
            seed = torch.default_generator.manual_seed if on_cpu else torch.manual_seed
            seed(int(entropy.generate_state(1)[0]))
            parts = processes.losses(self._losses, inputs, targets)
        self.optimizer.zero_grad(set_to_none=True)
        if (total := sum(parts.values())).requires_grad:  # a batch may ask for no trained part
            total.backward()
        parts = processes.add_up(self.parameters, parts)
        torch.nn.utils.clip_grad_norm_(self.parameters, spec.clip)
        self.optimizer.step()
        return parts

    def _losses(self, inputs, targets) -> dict[str, torch.Tensor]:
        device = self.model.device
        with autocast(device, self.spec.bf16):
            return self.model.losses(inputs.to(device), targets.to(device), self.spec.losses)

    def _validate(self) -> dict[str, float]:
        self.model.eval()
        losses = validation_losses(self.valid, self.spec.objective, self._losses)
        self.model.train()
        return losses

    @torch.no_grad()
    def _right(self, rows: np.ndarray) -> np.ndarray:
        """Which validation texts are answered exactly, each token after the true ones before it."""
        self.model.eval()
        inputs, targets = self.spec.objective.ask(self.valid.batch(rows), self.spec.objective.only)
        device = self.model.device
        right = self.model.right(inputs.to(device), targets.to(device)).cpu().numpy()
        self.model.train()
        return np.bincount(targets.row.numpy()[~right], minlength=len(rows)) == 0

    def _rows(self, step: int) -> np.ndarray:
        """The texts of a step; the order in an epoch is a function of (seed, epoch)."""
        size = min(self.spec.batch_size, len(self.corpus))
        if self.course:
            return self.course.rows(size, np.random.default_rng((self.spec.seed, 0, step)))
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

    def save(self, folder: Path) -> None:
        """What the store keeps of a run."""
        import pandas as pd

        _save_tensors(folder / "weights.safetensors", self.model.state_dict())
        pd.DataFrame(self.history).to_parquet(folder / "history.parquet", index=False)
        (folder / "spec.json").write_text(json.dumps(store.describe(self.spec), indent=1))
        if self.own_code:
            (folder / OWN_CODE).write_text(json.dumps(self.own_code, indent=1))

    def _write_progress(self) -> None:
        """Write the step to progress.json for other processes."""
        if processes.rank():
            return
        name = f"{self.spec.name} · rate {self.spec.learning_rate:g}"  # a search has several
        now = {"name": name, "step": self.step, "steps": self.spec.steps, "updated": time.time()}
        store.replace(self.folder / "progress.json", lambda path: path.write_text(json.dumps(now)))

    def _checkpoint(self) -> None:
        if processes.rank() == 0:
            store.write(self.folder / "checkpoint", self._save_checkpoint)

    def _save_checkpoint(self, folder: Path) -> None:
        _save_tensors(folder / "weights.safetensors", self.model.state_dict())
        moments = {
            f"{i}.{name}": value
            for i, p in enumerate(self.parameters)
            for name, value in self.optimizer.state[p].items()
        }
        _save_tensors(folder / "moments.safetensors", moments)
        state = {k: getattr(self, k) for k in ("step", "history", "tokens", "seconds", "own_code")}
        state["sums"] = {k: float(v) for k, v in self.sums.items()}
        if self.course:
            state["reached"] = self.course.reached
        (folder / "state.json").write_text(json.dumps(state))

    def _resume(self) -> None:
        """Go on from the checkpoint, if there is an intact one."""
        folder = self.folder / "checkpoint"
        if not processes.from_rank_0(processes.rank() == 0 and store.intact(folder)):
            return
        state = json.loads((folder / "state.json").read_text())
        if state.pop("own_code", {}) != self.own_code:
            warnings.warn(f"{self.spec.name} starts anew: your class has changed", stacklevel=4)
            return
        self.model.load_state_dict(load_file(folder / "weights.safetensors"))
        for key, value in load_file(folder / "moments.safetensors").items():
            i, _, name = key.partition(".")
            parameter = self.parameters[int(i)]
            self.optimizer.state[parameter][name] = value.to(parameter.device)
        if self.course:
            self.course.reached = state.pop("reached")
        for name, value in state.items():
            setattr(self, name, value)


@torch.no_grad()
def validation_losses(
    corpus: Corpus, objective: Objective, losses: Callable[..., dict[str, torch.Tensor]]
) -> dict[str, float]:
    """Mean losses over all targets of a corpus, under the same masks each time.

    `losses` gives those of a batch's inputs and targets.
    """
    rows = np.argsort(corpus.lengths, kind="stable")
    sums, counts = Counter(), Counter()
    for i in range(0, len(rows), 256):
        batch = corpus.batch(rows[i : i + 256])
        inputs, targets = objective.train(batch, np.random.default_rng((0, 3, i)))
        for k, v in losses(inputs, targets).items():
            n = len(targets.features) if k == "value" else len(targets.ids)
            sums[k] += n * float(v)
            counts[k] += n
    return {k: v / max(1, counts[k]) for k, v in sums.items()}


def epoch_order(lengths: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """(n_batches, size) texts in random order, texts of similar length together to save padding."""
    n = len(lengths) // size
    rows = rng.permutation(np.arange(len(lengths), dtype=np.int32))[: n * size]
    pool = 50 * size  # sorted within a pool of batches: the order stays nearly random
    for i in range(0, len(rows), pool):
        part = rows[i : i + pool]
        rows[i : i + pool] = part[np.argsort(lengths[part], kind="stable")]
    return rng.permutation(rows.reshape(n, size))


def _save_tensors(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    # on a full disk save_file raises its own error, not OSError
    path.write_bytes(save({k: v.detach().cpu().contiguous() for k, v in tensors.items()}))
