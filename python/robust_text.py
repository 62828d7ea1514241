"""Text classifiers in Python as victims of robust. One file, standard library only, Python 3.9 to 3.13.

As a program, for `robust attack -m 'cmd:python3 victim.py'`: serve(classify, labels=["neg", "pos"])
From a notebook or a test: report = attack(classify, data=frame, suite="typos", labels=["neg", "pos"])
`python3 robust_text.py victim.py:classify --labels neg,pos` serves a function of a file that knows nothing of robust.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import html
import importlib
import inspect
import json
import os
import pathlib
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from typing import Any, BinaryIO, Callable, Iterator, Optional, Sequence

__all__ = ["serve", "attack", "gate", "Report", "Gate", "RobustError"]

#: The first call of a victim shows what it answers.
_SAMPLE = {True: ("This is a sample.", "This is another."), False: "This is a sample."}
_streams: Optional[tuple[BinaryIO, BinaryIO]] = None


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Input and output of this process. From here on `print` writes to stderr, and `input` finds nothing."""
    global _streams
    if _streams is None:
        sys.stdout.flush()
        _streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        with contextlib.suppress(Exception):
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return _streams


# robust started this process: whatever is imported from here on may print.
if os.environ.pop("ROBUST_PROTOCOL", None):
    _take_streams()


class RobustError(Exception):
    """An error of robust: a stable `code` (docs/reference/error-codes.md), a `hint`, and the `exit` code of the command."""

    def __init__(self, message: str, code: str, hint: str = "", exit: int = 70) -> None:
        super().__init__(f"{message} [{code}]" + (f"\n{hint}" if hint else ""))
        self.code, self.hint, self.exit = code, hint, exit


