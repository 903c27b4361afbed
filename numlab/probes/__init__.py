"""Looks inside: each probe turns embeddings or a run into a DataFrame, and draws nothing."""

from numlab.probes.interpolation import interpolation
from numlab.probes.logits import expectation, logit_scan
from numlab.probes.neighbours import neighbour_f1
from numlab.probes.operand_lengths import by_operand_lengths
from numlab.probes.pca import pca
from numlab.probes.response import largest_jumps, response
from numlab.probes.spectrum import spectrum
from numlab.probes.tokens import token_counts

__all__ = [
    "by_operand_lengths",
    "expectation",
    "interpolation",
    "largest_jumps",
    "logit_scan",
    "neighbour_f1",
    "pca",
    "response",
    "spectrum",
    "token_counts",
]
