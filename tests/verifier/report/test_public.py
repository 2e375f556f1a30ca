"""Messages for strangers: paths of this machine are taken out, and nothing else."""

from __future__ import annotations

import time

from verifier.report.public import PLACE, public

SHOWN = {
    "cannot open the store at /srv/my files/kb: denied; choose a folder": f"cannot open the store at {PLACE}: denied; choose a folder",
    "cannot read '/home/a b/c.gguf', give another": f"cannot read {PLACE}, give another",
    "the log ~/data/log.jsonl is locked": f"the log {PLACE} is locked",
    r"no file C:\Users\a b\kb here": f"no file {PLACE} here",
    "see file:///etc/passwd": f"see {PLACE}",
    "https://a.example/x/y?z=/etc/q could not be read": "https://a.example/x/y?z=/etc/q could not be read",
    "1/2 of 300 km/h, and/or more": "1/2 of 300 km/h, and/or more",
    "VERIFIER_KB_URI, or ./data/kb": "VERIFIER_KB_URI, or ./data/kb",
}


def test_paths_are_taken_out_and_nothing_else() -> None:
    assert {text: public(text) for text in SHOWN} == SHOWN


def test_taking_paths_out_takes_no_time_whatever_stands_there() -> None:
    start = time.thread_time()
    for evil in ("/" * 20_000, "/a " * 10_000, "/a b/" * 5_000, "https://" * 5_000, "'/" * 10_000):
        public(evil)
    assert time.thread_time() - start < 2
