"""numlab: how should a language model represent numbers?

Every encoder of four papers behind one interface, small models trained with them on the same
tasks, the same probes, and notebooks that regenerate every figure. `import numlab as nl`.
"""

from importlib import import_module

_PUBLIC = {
    "examples": ("Slot", "Layout", "Examples", "parse"),
    "encoders": (
        "Encoder",
        "ValueEncoder",
        "Tokens",
        "P10",
        "P1000",
        "B1999",
        "FP15",
        "XVal",
        "FoNE",
        "IEEE754",
        "LogBins",
        "Aggregate",
        "VariableLength",
        "FoNEDigits",
        "Digits",
        "DigitValues",
        "Subword",
        "IntegerVocabulary",
    ),
    "tasks": ("Task",),
    "tokenizer": ("Tokenizer",),
    "objectives": ("MaskedLM", "MaskedWords", "CausalLM"),
    "models": ("ModelSpec", "GPT2", "Llama", "Transformer", "Abacus"),
    "losses": ("AggregateLoss",),
    "training": ("RunSpec", "Run", "train", "train_all", "choose_learning_rates", "step_costs"),
    "evaluation": ("predict",),
    "metrics": ("score",),
    "embeddings": ("Embeddings",),
    "figures.filing": ("begin", "save_figure", "save_table", "claim"),
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}
_MODULES = (
    "encoders",
    "heads",
    "losses",
    "metrics",
    "models",
    "objectives",
    "tasks",
    "baselines",
    "compare",
    "evaluation",
    "embeddings",
    "pretrained",
    "probes",
    "plots",
    "widgets",
    "store",
)

__all__ = sorted((*_HOME, *_MODULES))


def __getattr__(name: str):
    """Public names are imported when they are first asked for: `import numlab` stays light."""
    if name in _HOME:
        value = getattr(import_module(f"numlab.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"numlab.{name}")
    else:
        raise AttributeError(f"module 'numlab' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
