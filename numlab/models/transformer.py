"""One transformer for every encoder, masked or causal, after nanoGPT.

Like GPT-2 in xval (Appendix C) or like Llama in fone (Appendix G).

B texts of T tokens; H heads of width D; t target positions; V words.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from numlab.models.base import Architecture, Model
from numlab.models.positions import Absolute, Position, Rotary, rotate
from numlab.numbers import check_count
from numlab.objectives import Inputs
from numlab.tokenizer import Tokenizer

_PLAIN = 2**25  # scores of attention that may be in memory at once, in each block


@dataclass(frozen=True)
class ModelSpec(Architecture):
    """The shape of a transformer.

    Parameters
    ----------
    d_model, n_layer, n_head : width, blocks, attention heads.
    n_kv_head : heads of keys and values (grouped-query attention); default: n_head.
    d_head : width of a head; default: d_model / n_head.
    positions : position embeddings, added to the tokens.
    rotary : base of the rotary position embedding; None: none.
    rms_norm : RMSNorm in place of LayerNorm.
    gated : SwiGLU MLPs in place of GELU ones.
    bias : biases in the blocks (xval has none; Table 11).
    mlp_norm_from : the first block with a norm before its MLP (xval, Table 11: 0, 1 or all).

    >>> nl.models.ModelSpec(d_model=32) == nl.GPT2(32)
    True
    """

    d_model: int = 64
    n_layer: int = 2
    n_head: int = 4
    n_kv_head: int | None = None
    d_head: int | None = None
    positions: tuple[Position, ...] = (Absolute(),)
    rotary: float | None = None
    rms_norm: bool = False
    gated: bool = False
    bias: bool = False
    mlp_norm_from: int = 0

    def __post_init__(self):
        one = isinstance(self.positions, Position)
        object.__setattr__(self, "positions", (self.positions,) if one else tuple(self.positions))
        for name in ("d_model", "n_layer", "n_head", "n_kv_head", "d_head"):
            if (n := getattr(self, name)) is not None:
                check_count(name, n)
        if self.d_head is None and self.d_model % self.n_head:
            raise ValueError(f"d_model {self.d_model} is not a multiple of n_head {self.n_head}")
        if self.n_head % (n_kv := self.n_kv_head or self.n_head):
            raise ValueError(f"n_head {self.n_head} is not a multiple of n_kv_head {n_kv}")
        if self.rotary is not None and not self.rotary > 0:
            raise ValueError(f"rotary positions have a base above 0; got {self.rotary}")
        if self.rotary is not None and (width := self.head_width) % 2:
            raise ValueError(f"rotary positions turn pairs: heads have an even width; got {width}")

    @property
    def head_width(self) -> int:
        return self.d_head or self.d_model // self.n_head

    def norm(self) -> nn.Module:
        """A new norm of the width of the model."""
        if self.rms_norm:
            return nn.RMSNorm(self.d_model)
        return nn.LayerNorm(self.d_model, bias=self.bias)

    def build(self, tokenizer: Tokenizer) -> Model:
        return Transformer(self, tokenizer)


def GPT2(d_model: int = 64, n_layer: int = 2, n_head: int = 4, context: int = 1024) -> ModelSpec:
    """Like GPT-2 (xval, Appendix C): learned absolute positions, LayerNorm, GELU.

    `d_model`, `n_layer`, `n_head`: as in `ModelSpec`; `context`: as n of `nl.models.Absolute`.

    >>> nl.GPT2(d_model=32, context=64).positions
    (Absolute(n=64),)
    """
    return ModelSpec(d_model, n_layer, n_head, positions=(Absolute(context),))


def Llama(
    d_model: int = 64, n_layer: int = 1, n_head: int = 4, n_kv_head: int = 2, d_head: int = 64
) -> ModelSpec:
    """Like Llama 3.2 (fone, Table 6): rotary positions, RMSNorm, SwiGLU, grouped queries.

    >>> nl.Llama(d_model=32).rotary
    500000.0
    """
    shape = (d_model, n_layer, n_head, n_kv_head, d_head)
    return ModelSpec(*shape, positions=(), rotary=500_000.0, rms_norm=True, gated=True)


class Block(nn.Module):
    """Attention and MLP, each after its norm (xval, Appendix C)."""

    def __init__(self, spec: ModelSpec, depth: int):
        super().__init__()
        d, width = spec.d_model, spec.head_width
        self.n_head, self.n_kv, self.width = spec.n_head, spec.n_kv_head or spec.n_head, width
        self.gated, d_mlp = spec.gated, 4 * d
        self.attention_norm = spec.norm()
        self.mlp_norm = spec.norm() if depth >= spec.mlp_norm_from else nn.Identity()
        self.qkv = nn.Linear(d, (self.n_head + 2 * self.n_kv) * width, spec.bias)
        self.out = nn.Linear(self.n_head * width, d, spec.bias)
        self.up = nn.Linear(d, (2 if spec.gated else 1) * d_mlp, spec.bias)
        self.down = nn.Linear(d_mlp, d, spec.bias)
        # xval, Appendix C; our choice: Llama's weights begin as GPT-2's do, fone is silent
        for layer in (self.qkv, self.out, self.up, self.down):
            nn.init.normal_(layer.weight, std=(2 * layer.in_features * spec.n_layer) ** -0.5)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, h, mask, causal, turns, reads, cache):
        """h (B, T, d) -> (B, T, d), or (t, d) at the flat positions `reads`."""
        attended = self.attend(self.attention_norm(h), mask, causal, turns, reads, cache)
        if reads is not None:  # the last block is computed only at the positions read
            h = h.flatten(0, 1)[reads]
        h = h + self.out(attended)
        return h + self.down(self.activate(self.up(self.mlp_norm(h))))

    def activate(self, u):
        if not self.gated:
            return F.gelu(u)
        gate, u = u.chunk(2, -1)
        return F.silu(gate) * u

    def attend(self, h, mask, causal, turns, reads, cache):
        B, T, _ = h.shape
        heads = self.qkv(h).view(B, T, -1, self.width).transpose(1, 2)  # (B, H + 2 KV, T, D)
        qk, v = heads.split([self.n_head + self.n_kv, self.n_kv], 1)
        if turns is not None:
            qk = rotate(qk, turns)
        q, k = qk.split([self.n_head, self.n_kv], 1)
        old = cache["k"].shape[2] if cache else 0
        if old:
            k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            causal = False  # a new token sees all the old ones, and of several none that is later
            if T > 1:
                mask = torch.ones(T, old + T, dtype=torch.bool, device=h.device).tril(old)
        if cache is not None:
            cache["k"], cache["v"] = k, v
        if reads is None or old or 2 * len(reads) > B * T:  # as cheap everywhere
            a = attention(q, k, v, mask, causal).transpose(1, 2)  # (B, T, H, D)
            return a.flatten(2) if reads is None else a.flatten(0, 1)[reads].flatten(1)
        text, rank, position = by_text(reads, B, T)
        q = q.take_along_dim(position[:, None, :, None], 2)  # (B, H, R, D)
        if causal:
            seen = torch.arange(T, device=h.device) <= position[:, None, :, None]  # (B, 1, R, T)
            mask = seen if mask is None else seen & mask
        a = attention(q, k, v, mask)
        return a.transpose(1, 2)[text, rank].flatten(1)  # (t, H D)


def attention(q, k, v, mask=None, causal: bool = False) -> torch.Tensor:
    """Queries (B, H, R, D), keys and values (B, KV, T, D) -> (B, H, R, D).

    torch's kernel does it; for bf16 on a CPU plain products, which are twice as fast there.
    """
    B, H, R, D = q.shape
    n_scores = B * H * R * k.shape[2]
    if q.dtype != torch.bfloat16 or q.device.type != "cpu" or n_scores > _PLAIN:
        grouped = k.shape[1] != H
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal, enable_gqa=grouped)
    k, v = (x.repeat_interleave(H // x.shape[1], 1) for x in (k, v))
    scores = q * D**-0.5 @ k.mT
    if causal:
        mask = torch.ones(R, R, dtype=torch.bool).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v


def by_text(reads: torch.Tensor, B: int, T: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Flat positions (t,) to their texts (t,), ranks within these (t,), positions (B, R).

    R is the most that one text has; the positions of a text with fewer end in zeros.
    """
    text = reads // T
    order, counts = text.argsort(stable=True), torch.bincount(text, minlength=B)
    first = (counts.cumsum(0) - counts)[text[order]]
    rank = torch.empty_like(order)
    rank[order] = torch.arange(len(reads), device=reads.device) - first
    position = reads.new_zeros(B, int(counts.max()))
    position[text, rank] = reads % T
    return text, rank, position