def _plain(value: Any) -> Any:
    """Arrays, tensors, series and tuples as lists, their numbers as Python's."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


class _Function:
    """A victim in a function. One call at the start shows what it answers: rows, dicts, labels or spans."""

    def __init__(self, function: Callable[..., Any], labels: Any, options: dict) -> None:
        self.function, self.task, self.labels = function, options.get("task"), [str(label) for label in labels or []]
        first = self._call([_SAMPLE[bool(options.get("pairs"))]])[0]
        if isinstance(first, list) and all(isinstance(span, dict) for span in first):
            self.task = self.task or "tags"
        labelled = self.task in (None, "threshold") and isinstance(first, (str, int))
        self.hello: dict = {"scores": "labels" if labelled else options.get("scores") or "probabilities"}
        if not self.labels and isinstance(first, (dict, list)) and self.task != "tags":
            self.labels = list(first) if isinstance(first, dict) else [f"LABEL_{at}" for at in range(len(first))]
        self.labels = self.labels or {"regression": ["value"], "redact": ["REDACTED"]}.get(str(self.task), [])
        if not self.labels:
            raise ValueError(f'expected labels=["neg", "pos"], got none, and an answer that does not name them: {first!r}')

    def _call(self, texts: Sequence[Any]) -> list:
        answers = _plain(self.function(list(texts)))
        if not isinstance(answers, list) or len(answers) != len(texts):
            got = len(answers) if isinstance(answers, list) else type(answers).__name__
            raise ValueError(f"expected a list of {len(texts)} answers, one a text, got {got}")
        # As transformers answer: {label, score}, or a list of them.
        scored = [each if isinstance(each, list) else [each] for each in answers]
        if all(each and all(isinstance(one, dict) and {"label", "score"} == {*one} for one in each) for each in scored):
            return [{str(one["label"]): one["score"] for one in each} for each in scored]
        return answers

    def answer(self, texts: Sequence[Any]) -> dict:
        """What answers these texts; a pair is a tuple. Raises what the function raises, KeyError, ValueError."""
        answers = self._call(texts)
        if self.task in ("redact", "tags"):
            return {"redacted" if self.task == "redact" else "spans": answers}
        if self.hello.get("scores") == "labels":
            return {"labels": [self._label(each) for each in answers]}
        return {"scores": [self._row(each) for each in answers]}

    def _label(self, answer: Any) -> str:
        """A label by its name, or by its number."""
        number = isinstance(answer, int) and str(answer) not in self.labels and 0 <= answer < len(self.labels)
        return self.labels[answer] if number else str(answer)

    def _row(self, answer: Any) -> list[float]:
        """Scores in the order of the labels. A single score of two labels is that of its own, or of the second."""
        if isinstance(answer, (int, float)):
            answer = {self.labels[-1]: answer}
        if isinstance(answer, dict):
            if len(answer) == 1 and len(self.labels) == 2:
                answer = {**{label: 1 - score for label in self.labels for score in answer.values()}, **answer}
            answer = [answer[label] for label in self.labels]
        if len(answer) != len(self.labels) or any(score != score for score in answer):
            raise ValueError(f"expected a score for each of {self.labels}, got {answer}")
        return answer


def _estimator(model: Any, labels: Any, options: dict) -> _Function:
    """A scikit-learn classifier or regressor, or a pipeline that ends in one."""
    if not hasattr(model, "classes_"):
        return _Function(model.predict, labels, {"task": "regression", **options})
    names = _plain(model.classes_) if labels is None else labels
    if hasattr(model, "predict_proba"):
        return _Function(model.predict_proba, names, options)
    if not hasattr(model, "decision_function"):
        return _Function(lambda texts: [str(label) for label in model.predict(texts)], names, options)

    def margins(texts: Sequence[str]) -> list:
        # Of two classes there is one margin, that of the second.
        return [row if isinstance(row, list) else [0.0, row] for row in _plain(model.decision_function(texts))]

    return _Function(margins, names, {**options, "scores": "logits"})


def _pipeline(pipe: Any, labels: Any, options: dict) -> _Function:
    """A transformers pipeline of text classification or token classification."""
    names = [str(name) for _, name in sorted(pipe.model.config.id2label.items())]
    if pipe.task in ("token-classification", "ner"):
        grouped = str(pipe._postprocess_params.get("aggregation_strategy", "none")).lower()
        how = {"aggregation_strategy": "simple"} if grouped.endswith("none") else {}

        def tag(texts: Sequence[str]) -> list:
            keys = {"start": "start", "end": "end", "type": "entity_group", "score": "score"}
            return [[{key: span[of] for key, of in keys.items()} for span in spans] for spans in _plain(pipe(texts, **how))]

        types = dict.fromkeys(name.split("-", 1)[-1] for name in names if name != "O")
        return _Function(tag, labels or types, {**options, "task": "tags"})
    cut = {} if "truncation" in pipe._preprocess_params else {"truncation": True}
    named = dict(zip(names, (str(label) for label in labels or names)))

    def classify(texts: Sequence[Any]) -> list:
        given = [text if isinstance(text, str) else {"text": text[0], "text_pair": text[1]} for text in texts]
        return [[{**one, "label": named[one["label"]]} for one in each] for each in pipe(given, top_k=None, **cut)]

    return _Function(classify, named.values(), options)


class _Torch:
    """A torch module behind a tokenizer of transformers: softmax of its logits, and gradients if the tokenizer is a fast one."""

    def __init__(self, model: Any, tokenizer: Any, labels: Any, options: dict) -> None:
        import torch

        if not hasattr(tokenizer, "is_fast"):
            raise ValueError("expected serve(model, tokenizer=...) with a tokenizer of transformers; or serve a function that uses yours")
        self.torch, self.model, self.tokenizer, self.device = torch, model.eval(), tokenizer, next(model.parameters()).device
        config = getattr(model, "config", None)
        limits = options.get("max_length"), tokenizer.model_max_length, getattr(config, "max_position_embeddings", None)
        self.length = min((limit for limit in limits if limit and 0 < limit < 10**6), default=None)
        # Without a padding token GPT-2 and its relatives take one text at a time.
        self.batch = 1 if getattr(config, "pad_token_id", 0) is None else options.get("batch") or 32
        self.accepts = inspect.signature(model.forward).parameters
        sample = self._encode([_SAMPLE[bool(options.get("pairs"))]])
        width = self._logits(sample).shape[1]
        known = {"multi_label_classification": "multi-label", "regression": "regression"}
        self.task = options.get("task") or known.get(str(getattr(config, "problem_type", ""))) or ("regression" if width == 1 else None)
        self.layer = self._embedding(sample) if self.task is None and tokenizer.is_fast else None
        self.hello = {"scores": "probabilities", **({"gradients": True} if self.layer else {})}
        names = getattr(config, "id2label", None) or {at: f"LABEL_{at}" for at in range(width)}
        self.labels = [str(name) for name in labels or (name for _, name in sorted(names.items()))]

    def _encode(self, texts: Sequence[Any]) -> list[dict]:
        """A row a text: `input_ids` and what else the tokenizer gives, as lists without padding."""
        how = {"return_offsets_mapping": self.tokenizer.is_fast, "return_special_tokens_mask": True, "max_length": self.length}
        parts = [text if isinstance(text, tuple) else (text,) for text in texts]
        rows = [self.tokenizer(*part, truncation=self.length is not None, **how) for part in parts]
        return [{**row, "parts": row.sequence_ids(0) if self.tokenizer.is_fast else None} for row in rows]

    def _logits(self, rows: Sequence[dict], embeddings: Any = None) -> Any:
        """[rows, labels] of rows of one length; `embeddings`, [rows, tokens, hidden], take the place of those of the input ids."""
        keys = [key for key in ("input_ids", "attention_mask", "token_type_ids") if key in rows[0] and key in self.accepts]
        inputs = {key: self.torch.tensor([row[key] for row in rows], device=self.device) for key in keys}
        with contextlib.ExitStack() as stack:
            if embeddings is not None:
                stack.callback(self.layer.register_forward_hook(lambda *_: embeddings).remove)
            out = self.model(**inputs)
        logits = out["logits"] if hasattr(out, "keys") else out[0] if isinstance(out, (list, tuple)) else out
        return logits.float().reshape(len(rows), -1)

    def _groups(self, rows: Sequence[dict]) -> Iterator[list[int]]:
        """Places of rows of one length, at most a batch. Nothing is padded, so no answer depends on other texts."""
        lengths: dict[int, list[int]] = {}
        for at, row in enumerate(rows):
            lengths.setdefault(len(row["input_ids"]), []).append(at)
        for found in lengths.values():
            yield from (found[start : start + self.batch] for start in range(0, len(found), self.batch))

    def answer(self, texts: Sequence[Any]) -> dict:
        """Probabilities of the labels; the value itself of a regression."""
        rows, scores = self._encode(texts), {}
        for group in self._groups(rows):
            with self.torch.no_grad():
                logits = self._logits([rows[at] for at in group])
            if self.task != "regression":
                logits = logits.softmax(-1) if self.task is None else logits.sigmoid()
            scores.update(zip(group, logits.tolist()))
        return {"scores": [scores[at] for at in range(len(rows))]}

    def _embedding(self, sample: list[dict]) -> Any:
        """The layer that looks up the input ids, if it does so once a pass."""
        calls: list = []
        layers = [layer for layer in self.model.modules() if isinstance(layer, self.torch.nn.Embedding)]
        hooks = [layer.register_forward_hook(lambda one, given, _: calls.append((one, _plain(given[0])))) for layer in layers]
        with self.torch.no_grad():
            self._logits(sample)
        for hook in hooks:
            hook.remove()
        found = [layer for layer, given in calls if given == [row["input_ids"] for row in sample]]
        return found[0] if found and sum(layer.weight is found[0].weight for layer, _ in calls) == 1 else None

    def gradients(self, asked: dict) -> list[dict]:
        """Of `texts`, or of `embeddings` and their `tokens`: probabilities, and cross-entropy of the labels with d(loss)/d(embeddings)."""
        torch, given, labels = self.torch, asked.get("embeddings"), asked["labels"]
        rows = self._encode(asked["texts"]) if given is None else [self._row(tokens) for tokens in asked["tokens"]]
        found: list[dict] = [{} for _ in rows]
        for group in self._groups(rows):
            with torch.no_grad():
                start = self.layer(torch.tensor([rows[at]["input_ids"] for at in group], device=self.device))
                if given is not None:
                    values = [torch.frombuffer(bytearray(base64.b64decode(given[at])), dtype=torch.float32) for at in group]
                    start = torch.stack(values).reshape(start.shape).to(start)
            with torch.enable_grad():
                logits = self._logits([rows[at] for at in group], start.requires_grad_())
                wanted = torch.tensor([labels[at] or 0 for at in group], device=self.device)
                losses = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
            slopes = torch.autograd.grad(losses.sum(), start)[0] if any(labels[at] is not None for at in group) else start
            for at, row, loss, slope, place in zip(group, logits.softmax(-1).tolist(), losses.tolist(), slopes, start):
                found[at]["probabilities"] = row
                if labels[at] is not None:
                    found[at].update(loss=loss, values=self._bytes(slope))
                if given is None:
                    found[at].update(tokens=self._tokens(rows[at]), embeddings=self._bytes(place))
        return found

    def table(self) -> dict:
        """Row-major [rows, width], as the layer looks them up. A piece is an entry as it appears in a text, None for a special one."""
        with self.torch.no_grad():
            rows = self.layer(self.torch.arange(self.layer.num_embeddings, device=self.device))
        ids = {*range(len(self.tokenizer))} - {*self.tokenizer.all_special_ids}
        pieces = [self.tokenizer.decode([at], clean_up_tokenization_spaces=False) if at in ids else None for at in range(len(rows))]
        return {"rows": len(rows), "width": rows.shape[1], "values": self._bytes(rows), "pieces": pieces}

    def _bytes(self, tensor: Any) -> str:
        """Base64 of single precision, little-endian."""
        return base64.b64encode(tensor.detach().to("cpu", self.torch.float32).numpy().astype("<f4").tobytes()).decode()

    @staticmethod
    def _row(tokens: Sequence[dict]) -> dict:
        ids, types = [token["id"] for token in tokens], [token.get("type", 0) for token in tokens]
        return {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": types}

    @staticmethod
    def _tokens(row: dict) -> list[dict]:
        """Offsets count code points of the token's text, the first or the second of a pair."""
        keys, types = ("input_ids", "offset_mapping", "special_tokens_mask", "parts"), row.get("token_type_ids") or row["parts"]
        return [
            {"id": piece, "start": start, "end": end, "special": bool(special), "second": part == 1, "type": kind or 0}
            for piece, (start, end), special, part, kind in zip(*(row[key] for key in keys), types)
        ]


