"""The claims as data, the gates that runs must pass, and the verdicts that samples give."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
