"""Which number a model answers from its distribution: in closed form, or from samples (RAIL)."""

from dataclasses import dataclass, field

import numpy as np
import torch

from numlab.heads import Distribution, Points
from numlab.numbers import check_count


@dataclass(frozen=True)
class Decision:
    """Which number to answer from a distribution, and how to sample if it has no formula."""

    decide: str | float
    samples: int = 64

    def __post_init__(self):
        named = self.decide in ("mode", "mean", "median", "relative")
        if not named and not (isinstance(self.decide, float) and 0 < self.decide < 1):
            wanted = "decide is 'mode', 'mean', 'median', 'relative' or a level above 0 and below 1"
            raise ValueError(f"{wanted}; got {self.decide!r}")
        check_count("samples", self.samples)

    def of(self, distribution: Distribution) -> np.ndarray:
        """(m,) numbers."""
        if self.decide in ("mode", "mean"):
            return getattr(distribution, self.decide).numpy()
        if self.decide == "relative":
            return distribution.relative_median.numpy()
        level = 0.5 if self.decide == "median" else self.decide
        return distribution.quantile(torch.full_like(distribution.mean, level)).numpy()

    def __call__(self, model, fill, seed: int) -> list[dict]:
        """The columns that `fill` gives for a model, with the numbers decided.

        `seed`: of the samples; batches that share it share their noise.
        """
        tokenizer, head = model.tokenizer, model.tokenizer.head
        # of numbers that a curve (asinh) transforms, the mean is not that of the prediction
        curved = not tokenizer.other_head and tokenizer.encoder.bends
        if not (head and head.closed):
            each = [_Sampler(model, torch.Generator().manual_seed(seed))] * self.samples
            if self.decide == "mode":
                each.append(model)  # its greedy answer
        elif self.decide == "relative" or (self.decide == "mean" and curved):
            levels = (np.arange(self.samples) + 0.5) / self.samples
            each = [_Decided(model, Decision(level)) for level in levels.tolist()]
        else:
            filled = [*map(_of_numbers, fill(_Decided(model, self)))]
            return [{**columns, "dropped": 1.0 - columns["valid"]} for columns in filled]
        return [self._merged(columns) for columns in zip(*map(fill, each), strict=True)]

    def _merged(self, drawn: tuple[dict, ...]) -> dict:
        """One slot's columns from those of each sample."""
        if _of_numbers(drawn[0])["predicted"].dtype.kind == "O":
            beyond = f"{drawn[0]['slot']} has integers beyond float64"
            raise ValueError(f"{beyond}: predict without `decide`")
        numbers = np.stack([c["predicted"].astype(float) for c in drawn])
        points = Points(torch.from_numpy(numbers[: self.samples]))
        predicted, valid = self.of(points), points.valid.numpy()
        if len(numbers) > self.samples:  # of samples that all differ none comes most often
            greedy, often = numbers[-1], (numbers[: self.samples] == predicted).sum(0) > 1
            predicted = np.where(often | np.isnan(greedy), predicted, greedy)
        decided = {"predicted": predicted, "valid": ~np.isnan(predicted), "dropped": 1 - valid}
        return {**drawn[0], **decided}


def _of_numbers(columns: dict) -> dict:
    """The columns of a slot; ValueError for one of words."""
    if columns["predicted"].dtype.kind in "US":
        raise ValueError(f"`decide` takes slots of numbers; {columns['slot']} holds words")
    return columns


@dataclass
class _Wrapped:
    """A model, some of whose methods a subclass replaces."""

    model: torch.nn.Module

    def __getattr__(self, name: str):
        return getattr(self.model, name)


@dataclass
class _Decided(_Wrapped):
    """Wraps a model so that its head returns the decided number."""

    rule: Decision

    def read(self, h: torch.Tensor) -> np.ndarray:
        head, module = self.model.tokenizer.head, self.model.value_head
        if not len(h):
            return self.model.read(h)
        outputs = module(h)
        known = outputs.isfinite().all(1).cpu().numpy()  # else the model has diverged
        numbers = self.rule.of(head.distribution(outputs.cpu()))
        features = head.features(np.where(known, numbers, 0.0))
        features[~known] = np.nan
        return features


@dataclass
class _Sampler(_Wrapped):
    """Wraps a model so that its logits and reads return random samples (Gumbel-max). The model
    itself runs once for each prompt of a batch, for all samples."""

    generator: torch.Generator
    seen: dict = field(default_factory=dict)

    def hidden(self, inputs, reads=None, cache=None) -> torch.Tensor:
        shared = cache is None or (isinstance(cache, list) and not cache[0])
        if not shared:  # a later word, or a cache that is not of blocks
            return self.model.hidden(inputs, reads, cache=cache)
        read = (part for part in (inputs.ids, inputs.features, reads) if part is not None)
        key = inputs.ids.shape, *(part.cpu().numpy().tobytes() for part in read)
        if key not in self.seen:
            kept = None if cache is None else self.model.cache()
            self.seen[key] = self.model.hidden(inputs, reads, cache=kept), kept
        hidden, kept = self.seen[key]
        for own, of_prompt in zip(cache or (), kept or (), strict=True):
            own.update(of_prompt)  # updates replace its tensors, and change none in place
        return hidden

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        """With noise after Gumbel: the greatest is a sample of the softmax."""
        logits = self.model.logits(h)
        noise = torch.empty(logits.shape).exponential_(generator=self.generator).log()
        return logits - noise.to(logits.device)

    def read(self, h: torch.Tensor) -> np.ndarray:
        module = self.model.value_head
        if module is None or not (outputs := module(h).cpu()).isfinite().all():  # it diverged
            return self.model.read(h)
        return self.model.tokenizer.head.draw(outputs, 1, self.generator)[0].numpy()
