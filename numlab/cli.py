"""The command line: `numlab ...`."""

import csv
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import sys
from html import escape
from pathlib import Path
from typing import Annotated

import typer


def _check_folder(file: str | None) -> str | None:
    """Fail before the work, not after it."""
    if file and not Path(file).parent.is_dir():
        raise ValueError(f"there is no folder {Path(file).parent}")
    if file and Path(file).is_dir():
        raise ValueError(f"{file} is a folder")
    return file


def _check_picture(file: str | None) -> str | None:
    if file and Path(file).suffix not in (".svg", ".png", ".pdf"):
        raise ValueError(f"a picture is .svg, .png or .pdf; got {file}")
    return _check_folder(file)


def _split(names: str | None) -> list[str]:
    try:
        return [name for name in next(csv.reader([names or ""], skipinitialspace=True), []) if name]
    except csv.Error as error:
        raise ValueError(f"columns are names with commas between them: {error}") from None


def _kinds(names: str | None) -> dict[str, str]:
    pairs = [name.rpartition(":") for name in _split(names)]
    if lone := [kind for name, _, kind in pairs if not name]:
        raise ValueError(f"a kind is given as NAME:KIND; got {lone[0]}")
    return {name.strip(): kind.strip() for name, _, kind in pairs}


COLUMNS = (
    "The columns to use, with commas between them. "
    "A name that holds a comma stands in quotes: '\"a, b\",c'. "
    "Default: the first usable ones, 8 for compare and 32 for regress."
)
Columns = Annotated[str | None, typer.Option(metavar="A,B", help=COLUMNS, callback=_split)]
KINDS = (
    "What columns hold, where the guess is wrong: number, id (it only tells rows apart: models do "
    "not read it), code (digits that name a thing, such as a zip code), words, date, or dmy or mdy "
    "(dates with the day or the month first). These columns are kept, as with --columns."
)
Kinds = Annotated[str | None, typer.Option(metavar="A:number,B:dmy", help=KINDS, callback=_kinds)]
DECIMAL = 'The decimal mark, "," or ".". Default: guessed in columns, "." in texts.'
Decimal = Annotated[str | None, typer.Option(help=DECIMAL)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, not as text.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME", help="Notebooks (xval/planets) or folders (xval). Default: all."
    ),
]
Options = Annotated[
    list[str] | None, typer.Argument(help="Passed on to the server, such as --no-browser.")
]
PASSED_ON = {"ignore_unknown_options": True}
Picture = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A picture: .svg, .png or .pdf.", callback=_check_picture),
]
Profile = Annotated[
    str, typer.Option(help="smoke (seconds), quick (minutes), full (hours) or paper (a cluster).")
]
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # lines of a docstring flow
    help="How should a language model represent numbers? Regenerate every figure and table.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"numlab {importlib.metadata.version('numlab')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version)
    ] = False,
) -> None:
    pass


@app.command(name="list")
def list_notebooks(profile: Profile = "quick") -> None:
    """List the notebooks, and whether each is up to date."""
    from numlab.batch.notebooks import find
    from numlab.figures.filing import check_profile

    check_profile(profile)
    for notebook in find():
        typer.echo(f"{notebook.name:<24} {notebook.up_to_date(profile)[1]}")


@app.command()
def runs(
    check: Annotated[
        bool,
        typer.Option("--check", help="Read every file; move damaged runs to data/runs/.damaged."),
    ] = False,
) -> None:
    """List the trained models in the store.

    To delete one, delete its folder in data/runs: a notebook that needs it trains it again. The
    exit status is 1 if --check found damage.
    """
    from numlab import store
    from numlab.training import stored_runs

    frame, folder = stored_runs(), store.runs_dir()
    for run in frame.itertuples():
        size = f"{run.steps:>8} steps {run.megabytes:8.1f} MB"
        typer.echo(f"{run.run}  {run.trained:%Y-%m-%d %H:%M} {size}  {run.name}")
    typer.echo(f"runs: {len(frame):,}, {frame.megabytes.sum():,.0f} MB in {folder}")
    if check:
        damaged = 0
        for name in frame.run:
            with store.lock(folder / name):
                if (folder / name).is_dir() and store.fault_of(folder / name):
                    damaged += 1
                    store.intact(folder / name)  # sets it aside
        typer.echo(f"damaged: {damaged:,}")
        raise typer.Exit(damaged > 0)


@app.command(context_settings=PASSED_ON)
def lab(options: Options = None) -> None:
    """Open the notebooks in JupyterLab; installed ones are copied into your own folder first."""
    start = str(_notebooks("jupyterlab") / "start.ipynb")
    os.execl(sys.executable, sys.executable, "-m", "jupyterlab", start, *options or ())


@app.command(name="app", context_settings=PASSED_ON)
def serve(options: Options = None) -> None:
    """Serve the notebooks as web pages, without JupyterLab."""
    notebooks = _notebooks("voila")
    from numlab.widgets import web

    web.serve(notebooks, *options or ())


def _notebooks(needed: str) -> Path:
    """The folder of the notebooks, the user's own copy of it; ValueError without a package."""
    from numlab import store

    if importlib.util.find_spec(needed) is None:
        raise ValueError(f"{needed} is not installed: in numlab's repository, pip install '.[lab]'")
    notebooks = store.notebooks_dir()
    if notebooks == store.INSTALLED:
        notebooks = store.home() / "notebooks"
        shutil.copytree(store.INSTALLED, notebooks)
        typer.echo(f"numlab: the notebooks are now in {notebooks}", err=True)
    return notebooks


