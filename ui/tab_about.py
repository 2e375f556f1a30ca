"""Explain how a check works, how to read it, and what leaves the machine."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import gradio as gr

from errors import VerifierError
from ui.plots import pipeline
from ui.tables import Row, table
from verifier.api.about import BundledModel, bundled_models
from verifier.judgement.grades import Grades, Kind, in_use
from verifier.report.markup import HOW_TO_READ
from verifier.serve.service import Service
from verifier.settings import Settings

_STEPS = (
    (
        "Read",
        "The text is cleaned and its kind named: a fact, an opinion, both, or unclear. A claim of several parts is taken apart.",
    ),
    (
        "Find",
        "Texts are found in the evidence store by meaning and by words; a second model keeps those that bear on the claim.",
    ),
    (
        "Ask",
        "Only if they are not enough, trusted news, fact-checkers and the open web are searched, and what they say is stored.",
    ),
    (
        "Judge",
        "Each text supports, contradicts or leaves the claim open. Their votes, weighed by their sources, make verdict and confidence.",
    ),
    (
        "Quote",
        "Every quotation is compared with its source word for word. A verdict whose quotations do not hold is withdrawn.",
    ),
)
_RESTS_ON = {
    Kind.STORE: "By what came with the store",
    Kind.WEB: "By the web",
    Kind.GIVEN: "By texts of your own",
    Kind.ALL: "All of these together",
}
_LIMITS = (
    "It reads English best. Claims in other languages need the language model of the Models tab, and are left open without it.",
    "It knows what is in its store and what search engines bring. What neither holds is Not Enough Evidence.",
    "It compares words and figures. Irony, pictures, and what a text leaves unsaid escape it.",
    "Credibility goes by domain: a good paper can be wrong, and an unknown page right.",
    "It helps to check; it does not replace reading the sources.",
)


def add_tab(service: Service) -> None:
    """Lay out the tab, inside the one that is open."""
    settings = service.settings
    gr.HTML(about(service.search_engines(), settings.log, settings.log_days, _grades(settings)), elem_id="cv-about")


def about(engines: Sequence[str], log: bool, days: int, grades: Grades | None) -> str:
    """Write the whole text."""
    steps = "".join(f"<li><b>{name}.</b> {escape(said)}</li>" for name, said in _STEPS)
    limits = "".join(f"<li>{escape(limit)}</li>" for limit in _LIMITS)
    return f"""
<section aria-label="About">
  <h2 class="cv-heading">How a claim is checked</h2>
  {pipeline()}
  <ol class="cv-list">{steps}</ol>
  <h2 class="cv-heading">How to read the confidence</h2>
  <p>{escape(HOW_TO_READ)}</p>
  {_tested(grades)}
  <h2 class="cv-heading">What leaves this machine</h2>
  {_leaves(engines, log, days)}
  <h2 class="cv-heading">Limits</h2>
  <ul class="cv-list">{limits}</ul>
  <h2 class="cv-heading">Models that ship with it</h2>
  {_models(bundled_models())}
</section>"""


def _grades(settings: Settings) -> Grades | None:
    """Read the grades; None if unreadable, since checks then stop and say so."""
    try:
        return in_use(settings.grades, settings.readers)
    except VerifierError:
        return None


def _tested(grades: Grades | None) -> str:
    """List what passed for each kind of evidence, or say that nothing did."""
    if grades is None or not grades.tested:
        return "<p>How often verdicts are wrong was not tested with the weights in use.</p>"
    lines = "".join(
        f"<li>{_RESTS_ON[each.kind]}, from {each.threshold:.0%} confidence on, which {each.coverage:.0%} of verdicts reach: "
        f"{escape(each.grade.told.removeprefix('Tested: '))}.</li>"
        for each in grades.tested
    )
    return (
        f"<p>How often verdicts are wrong was tested on {grades.day:%Y-%m-%d}, without a language model, on claims that had chosen "
        f'nothing. What rests on other evidence, or is less sure, was not tested to hold.</p><ul class="cv-list">{lines}</ul>'
    )


def _leaves(engines: Sequence[str], log: bool, days: int) -> str:
    if engines:
        web = (
            f"If the web may be asked, two to four search queries made from the claim go to {', '.join(engines)}, and the pages that they "
            "find are fetched. Nothing else leaves it."
        )
    else:
        web = "Nothing: the web is switched off."
    kept = f"Checks are kept in a log on it for {days} days." if log else "It keeps no log of checks."
    own = "Your browser keeps its own list of checks, which you can clear. This page loads nothing from other servers."
    return f"<p>{escape(web)} {kept} {own}</p>"


def _models(models: Sequence[BundledModel]) -> str:
    rows = [
        Row(
            (
                escape(model.role),
                escape(model.does),
                escape(model.origin),
                escape(model.licence),
                f"{model.bytes / 1e6:.0f} MB",
            )
        )
        for model in models
    ]
    return table("Models that ship with it", ("Model", "What it does", "Made from", "Licence", "Size"), rows)