def _adapt(victim: Any, labels: Any = None, tokenizer: Any = None, **options: Any) -> Any:
    """The victim and its first line, `hello`. Raises TypeError, ValueError, and what its first answer raises."""
    if any(kind.__module__.startswith("transformers.pipelines") for kind in type(victim).__mro__):
        made: Any = _pipeline(victim, labels, options)
    elif hasattr(victim, "state_dict") and hasattr(victim, "forward"):
        made = _Torch(victim, tokenizer, labels, options)
    elif hasattr(victim, "get_params"):
        made = _estimator(victim, labels, options)
    elif callable(victim):
        made = _Function((lambda texts: [victim(text) for text in texts]) if options.get("each") else victim, labels, options)
    else:
        raise TypeError(f"expected a function, a pipeline, an estimator or a torch module, got {type(victim).__name__}")
    told = {key: options.get(key) for key in ("positive", "threshold", "pairs", "name", "version")}
    told = {key: value for key, value in {"task": made.task, **told}.items() if value is not None}
    if made.task in ("regression", "tags", "redact"):
        del made.hello["scores"]
    made.hello = {"robust": 1, "labels": made.labels, "offsets": "code points", **made.hello, **told}
    return made


def _failure(error: BaseException) -> dict:
    """Type, message, and the user's line: the innermost one outside this file, the standard library and packages."""
    own, where = (__file__, os.path.dirname(os.__file__), "<frozen"), {}
    for frame in [*traceback.extract_stack(), *traceback.extract_tb(error.__traceback__)]:
        if not frame.filename.startswith(own) and "-packages" not in frame.filename:
            where = {"where": f"{os.path.basename(frame.filename)}:{frame.lineno}"}
    retry = isinstance(error, (ConnectionError, TimeoutError)) or getattr(error, "transient", False) is True
    return {"error": f"{type(error).__name__}: {error}", "retry": retry, **where}


