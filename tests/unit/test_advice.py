"""What adds noise on a machine is told with how to mend it."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.measure import advice

QUIET_FACTS = {
    "cpus": 4,
    "governor": "performance",
    "hypervisor": "none",
    "clock_source": "tsc",
    "file_system": "ext4",
}
QUIET_NOW = {"load1": 0.1, "available_bytes": 8 * 2**30}


@pytest.fixture(autouse=True)
def no_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = type("Swap", (), {"used": 0})()
    monkeypatch.setattr("assay.measure.advice.psutil.swap_memory", lambda: empty)


def test_a_quiet_machine_has_no_warnings(tmp_path: Path) -> None:
    assert advice.of(QUIET_FACTS, QUIET_NOW, tmp_path) == []


@pytest.mark.parametrize(
    ("facts", "now", "found", "mend"),
    [
        ({}, {"load1": 3.0}, "the load of the last minute is 3.0 on 4 CPUs", "Stop it"),
        ({}, {"available_bytes": 2**30}, "1.0 GiB of memory are free", "Stop what holds"),
        ({"governor": "powersave"}, {}, "the CPU governor is powersave", "cpupower"),
        ({"hypervisor": "KVM"}, {}, "this is a virtual machine (KVM)", "within blocks"),
        ({"clock_source": "hpet"}, {}, "the clock source is hpet", "tsc=reliable"),
        ({"file_system": "tmpfs"}, {}, "the project lies in memory (tmpfs)", "Move"),
    ],
)
def test_each_source_of_noise_has_its_advice(
    facts: dict[str, str], now: dict[str, float], found: str, mend: str, tmp_path: Path
) -> None:
    [one] = advice.of(QUIET_FACTS | facts, QUIET_NOW | now, tmp_path)
    assert one.found == found
    assert mend in one.mend


def test_turbo_is_told_with_the_file_that_turns_it_off(tmp_path: Path) -> None:
    path = tmp_path / "sys/devices/system/cpu/intel_pstate/no_turbo"
    path.parent.mkdir(parents=True)
    path.write_text("0\n")
    [one] = advice.of(QUIET_FACTS, QUIET_NOW, tmp_path)
    assert one.mend == "As root: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"


def test_the_command_prints_key_facts_and_warnings() -> None:
    words = [sys.executable, "-m", "assay", "machine"]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert printed.startswith("Machine ")
    assert "  cpu_model: " in printed
    assert "arnings" in printed
