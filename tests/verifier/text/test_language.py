from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.text.language import foreign_language

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("claims", "claim"),
        ("news_claims", "claim"),
        ("compound_claims", "claim"),
        ("claim_types", "claim"),
        ("news_passages", "text"),
        ("retellings", "claim"),
        ("retellings", "passage"),
    ],
)
def test_no_english_text_is_called_foreign(name: str, field: str) -> None:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)[field] for line in lines]
    assert len(texts) > 100
    assert [text for text in texts if foreign_language(text)] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Die Erde ist flach und wird von Elefanten getragen.", "de"),
        ("La Terre est plate et repose sur le dos d'une tortue.", "fr"),
        ("LA TERRE EST PLATE ET REPOSE SUR UNE TORTUE", "fr"),
        ("La Tierra es plana y descansa sobre cuatro elefantes.", "es"),
        ("La Terra \u00e8 piatta e poggia su quattro elefanti.", "it"),
        ("A Terra \u00e9 plana e est\u00e1 apoiada sobre quatro elefantes.", "pt"),
        ("De aarde is plat en rust op vier olifanten.", "nl"),
        ("Ziemia jest p\u0142aska i spoczywa na czterech s\u0142oniach.", "pl"),
        (
            "\u0417\u0435\u043c\u043b\u044f \u043f\u043b\u043e\u0441\u043a\u0430\u044f \u0438 \u0441\u0442\u043e\u0438\u0442 \u043d\u0430 \u0442\u0440\u0451\u0445 \u043a\u0438\u0442\u0430\u0445.",
            "ru",
        ),
        ("D\u00fcnya d\u00fczd\u00fcr ve d\u00f6rt filin \u00fczerinde durur.", "tr"),
        (
            "\u5730\u7403\u306f\u5e73\u3089\u3067\u3001\u56db\u982d\u306e\u8c61\u306b\u652f\u3048\u3089\u308c\u3066\u3044\u308b\u3002",
            "ja",
        ),
        ("Maapallo on litte\u00e4 ja lep\u00e4\u00e4 nelj\u00e4n norsun p\u00e4\u00e4ll\u00e4.", "fi"),
    ],
)
def test_a_sentence_in_another_language_is_recognised(text: str, code: str) -> None:
    assert foreign_language(text) == code


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("\u0417\u0435\u043c\u043b\u044f \u043f\u043b\u043e\u0441\u043a\u0430\u044f", {"ru", "uk", "bg"}),
        ("\u041c\u043e\u0441\u043a\u0432\u0430 \u0441\u0442\u043e\u043b\u0438\u0446\u0430 \u0420\u043e\u0441\u0441\u0438\u0438", {"ru", "uk", "bg"}),
        ("\u0417\u0435\u043c\u043b\u044f \u043f\u043b\u043e\u0441\u043a\u0430\u044f \u0438 \u0441\u0442\u043e\u0438\u0442 \u043d\u0430 \u043a\u0438\u0442\u0430\u0445", {"ru", "uk", "bg"}),
        ("\u0397 \u0393\u03b7 \u03b5\u03af\u03bd\u03b1\u03b9 \u03b5\u03c0\u03af\u03c0\u03b5\u03b4\u03b7", {"el"}),
        ("Angela Merkel ist tot", {"de"}),
        ("Die Erde ist flach", {"de"}),
    ],
)  # fmt: skip
def test_a_short_sentence_is_told_by_its_script_or_its_small_words(text: str, codes: set[str]) -> None:
    assert foreign_language(text) in codes


def test_every_claim_in_nine_languages_is_told() -> None:
    lines = (DATA / "language_claims.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["id"] for row in rows if foreign_language(row["claim"]) != row["language"]] == []
    assert [row["english"] for row in rows if foreign_language(row["english"])] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Nuestro vecino compró una casa nueva en Sevilla", "es"),
        ("Das Wasser in der Isar steigt wieder", "de"),
        ("Le pont sera fermé pendant deux mois", "fr"),
        ("O trem para Coimbra não parou hoje", "pt"),
        ("Il mercato del pesce ha chiuso ieri", "it"),
        ("Мост закрыли на ремонт", "ru"),
        ("Міст закрили на ремонт, і він ще стоїть", "uk"),
        ("أغلقوا الجسر أمس", "ar"),
        ("پل دیروز بسته شد", "fa"),
        ("पुल कल बंद हो गया", "hi"),
        ("大桥昨天关闭了", "zh"),
        ("橋は昨日閉まった", "ja"),
    ],
)
def test_a_sentence_of_everyday_is_told(text: str, code: str) -> None:
    assert foreign_language(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "Emmanuel Macron",
        "Angela Merkel, Gerhard Schr\u00f6der, Helmut Kohl",
        "Krak\u00f3w \u0141\u00f3d\u017a Gda\u0144sk Wroc\u0142aw",
        "Rio de Janeiro S\u00e3o Paulo Belo Horizonte Salvador",
        "Der Spiegel, Die Zeit, Frankfurter Allgemeine Zeitung",
        "\u0412\u043b\u0430\u0434\u0438\u043c\u0438\u0440 \u041f\u0443\u0442\u0438\u043d",
    ],
)
def test_names_alone_are_in_no_language(text: str) -> None:
    assert foreign_language(text) == ""


@pytest.mark.parametrize(
    "text",
    ["", "2019", "12 34 56 78 90", "!!! ??? ... ---", "Die Erde ist", "\U0001f631 \U0001f631 \U0001f631 \U0001f631"],
)
def test_what_is_too_short_or_has_no_words_is_not_called_foreign(text: str) -> None:
    assert foreign_language(text) == ""


def test_foreign_names_in_an_english_sentence_do_not_make_it_foreign() -> None:
    assert (
        foreign_language("Volodymyr Zelenskyy met Recep Tayyip Erdo\u011fan and Lula da Silva in S\u00e3o Paulo") == ""
    )
