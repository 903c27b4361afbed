"""The claims in numlab/claims/*.toml."""

import re

import pytest

from numlab.claims import Claim, Gate, claims, judge
from numlab.figures.catalogue import PAPERS, item_of

FILE = """
[[claim]]
id = "xval/x"
figures = ["xval/fig07"]
text = "xVal is best"
statistic = "errors"
within = [0, 1]
amended = ["x-1"]

[amendments.x-1]
was = "a"
reason = "b"
seen = "c"
"""


def test_claims_say_what_decides_them():
    for claim in claims().values():
        assert re.fullmatch(r"[a-z]+/[a-z0-9-]+", claim.id), claim.id
        assert claim.id.partition("/")[0] in PAPERS, claim.id
        assert claim.figures == [id for id in claim.figures if item_of(id)], claim.id
        for words in (claim.text, claim.statistic):
            assert len(words) > 10, claim.id
            assert not re.search("TODO|^ours", words), claim.id


def test_no_sentence_stands_twice():
    texts = [(claim.id.partition("/")[0], claim.text) for claim in claims().values()]
    assert len(set(texts)) == len(texts)


def test_an_error_of_0_can_be_compared():
    claim = claims()["xval/single-tokens-masked"]
    gates = [Gate(name, True) for name in claim.gates]
    assert judge(claim, [0.2, 0.3, 0.25], [0.0, 0.0, 0.0], gates).verdict == "held"


def test_a_share_near_its_bound_can_hold():
    claim = claims()["xval/gap-snapping"]
    seeds = [0.0] * 7 + [0.0001]  # their t interval crosses 0
    gates = [Gate(name, True) for name in claim.gates]
    assert judge(claim, seeds, gates=gates).verdict == "held"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, r"one of above, below and within; got \[\]"),
        ({"above": 1, "below": 0}, "got .*above.*below"),
        ({"above": 1, "over": "models"}, "over one of seeds, examples, nothing; got 'models'"),
        ({"above": 1, "over": "nothing", "gates": ["plateau"]}, "trains nothing"),
        ({"above": 1, "amended": [{"was": "2"}]}, r"amended has was, reason and seen; got \['was'"),
    ],
)
def test_a_claim_that_cannot_be_judged_is_an_error(fields, words):
    with pytest.raises(ValueError, match=words):
        Claim("xval/x", ["xval/fig07"], "xVal is best", "errors", **fields)


def test_a_claim_without_a_section_is_ours():
    shared = ("xval/x", ["xval/fig07"], "xVal is best", "errors")
    assert Claim(*shared, above=0).ours
    assert not Claim(*shared, above=0, section="Section 3.2").ours


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ((0.12345, 0.05, 0.2), "0.123 [0.05, 0.2]"),
        ((0.99987, 0.99977, 0.99998), "0.9999 [0.9998, 1]"),
        ((1.0, 1.0, 1.0), "1 [1, 1]"),
    ],
)
def test_numbers_have_as_many_digits_as_tell_them_apart(ends, shown):
    part = dict(zip(("mean", "low", "high"), ends, strict=True), name="", n=3)
    verdict = {"parts": [part], "why": "", "ours": ""}
    claim = Claim("xval/x", ["xval/fig07"], "xVal is best", "errors", above=0)
    assert claim.summary(verdict) == f"{shown}, 3 seeds"


def test_parts_of_several_numbers_of_seeds_are_all_told():
    parts = [
        {"name": name, "n": n, "mean": 1, "low": 1, "high": 1} for name, n in (("a", 6), ("b", 3))
    ]
    claim = Claim("xval/x", ["xval/fig07"], "xVal is best", "errors", above=0)
    told = claim.summary({"parts": parts, "why": "", "ours": ""})
    assert told == "a 1 [1, 1], b 1 [1, 1], 3 to 6 seeds"


def test_a_file_of_claims_is_read(tmp_path, monkeypatch):
    (tmp_path / "xval.toml").write_text(FILE)
    monkeypatch.setattr("numlab.claims.registry.FOLDER", tmp_path)
    known = claims.__wrapped__()["xval/x"]
    assert (known.bounds, known.side) == ((0, 1), "0 to 1")
    assert known.amended == [{"was": "a", "reason": "b", "seen": "c"}]


def made(**side):
    return Claim("xval/x", ["xval/fig07"], "xVal is best", "errors", **side)


def test_three_parts_are_shown_and_the_others_counted():
    parts = [{"name": name, "n": 3, "mean": 1, "low": 1, "high": 1} for name in "abcde"]
    told = made(above=0).summary({"parts": parts, "why": "", "ours": ""})
    assert told == "a 1 [1, 1], b 1 [1, 1], c 1 [1, 1], and 2 more, 3 seeds"


def test_every_two_numbers_that_differ_are_told_apart():
    part = {"name": "", "n": 3, "mean": 1.0001, "low": 0.5, "high": 1.0002}
    told = made(above=0).summary({"parts": [part], "why": "", "ours": ""})
    assert told == "1.0001 [0.5, 1.0002], 3 seeds"


def test_the_ends_of_a_margin_are_in_order():
    with pytest.raises(ValueError, match=r"within .least, greatest.; got \(1.1, 0.9\)"):
        made(within=(1.1, 0.9))


def test_a_margin_without_an_upper_end_is_at_least_its_lower_one():
    assert made(within=(64, float("inf"))).side == ">= 64"
