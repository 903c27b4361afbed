"""A real JupyterLab and a real browser, for what a person sees."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "only-for-this-test"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = {  # JupyterLab asks nobody on the network, and shows no news
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
START = 600  # seconds that JupyterLab may take to start on a busy machine
PATIENCE = 240_000  # milliseconds: a busy machine is slow
SHOTS = ROOT / "figures/screenshots"  # git-ignored: of each panel, for a person to look at


def no_browser(why: str) -> None:
    """A missing browser must not look like a passing test: it fails where CI is true."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)


@pytest.fixture(scope="module")
def browser():
    """The system's Chromium, headless; playwright's event loop must not outlast the file."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        no_browser("the browser tests need playwright: pip install playwright")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        no_browser("the browser tests need Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=program, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def lab(module_home):
    """The address of a JupyterLab whose folder is `notebooks/` of a NUMLAB_HOME of its own."""
    settings = module_home / "settings"
    for name, values in QUIET.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    arguments = ["--allow-root", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
    arguments += [f"--ServerApp.root_dir={module_home / 'notebooks'}"]
    arguments += ["--LabApp.expose_app_in_browser=True", "--ServerApp.port={port}"]
    with serve(module_home, "jupyter", "lab", *arguments, ready=f"api/status?token={TOKEN}") as at:
        yield f"{at}lab/tree/{{path}}?reset&token={TOKEN}"


@contextlib.contextmanager
def serve(home: Path, program: str, *arguments: str, ready: str = ""):
    """Run a server until the block ends; its address, once it answers at `ready`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", program, *(a.format(port=port) for a in arguments)]
    folders = {name: str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = {
        **os.environ,
        **{f"JUPYTER_{name}_DIR": folder for name, folder in folders.items()},
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this virtual environment
        "NUMLAB_HOME": str(home),
    }
    log = home / f"{program}.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "--no-browser"],
            env=environment,
            cwd=ROOT,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait(f"http://127.0.0.1:{port}/{ready}", server, log)
        yield f"http://127.0.0.1:{port}/"
    finally:
        running = server.poll() is None
        for process in psutil.Process(server.pid).children(recursive=True) if running else ():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        server.kill()
        server.wait()


def _wait(address: str, server: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text()[-2000:]}")


@contextlib.contextmanager
def open_notebook(browser, lab: str, path: str):
    """A notebook's page, all cells running; `page.errors` is what the console complains of."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(PATIENCE)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
    page.goto(lab.format(path=path))
    page.locator(".jp-NotebookPanel .jp-Cell").first.wait_for()
    page.get_by_text("| Idle").wait_for()  # a kernel is there
    command(page, "notebook:run-all-cells")
    yield page
    page.close()


def command(page, name: str, **arguments) -> None:
    """A command of JupyterLab, as its menus would give it."""
    page.evaluate(
        "([name, arguments]) => { jupyterapp.commands.execute(name, arguments) }", [name, arguments]
    )


def saved(page, notebook: Path) -> dict:
    """A notebook as it stands on disk after it was saved, outputs and all."""
    command(page, "docmanager:save")
    for _ in range(PATIENCE // 100):
        with contextlib.suppress(json.JSONDecodeError):  # half written
            content = json.loads(notebook.read_text("utf-8"))
            if any(cell.get("outputs") for cell in content["cells"]):
                return content
        page.wait_for_timeout(100)
    pytest.fail(f"{notebook.name} was not saved with its outputs")


def shot(page, name: str) -> None:
    """Keep a screenshot of what is seen now."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")
