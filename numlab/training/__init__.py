"""Specs become trained models: one at a time, or side by side on a Dask cluster or with Slurm."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
