"""One transformer for every encoder."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
import transformers as hf
from tiny import SUM, batch_of

import numlab as nl
from numlab.models.transformer import attention

GPT2, LLAMA = nl.GPT2(32, 2, 2), nl.Llama(32, 2, 4, 2, d_head=8)
ENCODERS = [
    nl.P10(),
    nl.B1999(),
    nl.XVal(),
    nl.XVal(k=2),
    nl.XVal(mixture=3),
    nl.FoNE(4),
    nl.Digits(4),
]


def model_of(spec, batch):
    torch.manual_seed(0)
    return nl.Transformer(spec, batch.corpus.tokenizer).eval()


@pytest.mark.parametrize("spec", [GPT2, LLAMA], ids=["gpt2", "llama"])
@pytest.mark.parametrize("encoder", ENCODERS, ids=str)
def test_every_encoder_trains_under_every_objective(encoder, spec):
    batch = batch_of(encoder)
    for objective in (nl.MaskedLM(slots=0.6), nl.CausalLM(("answer",))):
        model = model_of(spec, batch)
        inputs, targets = objective.train(batch, np.random.default_rng(0))
        losses = model.losses(inputs, targets)
        sum(losses.values()).backward()
        assert all(torch.isfinite(loss) for loss in losses.values())
        assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
        assert ("value" in losses) == bool(encoder.carriers)


def test_padding_changes_nothing():
    encoder = nl.Digits(6)
    numbers = np.array([[1.0, 2.0, 3.0], [123456.0, 234567.0, 358023.0]])
    corpus = nl.Tokenizer.of([SUM], encoder)([nl.Examples(SUM, numbers)])
    alone, padded = corpus.batch(np.array([0])), corpus.batch(np.array([0, 1]))
    model, objective = model_of(GPT2, alone), nl.MaskedLM()
    out = [
        model.hidden(objective.ask(b, ("a",))[0])[0, : alone.ids.shape[1]] for b in (alone, padded)
    ]
    assert torch.allclose(*out, atol=1e-5)


@pytest.mark.parametrize("spec", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_a_causal_model_sees_no_future(spec):
    batch = batch_of(nl.P1000())
    model, objective = model_of(spec, batch), nl.CausalLM(("answer",))
    inputs, _ = objective.train(batch, None)
    changed = dataclasses.replace(inputs, ids=inputs.ids.clone())
    changed.ids[:, -1] = 0
    assert torch.allclose(model.hidden(inputs)[:, :-1], model.hidden(changed)[:, :-1], atol=1e-6)


@pytest.mark.parametrize("spec", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_reading_behind_a_cache_token_by_token_or_several_at_once_is_reading_the_whole(spec):
    batch = batch_of(nl.P1000())
    model, (inputs, _) = model_of(spec, batch), nl.CausalLM(("answer",)).train(batch, None)
    whole = model.hidden(inputs)
    for ends in range(1, inputs.ids.shape[1]), (3, 5):
        cache, parts = model.cache(), []
        for t in map(slice, (0, *ends), (*ends, None)):
            part = dataclasses.replace(inputs, ids=inputs.ids[:, t], within=inputs.within[:, t])
            parts.append(model.hidden(part, cache=cache))
        assert torch.allclose(whole, torch.cat(parts, 1), atol=1e-5)
    n, last = part.ids.shape[1], torch.tensor([1])  # the second of the last part, of the first text
    assert n > 2
    cache = model.cache()
    model.hidden(dataclasses.replace(inputs, ids=inputs.ids[:, :5]), cache=cache)
    assert torch.allclose(model.hidden(part, last, cache=cache)[0], whole[0, 6], atol=1e-5)


def test_padding_is_refused_where_a_cache_would_forget_it():
    batch = batch_of(nl.Digits(4))
    model, inputs = model_of(GPT2, batch), nl.MaskedLM().show(batch)
    with pytest.raises(ValueError, match="padding would be seen: read texts of one length"):
        model.hidden(inputs, cache=model.cache())


@pytest.mark.parametrize("share", [0.1, 0.9], ids=["few", "most"])
@pytest.mark.parametrize("causal", [False, True], ids=["masked", "causal"])
@pytest.mark.parametrize("spec", [GPT2, LLAMA], ids=["gpt2", "llama"])
def test_hidden_states_at_reads_in_any_order_equal_those_of_the_whole(spec, causal, share):
    batch = batch_of(nl.Digits(4))
    assert not batch.real.all(), "padded texts should be among them"
    model = model_of(spec, batch)
    inputs, _ = nl.MaskedLM().ask(batch, ("answer",))
    inputs = dataclasses.replace(inputs, causal=causal)
    real = np.flatnonzero(batch.real)
    rng = np.random.default_rng(0)
    reads = torch.from_numpy(rng.permutation(real[rng.random(len(real)) < share]))
    whole = model.hidden(inputs).flatten(0, 1)[reads]
    assert torch.allclose(whole, model.hidden(inputs, reads), atol=1e-6)


def test_xval_is_continuous_from_end_to_end():
    numbers = np.column_stack([np.linspace(1, 2, 401), np.ones(401), np.ones(401)])
    corpus = nl.Tokenizer.of([SUM], nl.XVal())([nl.Examples(SUM, numbers)])
    batch = corpus.batch(np.arange(401))
    model = model_of(GPT2, batch)
    inputs, targets = nl.MaskedLM().ask(batch, ("answer",))
    out = model.read(model.hidden(inputs, targets.reads))[:, 0]
    assert np.ptp(out) > 1e-3 and np.abs(np.diff(out)).max() < 0.1 * np.ptp(out)


def test_weights_start_as_the_paper_says():
    spec = nl.GPT2(256, 4, 4)
    model = model_of(spec, batch_of(nl.P10()))
    block = model.blocks[-1]
    for layer in (block.qkv, block.out, block.up, block.down):
        expected = (2 * layer.in_features * 4) ** -0.5
        assert layer.weight.std().item() == pytest.approx(expected, rel=0.05)
    assert not any(
        name.startswith("blocks") and "bias" in name for name, _ in model.named_parameters()
    )


@pytest.mark.parametrize(
    ("shape", "millions"),
    [((64, 1, 4, 2), 8.31), ((192, 3, 6, 3), 26.62), ((256, 4, 8, 4), 37.55)],
)
def test_models_in_the_llama_style_are_as_large_as_the_papers(shape, millions):
    """FoNE, Table 6, which counts the 128,256 words of Llama 3.2."""
    blocks = nl.Llama(*shape).build(batch_of(nl.FoNE(4)).corpus.tokenizer).blocks
    d_model = shape[0]
    n = sum(p.numel() for p in blocks.parameters()) + 128_256 * d_model + d_model
    assert n / 1e6 == pytest.approx(millions, abs=0.006)


def test_both_heads_of_xval_are_mlps():
    """xVal, Appendix C."""
    of_xval, of_text = (model_of(GPT2, batch_of(e)).token_mlp for e in (nl.XVal(), nl.P10()))
    assert {name: tuple(p.shape) for name, p in of_xval.named_parameters()} == {
        "0.weight": (32, 32)
    }
    assert not [*of_text.parameters()]


def test_the_last_mlp_is_computed_only_where_it_is_read():
    batch = batch_of(nl.P10())
    model, seen = model_of(GPT2, batch), []
    for block in model.blocks:
        block.up.register_forward_hook(lambda _, x, __: seen.append(x[0].shape[:-1].numel()))
    inputs, targets = nl.MaskedLM().ask(batch, ("answer",))
    model.losses(inputs, targets)
    assert seen == [batch.ids.size, len(targets.reads)] and len(targets.reads) < batch.ids.size


def test_biases_start_at_zero():
    model = model_of(dataclasses.replace(GPT2, bias=True), batch_of(nl.P10()))
    biases = [p for name, p in model.blocks.named_parameters() if name.endswith("bias")]
    assert len(biases) == 2 * (4 + 2) and not any(b.any() for b in biases)


@pytest.mark.parametrize(("first", "normed"), [(0, [0, 1]), (1, [1]), (2, [])])
def test_the_norms_of_the_first_mlps_can_be_left_out(first, normed):
    model = model_of(dataclasses.replace(GPT2, mlp_norm_from=first), batch_of(nl.P10()))
    names = [name for name, _ in model.named_parameters() if "mlp_norm" in name]
    assert names == [f"blocks.{i}.mlp_norm.weight" for i in normed]


def test_a_text_longer_than_the_positions_is_refused():
    batch = batch_of(nl.P10())
    model = model_of(nl.GPT2(32, 1, 2, context=8), batch)
    with pytest.raises(ValueError, match=r"Absolute\(8\) holds 8 positions"):
        model.hidden(nl.MaskedLM().ask(batch, ("answer",))[0])


def test_a_width_that_the_heads_do_not_share_is_refused():
    with pytest.raises(ValueError, match="d_model 30 is not a multiple of n_head 4"):
        model_of(nl.GPT2(30, 1, 4), batch_of(nl.P10()))


def same_states(model, theirs, inputs):
    """Whether a model of `transformers` makes the same of our embedded inputs."""
    said = theirs(inputs_embeds=model.embed(inputs)).last_hidden_state
    torch.testing.assert_close(model.hidden(inputs), said, rtol=1e-4, atol=1e-5)


def test_the_llama_manner_is_that_of_transformers():
    batch = batch_of(nl.P1000())
    model = model_of(LLAMA, batch)
    config = hf.LlamaConfig(
        vocab_size=1,
        hidden_size=32,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        rms_norm_eps=torch.finfo(torch.float32).eps,
        rope_parameters={"rope_type": "default", "rope_theta": 500_000.0},
    )
    halves = [0, 2, 4, 6, 1, 3, 5, 7]  # our pairs stand side by side, theirs in two halves
    state = {"embed_tokens.weight": torch.zeros(1, 32), "norm.weight": model.norm.weight}
    for i, block in enumerate(model.blocks):
        q, k, v = block.qkv.weight.unflatten(0, (8, 8)).split([4, 2, 2])
        gate, up = block.up.weight.chunk(2)
        own = {
            "self_attn.q_proj": q[:, halves].flatten(0, 1),
            "self_attn.k_proj": k[:, halves].flatten(0, 1),
            "self_attn.v_proj": v.flatten(0, 1),
            "self_attn.o_proj": block.out.weight,
            "mlp.gate_proj": gate,
            "mlp.up_proj": up,
            "mlp.down_proj": block.down.weight,
            "input_layernorm": block.attention_norm.weight,
            "post_attention_layernorm": block.mlp_norm.weight,
        }
        state |= {f"layers.{i}.{name}.weight": weight for name, weight in own.items()}
    theirs = hf.LlamaModel(config).eval()
    theirs.load_state_dict(state)
    same_states(model, theirs, nl.CausalLM(("answer",)).train(batch, None)[0])


def test_the_gpt2_manner_is_that_of_transformers():
    batch = batch_of(nl.P1000())
    model = model_of(dataclasses.replace(GPT2, bias=True), batch)
    sizes = {"vocab_size": 1, "n_positions": 1024, "n_embd": 32, "n_layer": 2, "n_head": 2}
    theirs = hf.GPT2Model(hf.GPT2Config(**sizes, activation_function="gelu")).eval()
    state = {"wte.weight": torch.zeros(1, 32), "wpe.weight": model.positions[0].table}
    state |= {"ln_f.weight": model.norm.weight, "ln_f.bias": model.norm.bias}
    names = {"attention_norm": "ln_1", "mlp_norm": "ln_2", "qkv": "attn.c_attn"}
    names |= {"out": "attn.c_proj", "up": "mlp.c_fc", "down": "mlp.c_proj"}
    for i, block in enumerate(model.blocks):
        for ours, name in names.items():
            layer = getattr(block, ours)
            weight = layer.weight.T if layer.weight.ndim == 2 else layer.weight
            state |= {f"h.{i}.{name}.weight": weight, f"h.{i}.{name}.bias": layer.bias}
    theirs.load_state_dict(state)
    same_states(model, theirs, nl.CausalLM(("answer",)).train(batch, None)[0])


@pytest.mark.parametrize("masked", ["nothing", "padding", "the future"])
def test_attention_in_bf16_is_that_in_float32_but_for_rounding(masked):
    torch.manual_seed(0)
    q, k, v = (torch.randn(3, heads, 7, 16, requires_grad=True) for heads in (4, 2, 2))
    real = torch.arange(7) < torch.tensor([7, 4, 1])[:, None]
    mask = real[:, None, None, :] if masked == "padding" else None
    said, gradients = [], []
    for dtype in (torch.float32, torch.bfloat16):
        out = attention(*(x.to(dtype) for x in (q, k, v)), mask, masked == "the future").float()
        said.append(out)
        gradients.append(torch.autograd.grad(out.square().sum(), (q, k, v)))
    torch.testing.assert_close(*said, rtol=0.02, atol=0.02)
    torch.testing.assert_close(*gradients, rtol=0.05, atol=0.05)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: nl.Llama(16, 1, 4, 3, 4), "n_head 4 is not a multiple of n_kv_head 3"),
        (lambda: nl.Llama(16, 1, 4, 2, 3), "heads have an even width; got 3"),
        (lambda: nl.models.ModelSpec(rotary=0.0), "rotary positions have a base above 0; got 0.0"),
        (lambda: nl.GPT2(8, context=-1), "the n of Absolute .GPT2's context. is a whole number"),
        (lambda: nl.Abacus(offset=-1), "the offset of Abacus is a whole number, 0 or more; got -1"),
    ],
)
def test_models_that_cannot_work_are_refused_when_they_are_described(model, message):
    with pytest.raises(ValueError, match=message):
        model()


def test_positions_are_one_or_several():
    one = nl.models.Absolute(8)
    specs = [nl.models.ModelSpec(positions=given) for given in (one, [one], (one,))]
    assert len({*specs}) == 1


def test_the_terms_of_a_loss_are_computed_in_float32_under_bf16_autocast():
    batch = batch_of(nl.P1000())
    model, term = model_of(GPT2, batch), nl.NumberTokenLoss("mse", reweigh=False)
    inputs, targets = nl.CausalLM(("answer",)).train(batch, np.random.default_rng(0))
    with torch.autocast("cpu", torch.bfloat16):
        found = model.losses(inputs, targets, (term,))[term.name]
        logits = model.logits(model.hidden(inputs, targets.reads))
    expected = term.weight * term(logits.float(), targets, model.embed).squeeze()
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
