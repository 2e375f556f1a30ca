"""Who a sentence names as the maker of the claim's work."""

import time

import pytest

from verifier.claim.parsed import parse_statement
from verifier.evidence.maker import is_by_claimed_maker, tells_the_maker

NOVEL = "Frankenstein is a novel by the English writer Mary Shelley, first published in 1818."


@pytest.mark.parametrize(
    ("claim", "sentence", "told"),
    [
        ("Mary Shelley wrote Frankenstein", NOVEL, True),
        ("Shelley wrote Frankenstein", NOVEL, True),
        ("Jane Austen wrote Frankenstein.", NOVEL, False),
        ("Frankenstein was written by Jane Austen", NOVEL, False),
        ("Jane Austen is the author of Frankenstein", NOVEL, False),
        ("The author of Frankenstein is Mary Shelley", NOVEL, True),
        ("Frankenstein is a Gothic novel by Jane Austen", NOVEL, False),
        ("J. K. Rowling wrote The Hobbit", "The Hobbit is a book by J. R. R. Tolkien.", False),
        ("Tolkien wrote The Hobbit", "The Hobbit is a book by J. R. R. Tolkien.", True),
        ("Monet painted The Scream", "The Scream was painted in 1893 by the Norwegian artist Edvard Munch.", False),
        ("Mark Twain wrote Emma", "Jane Austen wrote Persuasion, Emma and Sense and Sensibility.", False),
        ("Mark Twain wrote Emma", "Jane Austen was an English novelist who wrote Persuasion and Emma.", False),
        ("Mark Twain wrote Emma", "Jane Austen (1775-1817), the author of Emma, lived in Bath.", False),
        ("Vivaldi composed The Four Seasons", "The Four Seasons is a set of concertos by Antonio Vivaldi.", True),
        ("Tolstoy wrote Gone with the Wind", "Gone with the Wind is a novel by Margaret Mitchell.", False),
        # Another work, another art, or no plain word on who made it: nothing is told.
        ("Mary Shelley directed Frankenstein", NOVEL, None),
        ("Tintoretto painted The Last Supper", "The Last Supper is a painting by Leonardo da Vinci.", None),
        ("Mahler composed Symphony No. 5", "Symphony No. 5 is a symphony by Beethoven.", None),
        ("Mary Shelley wrote Frankenstein in 1900", NOVEL, None),
        ("Mary Shelley did not write Frankenstein", NOVEL, None),
        ("Mark Twain wrote Hamlet", "Young Hamlet is a play by Ann Example.", None),
        ("Mark Twain wrote Hamlet", "Hamlet Returns is a play by Ann Example.", None),
        ("Mark Twain wrote Hamlet", "Hamlet is a play that Shakespeare may have written with others.", None),
        ("Mark Twain wrote Hamlet", "Ann Example wrote a play on Hamlet.", None),
        ("Mark Twain wrote Hamlet with others", "Hamlet is a play by William Shakespeare.", None),
        ("Mark Twain wrote Hamlet", "Hamlet is not a play by Mark Twain.", None),
        ("Mark Twain wrote Hamlet", "Hamlet was translated by Ann Example.", None),
        ("The painter painted the wall", "The wall was painted by Ann Example.", None),
        ("Water boils at 100 degrees", NOVEL, None),
    ],
)
def test_a_sentence_names_the_maker_of_the_claims_work(claim: str, sentence: str, told: bool | None) -> None:
    assert is_by_claimed_maker(parse_statement(claim), sentence) is told


@pytest.mark.parametrize("hostile", ["A. ", "Ann ", "of the ", "Ann, a ", "(Ann) ", "A.", "Ann de ", "Ann, "])
def test_a_hostile_text_takes_no_time(hostile: str) -> None:
    claim = parse_statement("Ann Example wrote Frankenstein")
    start = time.perf_counter()
    for length in (380, 10_000):
        text = hostile * (length // len(hostile))
        is_by_claimed_maker(claim, f"{text} wrote")
        is_by_claimed_maker(claim, f"Frankenstein by {text}")
        tells_the_maker(parse_statement(f"{text[:1900]} wrote Emma"), f"{text[:300]} wrote Emma.")
    assert time.perf_counter() - start < 1
