"""A study runs through a real Slurm of one node, and goes on where a lost node stopped it.

Slurm runs in name spaces of its own: the machine keeps its configuration, sessions of others go on,
and all that was started ends with its first process.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import yaml
from test_pipeline import make_project, wait_for

from assay.system import debian, tools

pytestmark = [pytest.mark.slurm, pytest.mark.timeout(1500)]

# A step takes seconds on a quiet machine; Slurm starts Snakemake twice for each.
PATIENCE_S = 600
PACKAGES = ["slurm-wlm", "munge"]
STEPS = ["reports/fake.html", "--config", "tier=smoke", "subsystems=[fake]", "seed=1"]

# One node that is this machine. Requeued jobs wait as long as a credential lives: 2 min by default.
CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
MinJobAge=3600
KillWait=5
SchedulerParameters=sched_interval=1,bf_interval=1
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mib}
PartitionName=all Nodes=ALL Default=YES State=UP
"""

SPACES = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

START = """\
set -eu
cd "$1"
mount --bind etc /etc/slurm
touch lock /tmp/assay.lock && chmod 666 /tmp/assay.lock && mount --bind lock /tmp/assay.lock
munged --force --key-file=$1/munge.key --socket=$1/munge.socket --seed-file=$1/munge.seed \
  --pid-file=$1/munge.pid --log-file=$1/munge.log
slurmctld
slurmd
while :; do sleep 1; done  # and reap what has no parent left
"""


@dataclass(frozen=True)
class Slurm:
    """A cluster of one node, in the name spaces of the process `pid`."""

    pid: int
    node: str

    def command(self, *words: str) -> list[str]:
        return ["nsenter", f"--target={self.pid}", "--mount", "--pid", "--wd=.", "--", *words]

    def ask(self, *words: str) -> str:
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    def state(self) -> str:
        return self.ask("sinfo", "--noheader", "--format=%T")

    def lose_node(self) -> None:
        """Kill all that runs on the node, as a failure of its power does."""
        first = psutil.Process(self.pid)
        while lost := [p for p in first.children(recursive=True) if _is_of_node(p)]:
            for process in lost:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(lost, timeout=1)
        self.ask("scontrol", "update", f"NodeName={self.node}", "State=DOWN", "Reason=lost")

    def start_node(self) -> None:
        self.ask("slurmd")
        wait_for(lambda: not self.state().startswith("down"))


def _is_of_node(process: psutil.Process) -> bool:
    try:
        return process.name() not in {"munged", "slurmctld", "slurmscriptd", "sleep"}
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    if reason := missing():
        pytest.skip(reason)
    folder, node = tmp_path_factory.mktemp("slurm"), socket.gethostname().partition(".")[0]
    for name in ("etc", "state", "spool"):
        (folder / name).mkdir()
    (folder / "etc" / "slurm.conf").write_text(
        CONFIGURATION.format(
            folder=folder,
            host=node,
            cpus=os.cpu_count(),
            memory_mib=psutil.virtual_memory().total // 2**20,
        )
    )
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o600)
    with (folder / "log").open("wb") as log:
        started = subprocess.Popen(
            [*SPACES, "sh", "-c", START, "-", folder], stdout=log, stderr=log
        )
    try:
        [first] = wait_for(lambda: psutil.Process(started.pid).children())
        cluster = Slurm(first.pid, node)
        wait_for(lambda: started.poll() or cluster.state() == "idle")
        if started.poll() is not None:
            pytest.skip(f"Slurm cannot start here: {(folder / 'log').read_text()}")
        yield cluster
    finally:
        started.kill()
        started.wait()


def missing() -> str:
    """Why there can be no Slurm; "" when it is installed, or was now."""
    if os.geteuid() != 0:
        return "only root may start a Slurm"
    tried = subprocess.run([*SPACES, "true"], capture_output=True, text=True)
    if tried.returncode:  # as in a chroot, whose root is no mount of its own
        return f"no name spaces for a Slurm here: {tried.stderr.strip()}"
    if shutil.which("slurmctld") and shutil.which("munged"):
        return ""
    if not tools.may_install():
        return "there is no Slurm, and no apt-get to install it"
    debian.install(PACKAGES)
    return "" if shutil.which("slurmctld") else "Slurm cannot be installed here"


