from __future__ import annotations

import threading
from pathlib import Path

import pytest

from atomic import atomic_write


def test_what_is_written_takes_the_place_of_the_old_file_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_write(path) as fresh:
        fresh.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("old")
    with pytest.raises(KeyError), atomic_write(path) as fresh:
        fresh.write_text("half")
        raise KeyError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "none" / "list.csv") as fresh:
        fresh.write_text("new")


def test_threads_that_write_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    path, texts = tmp_path / "list.csv", [letter * 200_000 for letter in "abcd"]

    def write(text: str) -> None:
        for _ in range(5):
            with atomic_write(path) as fresh:
                fresh.write_text(text)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts and list(tmp_path.iterdir()) == [path]
