"""judge: the verdict that samples give, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from numlab.claims import Claim, Gate, WrongSamplesError, judge

SEEDS = [0.5, 0.7, 0.6, 0.4, 0.55]


def claim(**fields):
    return Claim("xval/x", ["xval/fig07"], "xVal is best", "difference of errors", **fields)


def share(verdict, effect, n, draws=300, **fields):
    """The share of draws with this verdict, of n samples with mean `effect` and variance 1."""
    rng = np.random.default_rng(n)
    samples = rng.normal(effect, 1.0, (draws, n))
    return np.mean([judge(claim(**fields), row).verdict == verdict for row in samples])


@pytest.mark.parametrize("n", [3, 5, 10])
def test_no_effect_is_rarely_held(n):
    assert share("held", 0.0, n, above=0) <= 0.05
    assert share("held", 0.0, n, below=0) <= 0.05


@pytest.mark.parametrize("n", [5, 10])
def test_an_effect_of_two_standard_deviations_is_mostly_held(n):
    assert share("held", 2.0, n, above=0) >= 0.8
    assert share("contradicted", -2.0, n, above=0) >= 0.8


@pytest.mark.parametrize("n", [3, 5, 10])
def test_values_at_the_margin_are_rarely_held_to_be_equal(n):
    assert share("held", 2.0, n, within=(-2, 2)) <= 0.05


@pytest.mark.parametrize("n", [5, 10])
def test_values_without_a_difference_are_mostly_held_to_be_equal(n):
    assert share("held", 0.0, n, within=(-2, 2)) >= 0.8


def test_the_interval_over_seeds_is_student_s():
    part = judge(claim(above=0), SEEDS).parts[0]
    mean, error = np.mean(SEEDS), stats.sem(SEEDS)
    assert (part.low, part.high) == pytest.approx(stats.t.interval(0.95, 4, mean, error))
    assert part.n == 5 and part.samples == tuple(SEEDS)


def test_a_mean_can_be_computed_again_from_the_samples_unless_they_are_many():
    ratio = judge(claim(below=1, ratio=True), [0.5, 0.8, 0.2]).parts[0]
    assert stats.gmean(ratio.samples) == pytest.approx(ratio.mean)
    many = judge(claim(above=0, over="examples"), np.ones(400)).parts[0]
    assert many.samples == ()


def test_the_interval_over_examples_narrows_with_their_number():
    rng = np.random.default_rng(0)
    parts = [
        judge(claim(above=0, over="examples"), rng.normal(1, 1, n)).parts[0] for n in (400, 6400)
    ]
    few, many = (part.high - part.low for part in parts)
    assert few == pytest.approx(2 * 1.96 / 20, rel=0.2)
    assert many == pytest.approx(few / 4, rel=0.2)


@pytest.mark.parametrize(
    ("samples", "side", "verdict"),
    [
        (SEEDS, {"above": 0}, "held"),
        (SEEDS, {"above": 0.55}, "open"),
        (SEEDS, {"above": 1}, "contradicted"),
        (SEEDS, {"below": 1}, "held"),
        (SEEDS, {"within": (0.3, 0.8)}, "held"),
        (SEEDS, {"within": (0.5, 0.8)}, "open"),
        (SEEDS, {"within": (0.8, 0.9)}, "contradicted"),
        ([0, 0, 0], {"above": 0}, "contradicted"),
        ([1, 1, 1], {"within": (1, 1)}, "held"),
        ([204_800 / 3200] * 3, {"within": (64, np.inf), "ratio": True}, "held"),
        (
            [np.exp(np.log(204_800) - np.log(3200))] * 3,
            {"within": (64, np.inf), "ratio": True},
            "held",
        ),
        ([1, 1, 1], {"above": 1}, "contradicted"),
    ],
)
def test_the_interval_decides_on_which_side_the_statistic_lies(samples, side, verdict):
    assert judge(claim(**side), samples).verdict == verdict


def test_a_claim_about_all_parts_needs_each_of_them():
    parts = pd.DataFrame({"P10": SEEDS, "FP15": [0.1, -0.1, 0.05, 0.0, -0.02]})
    verdict = judge(claim(above=0), parts)
    assert (verdict.verdict, verdict.why) == ("open", "the interval holds both sides for FP15")
    assert [part.name for part in verdict.parts] == ["FP15", "P10"]  # the nearest first
    assert judge(claim(above=0), parts.assign(P1000=-0.3)).verdict == "contradicted"


def test_a_true_claim_of_many_parts_is_rarely_contradicted():
    draws = np.random.default_rng(0).normal(0.05, 1, (400, 3, 10))
    verdicts = [judge(claim(above=0), pd.DataFrame(draw)).verdict for draw in draws]
    assert verdicts.count("contradicted") <= 0.05 * len(verdicts)


def test_a_part_that_is_beyond_by_itself_but_not_among_many_is_named():
    parts = pd.DataFrame({"P10": [1.0, 2.0, 3.0], "FP15": [-1.0, -1.2, -0.6], "P1000": 5.0})
    assert judge(claim(above=0), parts[["FP15"]]).verdict == "contradicted"
    verdict = judge(claim(above=0), parts.assign(B1999=[1, 1, 2], XVal=4.0, FoNE=4.0, Digits=4.0))
    assert verdict.verdict == "open"
    assert verdict.why.endswith("(widened for 7 parts, that of FP15)")


@pytest.mark.parametrize(("sign", "verdict"), [(1, "held"), (-1, "contradicted")])
def test_seeds_that_were_looked_at_before_need_a_wider_interval(sign, verdict):
    samples = sign * np.array([0.3, 1.0, 2.0, 0.4, 1.6])  # t = 3.2; once 2.8 decides, twice 3.5
    assert judge(claim(above=0), samples).verdict == verdict
    again = judge(claim(above=0, looks=2), samples)
    assert again.why == "the interval holds both sides (widened for 2 looks)"
    assert again.parts[0].low == judge(claim(above=0), samples).parts[0].low  # shown as it is
    assert judge(claim(above=0, looks=2), sign + samples).verdict == verdict


def test_the_part_that_contradicts_comes_first():
    wide = {"sums": [-9.0, 8.0, -7.0, 6.0, 1.0], "products": [-x for x in SEEDS]}
    found = judge(claim(above=0), wide)
    assert found.verdict == "contradicted"
    assert [part.name for part in found.parts] == ["products", "sums"]
    assert found.parts[1].low < found.parts[0].low


def test_samples_are_paired_by_their_seeds():
    ours, theirs = pd.Series(SEEDS), pd.Series(SEEDS[::-1], index=[4, 3, 2, 1, 0]) - 0.01
    part = judge(claim(above=0), ours, against=theirs).parts[0]
    assert (part.low, part.high) == pytest.approx((0.01, 0.01))


def test_one_column_is_compared_with_each_part():
    errors = pd.DataFrame({"P10": [2.0, 4.0, 6.0], "FP15": [4.0, 8.0, 12.0]})
    verdict = judge(claim(above=1.5, ratio=True), errors, against=pd.Series([1.0, 2.0, 3.0]))
    assert {part.name: part.mean for part in verdict.parts} == pytest.approx({"P10": 2, "FP15": 4})
    assert verdict.verdict == "held"


def test_a_ratio_has_a_geometric_mean():
    part = judge(claim(above=1, ratio=True), [1.0, 2.0, 4.0]).parts[0]
    assert part.mean == pytest.approx(2)
    assert part.low == pytest.approx(4 / part.high)


@pytest.mark.parametrize(("side", "unit"), [("above", 0.7), ("below", 3200)])
def test_a_ratio_at_its_bound_is_on_no_claimed_side(side, unit):
    at_bound = claim(ratio=True, **{side: 5.0})  # its logarithm is rounded to that side
    assert judge(at_bound, [5 * unit] * 3, against=[unit] * 3).verdict == "contradicted"


def test_many_examples_of_each_seed_count_as_one_sample_a_seed():
    index = pd.MultiIndex.from_product([range(3), range(200)], names=["seed", "example"])
    values = pd.Series(np.random.default_rng(0).normal(1, 1, 600), index=index)
    by_seed = judge(claim(above=0), values).parts[0]
    assert by_seed.n == 3
    assert by_seed.low == judge(claim(above=0), values.groupby("seed").mean()).parts[0].low
    assert judge(claim(above=0, over="examples"), values).parts[0].n == 200


def test_samples_of_no_seed_count_as_one_seed():
    index = pd.MultiIndex.from_tuples(
        [(0, 0), (1, 0), (2, 0), (None, 0)], names=["seed", "example"]
    )
    part = judge(claim(above=0), pd.Series([1.0, 2.0, 3.0, -6.0], index=index)).parts[0]
    assert part.n == 4 and part.mean == 0


def test_a_computation_is_exact_or_contradicted():
    exact = claim(within=(1, 1), over="nothing")
    assert judge(exact, 1.0).verdict == "exact"
    assert judge(exact, [1.0, 0.999]).verdict == "contradicted"
    assert judge(exact, 1.0).parts[0].effect is None


def test_the_effect_is_in_standard_deviations_on_the_claimed_side():
    part = judge(claim(below=1), SEEDS).parts[0]
    assert part.effect == pytest.approx((1 - np.mean(SEEDS)) / np.std(SEEDS, ddof=1))
    assert judge(claim(above=1), SEEDS).parts[0].effect == pytest.approx(-part.effect)
    assert judge(claim(above=1), [2, 2, 2]).parts[0].effect is None


def test_samples_that_are_all_the_same_have_no_effect():
    (part,) = judge(claim(above=0), [0.1] * 3).parts  # their computed deviation is 1e-17
    assert part.effect is None and part.effect_half is None


def test_a_gate_that_fails_leaves_the_claim_open():
    gated = claim(above=0, gates=["plateau"])
    assert judge(gated, SEEDS, gates=[Gate("plateau", True)]).verdict == "held"
    verdict = judge(gated, SEEDS, gates=[Gate("plateau", False, "it fell by 9 %")])
    assert (verdict.verdict, verdict.why) == ("open", "failed gates: plateau (it fell by 9 %)")


def test_a_part_that_contradicts_needs_the_gates_of_its_own_part_and_side_only():
    gated = claim(above=0, gates=["plateau"])
    samples = {"sums": [-x for x in SEEDS], "products": SEEDS}

    def verdict(**passed):
        gates = [
            Gate("plateau", passed.get(f"{part}_{side}", True), f"{part} {side}", part, side)
            for part in samples
            for side in ("held", "contradicted")
        ]
        found = judge(gated, samples, gates=gates)
        return found.verdict, found.why

    assert verdict() == ("contradicted", "")
    assert verdict(sums_held=False, products_held=False, products_contradicted=False)[0] == (
        "contradicted"
    )
    failed = "failed gates: plateau (sums contradicted)"
    assert verdict(sums_contradicted=False) == ("open", failed)


def test_what_holds_needs_no_gate_against_it():
    gated = claim(above=0, gates=["plateau"])
    gates = [Gate("plateau", True, side="held"), Gate("plateau", False, side="contradicted")]
    assert judge(gated, SEEDS, gates=gates).verdict == "held"
    assert judge(gated, [-x for x in SEEDS], gates=gates).verdict == "open"
    assert judge(gated, [-1.0, 1.0, 0.1], gates=gates).why == "failed gates: plateau ()"


@pytest.mark.parametrize(
    "half, verdict, shown",
    [
        (SEEDS, "held", "0.55 if it moves as far again"),
        ([x + 0.5 for x in SEEDS], "held", "1.05 with half of the steps, 0.55 with all, 0.05"),
        ([x + 0.6 for x in SEEDS], "open", "1.15 with half of the steps, 0.55 with all, -0.05"),
        ([x - 5.0 for x in SEEDS], "held", "-4.45 with half of the steps, 0.55 with all, 5.55"),
        ([np.nan] * 5, "open", "nan with half of the steps"),
    ],
)
def test_an_answer_that_moves_on_as_it_moved_stays_on_its_side(half, verdict, shown):
    gated = claim(above=0, gates=["settled"])
    found = judge(gated, SEEDS, half=[half])
    assert found.verdict == verdict
    assert shown in found.gates[0].evidence


def test_halves_are_paired_as_the_whole_is():
    gated = claim(above=1, ratio=True, gates=["settled"])
    whole, of_half = ([8.0, 9.0, 8.5], [1.0, 1.1, 0.9]), ([4.0, 4.5, 4.2], [1.0, 1.1, 0.9])
    found = judge(gated, *whole, half=of_half)
    shown = "4.24 with half of the steps, 8.52 with all, 17.1 if it moves as far again"
    assert (found.verdict, found.gates[0].evidence) == ("held", shown)


def test_within_a_margin_it_may_not_move_out_on_either_side():
    gated = claim(within=(-1, 1), gates=["settled"])
    verdicts = [judge(gated, SEEDS, half=[[x + d for x in SEEDS]]).verdict for d in (1.5, -0.4, -2)]
    assert verdicts == ["held", "held", "open"]


def test_a_share_does_not_move_past_1():
    gated = claim(within=(1, 1), gates=["settled"], range=(0, 1))
    assert judge(gated, [1.0] * 3, half=[[0.8, 0.9, 1.0]]).verdict == "held"
    assert judge(gated, [0.9, 1.0, 1.0], half=[[1.0] * 3]).verdict == "open"


def test_a_ratio_does_not_move_past_its_range():
    gated = claim(above=0.3, ratio=True, gates=["settled"], range=(0, 0.9))
    shown = [
        judge(gated, [x] * 3, half=[[y] * 3]).gates[0].evidence for x, y in ((0.5, 0.6), (0.8, 0.6))
    ]
    assert "0.417 if" in shown[0] and "0.9 if" in shown[1]


def test_only_what_contradicts_has_to_be_settled():
    gated = claim(above=0, gates=["settled"])
    whole = {"sums": [-x for x in SEEDS], "products": SEEDS}
    half = whole | {"products": [x + 1 for x in SEEDS]}
    assert judge(gated, whole, half=[half]).verdict == "contradicted"
    with pytest.raises(WrongSamplesError, match="only on one side: products"):
        judge(gated, whole, half=[{"sums": SEEDS}])


def test_halves_are_of_the_same_seeds():
    gated = claim(above=0, gates=["settled"])
    others = pd.Series(SEEDS, pd.Index(range(5, 10), name="seed"))
    with pytest.raises(
        WrongSamplesError, match="expected the same seeds with half of the steps as with all"
    ):
        judge(gated, pd.Series(SEEDS, pd.Index(range(5), name="seed")), half=[others])


def test_gates_that_fail_alike_are_named_once():
    gated = claim(above=0, gates=["plateau"])
    gates = [Gate("plateau", False, "it fell", part) for part in ("sums", "products")]
    found = judge(gated, {"sums": SEEDS, "products": SEEDS}, gates=gates)
    assert found.why == "failed gates: plateau (it fell)"


@pytest.mark.parametrize(
    "gates",
    [
        [],
        [Gate("rates", True)],
        [Gate("plateau", True)] * 2,
        [Gate("plateau", True, side="held")],
        [Gate("plateau", True, part="products")],
    ],
)
def test_the_gates_are_those_of_the_claim(gates):
    with pytest.raises(ValueError, match=r"xval/x has the gates \['plateau'\]; got"):
        judge(claim(above=0, gates=["plateau"]), SEEDS, gates=gates)


SQUARE = pd.MultiIndex.from_product([range(3)] * 2, names=["seed", "example"])
EXAMPLES = pd.MultiIndex.from_product([[0, 1, 2], range(4)], names=["seed", "example"])


@pytest.mark.parametrize(
    ("samples", "against", "words"),
    [
        ([0.5], None, "seeds needed: 3; got 1"),
        ([0.5, np.nan, 0.4], None, r"NaN, infinity or no ratio at \[1\]"),
        ([0.5, np.inf, 0.4], None, r"NaN, infinity or no ratio at \[1\]"),
        (SEEDS, SEEDS[:4], "5 samples are not paired with 4 others"),
        ({"P10": SEEDS}, {"FP15": SEEDS}, "P10: 5 samples are not paired with no others"),
        ({"P10": SEEDS}, {"P10": SEEDS, "FP15": SEEDS}, "no samples for FP15"),
        (pd.Series(SEEDS, [0, 1, 2, 2, 1]), None, "two samples have one label"),
        (
            pd.Series(SEEDS).rename_axis("example"),
            None,
            r"for each seed is needed; got \['example'\]",
        ),
        (pd.Series(1.0, EXAMPLES.set_names(["run", "text"])), None, "for each seed is needed"),
        (
            pd.Series(1.0, SQUARE),
            pd.Series(1.0, SQUARE.set_names(["example", "seed"])),
            "by .'seed', 'example'., others by .'example', 'seed'",
        ),
        (pd.Series([1, np.nan] * 6, EXAMPLES), None, r"NaN, infinity or no ratio at \[0, 1, 2\]"),
    ],
)
def test_samples_that_cannot_judge_are_refused_with_the_reason(samples, against, words):
    with pytest.raises(WrongSamplesError, match=words):
        judge(claim(above=0), samples, against)


def test_two_parts_of_one_name_are_refused():
    twice = pd.DataFrame([[-1.0, 1.0], [-1.1, 1.2], [-0.9, 0.8]], columns=["P10", "P10"])
    for samples in (twice, {1: SEEDS, "1": SEEDS}):
        with pytest.raises(WrongSamplesError, match="two parts have one name: (P10|1)"):
            judge(claim(above=0), samples)


def test_a_ratio_of_nothing_is_refused():
    with pytest.raises(WrongSamplesError, match="no ratio"):
        judge(claim(above=1, ratio=True), [0.0, 1.0, 2.0])


def test_few_examples_are_refused():
    with pytest.raises(WrongSamplesError, match="examples needed: 200; got 5"):
        judge(claim(above=0, over="examples"), SEEDS)


@pytest.mark.parametrize("most", [0.96, 0.02, 0.7])
def test_rounding_does_not_decide_at_a_bound(most):
    at = [most + 0.02] * 3, [most] * 3
    assert judge(claim(within=(-0.02, 0.02)), *at).verdict == "held"
    assert judge(claim(above=0.02), *at).verdict == "contradicted"


def test_samples_that_differ_by_rounding_are_equal():
    values = np.full(300, 0.1)
    values[0] = np.nextafter(0.1, 1)
    found = judge(claim(above=0, over="examples"), values)
    assert found.verdict == "held" and found.parts[0].effect is None


def test_what_is_computed_may_have_any_index():
    cells = pd.Series({("a", 1): 1.0, ("b", 2): 3.0})
    found = judge(claim(above=0, over="nothing"), cells)
    assert found.verdict == "exact" and found.parts[0].n == 2


def test_errors_of_a_computation_that_cancel_out_contradict_it():
    found = judge(claim(within=(1, 1), over="nothing"), [0.9, 1.1])
    assert found.verdict == "contradicted"
    assert (found.parts[0].low, found.parts[0].high) == (0.9, 1.1)


def examples(n_parts, mean, n=400):
    """Parts of n examples: in the first the mean is so many standard errors, in the others 9."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, n_parts))
    values = (values - values.mean(0)) / values.std(0, ddof=1)
    return pd.DataFrame(values + np.array([mean, *[9] * (n_parts - 1)]) / n**0.5)


