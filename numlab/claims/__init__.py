"""The claims as data, the gates that runs must pass, and the verdicts that samples give."""

from numlab.claims import gates
from numlab.claims.gates import Gate
from numlab.claims.registry import Claim, claims
from numlab.claims.verdict import Part, Verdict, WrongSamplesError, judge

__all__ = ["Claim", "Gate", "Part", "Verdict", "WrongSamplesError", "claims", "gates", "judge"]
