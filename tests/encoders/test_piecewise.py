"""Encodings of one value by bins and waves, and encoders that know the column."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import numlab as nl
from encoders.precision import precision
from numlab.codes.edges import deviation, quantile_edges, tree_edges
from numlab.encoders import PLE, FusedBins, Periodic, SoftBins, Standardised
from numlab.encoders.columns import asinh_centre_scale

X = np.random.default_rng(0).exponential(size=5000)


def vectors(encoder, numbers, d_model=8):
    torch.manual_seed(0)
    module = encoder.embedding(d_model)
    return module, module(torch.from_numpy(encoder.features(numbers)), torch.zeros(1, d_model))


def test_the_oracle_of_the_components():
    module, _ = vectors(PLE((0, 1, 3, 7)), [0.0])
    found = module.components(torch.tensor([[-1.0], [2.0], [9.0]])).tolist()
    assert found == [[-1, 0, 0], [1, 0.5, 0], [1, 1, 1.5]]
    one, _ = vectors(PLE((0, 2)), [0.0])
    assert one.components(torch.tensor([[-1.0], [5.0]])).tolist() == [[-0.5], [2.5]]


def test_kind_b_begins_as_a_line_and_kind_a_as_bins():
    _, line = vectors(PLE.fit(X), np.array([1.0, 2.0, 3.0]))
    torch.testing.assert_close(line[2] - line[1], line[1] - line[0], rtol=1e-4, atol=1e-6)
    module, bins = vectors(PLE.fit(X, kind="A", relu=True), [0.5])
    expected = module.bins(module.components(torch.tensor([[0.5 / float(X.std())]]))).relu()
    torch.testing.assert_close(bins, expected)


def test_bins_are_fitted_to_quantiles_or_to_what_they_are_to_tell():
    assert len(PLE.fit(X).edges) == 49 and PLE.fit(X).scale == pytest.approx(X.std())
    assert quantile_edges([1.0] * 99 + [2.0], 10) == (1.0, 2.0)
    assert quantile_edges([0.1, 0.3, 0.1 + 0.2, 0.5], 3) == (0.1, 0.3, 0.5)
    cuts = tree_edges(X, X > 0.7, bins=8)
    assert len(cuts) == 3 and cuts[1] == pytest.approx(0.7, abs=0.01)
    assert PLE.fit(X, 8, targets=X > 0.7).edges == cuts


@pytest.mark.parametrize("edges", [(1.0,), (0, 0), (2, 1), (0, np.inf)])
def test_edges_ascend(edges):
    for encoder in (PLE, SoftBins):
        with pytest.raises(ValueError, match="2 or more finite numbers, ascending; got"):
            encoder(edges)


@pytest.mark.parametrize("numbers", [1.7e9 + X, np.exp(30 * X)], ids=["offset", "wide"])
def test_edges_that_coincide_in_float32_are_an_error(numbers):
    for encoder in (PLE, SoftBins):
        with pytest.raises(ValueError, match="coincide in float32: standardise the numbers"):
            encoder.fit(numbers)
    for head in (nl.heads.Bars, nl.heads.HLGauss):
        with pytest.raises(ValueError, match="coincide in float32: standardise the target first"):
            head.fit(1.7e9 + X)


def test_soft_bins_mix_the_two_nearest_centres():
    module, found = vectors(SoftBins((0.0, 1.0, 3.0), scale=2.0), [-5.0, 0.25, 1.0, 2.0, 9.0])
    a, b, c = module.table
    expected = torch.stack([a, 0.75 * a + 0.25 * b, b, (b + c) / 2, c])
    torch.testing.assert_close(found, expected)
    assert len(SoftBins.fit(X).centres) == 48


def test_waves_have_their_frequencies():
    module, found = vectors(Periodic(3, sigma=0.2, scale=4.0), [8.0])
    assert float(module.frequencies.detach().abs().max()) <= 0.6
    angles = 2 * np.pi * module.frequencies * 2.0
    expected = module.out(torch.cat([angles.cos(), angles.sin()])).relu()
    torch.testing.assert_close(found[0], expected)


TASK = nl.tasks.Planets(n_steps=2, n_planets=(2, 2))
COLUMNS = [
    Standardised.fit(TASK.sample(200, 1)),
    FusedBins.fit(TASK.sample(200, 1), 12),
    FusedBins((("m*", (1.0, 3.0, 5.0)), ("*", tuple(np.linspace(-3, 3, 30))))),
]


@pytest.mark.parametrize("encoder", COLUMNS, ids=lambda e: type(e).__name__)
def test_a_number_is_spelled_and_read_by_its_column(encoder):
    (examples,) = TASK.sample(40, 0)
    corpus = nl.Tokenizer.of(TASK.layouts(), encoder)([examples])
    batch, tokenizer = corpus.batch(np.arange(40)), corpus.tokenizer
    for slot, name in enumerate(examples.layout.number_slots):
        own = encoder.at(name)
        here, true = batch.slot == slot, examples.column(name)
        ids = batch.ids[here][:, None] - tokenizer.offset
        assert (ids == own.encode(true).ids).all()
        features = batch.features[here.ravel()[batch.carriers]]
        read = tokenizer.decode(
            ids + tokenizer.offset, np.ones(ids.shape, bool), features, slot=name
        )
        assert (np.abs(read - true) <= precision(own, true)).all()


def test_a_word_of_another_column_is_no_number():
    encoder = COLUMNS[2]
    assert np.isnan(encoder.at("m0").decode(encoder.at("x0").encode([1.0])))
    assert encoder.at("m1").decode(encoder.at("m0").encode([3.1])) == [3.0]
    with pytest.raises(ValueError, match=r"FusedBins has m\*; got slot x"):
        FusedBins((("m*", (1.0, 2.0)),)).at("x")


@pytest.mark.parametrize("encoder", COLUMNS[:2], ids=lambda e: type(e).__name__)
def test_columns_train_and_predict(encoder, module_home):
    spec = nl.RunSpec(
        task=TASK,
        encoder=encoder,
        objective=nl.MaskedLM(),
        model=nl.GPT2(16, 1, 2, context=128),
        n_train=64,
        n_valid=16,
        n_test=16,
        steps=3,
        learning_rate=1e-3,
    )
    frame = nl.predict(nl.train(spec), "test", ("m0", "a0", "x0.1"))
    assert len(frame) == 48


def test_columns_may_have_names_that_look_like_patterns():
    e = nl.Examples(nl.Layout.of("{mass [kg]} {x*}"), np.array([[1.0, 10.0], [2.0, 30.0]]))
    encoder = FusedBins.fit([e], 3)
    assert encoder.at("mass [kg]").spell(1.4) == ["1.5 mass [kg]"]
    assert encoder.at("x*").spell(29) == ["30.0 x*"]


@pytest.mark.parametrize("scale", [0.1, 7, 1e-30])
def test_a_column_that_is_constant_has_the_scale_1(scale):
    (e,) = [nl.Examples(nl.Layout.of("{a}"), np.full((3, 1), scale))]
    encoder = nl.Standardised.fit([e])
    assert encoder.columns[0][-1] == 1 and encoder.at("a").units([scale])[0] == pytest.approx(0)


def test_standardised_numbers_are_answered_as_the_inner_encoder_answers():
    encoder = nl.Standardised(nl.Aggregate(3, 2), (("*", 0.0, 100.0, 10.0),))
    assert encoder.answer == nl.Standardised(encoder.inner.answer, encoder.columns)
    assert encoder.answer.spell(125) == encoder.inner.answer.spell(2.5)
    assert nl.Standardised().answer == nl.Standardised()


def test_columns_are_standardised_and_those_of_many_decades_are_bent():
    rng = np.random.default_rng(0)
    near, wide = rng.normal(300, 7, 500), 10 ** rng.uniform(-30, 30, 500)
    (e,) = [nl.Examples(nl.Layout.of("{near} {w*e}"), np.stack([near, wide], 1))]
    encoder = nl.Standardised.fit([e])
    for name, x in (("near", near), ("w*e", wide)):
        own = encoder.at(name)
        assert own.units(x).mean() == pytest.approx(0) and own.units(x).std() == pytest.approx(1)
        assert own.decode(own.encode(x)) == pytest.approx(x, rel=1e-4)
    assert str(encoder) == "XVal (by column)"


@pytest.mark.parametrize("numbers_of", [(SoftBins, [1.0, 2.0]), (FusedBins, TASK.sample(8, 1))])
def test_one_centre_is_too_few(numbers_of):
    cls, numbers = numbers_of
    with pytest.raises(ValueError, match="bins is a whole number, 2 or more; got 1"):
        cls.fit(numbers, bins=1)


@pytest.mark.parametrize("wrong", [(0, 1, 0), (-1, 0, 1), (0, np.nan, 1), (0, 0, np.inf)])
def test_a_column_without_a_scale_is_named(wrong):
    with pytest.raises(ValueError, match=r"scale > 0\), all finite; got \('y\*', "):
        Standardised(columns=(("x", 0, 0, 1), ("y*", *wrong)))


def test_a_constant_column_that_has_no_bins_is_named():
    with pytest.raises(ValueError, match="FusedBins of n0 has 2 or more finite numbers"):
        FusedBins.fit(nl.parse(["a=3 b=1", "a=3 b=2"]))


def test_the_deviation_of_the_largest_numbers_is_finite():
    assert deviation([1e308, -1e308]) == 1e308
    assert deviation([3.0, 5.0]) == 1.0 and deviation([7.0, 7.0]) == 1.0


def test_the_nearest_of_the_largest_centres_is_taken():
    (word,) = nl.FusedBins((("*", (1e308, 1.7e308)),)).spell(1.7e308)
    assert word == "1.7e+308 *"


@pytest.mark.parametrize("kind", [PLE, SoftBins, nl.heads.Bars, nl.heads.HLGauss])
def test_what_is_fitted_to_no_numbers_says_so(kind):
    with pytest.raises(ValueError, match=f"{kind.__name__} .* numbers"):
        kind.fit([])


@pytest.mark.parametrize(
    "fields", [{"n": 0}, {"n": 2.5}, {"sigma": -1.0}, {"sigma": 0.0}, {"sigma": np.nan}]
)
def test_periodic_without_frequencies_is_refused(fields):
    expected = "n of Periodic is a whole number|positive, finite sigma; got"
    with pytest.raises(ValueError, match=expected):
        Periodic(**fields)


def test_edges_of_large_numbers_that_differ_by_one_stay_apart():
    assert len(quantile_edges(1e15 + np.arange(2000.0))) == 49
    assert len(quantile_edges(1e15 + np.arange(50.0))) == 25  # each is near the next
    assert len(quantile_edges([0.3, 0.1 + 0.2, 0.3, 1], 3)) == 2


@pytest.mark.parametrize("numbers", [1.7e9 + np.arange(1000.0), np.arange(1000) * 1e300])
def test_a_tree_cuts_where_the_targets_step(numbers):
    edges = tree_edges(numbers, np.arange(1000) >= 437, bins=2)
    assert edges == (numbers[0], numbers[436] / 2 + numbers[437] / 2, numbers[-1])


@pytest.mark.parametrize("size", [1e-200, 1e300])
def test_the_deviation_scales_with_the_numbers(size):
    assert deviation(np.array([1, 2, 5]) * size) == pytest.approx(size * np.std([1, 2, 5]))


def test_many_edges_and_centres_are_shown_by_their_ends():
    edges = tuple(range(40))
    assert str(PLE(edges)) == "PLE(edges=(0.0, ... 40 ..., 39.0))"
    shown = "(('x', (0.0, ... 40 ..., 39.0)), ('y', (0.0, ... 40 ..., 39.0)))"
    encoder = FusedBins((("x", edges), ("y", edges)))
    assert str(encoder) == f"FusedBins(centres={shown})"
    spec = nl.RunSpec(TASK, encoder, nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    assert spec.name.endswith(" · FusedBins · seed 0")


def test_frequencies_begin_within_three_deviations_and_centres_near_0():
    torch.manual_seed(0)
    frequencies = nl.Periodic(n=10_000, sigma=0.5).embedding(4).frequencies.detach()
    assert float(frequencies.abs().max()) <= 1.5 and float(frequencies.abs().max()) > 1.2
    assert nl.Periodic().sigma == 0.01
    table = nl.SoftBins(tuple(range(2000))).embedding(8).table.detach()
    assert float(table.std()) == pytest.approx(0.02, rel=0.05)


@pytest.mark.parametrize("kind", ["A", "B"])
def test_a_shift_of_all_numbers_and_edges_changes_no_vector(kind):
    vectors = []
    for shift in (0.0, 64.0):
        torch.manual_seed(0)
        encoder = nl.PLE((shift, shift + 1, shift + 2), kind)
        x = torch.from_numpy(encoder.features([shift + 0.5, shift + 1.75]))
        vectors.append(encoder.embedding(4)(x, torch.zeros(1, 4)).detach())
    assert torch.allclose(*vectors, atol=1e-6)


@pytest.mark.parametrize("bins", [0, 1, 2.5])
def test_a_tree_has_two_leaves_or_more(bins):
    with pytest.raises(ValueError, match=f"bins is a whole number, 2 or more; got {bins}"):
        tree_edges(X, X > 0.7, bins)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_the_cuts_of_a_tree_do_not_depend_on_the_unit_of_the_targets(unit):
    x = np.arange(1000.0)
    y = np.where(x < 300, 0.0, 1.0) + np.where(x < 700, 0.0, 1.0)
    assert tree_edges(x, unit * y) == (0.0, 299.5, 699.5, 999.0)


def test_a_few_outliers_or_tiny_numbers_do_not_bend_a_column():
    x = np.linspace(1, 2, 1000)
    x[0], x[-1] = 1e-6, 1e6
    assert asinh_centre_scale(x)[0] == 0
    assert asinh_centre_scale(np.geomspace(1, 500, 1000))[0] == 0  # hardly 3 decades
    assert asinh_centre_scale(np.geomspace(1, 1e4, 1000))[0] > 0
