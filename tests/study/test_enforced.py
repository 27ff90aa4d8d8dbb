"""Reports tell what was enforced, and how machines differ."""

from matplotlib.figure import Figure

from assay.present.kit.canvas import Plate
from assay.present.sections import enforced

HELD = {
    "profile": "edge",
    "profile_applied": {"threads": "1", "cpu_quota": "cgroup v2; a loop got 0.50 of 0.5 CPUs"},
    "profile_not_applied": {},
}
LOST = HELD | {"profile_not_applied": {"disk": "there is no FUSE <here>"}}
NATIVE = HELD | {"profile": "native", "profile_applied": {"threads": "2"}}


def test_the_line_above_a_plot_tells_each_knob() -> None:
    assert "Profile native; no limits." in enforced.line(NATIVE).text
    said = enforced.line(HELD).text
    assert "Profile edge; CPU quota: cgroup v2; a loop got 0.50 of 0.5 CPUs." in said
    assert "threads" not in said


def test_an_unenforced_knob_is_told_and_ends_claims() -> None:
    assert enforced.holds(HELD)
    assert not enforced.holds(LOST)
    said = enforced.line(LOST).text
    assert "disk not enforced: there is no FUSE &lt;here&gt;" in said
    assert "takes no part in claims about profiles" in said


def test_only_facts_that_differ_are_shown_side_by_side() -> None:
    one = {"machine": "a", "machine_facts": {"cpus": 2, "kernel": "6.1", "governor": ""}}
    two = {"machine": "b", "machine_facts": {"cpus": 8, "kernel": "6.1", "governor": "ondemand"}}
    shown = enforced.machines([one, two]).text
    assert "2 facts in which 2 machines differ" in shown
    assert "kernel" not in shown
    assert "not known" in shown


def test_every_panel_of_a_session_with_an_unenforced_knob_is_hatched() -> None:
    def draw(width: float) -> Figure:
        figure = Figure(figsize=(width, 2))
        figure.subplots(1, 2)
        return figure

    figure = enforced.hatched(Plate(draw, "two panels", "", [])).draw(5)
    assert len(figure.axes) == 2
    for axes in figure.axes:
        assert [patch.get_hatch() for patch in axes.patches] == ["///"]
