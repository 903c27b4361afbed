"""Vectors of numbers from any source: what every probe of an embedding reads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import torch

from numlab.codes import as_column
from numlab.corpus import Batch, Corpus, fitting
from numlab.encoders import Encoder
from numlab.examples import Examples, Layout, by_index
from numlab.numbers import check_held, shown
from numlab.objectives import MaskedLM
from numlab.training import Run
from numlab.training.run import TORCH_GENERATOR, float32_weights

__all__ = ["Embeddings", "from_encoder", "from_pretrained", "from_run", "from_words"]
__all__ += ["text_vectors", "token_vectors"]

TEXTS = 256  # read at once


@dataclass(frozen=True, eq=False)
class Embeddings:
    """One vector for each of n numbers.

    Parameters
    ----------
    numbers : (n,), all different: float64, or Python ints beyond it in an object array.
    vectors : (n, d), finite; float32 or float64.
    source : where they come from, for captions.
    layer : 0: the input of a model's blocks; i: the output of its i-th; None: not of a layer.

    >>> len(nl.Embeddings([1, 2, 3], np.eye(3), "one-hot"))
    3
    """

    numbers: np.ndarray
    vectors: np.ndarray
    source: str
    layer: int | None = None

    def __post_init__(self):
        numbers, vectors = as_column(self.numbers), np.asarray(self.vectors)
        check_held(numbers, "numbers")
        ordered, n = np.sort(numbers), len(numbers)
        if len(twice := ordered[1:][ordered[1:] == ordered[:-1]]):
            raise ValueError(f"each number has one vector; {twice[0]} comes twice")
        if vectors.ndim != 2 or len(vectors) != n or vectors.shape[1] == 0:
            raise ValueError(f"{n} numbers need vectors ({n}, d); got {vectors.shape}")
        if vectors.dtype not in (np.float32, np.float64):
            vectors = vectors.astype(np.float32 if vectors.dtype == np.float16 else np.float64)
        if not (finite := np.isfinite(vectors).all(axis=1)).all():
            raise ValueError(f"vectors are finite; the vector of {numbers[finite.argmin()]} is not")
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "vectors", vectors)

    def __len__(self) -> int:
        return len(self.numbers)

    def _repr_html_(self) -> str:
        """In a notebook: the source, and the first entries of the first vectors."""
        import pandas as pd

        names = map(shown, self.numbers[:5].tolist())
        first = pd.DataFrame(self.vectors[:5, :6], index=names)
        layer = "" if self.layer is None else f", layer {self.layer}"
        n, d = self.vectors.shape
        head = f"<b>{escape(self.source)}</b>{layer}: {n:,} vectors of {d} entries"
        return head + first.to_html(float_format="{:.3g}".format)


def from_encoder(
    encoder: Encoder, numbers: np.ndarray, d_model: int = 64, seed: int = 0
) -> Embeddings:
    """The (n, d_model) vectors of numbers in an untrained model.

    Words have normal vectors of length about 1, and the encoder's embedding module has its initial
    weights, all drawn from `seed`. The vector of a number is the mean over its tokens, without
    positions: under a text encoder, permutations of the same tokens coincide. ValueError for a
    number beyond `encoder.bounds`, and for an encoder by column: `encoder.at(column)` is of one.

    >>> nl.embeddings.from_encoder(nl.FoNE(int_digits=3), [1.0, 2.0], d_model=8).vectors.shape
    (2, 8)
    """
    vectors, mask = token_vectors(encoder, numbers, d_model, seed)
    total = vectors.sum(1, dtype=np.float64)  # in float32 the order of the tokens would show
    mean = total / mask.sum(1)[:, None]
    return Embeddings(numbers, mean, f"{encoder}, untrained")


def token_vectors(
    encoder: Encoder, numbers: np.ndarray, d_model: int = 64, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The (n, L, d_model) float32 vectors of each token, as `from_encoder` has them, and the mask.

    Tokens that do not exist are zeros.

    >>> [a.shape for a in nl.embeddings.token_vectors(nl.P10(), [1.0, 2.0], d_model=8)]
    [(2, 5, 8), (2, 5)]
    """
    _check_columns(encoder, "take encoder.at(column)")
    tokens = encoder.encode(numbers)
    forked = torch.random.fork_rng(devices=[])
    with TORCH_GENERATOR, forked, torch.no_grad(), float32_weights():
        torch.manual_seed(seed)
        words = torch.randn(len(encoder.vocabulary), d_model) / d_model**0.5
        module = encoder.embedding(d_model)
        vectors = words[torch.from_numpy(np.where(tokens.mask, tokens.ids, 0)).long()]
        if module is not None:
            carries = tokens.carry(encoder.carriers)
            features = torch.from_numpy(np.ascontiguousarray(tokens.features))
            vectors[torch.from_numpy(carries)] = module(features, words)
        vectors[torch.from_numpy(~tokens.mask)] = 0
    return vectors.numpy(), tokens.mask


