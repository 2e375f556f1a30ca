"""Start the web app: what `make run` and a Hugging Face Space run. Settings -> service -> page -> launch."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile

from errors import VerifierError
from verifier.service import Service
from verifier.settings import Settings


def main() -> int:
    """Serve the app until it is stopped. Returns 2 after an error, of which one line is printed."""
    try:
        settings = Settings.from_env()
    except VerifierError as exc:
        print(f"error: {exc}", file=sys.stderr)
        return 2
    service = Service(settings)
    atexit.register(service.close)

    # before Gradio is imported: whatever of it might report its use, here it does not. It sums up its last runs after each: a few do
    os.environ.update(GRADIO_ANALYTICS_ENABLED="False", HF_HUB_DISABLE_TELEMETRY="1", GRADIO_ANALYTICS_MAX_EVENTS="100")
    try:
        settings.server.uploads.mkdir(parents=True, exist_ok=True)
        uploads = tempfile.mkdtemp(prefix="claim-verifier-", dir=settings.server.uploads)
    except OSError as exc:
        print(f"error: cannot write to {settings.server.uploads}: {exc.strerror}; set GRADIO_TEMP_DIR", file=sys.stderr)
        return 2
    atexit.register(shutil.rmtree, uploads, ignore_errors=True)
    os.environ["GRADIO_TEMP_DIR"] = uploads
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
        print(f"error: cannot serve on port {settings.port}: {exc}; set PORT to a free one", file=sys.stderr)
        return 2
    harden(demo, settings)
    service.start()
    demo.block_thread()
    return 0


if __name__ == "__main__":
    sys.exit(main())
