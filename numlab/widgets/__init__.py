"""Panels for JupyterLab (sliders, brushes, uploads), and the numbers that they show."""

from numlab.training.run import stored
from numlab.widgets.clouds import clouds
from numlab.widgets.explorer import embedding_explorer
from numlab.widgets.logits import logit_scan
from numlab.widgets.spell import spell, spelled
from numlab.widgets.sweep import ood_sweep
from numlab.widgets.sweep_answers import answers, swept
from numlab.widgets.training import training
from numlab.widgets.upload import your_numbers

__all__ = [
    "answers",
    "clouds",
    "embedding_explorer",
    "logit_scan",
    "ood_sweep",
    "spell",
    "spelled",
    "stored",
    "swept",
    "training",
    "your_numbers",
]