def _answer(victim: Any, request: dict) -> dict:
    if "texts" in request:
        return victim.answer([tuple(text) if isinstance(text, list) else text for text in request["texts"]])
    if not victim.hello.get("gradients"):
        raise ValueError("this victim has no gradients: they need a torch module with softmax and a fast tokenizer")
    return {"table": victim.table()} if "table" in request else {"gradients": victim.gradients(request["gradients"])}


def _line(message: dict) -> bytes:
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def _loop(victim: Any, source: BinaryIO, out: BinaryIO, failed: Callable[[BaseException], None]) -> None:
    """Answers until the other end closes. What the victim raises is an answer, too, and given to `failed`."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        line = _line(victim.hello)
        while line:
            out.write(line)
            out.flush()
            asked = source.readline()
            request = json.loads(asked or "{}")
            try:
                line = asked and _line({"id": request["id"], **_answer(victim, request)})
            except (Exception, SystemExit) as error:
                failed(error)
                line = _line({"id": request.get("id"), **_failure(error)})


def serve(victim: Any, labels: Any = None, tokenizer: Any = None, **options: Any) -> None:
    """Answers robust on standard input and output until it closes them.

    `victim`: a function of a list of texts; a transformers pipeline; a scikit-learn classifier, regressor or pipeline; a torch
    module (with `tokenizer`). A function returns for each text a row of scores in the order of `labels`, a dict label -> score,
    one number (the score of the second of two labels), a label, or a list of spans `{"start", "end", "type"}` in code points.

    Options: `positive` and `threshold` (a detector), `scores` ("probabilities", "logits"), `task` ("multi-label", "regression",
    "tags", "redact"), `pairs` (a text is a tuple of two), `each` (one text a call), `batch` (torch: texts a pass), `max_length`
    (torch: tokens), `name`, `version`. Raises what the victim raises at its first answer.
    """
    source, out = _take_streams()
    try:
        adapted = _adapt(victim, labels, tokenizer, **options)
    except Exception as error:
        out.write(_line({"robust": 1, **_failure(error)}))
        out.flush()
        raise
    if source.isatty():
        print(f"Ready for: robust attack -m 'cmd:python3 {sys.argv[0]}'. Ctrl-D ends.", file=sys.stderr)
    _loop(adapted, source, out, lambda error: traceback.print_exception(type(error), error, error.__traceback__))


def _robust() -> list[str]:
    """ROBUST_BIN (a command), or robust on the PATH or in node_modules. Raises RobustError (ROBUST_NOT_FOUND)."""
    if os.environ.get("ROBUST_BIN"):
        return shlex.split(os.environ["ROBUST_BIN"], posix=os.name != "nt")
    folders = [pathlib.Path.cwd(), *pathlib.Path.cwd().parents]
    beside = os.pathsep.join(str(folder / "node_modules" / ".bin") for folder in folders)
    found = shutil.which("robust") or shutil.which("robust", path=beside)
    if not found:
        raise RobustError("expected robust on the PATH, found none", "ROBUST_NOT_FOUND", "Install it, or set ROBUST_BIN.", 3)
    return [found]


def _file(folder: str, name: str, content: str) -> str:
    """The path of a new file that only its owner reads."""
    path = os.path.join(folder, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf8") as file:
        file.write(content)
    return path


def _data(data: Any, folder: str) -> str:
    """A path or a name as it is; a frame, dicts, or pairs (text, label) as JSON lines in `folder`."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    rows = data.to_dict("records") if hasattr(data, "iterrows") else data.to_dicts() if hasattr(data, "to_dicts") else data
    rows = [_plain(row if isinstance(row, dict) else dict(zip(("text", "label"), row))) for row in rows]
    return _file(folder, "data.jsonl", "\n".join(json.dumps(row, default=str) for row in rows))


