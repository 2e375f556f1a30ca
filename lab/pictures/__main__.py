"""Draw docs/images/flow.svg, and run the commands shown in README and docs, over a new store."""

from __future__ import annotations

import os
import tempfile

from lab.pictures import console, flow


def main() -> None:
    """Write the picture and the marked blocks."""
    flow.PATH.write_text(flow.draw(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("KB_URI", "LOG_PATH", "DOMAINS", "SEARCH_CACHE", "READERS"):
            os.environ[f"VERIFIER_{name}"] = os.path.join(folder, name.lower())
        os.environ["VERIFIER_WEB"] = "off"
        console.output_of("python -m kb stats")  # fills the store, which says so once
        for page in console.pages():
            text = page.read_text(encoding="utf-8")
            page.write_text(console.rewritten(text), encoding="utf-8")


if __name__ == "__main__":
    main()
