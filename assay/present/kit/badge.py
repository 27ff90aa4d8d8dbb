"""Badges: a verdict as a label; its colour says the same a second time."""

from html import escape

from assay.present.kit.tables import Html


def badge(said: str) -> Html:
    """A verdict as a label."""
    return Html(f'<span class="verdict {said.replace(" ", "-")}">{escape(said)}</span>')
