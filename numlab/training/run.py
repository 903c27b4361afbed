"""A trained model in the store."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from numlab import store
from numlab.examples import Examples
from numlab.tokenizer import Tokenizer
from numlab.training.spec import RunSpec

if TYPE_CHECKING:
    from numlab.models import Transformer
    from numlab.pretrained import PretrainedModel


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
    def model(self) -> Transformer | PretrainedModel:
        """The trained model, in eval mode, on the best device that there is."""
        from safetensors.torch import load_file

        store.mark_used(self.digest)
        model = self.spec.model.build(self.tokenizer)
        model.load_state_dict(load_file(self.folder / "weights.safetensors"))
        return model.to(best_device()).eval()

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


def best_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def has_bf16(device: torch.device) -> bool:
    """Whether it has units for bfloat16: emulated, that is several times slower than float32."""
    units = ("amx_bf16", "avx512_bf16", "bf16")  # the last: ARM
    return device.type != "cpu" or any(map(torch.cpu.get_capabilities().get, units))
