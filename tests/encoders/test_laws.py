"""One set of laws for every encoder: a new one is tested by being exported."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from encoders.precision import precision
from numlab import codes, encoders
from numlab.encoders import (
    B1999,
    FP15,
    IEEE754,
    P10,
    P1000,
    PLE,
    Aggregate,
    Base10Tokens,
    BitTokens,
    DigitMax,
    DigitMedian,
    Digits,
    DigitValues,
    Encoder,
    ExponentFirst,
    FoNE,
    FoNEDigits,
    FusedBins,
    IntegerVocabulary,
    LogBins,
    NumeroLogic,
    Periodic,
    SoftBins,
    Standardised,
    Subword,
    SubwordFromRight,
    Tokens,
    UniformBins,
    ValueEncoder,
    WeightedSum,
    XVal,
)
from numlab.encoders.bit_tokens import WAYS

D_MODEL = 384
CONFIGURED = [  # numbers become tokens in another way than by default
    P10(overflow="clip"),
    P10(figures=2),
    B1999(figures=4, overflow="clip"),
    FP15(figures=2),
    XVal(k=2, scale=100.0),
    XVal(scale=1e-3),
    XVal(k=1, mixture=5, head_bias=False),
    FoNE(3, 2, signed=False, project=False),
    FoNE(60, chunk=5),
    IEEE754(bits=16),
    IEEE754(bits=64, depth=1, residual=False),
    LogBins(bins=100, low=1e-3),
    UniformBins(bins=3, high=0.5, scale=7.0),
    ExponentFirst(figures=15, exponent_digits=2),
    ExponentFirst(figures=1),
    Aggregate(3, 2, before=False),
    Aggregate(20, how=WeightedSum(base=3.0)),
    Aggregate(4, signed=False, how=None),
    Digits(6, 3),
    Digits(6, 3, reverse=True, fences=True),
    Digits(3, 1),
    Digits(1, signed=False),
    Digits(60, reverse=True),
    Subword(9, 6),
    Subword(1, 1, signed=False),
    Subword(20),
    SubwordFromRight(8, 2),
    SubwordFromRight(20),
    NumeroLogic(11, 4),
    NumeroLogic(3, signed=False),
    NumeroLogic(20),
    DigitValues(2, 3),
    DigitValues(20),
    FoNEDigits(20),
    IntegerVocabulary(2, answer_digits=3),
    BitTokens(32),
    BitTokens(16, overflow="clip", reciprocal=False, weight=1.0),
    Base10Tokens(3, reciprocal=False, combine="weighted"),
    FusedBins((("x*", (1.0, 2.0)), ("y", (-3.0, 0.0)))).at("y"),
    Standardised(columns=(("*", 0.0, 0.0, 7.0),)),
    Standardised(PLE(), (("*", 1e-9, 0.0, 5.0),)),
]
EMBEDDED = [  # another embedding or head, the same tokens
    FoNE(9, 3, periods=(2, 5, 10)),
    FoNE(4, periods=(5,)),
    FoNE(2, 1, periods=(7,)),
    Aggregate(4, how=DigitMax()),
    Aggregate(3, 1, how=DigitMedian()),
    *(BitTokens(32, combine=way) for way in WAYS[1:]),
    PLE((0.0, 1.0, 3.0, 7.0), "A", relu=True, scale=2.0),
    PLE((-5, 5)),
    SoftBins((0, 2)),
    Periodic(3, 0.5, scale=20.0),
]


def exported() -> list[type[Encoder]]:
    members = [getattr(encoders, name) for name in encoders.__all__]
    classes = [m for m in members if inspect.isclass(m) and issubclass(m, Encoder)]
    return [c for c in classes if not inspect.isabstract(c)]


def over(encoders):
    return pytest.mark.parametrize("encoder", [*encoders], ids=repr)


SPELLED = [c() for c in exported()] + CONFIGURED
CARRIERS = [e for e in SPELLED + EMBEDDED if e.carriers]
every_encoder, every_configuration = over(SPELLED), over(SPELLED + EMBEDDED)
every_fixed, every_carrier = over(e for e in SPELLED if e.fixed), over(CARRIERS)
every_head = over({e.head: e for e in CARRIERS if e.head}.values())  # those of one head once
quickly = settings(max_examples=25, deadline=None)
once_more = settings(max_examples=8, deadline=None)  # of laws that few numbers could break


def numbers_of(encoder: Encoder) -> st.SearchStrategy:
    """Numbers anywhere within the bounds, and ordinary ones, too."""
    low, high = encoder.bounds
    if isinstance(high, int):
        return st.integers(low, high) | st.integers(max(low, -1000), 1000)
    ordinary = st.integers(-999, 999).map(lambda i: i / 100).filter(lambda x: low <= x <= high)
    return st.floats(low, high) | ordinary


def some_numbers(encoder: Encoder) -> np.ndarray:
    """A few of many sizes, 0 among them, all within the bounds."""
    low, high = encoder.bounds
    if isinstance(high, int):
        sizes = [0, 1, 7, 10, 999, high // 3, high]
        return np.array(sizes + [-x for x in sizes if -x >= low], object)
    sizes = np.array([0.0, 0.25, 1.0, 3.5, 7.0, 10.0, 99.9, 1234.0])
    sizes = sizes[sizes <= high]
    return np.concatenate([sizes, -sizes[-sizes >= low]])


def is_number(decoded: np.ndarray) -> np.ndarray:
    if decoded.dtype == object:
        return np.array([value is not None for value in decoded], bool)
    return np.isfinite(decoded)


def features_for(encoder: Encoder, ids, mask, seed: int = 0) -> np.ndarray:
    n = int((np.isin(ids, encoder.carriers) & mask).sum())
    noise = np.random.default_rng(seed).integers(0, 256, (n, encoder.n_features))
    return noise.astype(encoder.feature_dtype)


@every_encoder
@given(data=st.data())
@quickly
def test_a_number_returns_within_the_stated_precision(encoder, data):
    numbers = data.draw(st.lists(numbers_of(encoder), min_size=1, max_size=20))
    decoded = encoder.decode(encoder.encode(numbers))
    error = np.abs(decoded - np.array(numbers, decoded.dtype))
    assert (error <= precision(encoder, numbers)).all()


@every_encoder
@given(data=st.data())
@once_more
def test_no_sign_is_lost(encoder, data):
    numbers = data.draw(st.lists(numbers_of(encoder), min_size=1, max_size=20))
    decoded = encoder.decode(encoder.encode(numbers)).tolist()
    assert all((x < 0) == (y < 0) for x, y in zip(numbers, decoded, strict=True) if y)


@every_encoder
def test_zero_is_exact_and_has_no_sign(encoder):
    decoded = encoder.decode(encoder.encode([0]))
    assert decoded[0] == 0
    assert not np.signbit(float(decoded[0]))


@every_encoder
def test_the_bounds_can_be_encoded(encoder):
    bounds = list(encoder.bounds)
    decoded = encoder.decode(encoder.encode(bounds))
    error = np.abs(decoded - np.array(bounds, decoded.dtype))
    assert (error <= precision(encoder, bounds)).all()


@every_encoder
def test_a_number_outside_the_bounds_is_an_error_that_names_it_and_the_range(encoder):
    low, high = encoder.bounds
    if isinstance(high, int):
        outside = [low - 1, high + 1]
    else:
        with np.errstate(over="ignore"):
            outside = [np.nextafter(low, -np.inf), np.nextafter(high, np.inf)]
    for number in [*outside, np.nan, np.inf, -np.inf]:
        with pytest.raises(ValueError, match=f"{type(encoder).__name__} holds .*; got ") as error:
            encoder.encode([0, number])
        assert str(error.value).endswith(codes.written(number))


@every_encoder
def test_the_vocabulary_has_no_word_twice(encoder):
    assert all(isinstance(word, str) for word in encoder.vocabulary)
    assert len(set(encoder.vocabulary)) == len(encoder.vocabulary)


@every_encoder
def test_each_word_has_a_value_or_nan(encoder):
    assert encoder.word_values.shape == (len(encoder.vocabulary),)
    assert encoder.word_values.dtype == np.float64
    for word, value in zip(encoder.vocabulary, encoder.word_values, strict=True):
        assert np.isfinite(value) == word.removeprefix("-")[:1].isdigit()


@every_encoder
@given(data=st.data())
@once_more
def test_ids_mask_and_features_keep_their_word(encoder, data):
    numbers = data.draw(st.lists(numbers_of(encoder), min_size=1, max_size=20))
    tokens = encoder.encode(numbers)
    n = len(numbers)
    assert tokens.ids.shape == tokens.mask.shape == (n, encoder.length)
    assert tokens.ids.dtype == np.int32
    assert tokens.mask.dtype == bool
    used = tokens.ids[tokens.mask]
    assert ((used >= 0) & (used < len(encoder.vocabulary))).all()
    assert tokens.mask.any(1).all()
    assert tokens.mask.all() or not encoder.fixed
    carriers = np.isin(tokens.ids, encoder.carriers) & tokens.mask
    assert len(tokens.features) == carriers.sum()
    if encoder.carriers:
        assert tokens.features.shape[1] == encoder.n_features
        assert tokens.features.dtype == encoder.feature_dtype


@every_encoder
def test_some_number_takes_as_many_tokens_as_stated(encoder):
    counts = encoder.encode([0, *encoder.bounds]).mask.sum(1)
    assert counts.max() == encoder.length
    assert (counts.min() == encoder.length) or not encoder.fixed


@every_encoder
def test_a_number_alone_is_encoded_as_among_others(encoder):
    numbers = some_numbers(encoder)
    together = encoder.encode(numbers)
    alone = [encoder.encode([number]) for number in numbers.tolist()]
    assert (np.concatenate([t.ids for t in alone]) == together.ids).all()
    assert (np.concatenate([t.mask for t in alone]) == together.mask).all()
    assert (np.concatenate([t.features for t in alone]) == together.features).all()


@every_encoder
def test_a_number_is_spelled_in_words_of_the_vocabulary(encoder):
    assert set(encoder.spell(0)) <= set(encoder.vocabulary)


@every_encoder
def test_no_numbers_are_encoded_as_no_tokens(encoder):
    tokens = encoder.encode([])
    assert tokens.ids.shape == (0, encoder.length)
    assert encoder.decode(tokens).shape == (0,)


@every_encoder
def test_what_is_no_column_of_numbers_is_an_error(encoder):
    with pytest.raises(ValueError, match=r"shape \(n,\); got \(1, 2\)"):
        encoder.encode([[0, 0]])
    with pytest.raises(ValueError, match="floats or ints; got"):
        encoder.encode(["0"])
    with pytest.raises(ValueError, match="floats or ints; got"):
        encoder.encode([None])


@every_encoder
@given(data=st.data())
@quickly
def test_decode_takes_any_tokens_and_never_raises(encoder, data):
    size = len(encoder.vocabulary)
    width = data.draw(st.integers(0, encoder.length + 2))
    row = st.lists(st.integers(-3, size + 2), min_size=width, max_size=width)
    ids = np.array(data.draw(st.lists(row, min_size=1, max_size=5)), np.int64)
    flags = st.lists(st.booleans(), min_size=ids.size, max_size=ids.size)
    mask = np.array(data.draw(flags), bool).reshape(ids.shape)
    decoded = encoder.decode(Tokens(ids, mask, features_for(encoder, ids, mask)))
    assert decoded.shape == (len(ids),)
    foreign = ((ids < 0) | (ids >= size)) & mask
    assert not is_number(decoded)[foreign.any(1) | ~mask.any(1)].any()


@every_encoder
def test_a_foreign_word_in_a_number_spoils_it(encoder):
    tokens = encoder.encode(some_numbers(encoder))
    for row, column in np.argwhere(tokens.mask):
        ids, mask = tokens.ids[[row]], tokens.mask[[row]]
        ids[0, column] = -1
        spoilt = Tokens(ids, mask, features_for(encoder, ids, mask))
        assert not is_number(encoder.decode(spoilt)).any()


@every_fixed
def test_a_number_of_fixed_length_with_more_or_fewer_tokens_is_none(encoder):
    ids = encoder.encode([1]).ids
    for changed in (ids[:, :-1], np.concatenate([ids, ids[:, -1:]], 1)):
        mask = np.ones(changed.shape, bool)
        tokens = Tokens(changed, mask, features_for(encoder, changed, mask))
        assert not is_number(encoder.decode(tokens)).any()


@every_encoder
def test_the_mask_and_not_the_padding_is_read(encoder):
    numbers = some_numbers(encoder)
    tokens = encoder.encode(numbers)
    ids = np.insert(np.where(tokens.mask, tokens.ids, 0), 0, 0, axis=1)
    mask = np.insert(tokens.mask, 0, False, axis=1)
    decoded = encoder.decode(Tokens(ids, mask, tokens.features))
    assert decoded.tolist() == encoder.decode(tokens).tolist()


@every_encoder
def test_what_carries_a_number_is_read_off_the_word_and_zero_is_a_number(encoder):
    zero, one = encoder.encode([0]), encoder.encode([1])
    assert set(encoder.carriers) <= set(range(len(encoder.vocabulary)))
    assert len(zero.features) == len(one.features)
    assert bool(len(zero.features)) == bool(encoder.carriers)


@every_configuration
def test_encoders_are_values(encoder):
    assert eval(repr(encoder), vars(encoders)) == encoder
    assert pickle.loads(pickle.dumps(encoder)) == encoder
    assert hash(eval(repr(encoder), vars(encoders))) == hash(encoder)
    assert isinstance(type(encoder).version, int)


@every_encoder
def test_an_answer_can_be_read_back(encoder):
    numbers = some_numbers(encoder)
    decoded = encoder.answer.decode(encoder.answer.encode(numbers))
    assert (np.abs(decoded - numbers) <= precision(encoder.answer, numbers)).all()


@every_configuration
def test_an_embedding_or_head_needs_a_carrier(encoder):
    assert (encoder.embedding(D_MODEL) is None) == (not encoder.carriers)
    assert encoder.carriers or encoder.head is None


def carried(encoder: Encoder) -> tuple[torch.Tensor, torch.Tensor]:
    """Features of a few numbers, and rows for the encoder's words."""
    words = torch.randn(
        len(encoder.vocabulary), D_MODEL, generator=torch.Generator().manual_seed(0)
    )
    return torch.from_numpy(encoder.encode(some_numbers(encoder)).features), words