def test_the_interval_over_examples_is_the_same_each_time_and_of_95_percent():
    rows = examples(1, 0.0)
    first, second = (judge(claim(above=0, over="examples"), rows).parts[0] for _ in range(2))
    assert first == second
    assert (first.low, first.high) == pytest.approx((-1.96 / 20, 1.96 / 20), rel=0.06)


def test_among_many_parts_over_examples_the_interval_is_widened_too():
    alone = judge(claim(above=0, over="examples"), examples(1, -2.4))
    among = judge(claim(above=0, over="examples"), examples(10, -2.4))
    assert (alone.verdict, among.verdict) == ("contradicted", "open")
    assert among.why.endswith("(widened for 10 parts, that of 0)")


def test_a_ratio_of_0_with_half_of_the_steps_settles_nothing():
    gated = claim(within=(1, np.inf), ratio=True, gates=["settled"])
    assert judge(gated, [8.0, 9.0, 8.5], half=[[0.0, 0.0, 0.0]]).verdict == "open"


@pytest.mark.parametrize("side", [{"below": 1}, {"within": (-5, 1)}])
def test_the_part_nearest_to_the_other_side_comes_first_whichever_side_that_is(side):
    parts = {"far": [x - 3 for x in SEEDS], "near": SEEDS}
    assert [part.name for part in judge(claim(**side), parts).parts] == ["near", "far"]


def test_the_effect_within_a_margin_is_that_to_its_nearer_end_and_has_half_an_interval():
    part = judge(claim(within=(0, 1)), SEEDS).parts[0]
    mean, spread = np.mean(SEEDS), np.std(SEEDS, ddof=1)
    assert part.effect == pytest.approx((1 - mean) / spread)
    assert part.effect_half == pytest.approx((part.high - part.low) / 2 / spread)
