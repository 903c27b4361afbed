"""Figures, tables and verdicts: saved with their provenance, made in a batch, in a gallery."""
