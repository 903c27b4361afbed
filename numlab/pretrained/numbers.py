"""A Hugging Face model that reads and writes numbers."""

from __future__ import annotations

import contextlib
import itertools
import json
from pathlib import Path

import numpy as np
import torch
from huggingface_hub import ModelHubMixin, hf_hub_download
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

from numlab.described import describe, restore
from numlab.encoders import Encoder, Tokens
from numlab.encoders.base import in_float32
from numlab.examples import parse
from numlab.objectives import Inputs, MaskedLM
from numlab.pretrained.embedding import PretrainedEmbedding
from numlab.pretrained.text import MARK, PretrainedTokenizer, Words, plain, unmark

__all__ = ["NumberModel"]

CONFIG, WEIGHTS = "config.json", "model.safetensors"
CARD = """---
{{ card_data }}
---

Number embeddings of numlab for a model that is not in here: `NumberModel.from_pretrained(this,
model=model, tokenizer=tokenizer)`. The encoder and its settings are in config.json.
"""


class NumberModel(
    nn.Module, ModelHubMixin, library_name="numlab", tags=["numbers"], model_card_template=CARD
):
    """A Hugging Face model that reads the numbers of a text by an encoder, and writes numbers.

    Any model reads them. A decoder or an encoder-decoder with a head of words also writes them:
    the encoder's words join the model's, and what a word carries is read off the hidden state by
    the encoder's head. `model` itself is not changed, and only training changes its weights.

    `save_pretrained` and `push_to_hub` save the encoder and the new weights, no others:
    a model that was trained too is saved by its own `save_pretrained`.

    Parameters
    ----------
    model, tokenizer : of `transformers`; the tokenizer a fast one.
    encoder : Encoder, optional
        None: numbers stay in the text, in the tokenizer's tokens.

    Examples
    --------
    >>> import transformers as hf
    >>> from numlab.encoders import IEEE754
    >>> from numlab.pretrained import MINILM, locate
    >>> model, tokenizer = (
    ...     auto.from_pretrained(locate(MINILM)) for auto in (hf.AutoModel, hf.AutoTokenizer)
    ... )
    >>> numbers = NumberModel(model, tokenizer, IEEE754())
    >>> inputs = numbers.inputs(["The whale weighs 140000 kg and lives for 90 years.", "So long."])
    >>> model(**inputs).last_hidden_state.shape
    torch.Size([2, 13, 384])
    """

    def __init__(self, model, tokenizer, encoder: Encoder | None = None):
        super().__init__()
        text, self.encoder = Words.of(tokenizer, model.config), encoder
        self.reads = PretrainedTokenizer.of(text, encoder)
        self.writes = PretrainedTokenizer.of(text, encoder and encoder.answer, whole=False)
        self.model, self.two_parts = model, model.config.is_encoder_decoder
        table = model.get_input_embeddings()
        self.embed, self.words, self.head = PretrainedEmbedding(self.reads, table), None, None
        if encoder and model.can_generate():
            old = model.get_output_embeddings().weight
            self.words = nn.Linear(old.shape[1], len(encoder.vocabulary), device=old.device)
            with torch.no_grad():  # as likely as the model's words are on average
                self.words.weight.copy_(old.float().mean(0))
                self.words.bias.zero_()
            head = encoder.answer.head
            self.head = head and head.build(old.shape[1]).to(old.device)

    # -- read

    def read(self, texts: list[str], answers: bool = False) -> Inputs:
        """Tokenize texts, (n, T), padded on the right; a ValueError names one that is too long.

        Those of `answers` have no special tokens around them.
        """
        corpus = (self.writes if answers else self.reads)(parse([*texts], bare=True))
        batch = corpus.batch(np.argsort(np.concatenate([e.index for e in corpus.examples])))
        inputs = MaskedLM().show(batch)
        inputs.real = torch.from_numpy(batch.real)
        return inputs

    def inputs(self, texts: list[str], left: bool = False) -> dict[str, torch.Tensor]:
        """Arguments for the model: inputs_embeds (n, T, d) and attention_mask (n, T).

        Padded on the right; with `left` on the left, as a decoder continues texts.
        """
        inputs = self.read(texts).to(self.embed.table.weight.device)
        embedded, real = self.embed(inputs), inputs.real
        return _arguments(embedded, real, real if left else ~real)

    # -- train

    def collate(self, rows: list[dict[str, str]]) -> dict:
        """A batch for `forward` and `compute_loss`; a row has a "question" and an "answer"."""
        question, answer = ([row[part] for row in rows] for part in ("question", "answer"))
        if (end := self.reads.text.tokenizer.eos_token) is None:
            raise ValueError("the tokenizer has no token that ends an answer")
        answer = self.read([text + end for text in answer], answers=True)
        labels = answer.ids.masked_fill(~answer.real, -100)
        return {"question": vars(self.read(question)), "answer": vars(answer), "labels": labels}

    def forward(self, question: dict, answer: dict) -> dict[str, torch.Tensor]:
        """For n answers of L tokens, and m of them that carry a number: logits (n, L, words) of the
        model's words and the encoder's, and losses of the numbers (m,)."""
        question, answer = Inputs(**question), Inputs(**answer)
        n, length = answer.ids.shape
        asked, said = self.embed(question), self.embed(answer)[:, :-1]
        if self.two_parts:
            start = self.model.generation_config.decoder_start_token_id
            start = self.model.generation_config.bos_token_id if start is None else start
            start = self.embed.table(answer.ids.new_full((n, 1), start))
            arguments = _arguments(asked, question.real, ~question.real)
            arguments["decoder_inputs_embeds"] = torch.cat([start, said], 1)
            at = torch.arange(length, device=said.device).expand(n, -1)
        else:
            real = torch.cat([question.real, answer.real[:, :-1]], 1)
            arguments = _arguments(torch.cat([asked, said], 1), real, ~real)
            last = question.real.sum(1, keepdim=True) - 1
            at = last + torch.arange(length, device=said.device)
        with self._writing(at) as hidden:
            logits = self.model(**arguments, use_cache=False).logits
        losses = logits.new_zeros(0)
        if len(answer.carriers):
            outputs = self.head(hidden[0].flatten(0, 1)[answer.carriers])
            losses = self.head.loss(outputs, answer.features)
        return {"logits": logits, "losses": losses}

    @staticmethod
    def compute_loss(outputs, labels: torch.Tensor, num_items_in_batch=None) -> torch.Tensor:
        """The cross-entropy of the tokens plus the loss of the numbers, for each token; in the form
        that `Trainer` takes as `compute_loss_func`."""
        n = (labels != -100).sum() if num_items_in_batch is None else num_items_in_batch
        logits = outputs["logits"].float().flatten(0, 1)
        return (
            F.cross_entropy(logits, labels.flatten(), reduction="sum") + outputs["losses"].sum()
        ) / n

    @contextlib.contextmanager
    def _writing(self, at: torch.Tensor | None = None):
        """While it lasts, the model's logits are followed by those of the encoder's words.

        Gives a list, in which stands what they were read off last: (n, T, d). With `at`, (n, L),
        that is done at these positions only.
        """
        hidden = []

        def keep(_, args):
            hidden[:] = [args[0] if at is None else args[0].take_along_dim(at[..., None], 1)]
            return (hidden[0], *args[1:])

        def extend(_, args, outputs):
            if self.words is not None:
                with in_float32(hidden[0]):
                    words = self.words(hidden[0].float())
                outputs.logits = torch.cat([outputs.logits, words.to(outputs.logits)], -1)

        layer = self.model.get_output_embeddings()
        hooks = layer.register_forward_pre_hook(keep), self.model.register_forward_hook(extend)
        try:
            yield hidden
        finally:
            for hook in hooks:
                hook.remove()

    # -- write

    @torch.no_grad()
    def generate(self, texts: list[str], **options) -> list[str]:
        """What a decoder writes after each text, an encoder-decoder as its answer.

        Numbers are written in full, and as nan where their tokens make no number. `options` are
        those of the model's `generate`; there are no beams.
        """
        text, steps = self.reads.text, []
        carriers = torch.as_tensor(self.writes.carriers, device=self.embed.table.weight.device)
        part = "decoder_input" if self.two_parts else "input"

        def look(ids, *_, **__):
            """Read the numbers that the last tokens carry."""
            carried, read = torch.isin(ids[:, -1], carriers), None
            if self.head and carried.any():
                read = self.head.read(self.head(hidden[0][carried, -1]))
            steps.append(read)
            return torch.zeros_like(carried)

        def feed(_, args, given):
            """Have the model read the encoder's words and numbers that it has written."""
            ids = given.get(f"{part}_ids")
            if ids is not None and (ids >= len(text)).any():
                carried = torch.isin(ids.flatten(), carriers).nonzero()[:, 0]
                seen = Inputs(ids, None, None, carried, steps[-1], causal=True)
                given |= {f"{part}_ids": None, f"{part}s_embeds": self.embed(seen)}
            return args, given

        ends = {"eos_token_id": text.end, "pad_token_id": text.pad} if text.end is not None else {}
        inputs = self.inputs(texts, left=not self.two_parts)
        with self._writing() as hidden:
            hook = self.model.register_forward_pre_hook(feed, with_kwargs=True)
            try:
                ids = self.model.generate(
                    **inputs,
                    **(ends | options),
                    stopping_criteria=[look],
                    num_beams=1,
                    use_cache=True,
                )
            finally:
                hook.remove()
        return self._spell(ids[:, -len(steps) :].cpu().numpy(), steps)

    def _spell(self, ids: np.ndarray, steps: list[torch.Tensor | None]) -> list[str]:
        """(n, T) written tokens as texts; what they carry was read step by step."""
        answer, text, offset = self.writes.encoder, self.reads.text, self.reads.offset
        longest = answer.length + (not answer.fixed)
        mark, texts, spelled = text.tokenizer.convert_tokens_to_ids(MARK), [], []
        for row in ids.tolist():
            words = []
            for is_number, run in itertools.groupby(row, lambda word: word >= offset):
                run = [*run]
                if is_number:
                    parts = [run[i : i + longest] for i in range(0, len(run), longest)]
                    spelled += parts
                    words += [mark] * len(parts)
                else:
                    words += [word for word in run if word not in text.special]
            texts.append(text.tokenizer.decode(words))
        tokens = np.full((len(spelled), longest), -1)
        for row, part in zip(tokens, spelled, strict=True):
            row[: len(part)] = part
        carried = np.isin(ids, self.writes.carriers)
        read = [s.cpu().numpy() for s in steps if s is not None]
        features = np.concatenate([np.zeros((0, answer.n_features), answer.feature_dtype), *read])
        features = features[np.argsort(np.nonzero(carried.T)[1], kind="stable")]  # row by row
        numbers = answer.decode(Tokens(tokens - offset, tokens >= 0, features)).tolist()
        numbers = iter(["nan" if x is None else plain(x) for x in numbers])
        return [unmark(text, numbers) for text in texts]

    # -- save and load

    def added(self) -> dict[str, torch.Tensor]:
        """The weights that the model itself does not have."""
        return {k: v for k, v in self.state_dict().items() if not k.startswith("model.")}

    def _save_pretrained(self, save_directory: Path) -> None:
        save_file(self.added(), save_directory / WEIGHTS)
        config = {"encoder": describe(self.encoder)}
        (save_directory / CONFIG).write_text(json.dumps(config, indent=1))

    @classmethod
    def _from_pretrained(
        cls, *, model_id, model, tokenizer, encoder, modules: tuple[str, ...] = (), **options
    ) -> NumberModel:
        """`from_pretrained(folder or name on the hub, model=, tokenizer=)`.

        `modules`: those that an encoder outside of numlab is from. Nothing pickled is loaded.
        """
        numbers = cls(model, tokenizer, restore(encoder, modules))
        path = Path(model_id) / WEIGHTS
        if not path.is_file():
            path = hf_hub_download(model_id, WEIGHTS, **options)
        weights = load_file(path)
        if weights.keys() != numbers.added().keys():
            raise ValueError(f"{model_id} is for another kind of model than {type(model).__name__}")
        numbers.load_state_dict(weights, strict=False)
        return numbers.eval()


def _arguments(embedded: torch.Tensor, real: torch.Tensor, later: torch.Tensor) -> dict:
    """Arguments for a model, the positions of `later` (n, T) behind all others."""
    order = later.int().argsort(dim=1, stable=True)
    mask = real.take_along_dim(order, 1).long()
    return {"inputs_embeds": embedded.take_along_dim(order[..., None], 1), "attention_mask": mask}
