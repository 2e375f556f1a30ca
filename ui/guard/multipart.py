"""Check the parts of an upload as they pass: named files, and nothing else.

Gradio writes each part with a file name to its disk before it knows whether it wants it, and makes up a name if there
is none.
"""

from __future__ import annotations

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from ui.guard.answers import Message, Receive, Refusal

LONGEST_NAME = 200
"""Most characters of a file's name."""


class Parts:
    """Reads an upload as it passes."""

    def __init__(self, content_type: str, most: int) -> None:
        """Start reading; `most` is how many files the upload may hold.

        Raises:
            Refusal: it is not an upload of files.
        """
        kind, options = parse_options_header(content_type.encode("latin1", "replace"))
        charset = options.get(b"charset", b"utf-8").lower()
        if kind != b"multipart/form-data" or not options.get(b"boundary") or charset != b"utf-8":
            raise Refusal(400, "an upload must be multipart/form-data in UTF-8 with a boundary")
        self.files, self._most = 0, most
        self._name, self._value, self._disposition = b"", b"", b""
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._begin,
                "on_header_field": self._field,
                "on_header_value": self._more,
                "on_header_end": self._header,
                "on_headers_finished": self._check,
            },
        )

    def watched(self, receive: Receive) -> Receive:
        """Wrap `receive`, checking every part before Gradio sees it.

        Raises:
            Refusal: a part is not allowed; or, at the end, there was no file.
        """

        async def seen() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                try:
                    self._parser.write(message.get("body", b""))
                except MultipartParseError as exc:
                    raise Refusal(400, "the upload is no multipart/form-data; send it as a browser would") from exc
                if not message.get("more_body", False) and not self.files:
                    raise Refusal(400, "the upload holds no file")
            return message

        return seen

    def _begin(self) -> None:
        self._name, self._value, self._disposition = b"", b"", b""

    def _field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _more(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name = self._value = b""

    def _check(self) -> None:
        _, options = parse_options_header(self._disposition)
        if options.get(b"name") != b"files" or b"filename" not in options:
            raise Refusal(400, "every part of an upload must be a file under the name 'files'")
        name = options[b"filename"].decode("utf-8", "replace")
        if not any(sign.isalnum() for sign in name) or not name.isprintable() or len(name) > LONGEST_NAME:
            raise Refusal(
                400, f"a file must have a name of 1 to {LONGEST_NAME} printable characters, one a letter or digit"
            )
        self.files += 1
        if self.files > self._most:
            raise Refusal(400, f"an upload may hold {self._most} files at most")
