"""Vectors of numbers from any source: what every probe of an embedding reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from numlab.corpus import Batch, Corpus
from numlab.encoders.aggregate import Aggregation
from numlab.encoders.base import Encoder
from numlab.examples import Examples, Layout, Slot, as_numbers, shown
from numlab.objectives import MaskedLM
from numlab.tokenizer import Tokenizer

if TYPE_CHECKING:
    import torch

    from numlab.training import Run

__all__ = [
    "Embeddings",
    "from_digits",
    "from_encoder",
    "from_matrix",
    "from_pretrained",
    "from_run",
    "from_words",
]


@dataclass(frozen=True, eq=False)
class Embeddings:
    """One vector for each of n numbers.

    Attributes
    ----------
    numbers : array of shape (n,)
        All different: float64, or object for Python ints that a float64 cannot hold.
    vectors : array of shape (n, d)
        Finite; float32 or float64.
    source : str
        Where they come from, for captions.
    layer : int or None
        0: the input of a model's blocks; i: the output of its i-th block; None: no model.
    """

    numbers: np.ndarray
    vectors: np.ndarray
    source: str
    layer: int | None = None

    def __post_init__(self):
        object.__setattr__(self, "numbers", _numbers(self.numbers))
        object.__setattr__(self, "vectors", _vectors(self.vectors, self.numbers))

    def __len__(self) -> int:
        return len(self.numbers)

    def _repr_html_(self) -> str:
        """In a notebook: the source, and the first entries of the first vectors."""
        import pandas as pd

        first = pd.DataFrame(
            self.vectors[:5, :6], index=[shown(n) for n in self.numbers[:5].tolist()]
        )
        layer = "" if self.layer is None else f", layer {self.layer}"
        n, d = self.vectors.shape
        head = f"<b>{escape(self.source)}</b>{layer}: {n:,} vectors of {d} entries"
        return head + first.to_html(float_format="{:.3g}".format)


def from_matrix(numbers: np.ndarray, vectors: np.ndarray, source: str) -> Embeddings:
    """Vectors from a matrix: row i of `vectors`, shape (n, d), belongs to numbers[i].

    Examples
    --------
    >>> len(from_matrix([1, 2, 3], np.eye(3), "one-hot"))
    3
    """
    return Embeddings(numbers, vectors, source)


def from_digits(
    numbers: np.ndarray,
    embeddings: np.ndarray,
    aggregate: Aggregation,
) -> Embeddings:
    """Aggregates of the embeddings of the digits of whole numbers, without leading zeros.

    Parameters
    ----------
    numbers : array of shape (n,)
        Whole numbers, 0 <= number < 2**63, of any lengths.
    embeddings : array of shape (10, d)
        One row for each digit.
    aggregate : Aggregation
        Such as `WeightedSum()` or `DigitSum()`.

    Examples
    --------
    >>> from numlab.encoders import DigitSum
    >>> from_digits([7, 70], np.eye(10), DigitSum()).vectors[:, [0, 7]].tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    given, numbers = np.asarray(numbers), np.asarray(numbers).astype(np.int64)
    if (given != numbers).any() or (numbers < 0).any():
        wrong = given[(given != numbers) | (numbers < 0)][0]
        raise ValueError(f"digits are aggregated for whole numbers >= 0; got {wrong}")
    embeddings = np.asarray(embeddings)
    vectors = np.empty((len(numbers), embeddings.shape[1]), embeddings.dtype)
    powers = 10 ** np.arange(1, 19, dtype=np.int64)
    lengths = np.searchsorted(powers, numbers, side="right") + 1
    for length in np.unique(lengths):
        places = 10 ** np.arange(length - 1, -1, -1, dtype=np.int64)
        same_length = np.flatnonzero(lengths == length)
        for rows in np.array_split(same_length, -(-len(same_length) // 8192)):  # to save memory
            vectors[rows] = aggregate(numbers[rows, None] // places % 10, embeddings)
    return Embeddings(numbers, vectors, repr(aggregate))


def from_encoder(
    encoder: Encoder, numbers: np.ndarray, d_model: int = 64, seed: int = 0
) -> Embeddings:
    """The vectors of numbers in an untrained model.

    Words have normal vectors of length about 1, and the encoder's embedding module has its initial
    weights, all drawn from `seed`. The vector of a number is the mean over its tokens, without
    positions: under a text encoder, permutations of the same tokens coincide.

    Parameters
    ----------
    encoder : Encoder
    numbers : array of shape (n,)
        Within `encoder.bounds`; else a ValueError.
    d_model : int
    seed : int

    Returns
    -------
    Embeddings of shape (n, d_model), float32
    """
    import torch

    numbers = np.asarray(numbers)
    tokens = encoder.encode(numbers)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        words = torch.randn(len(encoder.vocabulary), d_model) / d_model**0.5
        module = encoder.embedding(d_model)
        vectors = words[torch.from_numpy(np.where(tokens.mask, tokens.ids, 0)).long()]
        if module is not None:
            carries = np.isin(tokens.ids, encoder.carriers) & tokens.mask
            features = torch.from_numpy(np.ascontiguousarray(tokens.features))
            vectors[torch.from_numpy(carries)] = module(features, words)
        mask = torch.from_numpy(tokens.mask)[..., None]
        mean = (vectors * mask).sum(dim=1) / mask.sum(dim=1)
    return Embeddings(numbers, mean.numpy(), f"{encoder}, untrained")


def from_run(run: Run, numbers: np.ndarray, layer: int = 0, batch_size: int = 1024) -> Embeddings:
    """The vectors of numbers in a trained model, each number read as a text.

    Parameters
    ----------
    run : Run
    numbers : array of shape (n,)
        Within the bounds of the run's encoder.
    layer : int
        0: the trained embedding, without positions; i: the output of the i-th block. The vector
        of a number is the mean over its tokens.
    batch_size : int

    Returns
    -------
    Embeddings of shape (n, d_model), float32
    """

    def hidden(batch: Batch) -> torch.Tensor:
        inputs = run.spec.objective.show(batch).to(run.model.device)
        return run.model.hidden(inputs, layer=layer)

    _check_layer(layer, run.spec.model.n_layer)
    vectors = _mean_over_tokens(_alone(run.tokenizer, numbers), hidden, "mean", batch_size)
    return Embeddings(numbers, vectors, run.spec.name, layer)


def from_words(run: Run, words: Iterable[str]) -> Embeddings:
    """The vectors of words that are numbers in a trained text encoder (xval, Fig. 11).

    Parameters
    ----------
    run : Run
    words : words of the run's encoder that are numbers, such as "0123456789" of P10.

    Returns
    -------
    Embeddings of shape (words, d_model), float32
    """
    words, encoder = list(words), run.spec.encoder
    index = {word: i for i, word in enumerate(encoder.vocabulary)}
    ids = [index.get(word, -1) for word in words]
    numbers = np.where(np.array(ids) < 0, np.nan, encoder.word_values[ids])
    if np.isnan(numbers).any():
        word = words[int(np.isnan(numbers).argmax())]
        raise ValueError(f"{encoder} has no word {word!r} that is a number")
    vectors = run.model.embed.words[ids].detach().float().cpu().numpy()
    return Embeddings(numbers, vectors, run.spec.name, 0)


def from_pretrained(
    name_or_path: str | Path,
    numbers: np.ndarray,
    layer: int = 0,
    tokens: str = "one",
    batch_size: int = 256,
) -> Embeddings:
    """The vectors of numbers in a Hugging Face model, each number read as a text.

    Parameters
    ----------
    name_or_path : str or Path
        A folder, MINILM of `numlab.pretrained`, or a name, which is downloaded once through the
        Hugging Face cache.
    numbers : array of shape (n,)
    layer : int
        0: the input table, without positions; i: the output of the i-th block, with the final
        norm after the last block of GPT-2, Llama and others. Of an encoder-decoder, the encoder.
    tokens : str
        Of a number of several tokens: the "mean" of their vectors; the "last" one, which in a
        decoder has read the others; or "one": it is an error. Tokens around every text, such as
        [CLS], are read and not counted (our choice: no space stands before the number).
    batch_size : int

    Returns
    -------
    Embeddings of shape (n, d), float32

    Raises
    ------
    ValueError
        For a number that the vocabulary lacks, or that is not one token, and for a layer that
        the model does not have.
    ImportError
        Without `transformers`, which the extra `numlab[pretrained]` installs.
    """
    from numlab.pretrained import Pretrained
    from numlab.pretrained.model import trunk

    if tokens not in ("one", "mean", "last"):
        raise ValueError(f"numbers are one token, their mean or the last; got {tokens!r}")
    spec = Pretrained(str(name_or_path))
    _check_layer(layer, spec.n_layer)
    model, tokenizer = trunk(spec.name), spec.tokenizer([], None)
    corpus = _alone(tokenizer, numbers)
    _check_tokens(corpus, np.asarray(numbers), name_or_path, tokens)

    def hidden(batch: Batch) -> torch.Tensor:
        inputs = MaskedLM().show(batch).to(model.device)
        if layer == 0:
            return model.get_input_embeddings()(inputs.ids)
        mask = None if inputs.real is None else inputs.real.long()
        out = model(input_ids=inputs.ids, attention_mask=mask, output_hidden_states=True)
        return out.hidden_states[layer]

    vectors = _mean_over_tokens(corpus, hidden, tokens, batch_size)
    return Embeddings(numbers, vectors, str(name_or_path), layer)


def _check_tokens(corpus: Corpus, numbers: np.ndarray, name: str | Path, tokens: str) -> None:
    """Raise a ValueError for numbers without tokens, or with several where `tokens` is "one"."""
    batch = corpus.batch(np.arange(len(corpus)))
    in_number = batch.slot == 0
    unknown = ((batch.ids == corpus.tokenizer.text.tokenizer.unk_token_id) & in_number).any(1)
    if unknown.any():
        raise ValueError(f"{name} has no tokens for {shown(numbers[unknown.argmax()])}")
    counts = in_number.sum(1)
    if tokens == "one" and (counts != 1).any():
        row = (counts != 1).argmax()
        raise ValueError(
            f"{name} has {counts[row]} tokens for {shown(numbers[row])}; "
            'take tokens="mean" or "last"'
        )


def _check_layer(layer: int, n_layer: int) -> None:
    if not 0 <= layer <= n_layer:
        raise ValueError(f"the model has layers 0 to {n_layer}; got {layer}")


def _alone(tokenizer: Tokenizer, numbers: np.ndarray) -> Corpus:
    """Each number as a text."""
    return tokenizer([Examples(Layout(("", ""), (Slot("number"),)), as_numbers(numbers)[:, None])])


def _mean_over_tokens(corpus: Corpus, hidden: Callable, tokens: str, batch_size: int) -> np.ndarray:
    """(n, d) float32: the hidden states of each number of `_alone`, the mean or the last."""
    import torch

    parts = []
    for i in range(0, len(corpus), batch_size):
        batch = corpus.batch(np.arange(i, min(i + batch_size, len(corpus))))
        counted = batch.slot == 0
        if tokens == "last":
            counted &= np.cumsum(counted, 1) == counted.sum(1, keepdims=True)
        with torch.no_grad():
            h = hidden(batch)
        weight = torch.from_numpy(counted)[..., None].to(h)
        parts.append(((h * weight).sum(1) / weight.sum(1)).float().cpu().numpy())
    return np.concatenate(parts)


def _numbers(numbers) -> np.ndarray:
    numbers = as_numbers(numbers)
    if numbers.ndim != 1:
        raise ValueError(f"numbers have shape (n,); got {numbers.shape}")
    if numbers.dtype != object and not np.isfinite(numbers).all():
        raise ValueError(f"numbers are finite; got {numbers[~np.isfinite(numbers)][0]}")
    ordered = np.sort(numbers)
    twice = ordered[1:] == ordered[:-1]
    if twice.any():
        raise ValueError(f"each number has one vector; {ordered[1:][twice][0]} comes twice")
    return numbers


def _vectors(vectors, numbers: np.ndarray) -> np.ndarray:
    vectors = np.asarray(vectors)
    if vectors.ndim != 2 or len(vectors) != len(numbers) or vectors.shape[1] == 0:
        raise ValueError(
            f"{len(numbers)} numbers need vectors ({len(numbers)}, d); got {vectors.shape}"
        )
    if vectors.dtype not in (np.float32, np.float64):
        vectors = vectors.astype(np.float32 if vectors.dtype == np.float16 else np.float64)
    # the extremes are finite only where all are; a mask of all would be as large as the vectors
    if len(vectors) and not np.isfinite([vectors.min(), vectors.max()]).all():
        row = np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0]
        raise ValueError(f"vectors are finite; the vector of {numbers[row]} is not")
    return vectors
