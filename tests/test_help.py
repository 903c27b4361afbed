"""help() of a public name has an example; pytest runs all of them (--doctest-modules)."""

from __future__ import annotations

import inspect

import numlab as nl


def public() -> dict[str, object]:
    """Classes and functions that numlab or a public module exports, by full name."""
    modules = [nl, *(part for part in map(nl.__getattr__, nl.__all__) if inspect.ismodule(part))]
    found = [getattr(m, name) for m in modules for name in getattr(m, "__all__", ())]
    found = [x for x in found if inspect.isclass(x) or inspect.isfunction(x)]
    return {f"{x.__module__}.{x.__qualname__}".removeprefix("numlab."): x for x in found}


def test_every_public_name_has_an_example():
    without = {name for name, x in public().items() if ">>> " not in (x.__doc__ or "")}
    assert len(public()) > 150
    assert without == set()
