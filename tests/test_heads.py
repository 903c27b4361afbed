"""Heads: what they predict as distributions, and that any encoder takes any of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import numlab as nl
from numlab import heads
from numlab.heads import Histogram, Normals, Points

SHARES = torch.tensor([[0.3, -1.0, 0.8, 0.1, -0.5]]).log_softmax(1)
EDGES = torch.tensor([-2.0, -1.0, 0.5, 1.0, 3.0, 3.5])
DISTRIBUTIONS = {
    "histogram": Histogram(SHARES, EDGES),
    "bars with tails": Histogram(SHARES, EDGES, tails=True),
    "normals": Normals(*torch.tensor([[[0.5, 0.3, 0.2]], [[-1.0, 0.5, 4.0]], [[0.3, 1.0, 0.5]]])),
    "points": Points(torch.tensor([[1.0], [3.0], [2.0], [torch.nan], [3.0]])),
}
GRID = torch.linspace(-40, 40, 400_001, dtype=torch.float64)
X = [-5.0, -1.5, 0.2, 1.0, 3.2, 4.0]
every = pytest.mark.parametrize("d", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
dense = pytest.mark.parametrize(
    "d", [d for k, d in DISTRIBUTIONS.items() if k != "points"], ids=[*DISTRIBUTIONS][:3]
)


def on_grid(function):
    return function(GRID[:, None])[:, 0]


@every
def test_the_score_is_the_integral_of_the_squared_gap_of_the_cdf(d):
    cdf = on_grid(d.cdf)
    for x in X:
        integral = float(torch.trapezoid((cdf - (x <= GRID).double()).square(), GRID))
        assert float(d.crps(torch.tensor([x]))) == pytest.approx(integral, abs=3e-4)


@dense
def test_the_density_is_the_slope_of_the_cdf_and_gives_the_mean_and_the_mode(d):
    density = on_grid(d.log_density).exp()
    cdf = torch.cumulative_trapezoid(density, GRID)
    assert float((cdf - on_grid(d.cdf)[1:]).abs().max()) < 3e-4
    assert float(d.mean) == pytest.approx(float(torch.trapezoid(GRID * density, GRID)), abs=1e-3)
    at_mode = float(d.log_density(d.mode).exp())
    assert at_mode == pytest.approx(float(density.max()), rel=0.01)


@every
def test_a_quantile_has_its_probability_below_it(d):
    levels = torch.linspace(0.01, 0.99, 50, dtype=torch.float64)[:, None]
    x = d.quantile(levels)
    assert (d.cdf(x) >= levels - 1e-9).all() and (d.cdf(x - 1e-6) < levels).all()


@dense
def test_numbers_drawn_by_quantiles_of_even_levels_are_calibrated(d):
    levels = torch.linspace(0.0005, 0.9995, 1000, dtype=torch.float64)[:, None]
    assert float(d.quantile(levels).mean()) == pytest.approx(float(d.mean), abs=0.02)


def test_the_oracles_of_hl_gauss():
    head = heads.HLGauss(tuple(np.linspace(-2, 2, 9)), 0.75)
    share = head.targets(torch.tensor([0.3]))
    expected = [1e-6, 2.63e-4, 0.016185, 0.195407, 0.491245, 0.265928, 0.030287, 6.84e-4]
    assert share[0].tolist() == pytest.approx(expected, abs=6e-7)
    d = Histogram(share.log(), torch.tensor(head.edges))
    assert float(d.mean) == pytest.approx(0.299993, abs=1e-6)
    assert float(d.crps(torch.tensor([0.3]))) == pytest.approx(0.0974573, abs=1e-7)
    even = Histogram(torch.zeros(1, 1), torch.tensor([0.0, 1.0]))
    assert float(even.crps(torch.tensor([0.25]))) == pytest.approx(0.1458333, abs=1e-7)


@pytest.mark.parametrize("asinh", [False, True])
def test_a_fitted_hl_gauss_head_gives_targets_back_as_their_mean(asinh):
    x = np.random.default_rng(0).normal(size=1000) ** 3
    head = heads.HLGauss.fit(x, asinh=asinh)
    assert len(head.edges) == 129 and head.edges[0] < x.min() and head.edges[-1] > x.max()
    mean = head.distribution(head.targets(torch.from_numpy(x)).log()).mean.numpy()
    bins = np.diff(head.edges)[np.searchsorted(head.edges, x) - 1]
    assert np.abs((mean - x) / bins).max() < (0.3 if asinh else 1e-3)


def test_hl_gauss_fits_a_constant_of_any_size_and_refuses_a_ratio_of_0():
    head = heads.HLGauss.fit([1.7e9] * 3)
    assert head.edges[0] < 1.7e9 < head.edges[-1] < 1.701e9
    with pytest.raises(ValueError, match="positive, finite ratio; got 0"):
        heads.HLGauss(ratio=0)


@pytest.mark.parametrize("head", [heads.HLGauss, heads.Bars])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 10**400], ids=["NaN", "infinity", "huge"])
def test_bins_are_not_fitted_to_what_is_no_number_of_float64(head, bad):
    with pytest.raises(ValueError, match="numbers are finite, up to 1.8e308; got"):
        head.fit([1, bad, 2], 16)


def test_the_oracle_of_rail():
    weights = torch.tensor([2, 4, 1, 8, 5])  # of 20
    d = Points(torch.arange(1.0, 6).repeat_interleave(weights)[:, None])
    assert [float(x) for x in (d.mean, d.quantile(torch.tensor([0.5])), d.mode)] == pytest.approx(
        [3.5, 4, 4]
    )


def test_points_that_are_no_numbers_are_dropped_and_counted():
    d = Points(torch.tensor([[1.0, torch.nan], [torch.nan, torch.nan], [3.0, torch.nan]]))
    assert d.valid.tolist() == pytest.approx([2 / 3, 0]) and float(d.mean[0]) == 2
    assert d.mean.isnan()[1] and d.mode.isnan()[1] and d.quantile(torch.full((2,), 0.5)).isnan()[1]


def every_number(head) -> np.ndarray:
    """All that a small head can say, 0 once."""
    if isinstance(head, heads.BitHead):
        bits = np.unpackbits(np.arange(2**16, dtype=">u2").view(np.uint8)).reshape(-1, 16)
        numbers = head.number(bits)
        return np.unique(numbers[~np.isnan(numbers)])
    steps = np.arange(10 ** (head.int_digits + head.frac_digits)) / 10**head.frac_digits
    return np.unique(np.concatenate([steps, -steps] if head.signed else [steps]))


@pytest.mark.parametrize(
    "head",
    [heads.BitHead(16), heads.DigitHead(2, 1), heads.CircleHead(1, 1, signed=False)],
    ids=str,
)
def test_the_density_of_digits_and_bits_is_their_probability_over_the_width_of_a_number(head):
    torch.manual_seed(0)
    module = head.build(64)
    outputs = 0.5 * torch.randn_like(module(torch.zeros(1, 64)))
    d, numbers = head.distribution(outputs), every_number(head)
    log_density = d.log_density(torch.from_numpy(numbers)[:, None])[:, 0].numpy()
    share = np.exp(log_density) * head.spacing(numbers)
    assert share.sum() == pytest.approx(float(d.valid), abs=0.1 if d.valid < 1 else 1e-6)
    half = np.median(d.numbers.numpy())
    assert share[numbers <= half].sum() == pytest.approx(
        float(d.cdf(torch.tensor([half]))), abs=0.1
    )
    near = np.array([0.0, 0.3, -0.3]) * head.spacing(np.zeros(1))  # they are rounded to 0
    near = near[near >= head.bounds[0]]
    at_zero = d.log_density(torch.from_numpy(near)[:, None])[:, 0].numpy()
    assert at_zero == pytest.approx(np.full(len(near), log_density[numbers == 0]))
    beyond = torch.tensor([[1e6]], dtype=torch.float64)
    assert d.log_density(beyond).item() == -np.inf


@pytest.mark.parametrize(
    ("head", "number"),
    [
        (heads.BitHead(16), 1.0),
        (heads.BitHead(16), 1.5),
        (heads.DigitHead(2, signed=False), 0.0),
        (heads.DigitHead(2, signed=False), 7.0),
        (heads.DigitHead(2), 0.0),
    ],
    ids=str,
)
def test_the_density_of_a_sure_head_adds_up_to_1(head, number):
    """Also at a power of 2, below which floats are closer, and at 0 where nothing is below it."""
    module, features = head.build(64), torch.from_numpy(head.features([number]))
    outputs = torch.zeros_like(module(torch.zeros(1, 64))).requires_grad_()
    head.loss(outputs, features).sum().backward()
    d = head.distribution(-1e4 * outputs.grad)
    grid = torch.from_numpy(number + 2 * head.spacing([number]) * np.linspace(-1, 1, 40_001))
    density = d.log_density(grid[:, None])[:, 0].exp()
    assert float(torch.trapezoid(density, grid)) == pytest.approx(1, abs=1e-3)


def test_half_of_the_outer_bars_mass_lies_within_them():
    bars = heads.Bars(tuple(range(5))).distribution(torch.zeros(1, 4))
    assert bars.cdf(torch.tensor([[1.0, 3.0]])).tolist() == [[0.25, 0.75]]
    assert bars.cdf(torch.tensor([[0.0, 4.0]]))[0].tolist() == pytest.approx([0.125, 0.875])


HEADS = {
    "bits": heads.BitHead(16),
    "digits": heads.DigitHead(4, 2),
    "circles": heads.CircleHead(4, 2),
    "figures": heads.FigureHead(4),
    "HL-Gauss": heads.HLGauss.fit([0.0, 1000.0], bins=64),
    "bars": heads.Bars.fit(np.arange(1000.0), bins=20),
    "mixture": heads.MixtureHead(3, scale=100.0),
    "value": heads.ValueHead(scale=100.0),
}
every_head = pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
NUMBERS = [0.0, 1.0, 17.25, 640.0, 998.0]


@every_head
def test_outputs_of_least_loss_read_as_the_number(head):
    features = torch.from_numpy(head.features(NUMBERS))
    torch.manual_seed(0)
    module = head.build(64)
    outputs = torch.zeros_like(module(torch.zeros(len(NUMBERS), 64))).requires_grad_()
    optimizer = torch.optim.Rprop([outputs], lr=0.1)
    for _ in range(200):
        optimizer.zero_grad()
        head.loss(outputs, features).sum().backward()
        optimizer.step()
    read = head.number(head.read(outputs.detach()).numpy())
    wide = 30.0 if head == HEADS["bars"] else 0.6  # half a bar
    assert np.allclose(read, NUMBERS, rtol=0.02, atol=wide)
    if head == HEADS["value"]:
        with pytest.raises(ValueError, match="predicts single numbers"):
            head.distribution(outputs)
        return
    d = head.distribution(outputs.detach())
    true = torch.tensor(NUMBERS, dtype=torch.float64)
    assert (d.quantile(torch.tensor([0.999] * 5)).numpy() >= read - 0.1).all()
    assert (d.crps(true) < 20).all()


def addition(**fields):
    base = {
        "task": nl.tasks.Addition(2),
        "encoder": nl.P1000(),
        "objective": nl.CausalLM(only=("answer",)),
        "model": nl.GPT2(64, 1, 2, context=32),
        "n_train": 2048,
        "n_valid": 64,
        "n_test": 128,
        "steps": 4,
        "learning_rate": 3e-3,
    }
    return nl.RunSpec(**base | fields)


OBJECTIVES = [
    nl.CausalLM(only=("answer",)),
    nl.CausalLM(literals=True),
    nl.MaskedLM(slots=1.0, literals=0.0, only=("answer",)),
]


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize(
    "encoder", [nl.Digits(3), nl.P10(), nl.Aggregate(3), nl.XVal(k=1), nl.FoNEDigits(3)], ids=str
)
def test_a_number_is_asked_for_once_at_its_first_token(objective, encoder):
    spec = addition(objective=objective, encoder=encoder, head=heads.DigitHead(3))
    tokenizer, (examples,) = spec.tokenizer(), spec.task.sample(5, 0)
    batch = tokenizer([examples], objective.answers).batch(np.arange(5))
    _, targets = objective.train(batch, np.random.default_rng(0))
    asked = 2 if objective == OBJECTIVES[1] else 1  # nothing stands before the first of three
    assert int(targets.carries.sum()) == len(targets.features) == 5 * asked
    assert set(targets.ids[targets.carries].tolist()) == {int(tokenizer.answer_carriers[0])}
    answers = targets.features[asked - 1 :: asked].numpy()
    assert spec.head.number(answers).tolist() == examples.column("answer").tolist()
    assert not np.isin(targets.ids[~targets.carries], tokenizer.answer_carriers).any()


@pytest.mark.parametrize("encoder", [nl.P1000(), nl.Digits(3), nl.XVal(scale=50.0)], ids=str)
def test_a_head_that_is_not_the_encoders_learns(encoder, module_home):
    head = heads.HLGauss.fit(np.arange(199.0))
    run = nl.train(addition(encoder=encoder, head=head, steps=400))
    frame = nl.predict(run, "test", "answer")
    assert frame.valid.all() and nl.metrics.r2(frame) > 0.2


def test_a_diverged_mixture_has_no_number_as_its_loss_and_its_mean():
    head = heads.MixtureHead(2)
    outputs = head.build(8)(torch.full((3, 8), torch.nan))
    found = torch.stack([head.loss(outputs, torch.ones(3, 1)), head.read(outputs)[:, 0]])
    assert found.isnan().all()


def test_losses_of_words_and_a_head_exclude_each_other():
    with pytest.raises(ValueError, match="added losses need answers in words; DigitHead"):
        addition(encoder=nl.Digits(3), head=heads.DigitHead(3), losses=(nl.AggregateLoss(),))
    with pytest.raises(ValueError, match="added losses need .* there is no encoder"):
        addition(encoder=None, losses=(nl.AggregateLoss(),))


def test_samples_of_a_number_that_is_none_or_infinite_do_not_flatter_a_model():
    d = Points(torch.tensor([[1.0], [1.0], [torch.inf], [torch.nan], [torch.nan]]))
    assert d.mode.tolist() == [1.0]
    finite = Points(torch.tensor([[1.0], [2.0], [4.0]]))
    assert finite.crps(torch.tensor([torch.nan])).isnan().all()


def test_a_share_below_a_number_is_at_most_1():
    torch.manual_seed(0)
    shares = torch.rand(200, 50, dtype=torch.float64).log_softmax(1)
    d = Histogram(shares, torch.linspace(0, 1, 51, dtype=torch.float64))
    assert float(d.cdf(torch.full((200,), 2.0)).max()) <= 1


@pytest.mark.parametrize("weight", [1.0, 3.0])
def test_a_loss_is_a_mean_over_bits_or_digits_times_the_weight(weight):
    """Of logits that are all 0: log 2 for a bit or a sign, log 10 for a digit."""
    for head, each in (
        (heads.BitHead(16, weight=weight), np.log(2)),
        (heads.FigureHead(4, weight=weight), np.log(10) + np.log(2)),
    ):
        module, features = head.build(8), torch.from_numpy(head.features([1.5, -20.0]))
        outputs = torch.zeros_like(module(torch.zeros(2, 8)))
        assert head.loss(outputs, features).tolist() == pytest.approx([weight * each] * 2)


def test_the_losses_of_bits_and_figures_weigh_as_published():
    assert (nl.BitTokens().head.weight, nl.Base10Tokens().head.weight) == (10, 10)
    assert (heads.BitHead().weight, heads.FigureHead().weight, heads.DigitHead().weight) == (
        1,
        10,
        1,
    )


def test_rounded_digits_err_by_a_root_that_has_a_gradient_at_0_and_are_read_as_digits():
    head = heads.RoundedHead(3)
    features = torch.from_numpy(head.features([123]))
    outputs = torch.tensor([[4.0, 5.0, 6.0]])  # each off by 3
    assert head.loss(outputs, features).tolist() == pytest.approx([3.0])
    sure = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    head.loss(sure, features).sum().backward()
    assert sure.grad.isfinite().all()
    assert head.number(head.read(torch.tensor([[9.7, -0.8, 14.0]])).numpy()).tolist() == [909.0]


def test_a_number_beyond_the_edges_of_hl_gauss_counts_as_the_nearest():
    head = heads.HLGauss((0.0, 1.0, 2.0, 3.0))
    far, near = head.targets(torch.tensor([99.0, -99.0])), head.targets(torch.tensor([3.0, 0.0]))
    torch.testing.assert_close(far, near)
    torch.testing.assert_close(far.sum(1), torch.ones(2, dtype=torch.float64))
    with pytest.raises(ValueError, match="more than 8 bins .*; got 3 numbers, 8 bins"):
        heads.HLGauss.fit([0.0, 1.0, 2.0], bins=8)