@dataclass(frozen=True)
class Run:
    """A study whose node was lost during its session, and came back.

    `whole` is the session's job as squeue told it, `beside` the state of a job of one CPU that was
    sent while it ran, `before` the log of the session when the node was lost.
    """

    project: Path
    output: str
    log: Path
    whole: str
    beside: str
    before: bytes


@pytest.fixture(scope="module")
def run(slurm: Slurm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    project = make_project(tmp_path_factory.mktemp("study"))
    hasten(project)
    output = project / "output"
    with output.open("wb") as out:
        command = slurm.command("snakemake", "--profile", "profiles/slurm", *STEPS)
        snakemake = subprocess.Popen(command, cwd=project, stdout=out, stderr=out)
    try:

        def begun() -> Path | None:
            assert snakemake.poll() is None, output.read_text()
            return next(project.glob("data/raw/*/fake/native/*/shots.jsonl"), None)

        log = wait_for(begun, PATIENCE_S)
        wait_for(lambda: log.read_bytes().count(b"\n") >= 4, PATIENCE_S)
        whole = slurm.ask("squeue", "--noheader", "--format=%C CPUs, shared: %h, %T, %k")
        sent = slurm.ask("sbatch", "--parsable", "--mem=10", "--output=/dev/null", "--wrap=true")
        time.sleep(3)
        beside = slurm.ask("squeue", "--noheader", f"--job={sent}", "--format=%T %r")
        slurm.lose_node()
        before = log.read_bytes()
        slurm.start_node()
        snakemake.wait(PATIENCE_S)
        yield Run(project, output.read_text(), log, whole, beside, before)
    finally:
        snakemake.kill()
        snakemake.wait()


def hasten(project: Path) -> None:
    """A session that is long enough to lose its node, and times for one idle machine."""
    study = project / "config" / "study.yaml"
    wanted = yaml.safe_load(study.read_text())
    wanted["blocks"]["smoke"] = 20
    study.write_text(yaml.safe_dump(wanted))
    profile = project / "profiles" / "slurm" / "config.yaml"
    settings = yaml.safe_load(profile.read_text())
    settings |= {"latency-wait": 5, "seconds-between-status-checks": 1}
    settings |= {"slurm-init-seconds-before-status-checks": 1}
    settings["set-threads"]["session"] = os.cpu_count()
    profile.write_text(yaml.safe_dump(settings))


def shots(log: bytes) -> list[str]:
    return [json.loads(line)["id"] for line in log.splitlines(True) if line.endswith(b"\n")]


def test_a_session_has_a_node_of_its_own(run: Run) -> None:
    assert run.whole.startswith(f"{os.cpu_count()} CPUs, shared: NO, RUNNING, rule_session")
    assert run.beside == "PENDING Resources"
    first = json.loads(run.log.read_bytes().splitlines()[0])
    assert first["env"]["GOMAXPROCS"] == str(os.cpu_count())


def test_after_its_node_was_lost_it_goes_on_with_the_first_missing_shot(run: Run) -> None:
    planned = json.loads((run.log.parent / "plan.json").read_text())["shots"]
    assert 4 <= len(shots(run.before)) < len(planned)
    after = run.log.read_bytes()
    assert after.startswith(run.before[: run.before.rfind(b"\n") + 1])
    assert shots(after) == [one["id"] for one in planned]


def test_builds_and_pages_are_jobs_beside_it_and_the_study_ends(run: Run, slurm: Slurm) -> None:
    assert re.search(r"(\d+) of \1 steps \(100%\) done", run.output), run.output
    assert (run.project / "reports" / "fake.html").exists()
    told = slurm.ask("squeue", "--noheader", "--states=all", "--format=%k %T").splitlines()
    jobs = sorted(line.removeprefix("rule_") for line in told if line.startswith("rule_"))
    assert [job.partition("_")[0] for job in jobs] == ["build", "page", "session", "statistics"]
    assert all(job.endswith(" COMPLETED") for job in jobs)
