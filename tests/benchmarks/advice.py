"""The bar of `numlab compare`: twelve made tables whose right answer is known.

`python -m tests.benchmarks.advice [--seeds 10] [--tables linear,noise] [--steps 300]` prints, for
each table and seed, what is advised, whether anything was said to be predictable, and the error of
the advised encoder over the least of all, on fresh rows outside the gaps of the training.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from numlab import compare, store
from numlab.compare.encodings import choices
from numlab.compare.learning import answers, specs
from numlab.training import train

N = 800
FRESH = 2000


def linear(r, n):
    a, b = r.uniform(0, 10, (2, n)).round(2)
    return {"a": a, "b": b, "y": (2 * a - b + 3).round(2)}


def kinetic(r, n):
    m, v = r.uniform(1, 100, n).round(1), r.uniform(1, 30, n).round(1)
    return {"m": m, "v": v, "energy": (m * v**2 / 2).round(2)}


def periodic(r, n):
    t = r.integers(0, 10_000, n)
    return {"t": t, "phase": t % 10}


def ids(r, n):
    return {"volume": r.uniform(0, 9, n).round(3), "order id": r.integers(10**11, 10**12, n)}


def decades(r, n):
    a, b = 10 ** r.uniform(-30, 30, (2, n))
    return {"a": a, "b": b, "y": np.sqrt(a) * np.sqrt(b)}


def units(r, n):
    metres, grams = r.uniform(0.001, 0.01, n).round(6), r.uniform(1e5, 1e6, n).round()
    return {"metres": metres, "grams": grams, "y": (metres * 1000 + grams / 1e5).round(3)}


def dates(r, n):
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(r.integers(0, 1500, n), "D")
    warm = 10 - 9 * np.cos(2 * np.pi * day.day_of_year / 365) + r.normal(0, 1, n)
    return {"day": day.strftime("%Y-%m-%d"), "temperature": warm.round(1)}


def texts(r, n):
    km, hours = r.integers(1, 100, n), r.integers(1, 9, n)
    rows = zip(km, hours, km * hours, strict=True)
    return {"text": [f"{k} km/h for {h} hours makes {d} km" for k, h, d in rows]}


def noise(r, n):
    return {"a": r.uniform(0, 1, n).round(3), "b": r.normal(50, 9, n).round(1)}


def missing(r, n):
    table = pd.DataFrame(linear(r, n))
    return table.mask(r.random(table.shape) < 0.15)


def codes(r, n):
    price = np.random.default_rng(0).permutation(40) + 10.0
    code = r.integers(0, 40, n)
    return {
        "article code": 100_000 + 7919 * code,
        "price": (price[code] + r.normal(0, 0.3, n)).round(2),
    }


def series(r, n):
    t = np.arange(n)
    y = 5 * np.sin(t / 9) + r.normal(0, 0.3, n)
    frame = pd.DataFrame({"three ago": y, "two ago": y, "one ago": y, "now": y}).round(2)
    return frame.apply(lambda c: c.shift(3 - [*frame].index(c.name))).dropna()


TABLES = (
    linear,
    kinetic,
    periodic,
    ids,
    decades,
    units,
    dates,
    texts,
    noise,
    missing,
    codes,
    series,
)
NOTHING = {"ids", "noise"}


def judge(table, seed: int, steps: int, folder: Path) -> dict:
    """What is advised for one table, and how much more it errs than the best on fresh rows."""
    began, path = time.monotonic(), folder / f"{table.__name__}-{seed}.csv"
    pd.DataFrame(table(np.random.default_rng(seed), N)).to_csv(path, index=False)
    found = compare.report(path, steps)
    row = {"table": table.__name__, "seed": seed, "advice": found.advice.encoder}
    row |= {"predictable": ", ".join(found.advice.columns) or "nothing", "ratio": 1.0}
    row["seconds"] = time.monotonic() - began
    row["right"] = (table.__name__ in NOTHING) != found.advice.predictable
    if found.advice.columns and found.advice.predictable:
        fresh = folder / f"fresh-{path.name}"
        pd.DataFrame(table(np.random.default_rng(1000 + seed), FRESH)).to_csv(fresh, index=False)
        rows = compare.read(fresh).frame
        able = [e for e in choices(found.reading.numbers) if str(e) in {*found.answers.encoder}]
        runs = [train(spec) for spec in specs(found.reading, able, None, steps)]
        for name, low, high in runs[0].spec.task.without:  # no model has seen rows like these
            if name in rows:
                rows = rows[~((rows[name] > low) & (rows[name] < high))]
        every = answers(runs, fresh=rows["text"] if found.reading.of_texts else rows)
        every = every[every.column.isin(found.advice.columns)]
        errors = every.groupby(["encoder", "column"]).error.mean().clip(lower=1e-9)  # 0: exact
        means = np.exp(np.log(errors).groupby("encoder").mean())
        candidates = found.encodings.set_index("encoder")
        exact = candidates.index[~(candidates.ids < candidates.ids.max())]
        means = means[means.index.isin(exact)]
        row |= {"best": means.idxmin(), "ratio": means[row["advice"]] / means.min()}
    row["right"] &= row["ratio"] <= 1.05
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--tables", default=",".join(t.__name__ for t in TABLES))
    asked = parser.parse_args()
    rows = []
    with TemporaryDirectory() as folder:
        for seed in range(asked.seeds):
            for table in TABLES:
                if table.__name__ in asked.tables.split(","):
                    rows.append(judge(table, seed, asked.steps, Path(folder)))
                    print(" ".join(f"{k}={v}" for k, v in rows[-1].items()), flush=True)
    frame = pd.DataFrame(rows)
    print(frame.groupby("table", sort=False)[["right", "ratio", "seconds"]].mean())
    print(f"right: {frame.right.mean():.0%}; the store: {store.home()}")


if __name__ == "__main__":
    main()
