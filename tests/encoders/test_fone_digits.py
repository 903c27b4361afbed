"""FoNE digit by digit, and the strawman of plain digit values."""

import pytest
import torch
from torch import nn

from numlab.encoders import DigitValues, FoNEDigits, Tokens


def test_each_digit_stands_on_its_circle_least_first():
    encoder = FoNEDigits(4)
    features = torch.from_numpy(encoder.encode([1602]).features)
    embed = encoder.embedding(8)
    embed.project = nn.Identity()  # what the learned projection reads
    points = embed(features, torch.zeros(1, 2))
    turns = 2 * torch.pi * torch.tensor([2.0, 0.0, 6.0, 1.0]) / 10
    expected = torch.stack([turns.cos(), turns.sin()], 1)
    torch.testing.assert_close(points, expected)


def test_a_digit_above_nine_spoils_a_number():
    tokens = FoNEDigits(3).encode([602, 17])
    tokens.features[0, 1] = 12
    decoded = FoNEDigits(3).decode(Tokens(tokens.ids, tokens.mask, tokens.features))
    assert decoded[1] == 17 and decoded[0] != decoded[0]


def test_digit_values_are_added_to_the_word_and_read_by_rounding():
    encoder = DigitValues(2, 1)
    features = torch.from_numpy(encoder.features([60.2]))
    vector = encoder.embedding(5)(features, torch.ones(1, 5))
    assert vector.tolist() == [[7.0, 1.0, 3.0, 1.0, 1.0]]
    read = encoder.head.read(torch.tensor([[6.4, -0.7, 2.4, 5.0, 5.0]]))
    assert encoder.number(read.numpy()).tolist() == [60.2]


def test_the_loss_of_digit_values_is_the_root_of_the_mean_square():
    head = DigitValues(2).head
    outputs = torch.tensor([[3.0, 4.0], [1.0, 2.0]])
    loss = head.loss(outputs, torch.tensor([[0, 0, 0], [0, 1, 2]], dtype=torch.uint8))
    torch.testing.assert_close(loss, torch.tensor([12.5**0.5, 0.0]), atol=1e-3, rtol=0)


def test_digits_enter_on_a_circle_and_leave_as_a_softmax_over_ten():
    head = FoNEDigits(3).head.build(4)
    assert [tuple(weight.shape) for weight in head.parameters()] == [(10, 4), (10,)]


def test_numbers_of_400_digits_and_small_ones_are_held_and_others_refused():
    encoder = FoNEDigits(400)
    assert encoder.decode(encoder.encode([10**399])).tolist() == [10**399]
    assert encoder.decode(encoder.encode([5])).tolist() == [5]
    for number in (-5, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="holds 0 <= x < 1e400"):
            encoder.encode([number])