@every_carrier
def test_an_embedding_gives_a_finite_vector_a_carrier(encoder):
    features, words = carried(encoder)
    vectors = encoder.embedding(D_MODEL)(features, words)
    assert vectors.shape == (len(features), D_MODEL)
    assert vectors.dtype == torch.float32
    assert vectors.isfinite().all()


@every_carrier
def test_an_embedding_learns_words_or_weights_of_its_own(encoder):
    features, words = carried(encoder)
    module, words = encoder.embedding(D_MODEL), words.requires_grad_()
    vectors = module(features, words)
    if getattr(encoder, "combine", None) == "zero_pad":  # the published BitTokens
        assert not vectors.requires_grad
        return
    vectors.square().sum().backward()
    assert any(p.grad is not None and p.grad.any() for p in (words, *module.parameters()))


@every_head
def test_a_head_has_a_finite_loss_a_carrier_with_a_gradient(encoder):
    head = encoder.head.build(D_MODEL)
    features, _ = carried(encoder)
    h = torch.randn(len(features), D_MODEL, requires_grad=True)
    loss = encoder.head.loss(head(h), features)
    assert loss.shape == (len(features),)
    assert loss.isfinite().all()
    loss.mean().backward()
    assert h.grad.isfinite().all()
    assert h.grad.abs().sum(1).all()


