"""Start the web app, as run by `make run` and a Hugging Face Space.

Settings -> service -> page -> launch.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile

from errors import SettingsError, VerifierError
from verifier.serve.service import Service
from verifier.settings import Settings


def main() -> int:
    """Serve the app until stopped; return 2 after an error, printed in one line."""
    try:
        serve(Settings.from_env())
    except VerifierError as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 2
    return 0


def serve(settings: Settings) -> None:
    """Serve the app until it is stopped.

    Raises:
        SettingsError: its folder cannot be written, or its port cannot be opened.
    """
    service = Service(settings)
    atexit.register(service.close)

    # set before Gradio is imported, so that none of it reports its use; after each run Gradio sums up its last runs, so
    # it keeps few of them
    os.environ.update(GRADIO_ANALYTICS_ENABLED="False", HF_HUB_DISABLE_TELEMETRY="1", GRADIO_ANALYTICS_MAX_EVENTS="100")
    os.environ["GRADIO_TEMP_DIR"] = _upload_folder(settings)
    from ui.blocks import build_demo, page_arguments
    from ui.guard.connections import harden
    from ui.guard.front import guard_arguments

    demo = build_demo(service)
    try:
        demo.launch(
            server_name=settings.host,
            server_port=settings.port,
            share=False,
            prevent_thread_lock=True,
            quiet=False,
            mcp_server=settings.mcp,
            app_kwargs=guard_arguments(service, demo),
            **page_arguments(),
        )
    except OSError as exc:
        raise SettingsError(f"cannot serve on port {settings.port}: {exc}; set PORT to a free one") from exc
    harden(demo, settings)
    service.start()
    demo.block_thread()


def _upload_folder(settings: Settings) -> str:
    """Make a folder for visitors' uploads; it is removed when the process ends."""
    try:
        settings.server.uploads.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix="claim-verifier-", dir=settings.server.uploads)
    except OSError as exc:
        raise SettingsError(f"cannot write to {settings.server.uploads}: {exc.strerror}; set GRADIO_TEMP_DIR") from exc
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


if __name__ == "__main__":
    sys.exit(main())
