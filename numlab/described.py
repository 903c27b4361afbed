"""Serialise specs, encoders and heads to JSON, for digests and stored runs, and restore them."""

import dataclasses
import importlib
from typing import Any

import numpy as np

FLOATS = ("float", "float | None", float, float | None)  # how a field may be declared


class ForeignClass(ValueError):
    """Stored JSON names a class outside numlab and the allowed modules."""


def changed(value: Any) -> dict[str, Any]:
    """The fields of a spec that are not the defaults."""
    every = ((f, getattr(value, f.name)) for f in dataclasses.fields(value))
    return {f.name: own for f, own in every if own != f.default}


def is_frozen(value: Any) -> bool:
    """Whether a value is of a frozen dataclass, or of a class that adds no fields to one."""
    cls = type(value)
    made = "__init__" not in vars(cls) or "__dataclass_params__" in vars(cls)
    return made and dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen


def short(value: Any) -> str:
    """The class of a spec and the fields that are not the defaults, such as "XVal(k=2)"."""
    listed = ", ".join(f"{name}={_part(own)}" for name, own in changed(value).items())
    return f"{type(value).__name__}({listed})" if listed else type(value).__name__


def _part(value: Any) -> str:
    """A field as text; of long tuples the ends."""
    if not isinstance(value, tuple):
        return repr(_plain(value))
    if len(value) > 12:
        ends = (float(f"{x:.6g}") if isinstance(x, float) else x for x in (value[0], value[-1]))
        return f"({f', ... {len(value)} ..., '.join(map(_part, ends))})"
    parts = [_part(part) for part in value]
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def describe(value: Any) -> Any:
    """A spec as JSON: classes by their importable name and version, fields by value.

    A field whose default is None is left out while it is None: a class can gain one, and the
    digests of older runs stay. A field declared `float` writes 1 as 1.0, so that equal specs have
    one digest; elsewhere 1 and 1.0 have two.
    ValueError for a class that another process could not import, or for any other kind of value.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        cls = type(value)
        if cls.__module__ == "__main__" or "." in cls.__qualname__:
            first = "must be importable by its name before its runs are stored"
            raise ValueError(f"{cls.__qualname__} {first}: move it to a file and import it")
        if not is_frozen(value):
            raise ValueError(f"{cls.__qualname__} needs @dataclass(frozen=True) above it")
        name = f"{cls.__module__}.{cls.__qualname__}"
        described = {"class": name, "version": getattr(cls, "version", 1)}
        for f in dataclasses.fields(value):
            part = _plain(getattr(value, f.name))
            if f.type in FLOATS and type(part) is int:
                part = float(part)
            if f.type in ("bool", bool) and not isinstance(part, bool):  # "no" would count as True
                raise ValueError(f"{f.name} is True or False; got {part!r} in {cls.__qualname__}")
            if part is not None or f.default is not None:
                described[f.name] = describe(part)
        return described
    if isinstance(value, tuple):
        return [describe(v) for v in value]
    value = _plain(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    hint = ": write a tuple" if isinstance(value, list) else ""
    raise ValueError(f"a spec holds plain values; got {value!r} ({type(value).__name__}){hint}")


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value


def restore(description: Any, modules: str | tuple[str, ...] = ()) -> Any:
    """The spec that `describe` described.

    It can only name dataclasses of numlab and of the given modules and packages; any other class
    raises ForeignClass, and fields that a class does not have raise ValueError.
    """
    modules = (modules,) if isinstance(modules, str) else modules
    if isinstance(description, list):
        return tuple(restore(v, modules) for v in description)
    if not isinstance(description, dict):
        return description
    beside = ("class", "version")
    fields = {k: restore(v, modules) for k, v in description.items() if k not in beside}
    module, _, name = str(description.get("class")).rpartition(".")
    allowed = ("numlab", *modules)
    if not any(module == m or module.startswith(f"{m}.") for m in allowed):
        other = f"got {module}.{name}, whose module is not among `modules`: if you trust it, add it"
        raise ForeignClass(f"classes are from {', '.join(allowed)}; {other}")
    try:
        cls = getattr(importlib.import_module(module), name, None)
    except ImportError:  # a module that is no more
        cls = None
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        wanted = "a stored class is a dataclass, such as an encoder or a task"
        raise ForeignClass(f"{wanted}; got {module}.{name}, which is not one or is gone")
    try:
        return cls(**fields)
    except TypeError as error:
        told = f"{name} does not take the stored fields (of an older version, perhaps)"
        raise ValueError(f"{told}: {error}") from None
