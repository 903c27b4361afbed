"""What a pretrained model with an embedding of bits consists of (float, Figures 1 and 3)."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import torch

import numlab as nl
from numlab.objectives import Inputs
from numlab.pretrained.model import PretrainedModel


def count(parameters: Iterable[torch.Tensor]) -> int:
    """How many weights these are."""
    return sum(p.numel() for p in parameters)


@torch.no_grad()
def module_steps(module: torch.nn.Module, number: float) -> pd.DataFrame:
    """Each vector in the module of Eq. 3, from a number's bits to its embedding.

    The columns are step, made_by, entry and value.
    """
    w1, w2, w3 = (layer.weight for layer in module.layers)
    x = torch.from_numpy(nl.IEEE754().features([number])).float()[0]
    x1 = torch.relu(w1 @ x)
    between = torch.relu(w2 @ x1)
    x2 = w3 @ between
    steps = [
        (f"$x$: bits of {number:g}", "", x),
        ("$x_1$", _product("$\\mathrm{ReLU}(W_1 x)$", w1), x1),
        ("between", _product("$\\mathrm{ReLU}(W_2 x_1)$", w2), between),
        ("$x_2$", _product("$W_3$ · between", w3), x2),
        ("embedding", "$\\mathrm{ReLU}(x_1 + x_2)$", torch.relu(x1 + x2)),
    ]
    columns = [
        {"step": step, "made_by": by, "entry": np.arange(len(v)), "value": v.numpy()}
        for step, by, v in steps
    ]
    return pd.concat(map(pd.DataFrame, columns), ignore_index=True)


def _product(formula: str, weight: torch.Tensor) -> str:
    rows, columns = weight.shape
    return f"{formula},  {columns} × {rows} = {rows * columns:,} weights, not trained"


def masked_text(model: PretrainedModel, text: str, word: str) -> tuple[Inputs, pd.DataFrame]:
    """A text with one word masked, for a model, and its tokens.

    The frame has the columns word, kind, note and target, a row for each token, as `figures.model`
    draws them.
    """
    corpus = model.tokenizer(nl.parse([text]))
    batch, offset = corpus.batch(np.arange(1)), model.tokenizer.offset
    name = model.tokenizer.text.tokenizer.convert_ids_to_tokens
    position = name(batch.ids[0].clip(0, offset - 1)).index(word)
    inputs, _ = nl.MaskedWords().hide_one(batch, np.array([position]))
    numbers = iter(corpus.examples[0].numbers[0])
    rows = []
    for i, id in enumerate(inputs.ids[0].tolist()):
        if id >= offset:
            rows.append(("[NUM]", "number", f"{next(numbers):g}", ""))
        elif i == position:
            rows.append((name(id), "mask", "", word))
        else:
            rows.append((name(id), "literal", "", ""))
    return inputs, pd.DataFrame(rows, columns=["word", "kind", "note", "target"])


def new_weights(model: PretrainedModel) -> list[torch.nn.Parameter]:
    """The weights that the pretrained model does not have: of the embedding and the head."""
    head = [*model.head.parameters(), model.bias]
    return [*model.embed.values.parameters(), model.embed.words, *head]


def parts(model: PretrainedModel) -> pd.DataFrame:
    """The parts of a model, as `figures.model` draws them.

    The columns are text and learned, the rows words, numbers, trunk and head.
    """
    table = model.embed.table.weight
    blocks = count(model.trunk.parameters()) - table.numel()
    head, module = [*model.head.parameters(), model.bias], model.embed.values.parameters()
    rows = {
        "words": (f"words: the model's own table, {table.shape[0]:,} × {table.shape[1]}", False),
        "numbers": (f"numbers: 32 bits, three linear layers, {count(module):,} weights", True),
        "trunk": (f"all-MiniLM-L6-v2: {model.spec.n_layer} blocks, {blocks:,} weights", False),
        "head": (f"a new head, {count(head):,} weights,\nover the frozen table of words", True),
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["text", "learned"])


@torch.no_grad()
def misread_tokens(model: PretrainedModel, inputs: Inputs, numbers: list[float]) -> int:
    """How many tokens do not take their vector from the model's own table or, if they are
    numbers, from the module."""
    embedded, ids = model.embed(inputs)[0], inputs.ids[0]
    is_word = ids < model.tokenizer.offset
    features = torch.from_numpy(nl.IEEE754().features(numbers))
    expected = torch.empty_like(embedded)
    expected[is_word] = model.embed.table(ids[is_word])
    expected[~is_word] = model.embed.values(features, model.embed.words)
    return int((~torch.isclose(embedded, expected)).any(1).sum())
