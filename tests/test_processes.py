"""One run on two processes, as torchrun starts them, has the losses of one."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import tiny

import numlab as nl
from numlab import store

# shares of 13 and 12 texts, of different lengths, some without a number to predict
SPEC = replace(
    tiny.SPEC,
    task=nl.tasks.Quantities(),
    encoder=nl.XVal(scale=100.0),
    objective=nl.MaskedLM(slots=0.1, literals=0.1),
    batch_size=25,
    steps=20,
)
SCRIPT = """
import os
import numlab as nl, test_processes
from numlab.training import fit, processes

fit.CHECKPOINT_SECONDS, update = 0, fit.Fit._update

def told(self, step):
    if processes.rank() == 1:
        print("step", step, flush=True)
        if step == 7 and "DIES" in os.environ:
            os._exit(1)
    return update(self, step)

fit.Fit._update = told
nl.train(test_processes.SPEC)
"""


def torchrun(script: Path, **environ) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    env = os.environ | environ | {"PYTHONPATH": path}
    return subprocess.run([*command, script], env=env, capture_output=True, text=True)


def test_two_processes_have_the_losses_of_one_and_resume(home, monkeypatch):
    (home / "script.py").write_text(SCRIPT)
    died = torchrun(home / "script.py", DIES="1")
    assert died.returncode != 0 and not nl.Run(SPEC).folder.exists()
    resumed = torchrun(home / "script.py")
    assert resumed.returncode == 0, resumed.stderr
    assert resumed.stdout.split("\n")[0] in ("step 6", "step 7")
    run = nl.Run(SPEC)
    assert store.intact(run.folder) and not store.partial_dir(run.digest).exists()
    monkeypatch.setenv("NUMLAB_HOME", str(home / "alone"))
    alone = nl.train(SPEC).history
    for name in ("loss", "token", "value", "tokens"):
        np.testing.assert_allclose(run.history[name], alone[name], rtol=1e-5)
