"""Connect to a store: a folder, object storage (s3://), or LanceDB's own server (db://).

All parts of kb/ connect here, so keys are given once for the whole process and appear in no message.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from errors import StoreError

if TYPE_CHECKING:
    from lancedb.db import DBConnection

_S3 = frozenset({"s3", "s3+ddb"})
_SERVER = "db"
_IMPORTING = Lock()
_RUST_SOURCE = re.compile(r",?\s*\S+\.rs:\d+:\d+")
_REASONS = (re.compile(r"<Code>(\w+)</Code>"), re.compile(r'message: "([^"]+)"'), re.compile(r"(Hit retry limit)"))
"""The relevant part of the library's long texts about a failed request."""
_PATIENCE = {
    "connect_timeout": "5s",
    "timeout": "30s",
    "client_max_retries": "3",
    "client_retry_timeout": "20",
}
"""Without this the library would keep trying for three minutes."""
_SHORTEST_KEY = 8
_ANY_REGION = "us-east-1"
"""Servers other than Amazon's want some region in a signature, but do not check it."""


@dataclass(frozen=True, slots=True)
class Access:
    """What opens a store that is no folder.

    Keys are never printed; the library looks for empty values by itself. `endpoint`: the http(s) address of an S3
    server other than Amazon's. `server_key` and `server_host` are those of LanceDB's own server.
    """

    endpoint: str = ""
    region: str = ""
    key: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
    session: str = field(default="", repr=False)
    server_key: str = field(default="", repr=False)
    server_host: str = ""

    def s3_options(self) -> dict[str, str]:
        """Return the library's options for s3:// addresses, with limits on how long it tries."""
        known = {
            "endpoint": self.endpoint,
            "region": self.region or (_ANY_REGION if self.endpoint else ""),
            "aws_access_key_id": self.key,
            "aws_secret_access_key": self.secret,
            "aws_session_token": self.session,
            "allow_http": "true" if self.endpoint.startswith("http://") else "",
        }
        return _PATIENCE | {name: value for name, value in known.items() if value}

    def hidden(self, text: str) -> str:
        """Return the text without any of the keys."""
        for secret in (self.key, self.secret, self.session, self.server_key):
            text = text.replace(secret, "…") if len(secret) >= _SHORTEST_KEY else text
        return text


_access = Access()


def use(access: Access) -> None:
    """Use these keys to open stores from now on, in the whole process."""
    global _access
    _access = access


def is_folder(uri: str) -> bool:
    """Return whether the store is a local folder, where files can be locked and kept."""
    return "://" not in uri


def is_server(uri: str) -> bool:
    """Return whether the store is on LanceDB's own server, which knows no row places."""
    return uri.startswith(f"{_SERVER}://")


def connect(uri: str) -> DBConnection:
    """Return a connection that sees what other processes write.

    Raises:
        StoreError: the address holds a password, or its server's key is not known.
        OSError, RuntimeError, ValueError: LanceDB's own, for the caller to translate.
    """
    os.environ.setdefault("LANCEDB_LOG", "error")  # otherwise it warns about its own projections on standard output
    scheme = "" if is_folder(uri) else uri.split("://", 1)[0].lower()
    if scheme and "@" in urlsplit(uri).netloc:
        raise StoreError(
            "the address of a store must hold no user's name or password; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    if scheme == _SERVER:
        return _server(uri)
    lancedb = _lancedb()
    options = _access.s3_options() if scheme in _S3 else None
    return lancedb.connect(uri, storage_options=options, read_consistency_interval=timedelta(0))


def _lancedb() -> ModuleType:
    """Import LanceDB as quickly as possible.

    It brings a client for remote namespaces, and pydantic builds a validator for each of its 366 functions: 1.5 of 2.6
    seconds of every start. None of them is ever called here, so they stay plain. Its models are built on first use, and
    hardly any is used.
    """
    import pydantic

    with _IMPORTING:  # two threads at once would take each other's replacement for pydantic's own function
        if "lancedb" not in sys.modules:
            validated, configured = pydantic.validate_call, pydantic.BaseModel.model_config
            pydantic.validate_call = lambda function: function  # type: ignore[assignment]
            try:
                pydantic.BaseModel.model_config = pydantic.ConfigDict(defer_build=True)
                importlib.import_module("lance_namespace")
                pydantic.BaseModel.model_config = configured  # LanceDB's own models are all used
                importlib.import_module("lancedb")
            finally:
                pydantic.BaseModel.model_config = configured
                pydantic.validate_call = validated
    return sys.modules["lancedb"]


def _server(uri: str) -> DBConnection:
    if not _access.server_key:
        raise StoreError(f"the store {uri} is on a LanceDB server, which wants a key: set LANCEDB_API_KEY")
    lancedb = _lancedb()
    from lancedb.remote import ClientConfig, RetryConfig, TimeoutConfig

    limits = ClientConfig(
        retry_config=RetryConfig(retries=2, connect_retries=2, read_retries=2),
        timeout_config=TimeoutConfig(timeout=timedelta(seconds=60), connect_timeout=timedelta(seconds=5)),
    )
    return lancedb.connect(
        uri, api_key=_access.server_key, host_override=_access.server_host or None, client_config=limits
    )


def reason(exc: Exception) -> str:
    """Return the library's message, without places in its source and without keys.

    It is one line of at most 300 characters.
    """
    text = _access.hidden(_RUST_SOURCE.sub("", " ".join(str(exc).split())))
    found = (pattern.search(text) for pattern in _REASONS)
    return next((match[1] for match in found if match), text)[:300]


def how_to_reach(uri: str) -> str:
    """Say what to check when a store outside a folder cannot be used."""
    if is_server(uri):
        return f"look whether the server at {_access.server_host or 'its address'} answers, and at LANCEDB_API_KEY and VERIFIER_LANCEDB_HOST"
    return (
        "look whether the storage answers and the bucket is there, and at VERIFIER_S3_ENDPOINT and the AWS_ variables"
    )
