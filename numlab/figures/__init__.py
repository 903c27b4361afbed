"""Figures, tables and verdicts: saved with their provenance, and shown in a gallery."""
