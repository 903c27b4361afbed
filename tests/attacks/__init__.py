"""Attacks on numlab, seeded and counted: `make attack`. What each counts has to be 0."""
