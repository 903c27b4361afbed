"""Hostile files, and disks that are full or closed."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np

from attacks.common import child, drafts, home, judge, trained

SCRIPT = "<script>alert(1)</script>"
HOSTILE = {
    "empty.csv": b"",
    "zeros.csv": b"\0" * 10_000,
    "one.csv": b"a",
    "header.csv": b"a,b\n",
    "ragged.csv": b"a,b\n1\n1,2,3\n,,,,\n",
    "twice.csv": b"a,a\n1,2\n3,4\n",
    "script.csv": f"{SCRIPT},b\n1,2\n3,4\n5,6\n7,8\n".encode(),
    "words.csv": f"a,b\n1,{SCRIPT}\n2,x\n3,{SCRIPT}\n4,y\n".encode(),
    "formula.csv": b"a,b\n=1+1,2\n=cmd|' /C calc'!A0,3\n",
    "quotes.csv": b'a,b\n"1,2\n3,4\n',
    "utf16.csv": "a,b\n1,2\n3,4\n".encode("utf-16"),
    "latin.csv": "größe,b\n1,2\n3,4\n".encode("latin-1"),
    "bom.csv": "\ufeffa,b\n1,2\n3,4\n".encode(),
    "long.csv": b"a,b\n" + b"9" * 100_000 + b",1\n1,2\n",
    "wide.csv": (",".join(f"c{i}" for i in range(5000)) + "\n" + ",".join("1" * 5000)).encode(),
    "huge.csv": b"a,b\n1e400,1e-400\n-1e999,2\n1,2\n",
    "nan.csv": b"a,b\nnan,inf\n-inf,NaN\n1,2\n",
    "same.csv": b"a,b\n" + b"1,1\n" * 1000,
    "deep.jsonl": b"[" * 100_000,
    "list.jsonl": b"[1, 2, 3]\n",
    "mixed.jsonl": b'{"a": 1}\n{"b": [1]}\n{"a": {"c": 2}}\n',
    "broken.jsonl": b'{"a": 1}\n{"a": \n',
    "script.jsonl": (json.dumps({"text": f"{SCRIPT} 1 and 2"}) + "\n").encode() * 20,
    "noparquet.parquet": b"PAR1" + b"\xff" * 100 + b"PAR1",
    "unknown.exe": b"MZ\x90",
    "tabs.tsv": b"a\tb\n1\t\n\t2\n",
}


def reports(times: int, rng: np.random.Generator) -> Counter:
    """Hostile files and files of random bytes: a page without scripts, or an error that is said."""
    counts = Counter()
    with home() as place:
        for i in range(max(times, len(HOSTILE))):
            name, data = [*HOSTILE.items()][i] if i < len(HOSTILE) else _noise(i, rng)
            path = place / name
            path.write_bytes(data)
            for act in (_page, _regressed):
                outcome = child(lambda path=path, act=act: act(path))
                if outcome in ("hanging", "died"):
                    counts["hanging"] += 1
                elif not outcome.startswith(("said: ", "page")):
                    counts["lost"] += 1
                elif "<script>alert" in outcome:
                    counts["silently wrong"] += 1
    return counts


def _noise(i: int, rng: np.random.Generator) -> tuple[str, bytes]:
    data = bytearray(b"a,b,c\n" + b"1,2.5,x\n" * 50)
    for at in rng.integers(len(data), size=20):
        data[at] = rng.integers(256)
    return f"noise{i}.csv", bytes(data)


def _page(path: Path) -> str:
    from numlab.compare import report

    html = report(path, steps=0)._repr_html_()
    return "page <script>alert" if "<script>alert" in html else "page"


def _regressed(path: Path) -> str:
    """What `numlab regress FILE --target b` does."""
    from numlab import compare
    from numlab.compare import regression

    table = compare.read(path, target="b", most=32)
    return f"page {regression.regress(table.without_ids('b'), 'b').text}"


def disks(times: int, rng: np.random.Generator) -> Counter:
    """A disk that is full, then not; a home that cannot be written to."""
    counts = Counter()
    with home():
        expected = child(trained)
    for _ in range(times):
        with home() as place:
            data = place / "data"
            data.mkdir()
            size = int(rng.integers(8, 400))
            with _disk(data, f"size={size}k"):
                outcome = child(trained)
                counts += Counter() if outcome.startswith("said: ") else judge(outcome, expected)
                _mount("-o", "remount,size=20m", str(data))
                counts += judge(child(trained), expected)
                counts["left behind"] += len(drafts(place))
                _mount("-o", "remount,ro", str(data))
                outcome = child(trained)
                counts += Counter() if outcome.startswith("said: ") else judge(outcome, expected)
    return counts


class _disk:
    def __init__(self, folder: Path, options: str):
        self.folder, self.options = str(folder), options

    def __enter__(self):
        _mount("-t", "tmpfs", "-o", self.options, "numlab", self.folder)

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)
