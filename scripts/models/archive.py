"""Rewrites a TorchScript archive to what is needed to run it: small, the same bytes every time, free of local paths."""

from __future__ import annotations

import zipfile
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that the format can hold


def strip_archive(path: Path) -> None:
    """Drops records that running does not read, and compresses the rest.

    They are debug records (which name files of the machine that traced), the traced inputs, and an id that changes
    from one save to the next.
    """
    with zipfile.ZipFile(path) as archive:
        records = [(name, archive.read(name)) for name in archive.namelist() if not _is_dropped(name)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in records:
            information = zipfile.ZipInfo(name, EPOCH)
            information.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(information, content)


def _is_dropped(name: str) -> bool:
    return name.endswith(".debug_pkl") or "/traced_inputs" in name or name.endswith("/.data/serialization_id")
