"""Notebooks executed side by side: which are up to date, their kernels, what a person sees."""