@every_head
def test_what_a_head_reads_are_features(encoder):
    head = encoder.head.build(D_MODEL)
    features, _ = carried(encoder)
    read = encoder.head.read(head(torch.randn(len(features), D_MODEL)))
    assert read.shape == features.shape
    assert read.dtype == features.dtype


@every_head
def test_a_head_reads_nothing_where_no_number_was_put_out(encoder):
    head = encoder.head.build(D_MODEL)
    features, _ = carried(encoder)
    read = encoder.head.read(head(torch.zeros(0, D_MODEL)))
    assert read.shape == (0, features.shape[1])


@every_head
def test_outputs_of_least_loss_read_as_the_features(encoder):
    head = encoder.head.build(D_MODEL)
    features, _ = carried(encoder)
    outputs = torch.zeros_like(head(torch.zeros(len(features), D_MODEL))).requires_grad_()
    optimizer = torch.optim.Rprop([outputs], etas=(0.5, 1.5), step_sizes=(1e-9, 1e6))
    for _ in range(150):
        optimizer.zero_grad()
        encoder.head.loss(outputs, features).sum().backward()
        optimizer.step()
    torch.testing.assert_close(encoder.head.read(outputs.detach()), features, rtol=1e-3, atol=1e-3)


@every_carrier
def test_values_are_embedded_and_read_in_float32_under_bf16_autocast(encoder):
    features, words = carried(encoder)
    embedding, head = encoder.embedding(D_MODEL), encoder.head and encoder.head.build(D_MODEL)
    h = torch.randn(len(features), D_MODEL)
    expected = embedding(features, words), None if head is None else head(h)
    with torch.autocast("cpu", torch.bfloat16):
        found = embedding(features, words), None if head is None else head(h)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_the_exported_encoders_are_found():
    assert {B1999, FP15, P10, P1000, XVal, FoNE, Digits, Subword} <= set(exported())
    assert not {Encoder, ValueEncoder} & set(exported())


PROMISED = {  # at 3: half of the last figure, digit or bit that the format holds
    **dict.fromkeys(("P10", "P1000", "B1999", "FP15"), 5e-3),
    **dict.fromkeys(("FoNE", "FoNEDigits", "Aggregate", "DigitValues"), 0.5),
    **dict.fromkeys(("Digits", "NumeroLogic", "Subword", "SubwordFromRight"), 0.5),
    "IntegerVocabulary": 0.5,
    "VariableLength": 0.05,
    "XVal": 3 * 2.0**-23,
    "IEEE754": 3 * 2.0**-24,
    "BitTokens": 3 * 2.0**-53,
    "Base10Tokens": 0.5e-14 + 3 * 2.0**-51,
    **dict.fromkeys(("PLE", "Periodic", "SoftBins"), 3 * 2.0**-23),
    "FusedBins": 1.0,
    "LogBins": 3 * (10**0.5 - 1),
    "UniformBins": 0.2 * 30 / 4092,
    "ExponentFirst": 1e-3,
}


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_what_is_promised_is_what_the_format_can_hold(name):
    assert precision(getattr(encoders, name)(), [3.0])[0] == pytest.approx(PROMISED[name], rel=1e-6)
