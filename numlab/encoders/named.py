"""Encoders by name, for a command line: numlab's, and those of a module of the user's own."""

import ast
import importlib
import inspect
import os
import sys

from numlab.encoders.base import Encoder


def named(text: str) -> Encoder:
    """The encoder that a text names; without parentheses, with its defaults.

    Arguments are plain values. "module:Class" is from a module that Python finds, the working
    folder included. ValueError for a text that names no encoder, or for arguments that it refuses.

    >>> named("BitTokens(bits=32)").bits, str(named("numlab.encoders:P10"))
    (32, 'P10')
    """
    module, _, call = text.partition(":") if ":" in text.partition("(")[0] else ("", "", text)
    try:
        tree = ast.parse(call, mode="eval").body
        function = tree.func if isinstance(tree, ast.Call) else tree
        name = ast.unparse(function)
        args = [ast.literal_eval(a) for a in getattr(tree, "args", [])]
        options = {k.arg: ast.literal_eval(k.value) for k in getattr(tree, "keywords", [])}
    except (SyntaxError, ValueError, TypeError):
        raise ValueError(f"an encoder is written like BitTokens(bits=32); got {text!r}") from None
    if module and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        source = importlib.import_module(module or "numlab.encoders")
    except (ImportError, SyntaxError, TypeError) as error:
        raise ValueError(f"the module {module!r} cannot be imported: {error}") from None
    kind = getattr(source, name, None)
    if not _is_encoder(kind):
        if module and kind is not None:
            wanted = "expected a subclass of numlab.Encoder whose abstract methods are all defined"
            raise ValueError(f"{text!r} is not an encoder: {wanted}")
        held = [key for key, value in vars(source).items() if _is_encoder(value)]
        alike = [key for key in held if key.lower() == name.lower()]
        there = f"did you mean {alike[0]}?" if alike else f"there are {', '.join(held) or 'none'}"
        own = "" if module or alike else ", and mymodule:MyEncoder"
        raise ValueError(f"no encoder is named {name!r}; {there}{own}")
    try:
        return kind(*args, **options)
    except (TypeError, AttributeError) as error:
        wanted = f"it is {name}({', '.join(inspect.signature(kind).parameters)})"
        raise ValueError(f"{text!r} is not an encoder: {error}; {wanted}") from None


def _is_encoder(kind) -> bool:
    concrete = isinstance(kind, type) and not inspect.isabstract(kind)
    return concrete and issubclass(kind, Encoder)
