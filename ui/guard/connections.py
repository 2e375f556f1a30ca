"""The connections of the server: how many there are, and how long one may do nothing."""

from __future__ import annotations

import gradio as gr

MAX_CONNECTIONS = 1_000


def harden(demo: gr.Blocks) -> None:
    """After `launch`: bound the connections, and stop naming the program that serves (within the next second)."""
    config = demo.server.config
    config.limit_concurrency = MAX_CONNECTIONS
    config.encoded_headers = []
