"""Looks inside: each probe turns embeddings or a run into a DataFrame, and draws nothing."""

from numlab.probes.calibration import calibration
from numlab.probes.circle import around_a_circle
from numlab.probes.interpolation import interpolation
from numlab.probes.length_cues import length_cues, negated, sign_and_size
from numlab.probes.linear import linear, text_vectors
from numlab.probes.logits import NumberLogits, expectation, logit_scan, number_logits
from numlab.probes.neighbours import digit_f1, nearby, neighbour_f1
from numlab.probes.operand_lengths import by_operand_lengths
from numlab.probes.pca import pca
from numlab.probes.response import largest_jumps, response
from numlab.probes.spectrum import spectrum
from numlab.probes.tokens import token_counts
from numlab.probes.trajectories import trajectories

__all__ = [
    "NumberLogits",
    "around_a_circle",
    "by_operand_lengths",
    "calibration",
    "digit_f1",
    "expectation",
    "interpolation",
    "largest_jumps",
    "length_cues",
    "linear",
    "logit_scan",
    "nearby",
    "negated",
    "neighbour_f1",
    "number_logits",
    "pca",
    "response",
    "sign_and_size",
    "spectrum",
    "text_vectors",
    "token_counts",
    "trajectories",
]
