"""Tasks: texts about numbers to train on. A new task is a file and a line in `__init__.pyi`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