def _flags(flags: dict) -> list[str]:
    """num_examples=50 as --num-examples 50, True as a flag alone, a list as the flag repeated. None and False are left out."""
    named = [(f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}", value) for name, value in flags.items()]
    pairs = [(flag, one) for flag, value in named for one in (value if isinstance(value, (list, tuple)) else [value])]
    return [word for flag, one in pairs if one is not None and one is not False for word in ([flag] if one is True else [flag, str(one)])]


_SERVED = ("labels", "tokenizer", "scores", "task", "pairs", "each", "batch", "max_length", "name", "version")


def _run(command: str, victim: Any, data: Any, flags: dict) -> tuple[dict, dict, str]:
    """The document of `--json`, the report as data, and as HTML. Raises RobustError; what the victim raised last is its cause."""
    quiet, errors = flags.pop("quiet", False), []
    with tempfile.TemporaryDirectory(prefix="robust-") as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        # A dot or no extension: the file of the victim is named by letters alone.
        out, found, page = (os.path.join(folder, name) for name in ("stdout", "the.report.json", "the.report.html"))
        args = [*_robust(), command, "--json", "--data", _data(data, folder), "-o", found, "-o", page]
        token, adapted = secrets.token_hex(32), None
        if not isinstance(victim, str):
            name = "".join(c for c in flags.get("name") or getattr(victim, "__name__", type(victim).__name__) if c.isalnum() or c in "_-")
            adapted = _adapt(victim, **{key: flags.pop(key) for key in _SERVED if key in flags})
            flags["task"] = "tags" if adapted.task in ("tags", "redact") else adapted.task
            bridge = _file(folder, "bridge", f"{listener.getsockname()[1]} {token}")
            program = {"command": [sys.executable, os.path.abspath(__file__), "--bridge", bridge], "replicas": 1}
            victim = f"cmd:{_file(folder, f'{name}.json', json.dumps(program))}"
        group: dict = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
        with open(out, "wb") as sink:
            pipes: dict = {"stdin": subprocess.DEVNULL, "stdout": sink, "stderr": subprocess.PIPE}
            process = subprocess.Popen([*args, "--model", victim, *_flags(flags)], **pipes, **group)
        said: list[str] = []
        relay = threading.Thread(target=_relay, args=(process.stderr, said, quiet), daemon=True)
        relay.start()
        try:
            _meet(process, listener, token, adapted, errors)
        except BaseException:
            listener.close()  # Nobody answers a victim that robust starts again.
            process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            raise
        finally:
            relay.join(5)
        texts = [pathlib.Path(path).read_text("utf8") if os.path.exists(path) else "" for path in (out, found, page)]
        if not texts[0]:
            raise RobustError(f"expected an answer of {args[0]}, got none: {''.join(said[-3:])}", "ENDED_EARLY", "", 3)
        document = json.loads(texts[0])
        if not document["ok"]:
            error = document["error"]
            raise RobustError(*(error.get(key, "") for key in ("message", "code", "hint", "exit"))) from (errors[-1:] or [None])[0]
        return document, json.loads(texts[1])["result"], texts[2]


def _relay(source: BinaryIO, said: list[str], quiet: bool) -> None:
    for line in source:
        said.append(line.decode(errors="replace"))
        if not quiet:
            print(said[-1], end="", file=sys.stderr, flush=True)


def _meet(process: subprocess.Popen, listener: socket.socket, token: str, victim: Any, errors: list) -> None:
    """Answers robust until it ends. The victim runs in this thread, to which its loops, connections and files may belong."""
    listener.settimeout(0.1)
    while process.poll() is None:
        with contextlib.suppress(socket.timeout):
            connection = listener.accept()[0]
            connection.settimeout(5)
            with connection, connection.makefile("rb") as source, connection.makefile("wb") as out:
                if secrets.compare_digest(source.readline(100).strip(), token.encode()):
                    connection.settimeout(None)
                    _loop(victim, source, out, errors.append)


def _bridge(path: str) -> None:
    """Relays standard input and output to the process that wrote its port and its token to `path`."""
    port, token = pathlib.Path(path).read_text("utf8").split()
    source, out = _take_streams()
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(token.encode() + b"\n")

    def forward() -> None:
        _pump(source, connection.makefile("wb"))
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=forward, daemon=True).start()
    _pump(connection.makefile("rb"), out)
    os._exit(0)  # The thread may still wait for a line.


