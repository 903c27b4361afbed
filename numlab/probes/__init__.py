"""Looks inside: each probe turns embeddings or a run into a DataFrame, and draws nothing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
