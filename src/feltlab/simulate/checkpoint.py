"""A run that can be taken up again: what has been dealt so far, kept in a file that says what it belongs to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from feltlab.errors import FeltlabError
from feltlab.simulate.stats.tally import Tally

VERSION = 1


def save(path: Path, settings: Mapping[str, str], tally: Tally) -> None:
    """Write a tally. The file is whole or not there at all: it is written beside and then put in its place."""
    body = {
        "settings": dict(settings),
        "done": tally.done,
        "counts": tally.counts.tolist(),
        "cross": [[str(int(product)) for product in row] for row in tally.cross],
    }
    text = json.dumps(body, separators=(",", ":"))
    whole = {"feltlab": "checkpoint", "version": VERSION, "sha256": _digest(text), "body": body}
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(json.dumps(whole, separators=(",", ":")), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise FeltlabError(f"the checkpoint {path} cannot be written: {error.strerror}") from None


def load(path: Path, settings: Mapping[str, str], tally: Tally) -> Tally:
    """The tally of a checkpoint, if it is one of these settings; `tally` is an empty one of the right size."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        body: dict[str, Any] = whole["body"]
        if whole["feltlab"] != "checkpoint" or whole["version"] != VERSION:
            raise FeltlabError(f"{path} is not a checkpoint that this version writes; name another file")
        if _digest(json.dumps(body, separators=(",", ":"))) != whole["sha256"]:
            raise ValueError("its checksum is wrong")
        _same(path, body["settings"], settings)
        counts = np.array(body["counts"], dtype=np.int64)
        cross = np.array([[int(product) for product in row] for row in body["cross"]], dtype=object)
        if counts.shape != tally.counts.shape or cross.shape != tally.cross.shape:
            raise ValueError("its counts are of another size")
        return Tally(counts, cross, [(first, after) for first, after in body["done"]])
    except OSError as error:
        raise FeltlabError(f"the checkpoint {path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        why = (
            error if isinstance(error, ValueError) and not isinstance(error, json.JSONDecodeError) else "it is cut off"
        )
        raise FeltlabError(f"the checkpoint {path} is broken: {why}; delete it to begin again") from None


def _same(path: Path, kept: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    for name in {**kept, **wanted}:
        if kept.get(name) != wanted.get(name):
            raise FeltlabError(
                f"the checkpoint {path} is of another run: {name} is {kept.get(name, 'not set')} there"
                f" and {wanted.get(name, 'not set')} here"
            )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