def _pump(source: BinaryIO, sink: BinaryIO) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for line in source:
            sink.write(line)
            sink.flush()


class Report:
    """What an attack found. `result` is all of it, as `robust attack --json` prints it; rates are fractions of 1."""

    def __init__(self, document: dict, report: dict, page: str) -> None:
        self.result, self.warnings, self.html, judged = report, document["warnings"], page, document["result"]
        self.headline, self.run, self.verdict, self.reasons = report["headline"], judged["run"], judged["verdict"], judged.get("reasons", [])
        self.thresholds: list[dict] = judged.get("thresholds", [])
        #: Accuracy after every attack, and the share of the correctly classified examples that at least one flipped.
        self.accuracy_under_attack, self.attack_success_rate = (
            (report["overall"].get(name) or {}).get("value") for name in ("accuracyUnderAttack", "attackSuccessRate")
        )

    @property
    def examples(self) -> Any:
        """An outcome a row, labels by their names: a pandas DataFrame, or a list of dicts without pandas."""
        names = self.result["model"]["labels"]
        named = {"label", "from", "to"}
        rows = [{k: names[v] if k in named and isinstance(v, int) else v for k, v in row.items()} for row in self.result["examples"]]
        try:
            return importlib.import_module("pandas").DataFrame(rows)
        except ImportError:
            return rows

    def __repr__(self) -> str:
        return "\n".join([self.headline, *self.reasons])

    def _repr_html_(self) -> str:
        style = "width:100%;height:600px;border:0"
        return f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" style="{style}"></iframe>'


