"""The embedding of Eq. 1, and the two losses."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.func import functional_call, stack_module_state, vmap

from numlab.encoders import Tokens, XVal
from numlab.heads.value import NARROWEST


def embed(encoder: XVal, numbers, words: torch.Tensor) -> torch.Tensor:
    return encoder.embedding(words.shape[1])(torch.from_numpy(encoder.features(numbers)), words)


def test_with_one_word_the_vector_is_proportional_to_the_number():
    words = torch.randn(1, 8)
    vectors = embed(XVal(scale=10.0), [0, 10, -25], words)
    torch.testing.assert_close(vectors, torch.tensor([[0.0], [1.0], [-2.5]]) * words)


def test_with_scales_each_word_has_the_coefficient_of_eq_1():
    coefficients = embed(XVal(k=1), [0.3], torch.eye(3))[0]
    expected = np.tanh(0.3 * np.array([0.1, 1, 10]))
    np.testing.assert_allclose(coefficients, expected, rtol=1e-6)
    assert XVal(k=1).vocabulary == ("[NUM-1]", "[NUM+0]", "[NUM+1]")


def test_a_number_is_written_as_one_carrier_and_read_off_any():
    encoder = XVal(k=2)
    tokens = encoder.encode([1.5, -2.0])
    assert tokens.ids.tolist() == [[encoder.carriers[0]]] * 2
    for carrier in encoder.carriers:
        answer = Tokens(np.full((2, 1), carrier), tokens.mask, tokens.features)
        assert encoder.decode(answer).tolist() == [1.5, -2.0]


def test_two_carriers_are_no_number():
    ids = np.array([[0, 0], [0, 0]])
    mask = np.array([[True, True], [False, True]])
    features = np.array([[1.0], [2.0], [3.0]], np.float32)
    decoded = XVal().decode(Tokens(ids, mask, features))
    np.testing.assert_equal(decoded, [np.nan, 3.0])


def test_a_value_that_is_not_finite_is_no_number():
    features = np.array([[np.inf], [np.nan]], np.float32)
    assert np.isnan(XVal().number(features)).all()


def test_the_loss_is_squared_and_with_scales_over_the_mean_square_of_the_batch():
    outputs, features = torch.tensor([[3.0], [110.0]]), torch.tensor([[2.0], [100.0]])
    assert XVal().head.loss(outputs, features).tolist() == [1.0, 100.0]
    normalised = XVal(k=1).head.loss(outputs, features)
    torch.testing.assert_close(normalised, torch.tensor([1.0, 100.0]) / 5002)


def test_zeros_alone_have_a_finite_normalised_loss():
    assert XVal(k=1).head.loss(torch.ones(2, 1), torch.zeros(2, 1)).isfinite().all()


def test_a_mixture_is_its_normals_weighted():
    head = XVal(mixture=2).head
    share, means, widths = torch.tensor([0.3, 0.7]), torch.tensor([-1.0, 2.0]), torch.ones(2)
    outputs = torch.cat([share.log(), means, (widths.exp() - 1).log()])[None]  # of the softplus
    scale = 1 + NARROWEST
    at = torch.tensor([[0.5]])
    density = (share * torch.exp(-(((at - means) / scale) ** 2) / 2)).sum() / scale
    expected = -torch.log(density / np.sqrt(2 * np.pi))
    torch.testing.assert_close(head.loss(outputs, at)[0], expected)
    torch.testing.assert_close(head.read(outputs), torch.tensor([[-0.3 + 1.4]]))


def test_a_mixture_learns_both_of_two_equally_common_numbers():
    torch.manual_seed(0)
    copies = [XVal(mixture=5).head.build(8) for _ in range(50)]  # 50 seeds, trained as one
    weights, buffers = stack_module_state(copies)
    hidden, targets = torch.ones(2, 8), torch.tensor([[-1.0], [1.0]])

    def outputs(weights):
        return vmap(functional_call, (None, 0, None))(copies[0], (weights, buffers), (hidden,))

    optimizer = torch.optim.Adam(weights.values(), 0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 600)
    for _ in range(600):
        optimizer.zero_grad()
        copies[0].head.loss(outputs(weights).flatten(0, 1), targets.repeat(50, 1)).sum().backward()
        optimizer.step()
        schedule.step()
    mixture = copies[0].head.mixture(outputs(weights)[:, 0])
    near = (mixture.sample((2000,)).abs() - 1).abs() < 0.3
    assert (mixture.mean.abs() < 0.1).all()  # the mean lies between them
    assert (near.float().mean(0) > 0.95).all()  # what it says is neither


def test_the_head_has_one_hidden_layer_as_wide_as_the_model_and_biases():
    shapes = {name: tuple(p.shape) for name, p in XVal().head.build(12).named_parameters()}
    assert shapes == {
        "predict.0.weight": (12, 12),
        "predict.0.bias": (12,),
        "predict.2.weight": (1, 12),
        "predict.2.bias": (1,),
    }


def test_the_head_can_do_without_biases():
    names = [name for name, _ in XVal(head_bias=False).head.build(12).named_parameters()]
    assert names == ["predict.0.weight", "predict.2.weight"]


def test_a_mixture_of_fewer_than_no_normals_is_refused():
    with pytest.raises(ValueError, match="mixture of XVal is a whole number, 0 or more; got -1"):
        XVal(mixture=-1)


def test_powers_of_ten_that_float32_cannot_hold_are_refused():
    zero = XVal(k=38).embedding(4)(torch.zeros(1, 1), torch.ones(77, 4))
    assert (zero == 0).all()
    with pytest.raises(ValueError, match="k of XVal is a whole number, 0 to 38; got 39"):
        XVal(k=39)


@pytest.mark.parametrize("scale", [0, -1.0, np.inf, np.nan])
def test_a_scale_is_positive_and_finite(scale):
    with pytest.raises(ValueError, match="positive, finite scale"):
        XVal(scale=scale)


def test_a_mixture_of_no_numbers_reads_as_none():
    head = XVal(mixture=5).head
    assert head.read(head.build(16)(torch.zeros(0, 16))).shape == (0, 1)


def test_a_field_of_numpys_is_written_as_one_of_pythons():
    assert str(XVal(scale=np.float64(3.0))) == "XVal(scale=3.0)"
