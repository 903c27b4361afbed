"""numlab: how should a language model represent numbers?

Every number encoder behind one interface, small models trained with them on the same tasks, the
same probes, and notebooks that regenerate every figure of four papers. `import numlab as nl`.

Docstrings cite papers as (xval, 2.1), section 2.1; figures/catalogue.toml has their titles.

Names are imported when they are first used; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
