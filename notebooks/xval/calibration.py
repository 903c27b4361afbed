"""How a model's predicted distributions are drawn. (ours; xval, Section 4)"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from numlab.plots import encoder_color, panels, styled

MIXTURE = "XVal(mixture=5)"


@styled
def calibration_panels(frame: pd.DataFrame, prior: tuple[float, float], label: str) -> Figure:
    """Quantiles of the predicted distributions, and how often the true number lies below them.

    `frame` comes from `probes.calibration`; the left panel shows its first seed. `prior` holds the
    ends of the uniform distribution that the true numbers are drawn from; `label` is the number's
    name.
    """
    figure, (spread, levels) = panels(2, 2, 4.6, 3.6, share=False)
    first = frame[frame.seed == frame.seed.min()].sort_values("true")
    some = first.iloc[np.linspace(0, len(first) - 1, min(60, len(first))).astype(int)]
    color = encoder_color(MIXTURE)
    bars = {"color": color, "zorder": 2}
    spread.vlines(some.true, some.q5, some.q95, lw=1.2, alpha=0.7, label="central 90 %", **bars)
    spread.vlines(some.true, some.q25, some.q75, lw=3, label="central 50 %", **bars)
    spread.plot(some.true, some.q50, "o", ms=4, color="#333333", label="median", zorder=3)
    spread.plot(prior, prior, label="true", color="black", lw=1.1, ls="--", zorder=4)
    low, high = prior
    inner = low + 0.05 * (high - low), high - 0.05 * (high - low)
    spread.axhspan(*inner, color="#E4E4E4", zorder=0, label="central 90 % of the prior")
    spread.set(xlabel=f"true {label}", ylabel=f"predicted {label}")
    spread.set_title(f"{MIXTURE}: {len(some)} texts of seed {first.seed.iloc[0]}")
    handles = spread.get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=5, fontsize=9)
    name = f"each of {frame.seed.nunique()} seeds"
    for _, rows in frame.groupby("seed"):
        share = (np.arange(len(rows)) + 0.5) / len(rows)
        levels.plot(np.sort(rows.pit), share, color=color, lw=1, label=name)
        name = None
    levels.plot([0, 1], [0, 1], label="calibrated", color="black", lw=1.1, ls="--", zorder=4)
    levels.set(xlabel="level of the predicted quantile", ylabel="share of true numbers below it")
    levels.set_title("all texts: what lies below each quantile")
    levels.legend(fontsize=9)
    figure.suptitle("No model can tell the mass: a mixture of normals says how little it knows")
    return figure
