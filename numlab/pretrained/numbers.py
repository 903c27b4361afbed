"""A Hugging Face model that reads and writes numbers."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import torch
from huggingface_hub import ModelHubMixin, hf_hub_download
from safetensors.torch import load_file, save
from torch import nn
from torch.nn import functional as F

from numlab.described import describe, restore
from numlab.encoders import Encoder
from numlab.encoders.base import in_float32
from numlab.examples import by_index
from numlab.objectives import Inputs, MaskedLM
from numlab.parsing import parse, refuse_thousands
from numlab.pretrained.embedding import PretrainedEmbedding
from numlab.pretrained.source import scale, start
from numlab.pretrained.text import PretrainedTokenizer, Words

HUB = ("revision", "token", "cache_dir", "force_download", "local_files_only")
CONFIG, WEIGHTS = "config.json", "model.safetensors"
CARD = "---\n{{ card_data }}\n---\nNumbers for another model: `numlab.pretrained.NumberModel`.\n"


class NumberModel(
    nn.Module, ModelHubMixin, library_name="numlab", tags=["numbers"], model_card_template=CARD
):
    """A Hugging Face model that reads the numbers of a text by an encoder, and writes numbers.

    Any model reads. A decoder with a head of words also writes, and so does an encoder-decoder
    whose parts share a table of words: the encoder's words join its own, and the encoder's head
    reads what they carry off the hidden state. `model` itself is not modified; only training
    changes its weights. `save_pretrained` saves the encoder and the new weights only. If you also
    train the model, or a LoRA of it, save that separately.

    Parameters
    ----------
    model, tokenizer : of `transformers`; the tokenizer a fast one.
    encoder : None: numbers stay in the text as they are written, in the tokenizer's tokens. With an
        encoder a comma separates numbers, so a text with 1,000 is refused: write 1000.

    >>> from transformers import AutoModel, AutoTokenizer
    >>> from numlab.encoders import IEEE754
    >>> from numlab.pretrained import MINILM, locate
    >>> path = locate(MINILM)
    >>> model, tokenizer = AutoModel.from_pretrained(path), AutoTokenizer.from_pretrained(path)
    >>> numbers = NumberModel(model, tokenizer, IEEE754())
    >>> inputs = numbers.inputs(["The whale weighs 140000 kg and lives for 90 years.", "So long."])
    >>> model(**inputs).last_hidden_state.shape
    torch.Size([2, 13, 384])
    """

    def __new__(cls, model=None, tokenizer=None, encoder=None):  # before the mixin looks at them
        if encoder is not None and not isinstance(encoder, Encoder):
            raise ValueError(f"encoder is an encoder such as FoNE(5), or None; got {encoder!r}")
        return super().__new__(cls, model, tokenizer, encoder)

    def __init__(self, model, tokenizer, encoder: Encoder | None = None):
        super().__init__()
        text, self.encoder = Words.of(tokenizer, model.config.get_text_config()), encoder
        self.reads = PretrainedTokenizer.of(text, encoder)
        self.writes = PretrainedTokenizer.of(text, encoder and encoder.answer, whole=False)
        self.model, self.two_parts = model, model.config.is_encoder_decoder
        self.embed = PretrainedEmbedding(self.reads, model.get_input_embeddings())
        self.words = self.head = None
        if encoder and model.can_generate():
            self._add_words(encoder, model.get_output_embeddings())

    @torch.no_grad()
    def _add_words(self, encoder: Encoder, head: nn.Linear) -> None:
        """New words start as the model's own, such as digits, or as the average of its words."""
        table, bias = head.weight, head.weight.new_zeros(len(head.weight))
        if getattr(head, "bias", None) is not None:  # as GPT-J and Phi have
            bias = head.bias
        self.words = nn.Linear(table.shape[1], len(encoder.vocabulary), device=table.device)
        self.words.weight.copy_(table.float().mean(0))
        self.words.bias.fill_(bias.float().mean())
        if encoder.answer.head:
            self.head = encoder.answer.head.build(table.shape[1]).to(table.device)
        known = self.reads.text.tokenizer.get_vocab()
        for i, word in enumerate(encoder.vocabulary):
            if (row := known.get(word, len(table))) < len(table):  # [NUM] itself is skipped
                self.words.weight[i], self.words.bias[i] = table[row], bias[row]
                self.embed.new[i] = self.embed.table(torch.tensor(row, device=table.device))

    def _apply(self, fn, recurse=True):
        """Move or cast the model; what is added only moves: bf16 loses digits."""
        self.model._apply(fn, recurse)
        for part in filter(None, (self.embed, self.words, self.head)):
            part._apply(lambda x: x.to(fn(x.new_empty(0)).device), recurse)
        return self

    def read(self, texts: list[str], answers: bool = False) -> Inputs:
        """Tokenize texts, (n, T), padded on the right; a ValueError names one that is too long.

        `answers` have no special tokens around them.
        """
        if isinstance(texts, str) or not len(texts):
            got = f"the text {texts[:40]!r}" if texts else "none"
            raise ValueError(f"texts are a list; got {got}")
        if self.encoder:
            refuse_thousands(texts)
        found = parse([*texts], bare=True, literal=not self.encoder)
        corpus = (self.writes if answers else self.reads)(found)
        batch = corpus.batch(by_index(found))
        inputs = MaskedLM().show(batch)
        inputs.real = torch.from_numpy(batch.real)
        return inputs

    def inputs(self, texts: list[str], left: bool = False) -> dict[str, torch.Tensor]:
        """Arguments for `model`, the one inside: inputs_embeds (n, T, d) and attention_mask (n, T).

        Padded on the right; on the `left` for a decoder that continues the texts.
        """
        inputs = self.read(texts).to(self.embed.table.weight.device)
        return _arguments(scale(self.model) * self.embed(inputs), inputs.real, left)

    def collate(self, rows: list[dict[str, str]]) -> dict:
        """A batch for `forward`; a row has a "question" and an "answer"."""
        for row in rows:
            if not all(isinstance(row.get(part), str) for part in ("question", "answer")):
                raise ValueError(f"a row has a question and an answer, both texts; got {row}")
        self._check_writer()
        questions, answers = ([row[part] for row in rows] for part in ("question", "answer"))
        end = self.reads.text.tokenizer.eos_token
        if end is None:
            raise ValueError("the tokenizer has no eos_token: nothing would end an answer")
        answer = self.read([text + end for text in answers], answers=True)
        labels, question = answer.ids.masked_fill(~answer.real, -100), self.read(questions)
        if not self.two_parts:
            self._check_length(question.ids.shape[1], answer.ids.shape[1])
        return {"question": vars(question), "answer": vars(answer), "labels": labels}

    def forward(self, question: dict, answer: dict, labels=None) -> dict[str, torch.Tensor]:
        """For n answers of L tokens, and m of them that carry a number: logits (n, L, words) of the
        model's words and the encoder's, and losses of the numbers (m,). With labels a loss."""
        question, answer = Inputs(**question), Inputs(**answer)
        before, real = scale(self.model) * self.embed(question), question.real
        if self.two_parts:  # the answer follows a token of its own
            arguments = _arguments(before, real)
            real = torch.ones_like(real[:, :1])
            before = self.embed.table(real * start(self.model))
        n, steps = answer.ids.shape
        first = torch.arange(n, device=real.device) * (real.shape[1] + steps - 1) + real.sum(1) - 1
        embedded = torch.cat([before, self.embed(answer)[:, :-1]], 1)
        if self.two_parts:
            arguments["decoder_inputs_embeds"] = embedded
        else:
            arguments = _arguments(embedded, torch.cat([real, answer.real[:, :-1]], 1))
        at = first[:, None] + torch.arange(steps, device=first.device)
        with self.writing(at.flatten()) as hidden:
            logits = self.model(**arguments, use_cache=False).logits
        losses = logits.new_zeros(0)
        if len(answer.carriers):
            outputs = self.head(hidden[0][0, answer.carriers])
            losses = self.encoder.answer.head.loss(outputs, answer.features)
        outputs = {"logits": logits.view(n, steps, -1), "losses": losses}
        loss = {} if labels is None else {"loss": self.compute_loss(outputs, labels)}
        return loss | outputs

    @staticmethod
    def compute_loss(outputs: dict, labels, num_items_in_batch=None) -> torch.Tensor:
        """The cross-entropy of the tokens and the loss of the numbers, over the number of tokens.

        `Trainer` takes it as `compute_loss_func`.
        """
        logits = outputs["logits"].float().flatten(0, 1)
        loss = F.cross_entropy(logits, labels.flatten(), reduction="sum") + outputs["losses"].sum()
        return loss / ((labels != -100).sum() if num_items_in_batch is None else num_items_in_batch)

    @property
    def inner(self) -> nn.Module:
        """The model of `transformers` whose methods a wrapper, such as peft's, passes on."""
        return self.model.get_output_embeddings.__self__

    @contextlib.contextmanager
    def writing(self, reads: torch.Tensor | None = None):
        """While it lasts, the model's logits are followed by those of the encoder's words.

        Yields a list that each forward pass fills with the hidden states behind the logits: (n, T,
        d), or (1, t, d) at the flat positions `reads`, (t,).
        """
        hidden, layer = [], self.model.get_output_embeddings()

        def keep(_, args):
            hidden[:] = [args[0] if reads is None else args[0].flatten(0, 1)[reads][None]]
            return (hidden[0],)

        def extend(_, args, logits):
            if self.words is None:
                return logits
            with in_float32(hidden[0]):
                words = self.words(hidden[0].float())
            return torch.cat([logits, words.to(logits)], -1)

        def extend_last(_, args, outputs):
            outputs.logits = extend(_, args, outputs.logits)

        if hasattr(self.inner, "final_logits_bias"):  # BART adds one for each word of its own
            extended = self.inner.register_forward_hook(extend_last)
        else:  # Granite and others scale logits afterwards: all alike
            extended = layer.register_forward_hook(extend)
        with layer.register_forward_pre_hook(keep), extended:
            yield hidden

    @torch.no_grad()
    def generate(self, texts: list[str], **options) -> list[str]:
        """What a decoder writes after each text, an encoder-decoder as its answer.

        Numbers are written in full, and as nan where their tokens make no number. `options` are
        those of the model's `generate`; there are no beams.
        """
        self._check_writer()
        text, steps, writing = self.reads.text, [], self.writing()
        carriers = {*self.writes.carriers.tolist()}
        part = "decoder_input" if self.two_parts else "input"

        def look(ids, *_, **__):
            """Keep the last tokens, with the numbers that they carry, if any is the encoder's."""
            words, wrote = ids[:, -1].tolist(), None
            if max(words) >= len(text):
                carried = [row for row, word in enumerate(words) if word in carriers]
                carried = torch.tensor(carried, dtype=torch.long, device=ids.device)
                read = len(carried) and self.encoder.answer.head.read(
                    self.head(hidden[0][carried, -1])
                )
                wrote = Inputs(ids[:, -1:], None, None, carried, read, causal=True)
            steps.append(wrote)
            return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)

        def feed(_, args, given):
            """Have the model read the words and the numbers of the encoder that it wrote."""
            if steps and steps[-1]:
                given |= {f"{part}_ids": None, f"{part}s_embeds": self.embed(steps[-1])}
            return args, given

        only = {"stopping_criteria": [look], "num_beams": 1, "use_cache": True}
        only |= {"return_dict_in_generate": False}
        if taken := options.keys() & only.keys():
            raise ValueError(f"generate sets {', '.join(only)} itself; got {', '.join(taken)}")
        options = {"eos_token_id": text.end, "pad_token_id": text.pad} | options
        options |= self.inputs(texts, left=not self.two_parts)
        new = options.get("max_new_tokens", self.model.generation_config.max_new_tokens)
        if new and not self.two_parts:
            self._check_length(options["inputs_embeds"].shape[1], new)
        with writing as hidden, self.inner.register_forward_pre_hook(feed, with_kwargs=True):
            ids = self.model.generate(**options, **only)
        read = [wrote.features.cpu().numpy() for wrote in steps if wrote and len(wrote.carriers)]
        return self.writes.written(ids[:, -len(steps) :].cpu().numpy(), read)

    def _check_length(self, before: int, after: int) -> None:
        """A decoder reads a text and what it writes, but for its last token."""
        if before + after - 1 > (longest := self.reads.text.longest):
            got = f"{before} of the longest text and {after} to write"
            raise ValueError(f"the model reads {longest} tokens; got {got}")

    def _check_writer(self) -> None:
        name = type(self.model).__name__
        if not self.model.can_generate():
            raise ValueError(f"{name} cannot generate texts: it only reads")
        if self.two_parts:
            decoder = self.inner.get_decoder().get_input_embeddings()
            if decoder.weight is not self.embed.table.weight:
                raise ValueError(f"the decoder of {name} has a table of its own: it only reads")

    def added(self) -> dict[str, torch.Tensor]:
        """The weights that the model itself does not have."""
        return {k: v for k, v in self.state_dict().items() if not k.startswith("model.")}

    def _save_pretrained(self, save_directory: Path) -> None:
        (save_directory / WEIGHTS).write_bytes(save(self.added()))
        config = {"encoder": describe(self.encoder)}
        (save_directory / CONFIG).write_text(json.dumps(config, indent=1))

    @classmethod
    def from_pretrained(
        cls, path: str | Path, *, model=None, tokenizer=None, modules=(), **options
    ) -> NumberModel:
        """What `save_pretrained` saved, around a model. Nothing pickled is loaded.

        Parameters
        ----------
        path : a folder, or a name on the Hugging Face Hub.
        model, tokenizer : those with which it was saved.
        modules : that of an encoder of your own, such as "mine".
        options : for the hub: revision, token, cache_dir, force_download, local_files_only.
        """
        if unknown := options.keys() - HUB:
            raise ValueError(f"options are {', '.join(HUB)} and modules; got {min(unknown)}")
        own = {"model": model, "tokenizer": tokenizer, "modules": modules}
        return super().from_pretrained(path, **own, **options)

    @classmethod
    def _from_pretrained(
        cls, *, model_id, model, tokenizer, modules, encoder=..., **options
    ) -> NumberModel:
        """The hook of `ModelHubMixin`, which has read the encoder's description."""
        if model is None or tokenizer is None:
            held = "holds only the weights that numlab added"
            raise ValueError(f"{model_id} {held}: pass model= and tokenizer=, too")
        if encoder is ...:
            raise ValueError(f"expected {CONFIG} with an encoder in {model_id}; got none")
        numbers = cls(model, tokenizer, restore(encoder, modules))
        path = Path(model_id) / WEIGHTS
        if not path.is_file():
            path = hf_hub_download(model_id, WEIGHTS, **options)
        weights = load_file(path)
        saved, own = ({k: w.shape for k, w in ws.items()} for ws in (weights, numbers.added()))
        if saved != own:
            other = f"its weights do not have the shapes for this {type(model).__name__}"
            raise ValueError(f"pass the model with which {model_id} was saved: {other}")
        numbers.load_state_dict(weights, strict=False)
        return numbers.eval()


def _arguments(embedded: torch.Tensor, real: torch.Tensor, left: bool = False) -> dict:
    """Arguments for a model; what is not real (n, T) goes to one side."""
    order = (real == left).int().argsort(dim=1, stable=True)
    mask = real.take_along_dim(order, 1).long()
    return {"inputs_embeds": embedded.take_along_dim(order[..., None], 1), "attention_mask": mask}
