"""Import the modules beside the notebooks."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def load(name: str) -> ModuleType:
    """The module notebooks/<name>.py, such as "xval/figures"; it can import its neighbours."""
    path = NOTEBOOKS / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"notebooks_{name.replace('/', '_')}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    # other folders have modules of these names, and another test may have imported one
    names = {neighbour.stem for neighbour in path.parent.glob("*.py")} & sys.modules.keys()
    others = {name: sys.modules.pop(name) for name in names}
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
        for key, other in list(sys.modules.items()):
            if (
                other is not module
                and getattr(other, "__file__", None)
                and (Path(other.__file__).parent == path.parent)
            ):
                del sys.modules[key]
        sys.modules.update(others)
    return module