@app.command()
def figures(
    names: Names = None,
    profile: Profile = "quick",
    jobs: Annotated[int, typer.Option(help="How many notebooks run side by side.")] = 3,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask scheduler to train on, such as tcp://host:8786, or slurm: each run is a "
            "Slurm job, with the resources that SBATCH_PARTITION and other SBATCH_ variables "
            "name. Default: a cluster of one-thread workers on this machine.",
        ),
    ] = None,
) -> None:
    """Execute the notebooks that are not up to date, and rebuild the gallery.

    Figures go to figures/PROFILE, executed notebooks to figures/PROFILE/notebooks, the gallery to
    figures/index.html. The exit status is 1 if a notebook failed.
    """
    from numlab.batch.run import run_notebooks

    try:
        batch = run_notebooks(names or [], profile, jobs, scheduler)
    except KeyboardInterrupt:
        typer.echo("numlab: interrupted; finished runs and notebooks stay stored", err=True)
        raise typer.Exit(130) from None
    raise typer.Exit(any(job.state == "failed" for job in batch))


@app.command()
def gallery() -> None:
    """Rebuild the gallery (README.md, index.html, claims.svg) from the saved figures."""
    from numlab.figures import gallery

    for path in gallery.build():
        typer.echo(path)


@app.command()
def compare(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV, TSV, Parquet, JSON, JSON lines, text (.txt) or Markdown."
        ),
    ],
    steps: Annotated[
        int, typer.Option(min=0, help="Training steps of each small model; 0 trains none.")
    ] = 300,
    columns: Columns = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Predict this column. Default: each of numbers."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings of each encoder.")] = 3,
    decimal: Decimal = None,
    kinds: Kinds = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ENCODER",
            help='One more, such as "BitTokens(bits=16)" or mymodule:MyEncoder. May be repeated.',
        ),
    ] = None,
    as_json: Json = False,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also save a web page.", callback=_check_folder),
    ] = None,
) -> None:
    """Measure eleven encoders on the numbers of a file, and advise which one to take.

    The file holds texts, or columns. How it was read comes first. The report says which numbers
    each encoder refuses or changes, and how many tokens it takes. Then small models fill in hidden
    numbers: numbers as in training, in gaps of the training data, and above its largest number.
    Their errors are compared with those of constants, nearest neighbours and gradient boosting.
    Models are trained once and kept in the store.
    """
    from numlab.compare import report
    from numlab.encoders.named import named

    own = [named(text) for text in encoder or ()]
    result = report(file, steps, _say, columns, target, seeds, decimal or "", kinds, own)
    typer.echo(result.json if as_json else result.text)
    if html:
        head = f'<meta charset="utf-8"><title>{escape(result.reading.name)}</title>'
        page = f'<!doctype html>\n<html lang="en">\n{head}\n{result._repr_html_()}'
        Path(html).write_text(page, "utf-8")


@app.command()
def regress(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A table; formats as for compare.")],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The numbers to predict.")],
    columns: Columns = None,
    decimal: Decimal = None,
    kinds: Kinds = None,
    as_json: Json = False,
    picture: Picture = None,
) -> None:
    """Learn a column of a file from the others, and say how well.

    A quarter of the rows is the test. The report gives the mean absolute and root mean squared
    errors of numlab (the mean of three small models), two constants, neighbours and gradient
    boosting, and the share of the numbers in numlab's 80 % intervals. The models stay in the store.
    """
    from numlab import compare, plots
    from numlab.compare.report import about

    table = compare.read(file, columns, target, decimal or "", kinds, most=32)
    for line in about(table):
        _say(line)
    rows = table.frame if columns else table.without_ids(target)
    if len(ids := table.frame.columns.difference(rows.columns)):
        _say(f"No model reads the ids {', '.join(ids)}: name them by --columns to have them read.")
    found = compare.regress(rows, target, _say)
    typer.echo(found.json if as_json else found.text)
    if picture:
        figure = plots.intervals(found.predictions, target)
        figure.suptitle(f"{found.coverage:.0%} intervals; {found.covered:.0%} hold their number")
        figure.savefig(picture)


def _say(stage: str) -> None:
    from tqdm import tqdm

    tqdm.write(f"numlab: {stage}", sys.stderr)  # above a progress bar, not into it


@app.command()
def bench(
    encoders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ENCODER",
            help='BitTokens, "FoNE(8, 7)" or mymodule:MyEncoder, say. Default: twelve of numlab.',
        ),
    ] = None,
    as_json: Json = False,
    picture: Picture = None,
    arithmetic: Annotated[
        float,
        typer.Option(
            min=0,
            help="Also measure the ninth, arithmetic: seconds of training for sums, and as many "
            "again for products, of each encoder. 0: leave it out.",
        ),
    ] = 0,
) -> None:
    """Measure encoders against eight of the nine desiderata of the BitTokens paper, untrained.

    A desideratum is a property that an encoder should have, such as one token for each number.
    """
    from numlab import plots
    from numlab.encoders.named import named
    from numlab.plots.cards import as_text
    from numlab.probes.desiderata import MEASURES, report_card, standard

    subjects = [named(text) for text in encoders] if encoders else standard()
    card = report_card(subjects, seconds=arithmetic)
    options = {"orient": "records", "indent": 1, "double_precision": 15}
    about = {name: text for name, (_, _, text) in MEASURES.items()}
    typer.echo(card.to_json(**options) if as_json else as_text(card, about))
    if picture:
        plots.report_card(card).savefig(picture)


def main() -> None:
    """Run a command; a user's mistake is one line and exit status 2, without a traceback."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app()
    except (ValueError, OSError, ImportError) as error:
        typer.echo(f"numlab: {error}", err=True)
        sys.exit(2)
