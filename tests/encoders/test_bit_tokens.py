"""BitTokens against the oracles of its repository, and its twin in base 10."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from numlab.encoders import Base10Tokens, BitTokens
from numlab.encoders.bit_tokens import WAYS

BITS = {
    -28.5: "1100000000111100" + "1000" + "0" * 44,
    1 / -28.5: "1011111110100001111101110000010001111101110000010001111101110000",
}


def text(bits) -> str:
    return "".join(str(int(b)) for b in bits)


def test_the_bits_of_a_number_and_of_its_reciprocal():
    encoder = BitTokens()
    signs = encoder.signs(encoder.features([-28.5]))[0]
    assert signs.shape == (128,) and set(signs.tolist()) == {-1.0, 1.0}
    assert text(signs > 0) == BITS[-28.5] + BITS[1 / -28.5]


@pytest.mark.parametrize(("bits", "n"), [(16, 32), (32, 64), (64, 128)])
def test_zero_has_an_infinite_reciprocal_and_one_sign(bits, n):
    encoder = BitTokens(bits)
    zero, negative = encoder.signs(encoder.features([0.0, -0.0]))
    assert len(zero) == n and (zero == negative).all() and (zero[:bits] == -1).all()
    infinity = np.array([np.inf]).astype(encoder.dtype).view(np.uint8)
    assert text(zero[bits:] > 0) == text(np.unpackbits(infinity))


def test_a_number_is_rounded_to_the_format_before_its_bits_are_read():
    third = np.array([1 / 3], ">f4")
    assert text(BitTokens(32).features([1 / 3])[0]) == text(np.unpackbits(third.view(np.uint8)))
    encoder = BitTokens(16, reciprocal=False)
    assert encoder.number(encoder.features([2**-24, 65504.0])).tolist() == [2**-24, 65504.0]


@pytest.mark.parametrize("d_model", [128, 200])
def test_the_published_vector_has_a_root_mean_square_of_1(d_model):
    encoder = BitTokens()
    features = torch.from_numpy(encoder.features(np.geomspace(1e-300, 1e300, 50)))
    vectors = encoder.embedding(d_model)(features, torch.randn(1, d_model))
    assert np.allclose(vectors.square().mean(1).sqrt(), 1, rtol=0, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_signs_are_combined_with_the_word_as_stated(way):
    encoder, d, m = BitTokens(16, combine=way), 48, 32
    features, t = torch.from_numpy(encoder.features([3.5, -7.0])), torch.randn(d) * 3
    u = torch.from_numpy(encoder.signs(features.numpy())).float()
    module = encoder.embedding(d)
    padded = torch.cat([u, torch.zeros(2, d - m)], 1)
    expected = {
        "zero_pad": lambda: (d / m) ** 0.5 * padded,
        "sum": lambda: t + padded,
        "sum_scaled": lambda: t + t.square().mean().sqrt() * padded,
        "prod": lambda: torch.cat([t[:m] * u, t[m:].expand(2, -1)], 1),
        "concat": lambda: torch.cat([u, (t[m:] / t[m:].square().mean().sqrt()).expand(2, -1)], 1),
        "weighted": lambda: u @ module.project.weight.T,
        "weighted_sum": lambda: t + u @ module.project.weight.T,
    }[way]()
    torch.testing.assert_close(module(features, t[None]), expected)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_there_is_no_negative_zero_among_the_bits(bits):
    encoder = BitTokens(bits)
    small = encoder.spacing(np.zeros(1))[0]
    assert not encoder.features([-0.0, -small / 4]).any()
    assert encoder.number(encoder.features([-small])) == [-small]


def test_a_model_that_is_too_narrow_is_refused_unless_signs_are_weighted():
    with pytest.raises(ValueError, match="takes d_model >= 128, or combine"):
        BitTokens().embedding(64)
    with pytest.raises(ValueError, match="combine is one of zero_pad, .*; got 'add'"):
        BitTokens(combine="add")
    with pytest.raises(ValueError, match="combine is one of"):
        Base10Tokens(combine="add")
    assert BitTokens(combine="weighted_sum").embedding(8).project.weight.shape == (8, 128)


def test_the_loss_of_bits_weighs_ten_times_the_mean_cross_entropy():
    encoder = BitTokens(16)
    features = torch.from_numpy(encoder.features([1.0, -2.5]))
    loss = encoder.head.loss(torch.zeros(2, 16), features)
    assert loss.tolist() == pytest.approx([10 * np.log(2)] * 2)


def test_the_twin_writes_a_number_in_scientific_notation():
    encoder = Base10Tokens(4)
    assert encoder.features([-0.00602, 0, 5e-324, 99995.0]).tolist() == [
        [1, 4, 9, 7, 6, 0, 2, 0],
        [0, 5, 0, 0, 0, 0, 0, 0],
        [0, 1, 7, 6, 4, 9, 4, 1],
        [0, 5, 0, 5, 1, 0, 0, 0],
    ]
    signs = encoder.signs(encoder.features([-2.0, 0]))
    assert signs.shape == (2, 142) and ((signs > 0).sum(1) == [2 * (1 + 7), 2 * 7]).all()
    half = encoder.signs(encoder.features([-0.5]))[0]
    assert (signs[0, 71:] == half[:71]).all() and (half[71:] == signs[0, :71]).all()


@pytest.mark.parametrize("figures", range(1, 16))
def test_the_largest_number_that_the_twin_holds_is_finite(figures):
    encoder = Base10Tokens(figures)
    assert encoder.decode(encoder.encode([encoder.bounds[1]]))[0] >= 1e308


def test_digits_beyond_float64_have_a_reciprocal_of_zero():
    encoder = Base10Tokens(3)
    beyond = np.array([[0, 9, 9, 9, 9, 9, 9]], np.uint8)  # 9.99e499: a model may predict it
    assert np.isnan(encoder.number(beyond)).all()
    assert (encoder.signs(beyond)[:, 61:] == encoder.signs(encoder.features([0]))[:, :61]).all()


def test_decimals_of_15_figures_come_back_as_they_were_written():
    rng = np.random.default_rng(0)
    figures, powers = rng.integers(10**14, 10**15, 1000), rng.integers(-22, 8, 1000)
    x = np.array([float(f"{f}e{p}") for f, p in zip(figures, powers, strict=True)])
    encoder = Base10Tokens()
    assert (encoder.number(encoder.features(x)) == x).all()


def test_doubles_of_any_bits_come_back():
    """Bit for bit, subnormals among them; the bits of no finite number are left out."""
    n = 10**5
    x = np.random.default_rng(0).integers(0, 2**64, n, np.uint64)
    x[: n // 10] &= np.uint64(0x800FFFFFFFFFFFFF)  # subnormal
    x = x.view(np.float64)
    x, encoder = x[np.isfinite(x) & (x != 0)], BitTokens()
    back = encoder.number(encoder.features(x))
    assert (back.view(np.uint64) == x.view(np.uint64)).all()


def test_an_embedding_of_no_number_is_empty():
    embed = Base10Tokens(3, combine="weighted_sum").embedding(8)
    none = torch.zeros(0, 7, dtype=torch.uint8)
    assert embed(none, torch.zeros(5, 8)).shape == (0, 8)


def test_digits_of_a_diverged_model_have_a_vector():
    encoder = Base10Tokens(3)
    read = encoder.head.read(torch.full((1, 61), torch.nan))
    assert encoder.embedding(256)(read, torch.ones(1, 256)).shape == (1, 256)
