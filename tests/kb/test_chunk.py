from __future__ import annotations

from kb.chunk import MAX_CHARACTERS, OVERLAP, passages, sentences, windows


def test_passages_have_one_to_three_whole_sentences() -> None:
    text = 'Dr. Smith left the U.S. in 1999. He said: "It is 3.5 km." Then he rested. Later he came back.\n\nA new paragraph.'
    assert passages(text) == [
        'Dr. Smith left the U.S. in 1999. He said: "It is 3.5 km." Then he rested.',
        "Later he came back.",
        "A new paragraph.",
    ]


def test_no_passage_is_longer_than_the_limit_and_no_word_is_lost() -> None:
    text = " ".join(f"Sentence number {n} is here to be counted among many others of its kind." for n in range(40))
    found = passages(text)
    assert all(len(passage) <= MAX_CHARACTERS for passage in found)
    assert " ".join(found) == text


def test_only_a_sentence_longer_than_a_passage_is_cut_and_its_pieces_overlap() -> None:
    sentence = " ".join(f"word{n}" for n in range(300))
    pieces = list(windows(sentence))
    assert all(len(piece) <= MAX_CHARACTERS and piece in sentence for piece in pieces)
    for before, after in zip(pieces, pieces[1:], strict=False):
        shared = next(n for n in range(len(after), 0, -1) if before.endswith(after[:n]))
        assert 0 < shared <= OVERLAP
    assert pieces[-1].endswith("word299")


def test_a_text_without_spaces_is_cut_too() -> None:
    pieces = list(windows("x" * 1_300))
    assert [len(piece) for piece in pieces] == [512, 512, 276]


def test_blank_text_has_no_passage() -> None:
    assert passages(" \n\t\n ") == [] and sentences("") == []


def test_a_letter_that_is_no_initial_ends_a_sentence() -> None:
    assert sentences("Scurvy is treated with vitamin C. It is no infection.") == [
        "Scurvy is treated with vitamin C.",
        "It is no infection.",
    ]
    for one in ("It was written by J. Smith in 1990.", "He played the part C. S. Lewis wrote for him."):
        assert sentences(one) == [one]
