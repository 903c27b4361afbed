"""Waiting for what other processes do."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], what: str = "what a test waits for") -> None:
    """Return when a condition holds; AssertionError if it does not within ten minutes."""
    end = time.monotonic() + 600  # a slow machine is no failure
    while not condition():
        assert time.monotonic() < end, f"{what}: not within ten minutes"
        time.sleep(0.05)
