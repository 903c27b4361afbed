"""What a model is trained to predict, and how it fills slots in.

Masking, shifting and generation live here. A model sees Inputs and never knows the objective.
"""

from numlab.objectives.base import Answers, Inputs, Objective, Targets
from numlab.objectives.causal import CausalLM
from numlab.objectives.masked import MaskedLM, MaskedWords

__all__ = ["Answers", "CausalLM", "Inputs", "MaskedLM", "MaskedWords", "Objective", "Targets"]
