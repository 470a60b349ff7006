"""Results in the user's cache, for the next command on equal judgments with equal settings."""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from io import BytesIO, RawIOBase
from typing import Any

import pandas as pd
import pyarrow as pa

from inspect_confidence.commands.analysis import Settings
from inspect_confidence.judgments import cache
from inspect_confidence.judgments.read import Source, judgments_of
from inspect_confidence.judgments.runs import readers
from inspect_confidence.judgments.streams import Stream
from inspect_confidence.writing import write_whole

_NO_MATTER = {"workers", "cached"}
"""Settings that change no number."""
_COMPUTES = ("numpy", "scipy", "pandas")


def kept(
    what: str,
    source: Source | Stream,
    settings: Settings,
    compute: Callable[..., pd.DataFrame],
) -> pd.DataFrame:
    """What was computed of judgments before, or is now; the latter is kept.

    Nothing is kept unless the setting `cached` says so, nor with labels of a judge, which may be a
    file that changes. A cache that can't be read or written is none.

    Args:
        what: Which results.
        source: Of which judgments; all that they hold decides, and this package's code. Names of
            a store's files tell what they hold.
        settings: How they are computed.
        compute: Computes them, of the judgments.
    """
    if not settings.get("cached") or settings.get("judge_labels") is not None:
        return compute(source)
    judgments = source if isinstance(source, Stream) else judgments_of(source)
    file = cache.place(_digest(what, judgments, settings))
    if file is None:
        return compute(judgments)
    with suppress(OSError, ValueError):  # a damaged file is an ArrowInvalid: a ValueError
        found = pd.read_parquet(file)
        cache.used(file)
        return found
    results = compute(judgments)
    with suppress(OSError):
        sink = BytesIO()
        results.to_parquet(sink, index=False)
        write_whole(file, sink.getvalue())
        cache.bound()
    return results


class _Hashed(RawIOBase):
    """A file of whose content only the hash is wanted."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._found.update(content)
        return len(content)


def _digest(what: str, judgments: Mapping[str, pd.DataFrame] | Stream, settings: Settings) -> str:
    known = {name: value for name, value in settings.items() if name not in _NO_MATTER}
    versions = [readers(), cache.code(), *map(version, _COMPUTES)]
    found = hashlib.sha256(
        json.dumps([what, versions, known], sort_keys=True, default=str).encode()
    )
    if isinstance(judgments, Stream):
        found.update("\n".join(entry.file for entry, _ in judgments.entries).encode())
        return found.hexdigest()[:32]
    for task, frame in judgments.items():
        found.update(task.encode())
        # Chunks, which depend on where the judgments came from, would give other bytes.
        table = pa.Table.from_pandas(frame, preserve_index=False).combine_chunks()
        plain = table.replace_schema_metadata()
        with pa.ipc.new_stream(_Hashed(found), plain.schema) as stream:
            stream.write_table(plain)
    return found.hexdigest()[:32]
