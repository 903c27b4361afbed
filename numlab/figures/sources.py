"""Which modules of numlab a notebook can reach: a change of any other does not touch its figures.

Found by reading, nothing is imported: from the names that code uses to the modules that define
them, and on through the names that those use.
"""

from __future__ import annotations

import ast
from functools import cache

from numlab.figures.provenance import all_modules, module_path, parsed


def reached(cells: list[ast.Module]) -> list[str]:
    """The modules that cells of code use, and those that they use.

    Examples
    --------
    >>> reached([ast.parse("import numlab as nl"), ast.parse("nl.plots.bars(frame)")])
    ['numlab.plots.bars', 'numlab.plots.style']
    """
    found: set[str] = set()
    new = _used(cells)
    while new:
        found |= new
        new = set().union(*map(_used_by, new)) - found
    return sorted(found)


@cache
def _used_by(module: str) -> set[str]:
    return _used([parsed(module_path(module).read_text("utf-8"))])


def _used(trees: list[ast.Module]) -> set[str]:
    names = _Names()
    for tree in trees:
        names.visit(tree)
    used = (
        _defined_in(*names.imported[root], *rest)
        for root, *rest in names.chains
        if root in names.imported
    )
    return set().union(*used) & all_modules()


class _Names(ast.NodeVisitor):
    """What code imports from numlab, by its name there, and the dotted names that it uses."""

    def __init__(self):
        self.imported: dict[str, tuple[str, ...]] = {}
        self.chains: list[tuple[str, ...]] = []

    def visit_If(self, node):
        checking = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in node.orelse if checking else (node.test, *node.body, *node.orelse):
            self.visit(part)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] == "numlab":
                self.imported[alias.asname or "numlab"] = (
                    alias.name if alias.asname else "numlab",
                )

    def visit_ImportFrom(self, node):
        if (node.module or "").split(".")[0] == "numlab":
            self.imported |= {a.asname or a.name: (node.module, a.name) for a in node.names}

    def visit_Name(self, node):
        self.chains.append((node.id,))

    def visit_Attribute(self, node):
        chain, inner = [], node
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            self.chains.append((inner.id, *reversed(chain)))
        else:
            self.visit(inner)


def _defined_in(module: str, *names: str) -> set[str]:
    """The module that defines `module.name...`; where a package is all that is named, all of it."""
    if not _is_package(module):
        return {module}
    if names:
        name, *rest = names
        if name in _exports(module):
            return _defined_in(_exports(module)[name], name, *rest)
        if module_path(f"{module}.{name}"):
            return _defined_in(f"{module}.{name}", *rest)
    return {m for m in all_modules() if m.startswith(f"{module}.")}


def _is_package(module: str) -> bool:
    path = module_path(module)
    return path is not None and path.name == "__init__.py"


@cache
def _exports(package: str) -> dict[str, str]:
    """The modules from which a package has its names."""
    tree = parsed(module_path(package).read_text("utf-8"))
    for node in tree.body:  # numlab imports its names when they are asked for
        if isinstance(node, ast.Assign) and node.targets[0].id == "_PUBLIC":
            homes = ast.literal_eval(node.value)
            return {name: f"numlab.{home}" for home, names in homes.items() for name in names}
    names = _Names()
    names.visit(tree)
    return {name: module for name, (module, *_) in names.imported.items()}
