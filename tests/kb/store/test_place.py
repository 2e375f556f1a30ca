"""LanceDB is imported without the validators that nothing calls, and pydantic is left as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_PLAIN = """
from kb.store.place import connect
connect(sys.argv[1]).table_names()
from lance_namespace_urllib3_client import TableApi
assert not hasattr(TableApi.create_table, "raw_function"), "its validators were built"
from lance_namespace_urllib3_client.models import CreateTableRequest
assert not CreateTableRequest.__pydantic_complete__, "its models were built"
assert CreateTableRequest(id=["a"]).id == ["a"]
"""
_AT_ONCE = """
import pydantic
pydantic.validate_call  # loaded before, as in the app: each thread finds it at once
from concurrent.futures import ThreadPoolExecutor
from kb.store.place import connect
with ThreadPoolExecutor(8) as pool:
    list(pool.map(lambda number: connect(f"{sys.argv[1]}/{number}").table_names(), range(8)))
"""
_WHOLE = """
import pydantic
assert pydantic.validate_call(lambda x: x).raw_function, "pydantic validates no more"
assert not pydantic.BaseModel.model_config, "pydantic builds all models late"
"""


@pytest.mark.parametrize("connecting", [_PLAIN, _AT_ONCE], ids=["once", "eight threads at once"])
def test_connecting_builds_no_validators_and_leaves_pydantic_whole(connecting: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"import sys{connecting}{_WHOLE}", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
