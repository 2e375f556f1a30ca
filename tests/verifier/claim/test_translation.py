from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.claim.intake import clean_claim
from verifier.claim.translation import known_names_of, lost_in_translation, without_comment

CLAIMS = Path(__file__).parents[2] / "data" / "language_claims.jsonl"


def test_no_translation_by_a_person_is_refused() -> None:
    rows = [json.loads(line) for line in CLAIMS.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 225 and sum(row["split"] == "dev" for row in rows) == 113
    refused = {
        row["id"]: lost_in_translation(clean_claim(row["claim"]), row["language"], row["english"]) for row in rows
    }
    assert {key: lost for key, lost in refused.items() if lost} == {}


@pytest.mark.parametrize(
    ("language", "claim", "english", "lost"),
    [
        ("de", "Die Zugspitze ist 2.963 Meter hoch", "The Zugspitze is 2.963 metres high", "2,963 is missing"),
        ("it", "Un miglio è 1,609 chilometri", "One mile is 1,609 kilometres", "1.609 is missing"),
        ("es", "Marte tiene cuatro lunas", "Mars has two moons", "4 is missing"),
        ("ar", "يبلغ عدد السكان ١٥ مليون نسمة", "The population is 15 people", "15 million is missing"),
        ("hi", "जापान की आबादी ४० करोड़ है", "Japan has 40 million people", "400 million is missing"),
        ("zh", "日本人口约为4亿", "Japan has about 4 billion people", "400 million is missing"),
        ("ru", "Это было в 1971 году", "It happened in 1971, on 3 May", "3 is not in the claim"),
        ("es", "La capital de Australia es Sídney", "The capital of Australia is Canberra", "Sydney is missing"),
        (
            "de",
            "Die Hauptstadt der Türkei ist Istanbul",
            "The capital of Turkey is Ankara",
            "Ankara is not in the claim",
        ),
        ("fr", "La tour Eiffel se trouve à Londres", "The Eiffel Tower is in Paris", "London is missing"),
        ("ru", "Финляндия граничит с Данией", "Finland borders Sweden", "Denmark is missing"),
        ("ru", "Юрий Дроздов живёт в Туле", "Yuri Gagarin lives in Tula", "Gagarin is not in the claim"),
        ("ar", "للمريخ قمران", "The cow has two moons", "Mars is missing"),
        ("ar", "افتُتح المسبح في الدوحة", "The pool in Egypt was opened", "Egypt is not in the claim"),
        ("zh", "巴西的官方语言是西班牙语。", "It is Spanish. It is not so there.", "says more than the claim"),
        ("pt", "Um quilo equivale a 2,2 libras", "A quilo equivale a cerca de 2.2 libras", "not in English"),
        ("pt", "Começou em março", "It began in May", "March is missing"),
    ],
)
def test_a_lost_figure_or_name_is_seen(language: str, claim: str, english: str, lost: str) -> None:
    assert lost in lost_in_translation(claim, language, english)


@pytest.mark.parametrize(
    ("language", "claim", "english"),
    [
        ("de", "In Deutschland leben 84 Millionen Menschen", "84,000,000 Germans live in their country"),
        ("de", "Mars hat zwei Monde", "Mars has 2 moons"),
        ("fr", "Le XIXe siècle ou le XIX siècle", "The 19th century"),
        ("ar", "للمريخ قمران", "Mars has two moons"),
        ("zh", "香港于1997年7月1日回归中国", "Hong Kong returned to China on July 1, 1997"),
        ("de", "Er starb. Sie lebte in St. Gallen.", "He died. She lived in St. Gallen."),
        ("it", "Lubiana si trova in Slovenia", "Ljubljana is in Slovenia"),
        ("de", "Das Brandenburger Tor steht in Berlin", "The Brandenburg Gate stands in Berlin"),
        ("de", "Die Zugspitze liegt in Bayern", "The Zugspitze is in Bavaria"),
        ("ru", "Надежда Толоконникова родилась в Норильске", "Nadezhda Tolokonnikova was born in Norilsk"),
        ("hi", "प्राचीन मंदिर", "An ancient temple"),  # the Hindi word holds that for China
    ],
)
def test_another_spelling_is_no_loss(language: str, claim: str, english: str) -> None:
    assert lost_in_translation(claim, language, english) == ""


@pytest.mark.parametrize(
    ("claim", "english", "kept"),
    [
        ("巴西的官方语言是西班牙语。", "It is Spanish. The claim is false because it is not.", "It is Spanish."),
        ("Es ist so. Die Behauptung stimmt.", "It is so. The claim is true.", "It is so. The claim is true."),
        ("Es ist so.", "It is so. He died.", "It is so. He died."),
    ],
)
def test_a_comment_of_the_model_is_taken_off(claim: str, english: str, kept: str) -> None:
    assert without_comment(claim, english) == kept


def test_names_are_given_to_the_translator_in_english() -> None:
    assert known_names_of("Die Hauptstadt der Türkei ist nicht München", "de") == ("Turkey", "Munich")
    assert known_names_of("Mars hat zwei Monde, der März nicht", "de") == ("March",)
