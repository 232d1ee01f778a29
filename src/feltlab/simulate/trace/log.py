"""A log: an engine that deals with a trace and writes one row a hand (or a coup) to a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from feltlab.errors import FeltlabError
from feltlab.simulate.stats.cells import Meaning
from feltlab.simulate.trace.dealing import WORDS, Chunk, traced
from feltlab.simulate.trace.rows import coup_columns, hand_columns
from feltlab.simulate.work import Part, Work
from feltlab.tables import Setup

MOST_WORDS = 4 * WORDS  # of traces are kept until their batch ends
MakeTable = Callable[[Sequence[Chunk]], Any]
"""Makes an Arrow table of chunks."""


class Logged:
    """Deals on one thread, and writes every hand to a file.

    The file takes its place when dealing ends; one that was there before is replaced then, and stays if something
    fails. After control-C it has the batches that were finished (of one longer than `MOST_WORDS` its beginning too). More
    that is dealt later is added to it.
    """

    name = "cpu"

    def __init__(self, path: Path, meaning: Meaning, setup: Setup) -> None:
        self.path, self._meaning, self._arrow = path, meaning, _pyarrow("pyarrow")
        rules = ", ".join(f"{key}={value}" for key, value in setup.rules.items())
        self._about = {"feltlab": setup.sheet.id, "table": setup.headline(), "rules": rules}
        self._dealt = False
        if path.is_dir():
            raise FeltlabError(f"--log {path} is a folder; name a file in it")
        if not path.parent.is_dir():
            raise FeltlabError(f"--log {path}: there is no folder {path.parent}; make it first")
        with errors_in_one_line(path):
            beside(path).touch()
            beside(path).unlink()

    def __str__(self) -> str:
        return f"cpu, 1 thread, every hand to {self.path}"

    def ready(self, work: Work) -> None:
        """Nothing: its kernel is compiled at the first batch."""

    def deal(self, work: Work, todo: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Deal ranges of batches, one after another; they are written as they are dealt."""
        columns = coup_columns if work.game is None else hand_columns

        def table(chunks: Sequence[Chunk]) -> Any:
            rows = self._arrow.table(columns(self._arrow, self._meaning, chunks))
            return rows.replace_schema_metadata(self._about)

        nothing = Chunk(np.zeros(0, dtype=np.int64), 0 if work.fresh else 1, 0)
        log, dealer = LogFile(self.path, table, table([nothing]).schema, go_on=self._dealt), traced(work)
        try:
            for first, after in todo:
                for batch in range(first, after):
                    begin, counts = batch * work.batch, np.zeros(work.cells, dtype=np.int64)
                    for chunk in dealer(begin, begin + work.size(batch), counts):
                        log.add(chunk)
                    part = work.part(batch, 1, counts[None])
                    log.batch_ends()
                    yield part
                    log.write()  # takes its time; whoever presses control-C meanwhile has counted the batch
        except (KeyboardInterrupt, GeneratorExit):  # no more is wanted
            self._end(log)
            raise
        except BaseException:
            log.throw_away()
            raise
        self._end(log)

    def _end(self, log: LogFile) -> None:
        log.close()
        self._dealt = True


class LogFile:
    """A Parquet file that is written beside its place, and put there when it is whole."""

    def __init__(self, path: Path, table: MakeTable, schema: Any, *, go_on: bool) -> None:
        self._path, self._table = path, table
        self._chunks: list[Chunk] = []
        self._words = self._finished = 0
        parquet = _pyarrow("pyarrow.parquet")
        with errors_in_one_line(path):
            self._writer = parquet.ParquetWriter(beside(path), schema, compression="zstd")
            if go_on:
                with parquet.ParquetFile(path) as before:
                    for group in range(before.num_row_groups):
                        self._writer.write_table(before.read_row_group(group))

    def add(self, chunk: Chunk) -> None:
        """More rounds of a batch."""
        self._chunks.append(chunk)
        self._words += len(chunk.words)
        if self._words >= MOST_WORDS:
            self._write(len(self._chunks))

    def batch_ends(self) -> None:
        """All rounds of the batch are there."""
        self._finished = len(self._chunks)

    def write(self) -> None:
        """Write the batches that were finished, if that is worth while."""
        if self._words >= WORDS:
            self._write(self._finished)

    def _write(self, count: int) -> None:
        """Write the first chunks that wait, in groups of rows."""
        while count > 0:
            group = self._group(count)
            table = self._table(group)
            # Not when it is written: whoever presses control-C meanwhile would find the group twice in the file.
            del self._chunks[: len(group)]
            self._words -= sum(len(chunk.words) for chunk in group)
            self._finished -= min(len(group), self._finished)
            count -= len(group)
            with errors_in_one_line(self._path):
                self._writer.write_table(table)

    def _group(self, count: int) -> list[Chunk]:
        """The first of these chunks: as many as are written at once."""
        words = 0
        for place, chunk in enumerate(self._chunks[:count], 1):
            words += len(chunk.words)
            if words >= WORDS:
                return self._chunks[:place]
        return self._chunks[:count]

    def close(self) -> None:
        """Put the file in its place, with the batches that were finished."""
        try:
            self._write(self._finished)
            with errors_in_one_line(self._path):
                self._writer.close()
                beside(self._path).replace(self._path)
        except BaseException:
            self.throw_away()
            raise

    def throw_away(self) -> None:
        """Leave everything as it was before."""
        with suppress(OSError):  # a disk that is full, as it has been said
            self._writer.close()
        beside(self._path).unlink(missing_ok=True)


def beside(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(f"{path.name}.part")


@contextmanager
def errors_in_one_line(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a log into one line for a person."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error).splitlines()[0]
        raise FeltlabError(f"--log {path} cannot be written: {why}") from None


def _pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise FeltlabError("--log needs pyarrow: install feltlab[log]") from None
