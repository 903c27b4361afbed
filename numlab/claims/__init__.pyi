from . import gates as gates
from .gates import Gate as Gate
from .registry import Claim as Claim
from .registry import claims as claims
from .verdict import Verdict as Verdict
from .verdict import WrongSamplesError as WrongSamplesError
from .verdict import judge as judge