def from_words(run: Run, words: Iterable[str]) -> Embeddings:
    """The trained vectors of an encoder's words that are numbers (xval, Fig. 11).

    For P10 these are "0123456789". ValueError for a word that is not a number.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> len(nl.embeddings.from_words(nl.train(spec), "0123456789"))
    10
    """
    words, encoder = list(words), run.spec.encoder
    if encoder is None:
        raise ValueError("from_words takes a run with an encoder; got one without")
    is_number = ~np.isnan(encoder.word_values)
    index = {word: i for i, word in enumerate(encoder.vocabulary) if is_number[i]}
    for word in words:
        if word not in index:
            raise ValueError(f"{encoder} has no word {word!r} that is a number")
    ids = [index[word] for word in words]
    vectors = run.model.embed.words[ids].detach().float().cpu().numpy()
    return Embeddings(encoder.word_values[ids], vectors, run.spec.name, 0)


def from_run(run: Run, numbers: np.ndarray, layer: int = 0) -> Embeddings:
    """The (n, d_model) vectors of numbers in a trained model, each number read as a text.

    Layer 0 is the trained embedding, without positions; i the output of the i-th block. The vector
    of a number is the mean over its tokens. ValueError for a run whose encoder reads numbers by
    column.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.embeddings.from_run(nl.train(spec), [1.0, 2.0], layer=1).vectors.shape
    (2, 8)
    """
    _check_columns(run.spec.encoder, "take text_vectors, of texts that have one")
    vectors = text_vectors(run, _alone(numbers), "number", layer)
    return Embeddings(numbers, vectors, run.spec.name, layer)


def text_vectors(
    run: Run,
    examples: list[Examples] | str,
    slots: str | tuple[str, ...] = "*",
    layer: int | None = None,
) -> np.ndarray:
    """The mean hidden state of each text over the tokens of some slots, with nothing masked.

    `examples` are texts, or a part of the run's data, such as "test". `slots` are patterns; every
    text needs a slot that fits. `layer` is the block whose output is read; default: the last. The
    result is (n, d_model) float32, in the order of the texts' index, if they have one.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> nl.embeddings.text_vectors(nl.train(spec), spec.task.sample(3, seed=1), "a").shape
    (3, 8)
    """
    layer = _checked_layer(layer, run.spec.model.n_layer)
    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    examples = run.examples(examples)
    for e in examples:
        fitting(e.layout, slots)  # or an error

    def states(batch: Batch) -> torch.Tensor:
        inputs = run.spec.objective.show(batch).to(run.model.device)
        return run.model.hidden(inputs, layer=layer)

    corpus = run.tokenizer(examples, run.spec.objective.answers)
    return _means(corpus, states, lambda batch: batch.in_slots(slots))[by_index(examples)]


