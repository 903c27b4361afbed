"""The last snapshots of a planetary system, predicted at once (xval, Fig. 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numlab.examples import Examples

if TYPE_CHECKING:
    import pandas as pd

    from numlab.training import Run


def trajectories(run: Run, examples: list[Examples], n_last: int) -> pd.DataFrame:
    """Mask the positions of all planets in the last snapshots, all at once.

    Parameters
    ----------
    run : of a masked LM on planets, whose slots are x{planet}.{step} and y{planet}.{step}.
    n_last : snapshots to mask.

    Returns
    -------
    DataFrame [example, planet, step, x, y, predicted_x, predicted_y, hidden]
        A row a planet and snapshot, in their order. Predictions are NaN where nothing was hidden,
        and where the answer is no number.
    """
    import pandas as pd

    from numlab.evaluation import predict

    true = pd.concat([_positions(e) for e in examples])
    n_steps = 1 + true.step.max()
    if not 0 < n_last < n_steps:
        raise ValueError(f"of {n_steps} snapshots, 1 to {n_steps - 1} can be hidden; got {n_last}")
    hidden = range(n_steps - n_last, n_steps)
    answers = predict(run, examples, tuple(f"{axis}*.{s}" for axis in "xy" for s in hidden))
    parts = answers.slot.str.extract(r"(?P<axis>[xy])(?P<planet>\d+)\.(?P<step>\d+)")
    said = answers[["example"]].assign(
        axis="predicted_" + parts.axis,
        planet=parts.planet.astype(int),
        step=parts.step.astype(int),
        value=answers.predicted.where(answers.valid).astype(float),
    )
    key = ["example", "planet", "step"]
    said = said.pivot(index=key, columns="axis", values="value").reset_index()
    out = true.merge(said, on=key, how="left").assign(hidden=lambda f: f.step.isin(hidden))
    return out.sort_values(key, ignore_index=True).rename_axis(columns=None)


def _positions(e: Examples) -> pd.DataFrame:
    """A row a text, planet and step of one layout."""
    import pandas as pd

    places = [name[1:].split(".") for name in e.layout.number_slots if name[0] == "x"]
    frames = [
        pd.DataFrame(
            {
                "example": np.arange(len(e)) if e.index is None else e.index,
                "planet": int(planet),
                "step": int(step),
                "x": e.column(f"x{planet}.{step}"),
                "y": e.column(f"y{planet}.{step}"),
            }
        )
        for planet, step in places
    ]
    return pd.concat(frames, ignore_index=True)
