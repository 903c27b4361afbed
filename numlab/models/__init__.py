"""Models: one transformer, and what every model is."""

from numlab.models.base import Architecture, Model
from numlab.models.positions import Abacus, Absolute, Position
from numlab.models.transformer import GPT2, Llama, ModelSpec, NumberEmbedding, Transformer

__all__ = [
    "GPT2",
    "Abacus",
    "Absolute",
    "Architecture",
    "Llama",
    "Model",
    "ModelSpec",
    "NumberEmbedding",
    "Position",
    "Transformer",
]
