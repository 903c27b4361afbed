"""help() of a public name has an example; pytest runs all of them (--doctest-modules)."""

from __future__ import annotations

import inspect

import numlab as nl

# Still without an example: to be emptied, never to grow.
MISSING = """
claims.gates.beats claims.gates.plateau claims.gates.rates_inside
claims.registry.Claim claims.verdict.Part claims.verdict.Verdict claims.verdict.WrongSamplesError
claims.verdict.judge compare.learning.answers compare.learning.predictable
compare.learning.relative_errors compare.learning.specs compare.learning.tied
compare.reading.Reading compare.report.Advice compare.report.Report embeddings.from_pretrained
encoders.aggregate.DigitMax encoders.aggregate.DigitMean encoders.aggregate.DigitMedian
encoders.aggregate.DigitMin encoders.aggregate.DigitSum evaluation.interval evaluation.predictions
figures.filing.begin figures.filing.claim figures.filing.save_figure figures.filing.save_table
heads.base.Head heads.base.HeadModule heads.distributions.Distribution
heads.distributions.Histogram heads.distributions.Normals heads.distributions.Points
losses.LossTerm metrics.interval_score models.base.Architecture models.base.Model
models.positions.Position models.transformer.NumberEmbedding objectives.base.Answers
objectives.base.Inputs objectives.base.Objective objectives.base.Targets plots.cards.report_card
plots.comparisons.gap_errors plots.comparisons.intervals plots.comparisons.learning_curves
plots.comparisons.line_with_band plots.comparisons.spectra plots.style.chip plots.style.legend
plots.style.styled plots.sweep.sweep pretrained.model.Pretrained pretrained.model.PretrainedModel
pretrained.source.locate pretrained.text.PretrainedTokenizer pretrained.writer.PretrainedWriter
probes.calibration.calibration probes.calibration.scores probes.logits.NumberLogits
tasks.fields.FieldFile tasks.sentences.Sentences store.digest
store.home store.intact store.runs_dir widgets.leaderboard.leaderboard
widgets.sweep_answers.swept
"""


def public() -> dict[str, object]:
    """Classes and functions that numlab or a public module exports, by full name."""
    modules = [nl, *(part for part in map(nl.__getattr__, nl.__all__) if inspect.ismodule(part))]
    found = [getattr(m, name) for m in modules for name in getattr(m, "__all__", ())]
    found = [x for x in found if inspect.isclass(x) or inspect.isfunction(x)]
    return {f"{x.__module__}.{x.__qualname__}".removeprefix("numlab."): x for x in found}


def test_every_public_name_has_an_example():
    without = {name for name, x in public().items() if ">>> " not in (x.__doc__ or "")}
    assert len(public()) > 150
    assert without - {*MISSING.split()} == set(), "a public name needs a docstring with an example"
    assert {*MISSING.split()} - without == set(), "these have one: take them off the list"
