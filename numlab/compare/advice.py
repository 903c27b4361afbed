"""Which encoder, and why: sentences that stand on the measured numbers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numlab.compare.masked import BASELINE

if TYPE_CHECKING:
    import pandas as pd

LOSSLESS = 1e-6  # relative: what float32 keeps
APART = 1.25  # errors of one seed that differ by less are not told apart


def advice(encodings: pd.DataFrame, errors: pd.DataFrame | None) -> list[str]:
    """What to take for a table, and the evidence.

    An encoder that does not hold every number is out. Of the others those are kept whose error in
    the held-out gap is within a factor of 1.25 of the least, if that beats always saying the
    median; then the one that loses least, then the one with fewest tokens, then the one whose
    embedding keeps neighbours best.

    Parameters
    ----------
    encodings : DataFrame
        As from `compare.encodings`.
    errors : DataFrame, optional
        As from `compare.gap_errors`.

    Returns
    -------
    list of str
        Sentences, the advice first.
    """
    frame = encodings.set_index("encoder")
    fit = frame[frame.held == frame.held.max()].copy()
    learned = _learned(errors)
    said = []
    if learned is not None:
        fit = fit.join(learned, how="inner") if fit.index.isin(learned.index).any() else fit
    if "gap" in fit:
        fit = fit[fit.gap <= APART * fit.gap.min()]
    fit["lost"] = fit.worst.where(fit.worst > LOSSLESS, 0.0)
    best = fit.sort_values(["lost", "tokens", "f1"], ascending=[True, True, False]).iloc[0]
    said.append(f"Take {best.name}.")
    said.append(_held(best, frame))
    if "gap" in fit:
        said.append(_gap(best, learned, fit))
    elif errors is not None:
        said.append(
            "No small model was better in the held-out gap than always saying the median, so "
            "range, precision and length alone decide."
        )
    said.append(_precision(best, frame))
    said.append(_length(best, fit))
    if errors is not None:
        said.append("The models are small, with one seed: repeat what matters with three.")
    return said


def _learned(errors: pd.DataFrame | None) -> pd.DataFrame | None:
    """[gap, seen] of the encoders, where one of them beats the baseline in the gap."""
    if errors is None:
        return None
    table = errors.pivot(index="encoder", columns="part", values="error")
    baseline = table.loc[BASELINE]
    own = table.drop(index=BASELINE)
    return own.assign(baseline=baseline.gap) if own.gap.min() < baseline.gap else None


def _held(best: pd.Series, frame: pd.DataFrame) -> str:
    out = frame[frame.held < frame.held.max()]
    whole = "every number" if best.held == 1 else f"{best.held:.1%} of the numbers, the most"
    if not len(out):
        return f"It holds {whole}, as do all others."
    names = "; ".join(f"{row.Index} not {row.refused:.6g}" for row in out.itertuples())
    return f"It holds {whole}. Others do not: {names}."


def _gap(best: pd.Series, learned: pd.DataFrame, fit: pd.DataFrame) -> str:
    others = learned[~learned.index.isin(fit.index)].gap
    said = (
        f"Trained without the numbers in the gap, its median error there is {best.gap:.3g} of the "
        f"interquartile range ({best.seen:.3g} elsewhere; {BASELINE}: {best.baseline:.3g})."
    )
    alike = [name for name in fit.index if name != best.name]
    if alike:
        said += f" Not told apart from it: {', '.join(alike)}."
    if len(others):
        said += f" All others: {others.min():.3g} or more."
    return said


def _precision(best: pd.Series, frame: pd.DataFrame) -> str:
    lossy = frame[frame.worst > LOSSLESS]
    if best.lost:
        return f"It changes {1 - best.exact:.1%} of the numbers, at worst {best.example}."
    if not len(lossy):
        return "It loses nothing that float32 keeps, nor do the others."
    worst = lossy.loc[lossy.worst.idxmax()]
    return (
        f"It loses nothing that float32 keeps. {len(lossy)} others do, {worst.name} most: "
        f"{worst.example}."
    )


def _length(best: pd.Series, fit: pd.DataFrame) -> str:
    unit = "token" if best.tokens == 1 else "tokens"
    said = f"A number takes {best.tokens:.3g} {unit}, a row {best.text_tokens:.3g}."
    alike = fit[(fit.lost == best.lost) & (fit.tokens == best.tokens)].drop(index=best.name)
    if not len(alike) or alike.f1.isna().any():
        return said
    return (
        f"{said} As good in that: {', '.join(alike.index)}; neighbours stay nearest in its own "
        f"embedding (F1 {best.f1:.2f}, then {alike.f1.max():.2f})."
    )