def from_pretrained(
    name_or_path: str | Path, numbers: np.ndarray, layer: int = 0, tokens: str = "one"
) -> Embeddings:
    """The vectors of numbers in a Hugging Face model, each number read as a text.

    It needs `transformers`, which numlab's extra `pretrained` installs. ValueError for a number
    that the vocabulary lacks, or that is not one token, and for a layer that the model lacks.

    Parameters
    ----------
    name_or_path : a folder, MINILM of `numlab.pretrained`, or a name, which is downloaded once
        through the Hugging Face cache.
    numbers : (n,)
    layer : 0: the input table, without positions; i: the output of the i-th block, with the final
        norm after the last block of GPT-2, Llama and others. Of an encoder-decoder, the encoder.
    tokens : what stands for a number of several tokens: the "mean" of their vectors, the "last"
        one (in a decoder it has read the others), or "one": several are an error. Tokens around
        every text, such as [CLS], are read and not counted (our choice: no space stands before
        the number).

    >>> nl.embeddings.from_pretrained(nl.pretrained.MINILM, [1, 2, 3]).vectors.shape
    (3, 384)
    """
    from numlab.pretrained import Pretrained, model

    if tokens not in ("one", "mean", "last"):
        raise ValueError(f'tokens is "one", "mean" or "last"; got {tokens!r}')
    spec = Pretrained(str(name_or_path))
    layer = _checked_layer(layer, spec.n_layer)
    trunk, corpus = model.trunk(spec.name, spec.blocks), spec.tokenizer([], None)(_alone(numbers))
    batch = corpus.batch(np.arange(len(corpus)))
    counts = (batch.slot == 0).sum(1)
    unknown = (batch.slot == 0) & (batch.ids == corpus.tokenizer.text.tokenizer.unk_token_id)
    for number, count, lacks in zip(numbers, counts, unknown.any(1), strict=True):
        if lacks or (count != 1 and tokens == "one"):
            found = f"{spec.name} has {'no' if lacks else count} tokens for {shown(number)}"
            raise ValueError(found if lacks else f'{found}; take tokens="mean" or "last"')

    def states(batch: Batch) -> torch.Tensor:
        inputs = MaskedLM().show(batch).to(trunk.device)
        return model.states(trunk, trunk.get_input_embeddings()(inputs.ids), inputs.real, layer)

    def counted(batch: Batch) -> np.ndarray:
        in_number = batch.slot == 0
        if tokens == "last":
            in_number &= np.cumsum(in_number, 1) == in_number.sum(1, keepdims=True)
        return in_number

    return Embeddings(numbers, _means(corpus, states, counted), spec.name, layer)


def _checked_layer(layer: int | None, n_layer: int) -> int:
    """The layer, the last for None."""
    layer = n_layer if layer is None else layer
    if not 0 <= layer <= n_layer:
        raise ValueError(f"the model has layers 0 to {n_layer}; got {layer}")
    return layer


def _check_columns(encoder: Encoder | None, advice: str) -> None:
    """Raise a ValueError for an encoder of columns, none of which is named."""
    if encoder is not None and encoder.unchosen:
        raise ValueError(f"{encoder} has columns, {', '.join(encoder.unchosen[:12])}: {advice}")


def _alone(numbers: np.ndarray) -> list[Examples]:
    """Each number as a text."""
    return [Examples(Layout.of("{number}"), as_column(numbers)[:, None])]


def _means(
    corpus: Corpus, states: Callable[[Batch], torch.Tensor], counted: Callable[[Batch], np.ndarray]
) -> np.ndarray:
    """(n, d) float32: the mean of each text's states (B, T, d) where `counted` (B, T) is True."""
    parts = []
    for i in range(0, len(corpus), TEXTS):
        batch = corpus.batch(np.arange(i, min(i + TEXTS, len(corpus))))
        with torch.no_grad():
            h = states(batch).float()
        weight = torch.from_numpy(counted(batch))[..., None].to(h)
        parts.append(((h * weight).sum(1) / weight.sum(1)).cpu().numpy())
    return np.concatenate(parts)
