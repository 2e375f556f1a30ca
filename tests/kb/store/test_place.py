"""LanceDB is imported without the validators that nothing calls, and pydantic is left as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_CONNECT = """
import sys
from kb.store.place import connect
connect(sys.argv[1]).table_names()
import pydantic
from lance_namespace_urllib3_client import TableApi
assert not hasattr(TableApi.create_table, "raw_function"), "its validators were built"
assert pydantic.validate_call(lambda x: x).raw_function, "pydantic validates no more"
"""


def test_connecting_builds_no_validators_and_leaves_pydantic_whole(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _CONNECT, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
