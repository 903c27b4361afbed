"""The browser of the browser tests."""

from browser.conftest import browser, lab

__all__ = ["browser", "lab"]