class NumberEmbedding(nn.Module):
    """Rows of one token table; the encoder's embedding where a token carries a number."""

    def __init__(self, tokenizer: Tokenizer, d_model: int):
        super().__init__()
        self.offset, self.encoder = tokenizer.offset, tokenizer.encoder
        self.table = nn.Embedding(tokenizer.size, d_model)
        nn.init.normal_(self.table.weight, std=0.02)
        self.values = tokenizer.encoder.embedding(d_model)

    @property
    def words(self) -> torch.Tensor:
        """(V, d_model) rows of the encoder's words."""
        return self.table.weight[self.offset :]

    def forward(self, inputs: Inputs) -> torch.Tensor:
        h = self.table(inputs.ids)
        if self.values is None or not len(inputs.carriers):
            return h
        carried = self.values(inputs.features, self.words).to(h.dtype)
        return h.flatten(0, 1).index_put((inputs.carriers,), carried).view_as(h)


class Transformer(Model):
    """A transformer over a tokenizer's words and the numbers that they carry.

    >>> spec = nl.RunSpec(nl.tasks.Addition(2), nl.P10(), nl.MaskedLM(), nl.GPT2(8), 64, 2, 1e-3)
    >>> sum(p.numel() for p in spec.model.build(spec.tokenizer()).parameters())
    10040
    """

    word_tables = ("embed.table.weight",)

    def __init__(self, spec: ModelSpec, tokenizer: Tokenizer):
        super().__init__(tokenizer)
        d = spec.d_model
        self.spec = spec
        self.embed = NumberEmbedding(tokenizer, d)
        self.positions = nn.ModuleList(p.build(d) for p in spec.positions)
        self.blocks = nn.ModuleList(Block(spec, depth) for depth in range(spec.n_layer))
        self.norm = spec.norm()
        self.token_mlp = nn.Identity()
        if tokenizer.encoder.token_mlp:  # xval, Appendix C: both heads are MLPs
            self.token_mlp = nn.Sequential(nn.Linear(d, d, bias=False), nn.GELU())
        self.value_head = tokenizer.head.build(d) if tokenizer.head else None
        self.rotary = Rotary(spec.rotary, spec.head_width) if spec.rotary else None

    def cache(self) -> list[dict]:
        """Keys and values of each block."""
        return [{} for _ in self.blocks]

    def hidden(self, inputs: Inputs, reads=None, layer=None, cache=None) -> torch.Tensor:
        if cache is not None and inputs.real is not None:
            raise ValueError("behind a cache, padding would be seen: read texts of one length")
        start = cache[0]["k"].shape[2] if cache and "k" in cache[0] else 0
        h = self.embed(inputs)
        if layer == 0:  # before positions
            return h if reads is None else h.flatten(0, 1)[reads]
        for position in self.positions:
            h = h + position(inputs, start)
        mask = None if inputs.real is None else inputs.real[:, None, None, :]
        turns = self.rotary(start, h.shape[1]) if self.rotary else None
        blocks = self.blocks[:layer]
        for i, block in enumerate(blocks):
            last = reads if i == len(blocks) - 1 else None
            h = block(h, mask, inputs.causal, turns, last, cache[i] if cache else None)
        return h if layer is not None else self.norm(h)

    def logits(self, h: torch.Tensor) -> torch.Tensor:
        """(t, d) hidden states to (t, V) float32 logits; the input's table is tied."""
        return F.linear(self.token_mlp(h), self.embed.table.weight).float()
