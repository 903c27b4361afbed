"""A LoRA of peft and numlab's numbers: trained together, each saved by itself, loaded elsewhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf
from tiny_transformers import LOOK, MODELS, NAMES, ROWS, byte_level

import numlab as nl
from numlab.pretrained import MINILM, NumberModel, locate
from numlab.training.fit import threads

KINDS = ("minilm", "gpt2", "t5")
QUESTIONS = [row["question"] for row in ROWS]


def parts(kind):
    """A model and its tokenizer, the same in each process."""
    if kind == "minilm":
        path = locate(MINILM)
        return hf.AutoModel.from_pretrained(path), hf.AutoTokenizer.from_pretrained(path)
    torch.manual_seed(0)
    model = MODELS[kind]().eval()
    return model, byte_level(**NAMES, eos_token="[SEP]")


def outputs(kind, numbers):
    if kind == "minilm":
        return numbers.model(**numbers.inputs(QUESTIONS)).last_hidden_state
    return numbers(**numbers.collate(ROWS))["logits"]


@torch.no_grad()
@threads(1)  # on a busy machine two may share the work, and round, otherwise
def seen(kind, numbers):
    said = [] if kind == "minilm" else numbers.generate(QUESTIONS, **LOOK)
    return outputs(kind, numbers).numpy(), said


def train(kind, targets):
    """A LoRA, and the numbers around it, after some steps."""
    import peft  # seconds, which only the worker that runs this file should spend

    model, tokenizer = parts(kind)
    lora = peft.get_peft_model(model, peft.LoraConfig(target_modules=targets))
    numbers = NumberModel(lora, tokenizer, nl.XVal(scale=10.0))
    optimizer = torch.optim.AdamW(numbers.parameters(), 1e-2)
    for _ in range(3):
        loss = outputs(kind, numbers).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return lora, numbers.eval()


LOAD = """
import json, sys
from pathlib import Path
import numpy as np
import peft
from numlab.pretrained import NumberModel
from test_lora import KINDS, parts, seen
for kind in KINDS:
    folder = Path(sys.argv[1]) / kind
    model, tokenizer = parts(kind)
    lora = peft.PeftModel.from_pretrained(model, folder / "lora")
    numbers = NumberModel.from_pretrained(folder / "numbers", model=lora, tokenizer=tokenizer)
    logits, said = seen(kind, numbers)
    np.save(folder / "there.npy", logits)
    (folder / "there.json").write_text(json.dumps(said))
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """For each kind what was seen here; and a folder, which another process has loaded."""
    home, here = tmp_path_factory.mktemp("saved"), {}
    for kind in KINDS:
        lora, numbers = train(kind, "all-linear")
        lora.save_pretrained(home / kind / "lora")
        numbers.save_pretrained(home / kind / "numbers")
        here[kind] = seen(kind, numbers)
    paths = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
    subprocess.run(
        [sys.executable, "-c", LOAD, home], check=True, env=os.environ | {"PYTHONPATH": paths}
    )
    return here, home


@pytest.mark.parametrize("kind", KINDS)
def test_another_process_loads_a_lora_and_its_numbers_to_the_bit(saved, kind):
    (here, said), folder = saved[0][kind], saved[1] / kind
    assert np.array_equal(here, np.load(folder / "there.npy"))
    assert said == json.loads((folder / "there.json").read_text())


@pytest.mark.parametrize("kind", KINDS[1:])
def test_numbers_are_written_through_a_lora(saved, kind):
    said = saved[0][kind][1]
    assert sum(e.numbers.size for e in nl.parse(said)) >= 5


@pytest.mark.parametrize("targets", ["all-linear", ["wte"]], ids=str)
def test_training_a_lora_leaves_the_weights_of_the_model(targets):
    lora, _ = train("gpt2", targets)
    weights = lora.unload().state_dict()
    assert all(torch.equal(weights[k], v) for k, v in parts("gpt2")[0].state_dict().items())
