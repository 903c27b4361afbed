"""The command line: `numlab figures`, `gallery` and `compare`."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="How should a language model represent numbers? Regenerate every figure and table.",
)


@app.command()
def figures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Notebooks such as xval/planets, or folders such as xval. Default: all of them.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        str,
        typer.Option(help="smoke (seconds), quick (minutes), full (hours) or paper (a cluster)."),
    ] = "quick",
    jobs: Annotated[int, typer.Option(help="How many notebooks run side by side.")] = 2,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask scheduler to train on, such as tcp://host:8786, whose workers see the "
            "same files. Default: a cluster of one-thread workers on this machine.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Execute the notebooks that are not up to date, and rebuild the gallery.

    Figures go to figures/PROFILE, executed notebooks to figures/PROFILE/notebooks, and
    figures/index.html shows everything. The exit status is 1 if a notebook failed.
    """
    from numlab.figures.batch import run_notebooks

    try:
        done = run_notebooks(names or [], profile, jobs, scheduler)
    except KeyboardInterrupt:
        typer.echo("numlab: interrupted; what is stored stays", err=True)
        raise typer.Exit(130) from None
    raise typer.Exit(any(job.state == "failed" for job in done))


@app.command()
def gallery() -> None:
    """Rebuild figures/README.md and figures/index.html from what is saved."""
    from numlab.figures import gallery

    for path in gallery.build():
        typer.echo(path)


@app.command()
def compare(
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet or JSON lines.")],
    steps: Annotated[
        int, typer.Option(min=0, help="Steps of each small model; 0: none is trained.")
    ] = 300,
) -> None:
    """Put every encoder to the numbers of a file, and say which one to take.

    The file holds texts, or columns of numbers. Reported are range and precision lost, tokens a
    number and a row, neighbours and periods in the embeddings, and the errors of a small model
    an encoder in a gap that its training left out. It is trained once, and kept in the store.
    """
    from numlab.compare import report

    said = report(file, steps, lambda doing: typer.echo(f"numlab: {doing}", err=True))
    typer.echo(said.text)


def main() -> None:
    """The entry point: what a person got wrong is one line and status 2, no traceback."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app()
    except (ValueError, OSError) as error:
        typer.echo(f"numlab: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
