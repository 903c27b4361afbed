"""Bits as struct packs them, and the module of Eq. 3."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import torch

from numlab.codes.bits import float_bits
from numlab.encoders import IEEE754

CODES = {16: "e", 32: "f", 64: "d"}
SPECIAL = {
    16: [0.0, -0.0, 2.0**-24, -(2.0**-15), 65504.0],
    32: [0.0, -0.0, 2.0**-149, -(2.0**-127), 3.4028234663852886e38],
    64: [0.0, -0.0, 5e-324, -(2.0**-1023), 1.7976931348623157e308],
}


def packed(numbers: np.ndarray, bits: int) -> np.ndarray:
    """(n, bits) as the module `struct` of the standard library has them."""
    raw = struct.pack(f">{len(numbers)}{CODES[bits]}", *numbers.tolist())
    return np.unpackbits(np.frombuffer(raw, np.uint8).reshape(len(numbers), -1), axis=1)


@pytest.mark.parametrize("bits", CODES)
def test_bits_equal_those_of_struct(bits):
    """Numbers of all magnitudes that the format has, subnormal ones too."""
    rng, kind = np.random.default_rng(bits), np.finfo(IEEE754(bits=bits).dtype)
    low, high = (np.log2(np.float64(x)) for x in (kind.smallest_subnormal, kind.max))
    numbers = rng.choice([-1, 1], 10**5) * 2 ** rng.uniform(low, high, 10**5)
    numbers = np.concatenate([SPECIAL[bits], numbers])
    assert np.array_equal(IEEE754(bits=bits).features(numbers), packed(numbers, bits))


@pytest.mark.parametrize("bits", CODES)
def test_infinities_have_the_bits_of_struct_though_no_model_reads_them(bits):
    infinities = np.array([np.inf, -np.inf])
    own = float_bits(infinities, IEEE754(bits=bits).dtype)
    assert np.array_equal(own, packed(infinities, bits))
    assert np.isnan(IEEE754(bits=bits).number(own)).all()


@pytest.mark.parametrize("bits", CODES)
def test_a_value_comes_back_from_its_bits_exactly(bits):
    encoder = IEEE754(bits=bits)
    numbers = np.array([*SPECIAL[bits], 1.5, -0.375, 1024.0])
    back = encoder.number(encoder.features(numbers))
    assert np.array_equal(back, numbers) and np.array_equal(np.signbit(back), np.signbit(numbers))


def test_the_papers_example():
    bits = "".join(map(str, IEEE754().features([-28.5])[0]))
    assert (bits[0], bits[1:9], bits[9:]) == ("1", "10000011", "11001000000000000000000")


def test_what_is_too_large_for_the_format_can_be_clipped():
    half = IEEE754(bits=16, overflow="clip")
    numbers = np.array([1e8, -70_000.0, 3.5])
    assert half.number(half.features(numbers)).tolist() == [65504, -65504, 3.5]
    with pytest.raises(ValueError, match="IEEE754 holds"):
        half.features([np.inf])


def test_the_bits_of_a_nan_are_no_number():
    nan = "0" + "1" * 8 + "0" * 22 + "1"
    assert np.isnan(IEEE754().number(np.array([list(nan)]).astype(np.uint8))).all()


def test_the_module_is_equation_3():
    encoder = IEEE754()
    module = encoder.embedding(8)
    x = torch.from_numpy(encoder.features([-28.5, 0.1])).float()
    w1, w2, w3 = (layer.weight for layer in module.layers)
    x1 = torch.relu(x @ w1.T)
    x2 = torch.relu(x1 @ w2.T) @ w3.T
    torch.testing.assert_close(module(x, torch.zeros(1, 8)), torch.relu(x1 + x2))
    assert not any("bias" in name for name, _ in module.named_parameters())


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_depth_counts_the_linear_layers(depth):
    assert len(IEEE754(depth=depth).embedding(8).layers) == depth


def test_without_the_residual_the_last_layer_speaks_alone():
    module = IEEE754(depth=2, residual=False).embedding(8)
    x = torch.from_numpy(IEEE754().features([3.5])).float()
    w1, w2 = (layer.weight for layer in module.layers)
    expected = torch.relu(torch.relu(x @ w1.T) @ w2.T)
    torch.testing.assert_close(module(x, torch.zeros(1, 8)), expected)


@pytest.mark.parametrize(
    "wrong", [{"bits": 8}, {"depth": 0}, {"depth": 2.5}, {"overflow": "wrap"}], ids=str
)
def test_a_format_that_does_not_exist_is_refused(wrong):
    with pytest.raises(ValueError, match=r"IEEE754 (has|is) .*; got"):
        IEEE754(**wrong)