class Gate(Report):
    """A report that is true if every requirement is met. An inconclusive one is false; `reasons` say what it lacks."""

    def __bool__(self) -> bool:
        return self.verdict == "passed"

    def __repr__(self) -> str:
        missed = [f"{one['metric']} {one['expected']}: {_rate(one['actual'])}" for one in self.thresholds if one["verdict"] == "failed"]
        return "; ".join([f"Gate {self.verdict}", *missed, *self.reasons])


def _rate(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    rate, low, high = (f"{100 * value[key]:.1f}" for key in ("value", "low", "high"))
    return f"{rate} % ({low}-{high}, n = {value['n']})"


def attack(classify: Any, data: Any, suite: Any = None, **flags: Any) -> Report:
    """Attacks a victim of this process, which answers in this thread.

    `classify`: what `serve` takes, or the name of a model. `data`: a frame with the columns text and label, pairs (text, label),
    dicts, or a path or name. Then the options of `serve`, and the flags of `robust attack`: `num_examples=50`, `attack=["pruthi"]`.
    `quiet=True` hides the progress. Raises RobustError, and what the victim raises at its first answer.
    """
    return Report(*_run("attack", classify, data, {"suite": suite, **flags}))


def gate(classify: Any, data: Any, require: Any, **flags: Any) -> Gate:
    """`assert gate(classify, data, require=["typos.attackSuccessRate <= 30 %"])`. Arguments as for `attack`."""
    judged = Gate(*_run("gate", classify, data, {"require": require, **flags}))
    if not judged:
        print(judged, file=sys.stderr)
    return judged


def _main() -> None:
    parser = argparse.ArgumentParser(description="Serves a function, pipeline or model to robust attack --model cmd:...")
    parser.add_argument("victim", help="victim.py:classify, or package.module:classify")
    parser.add_argument("--labels", type=lambda names: names.split(","), help="names, separated by commas")
    for option in ("positive", "threshold", "task", "scores", "name", "version"):
        parser.add_argument(f"--{option}", type=float if option == "threshold" else str)
    for option in ("pairs", "each"):
        parser.add_argument(f"--{option}", action="store_const", const=True)
    given = vars(parser.parse_args())
    source, _, name = given.pop("victim").rpartition(":")
    _take_streams()
    folder, module = os.path.split(source[:-3]) if source.endswith(".py") else ("", source)
    sys.path.insert(0, os.path.abspath(folder))
    sys.modules["robust_text"] = sys.modules[__name__]  # For files that import it: one module, one pair of streams.
    serve(getattr(importlib.import_module(module), name), **given)


if __name__ == "__main__":
    _bridge(sys.argv[2]) if sys.argv[1:2] == ["--bridge"] else _main()
