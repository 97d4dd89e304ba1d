"""A SLURM cluster of one node: controller, node daemon and munge as children of this process, all in one folder.

Nothing outside the folder is read or written, so that a SLURM of the machine itself is not touched, and no root is
needed. The daemons listen on the loopback address only. They and their jobs are ended with the cluster, also when this
process is interrupted or terminated; the daemons alone when it is killed.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Memory, and the two devices that stand for GPUs, are promises that nobody checks (config_overrides, task/none): what
# is tested is that requests arrive, wait for their turn and are granted, on any machine.
CONFIGURATION = """\
ClusterName=pairedeval
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
# A free core is given away within a second or so, not after several.
SchedulerParameters=batch_sched_delay=0,bf_interval=1
KillWait=2
# Finished jobs stay in the list for the tests to look at.
MinJobAge=7200
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=64000 Gres=gpu:2
PartitionName=all Nodes=localhost Default=YES
"""
GPUS = "NodeName=localhost Name=gpu File=/dev/null\nNodeName=localhost Name=gpu File=/dev/zero\n"
# The executor plugin hides SLURM's variables from the srun inside a job, which then looks in /etc for a cluster.
SRUN = '#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {srun} "$@"\n'
# A child that is killed with its parent, even where the parent had no time to stop it.
MORTAL = ("setpriv", "--pdeathsig", "KILL")
SYSTEM_FOLDERS = "/usr/sbin:/sbin"
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "setpriv")
FINISHED = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL"}


@dataclass(frozen=True)
class Job:
    """One job as the controller knows it.

    Attributes
    ----------
    number
        SLURM's number of the job.
    comment
        What the executor plugin says about it: ``rule_<rule>_wildcards_<values>``.
    state
        Such as ``RUNNING``.
    memory
        Requested memory, such as ``3000M``; ``0`` if none was requested.
    limit
        Time limit, ``UNLIMITED`` if none was requested.
    devices
        Requested devices, such as ``gres:gpu:1``; empty if none.
    """

    number: str
    comment: str
    state: str
    memory: str
    limit: str
    devices: str

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return self.comment.removeprefix("rule_").partition("_wildcards_")[0]


def wait_until(condition: Callable[[], object], seconds: float, awaited: str) -> None:
    """Return as soon as the condition holds; fail with what was awaited if it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not after {seconds} s: {awaited}")
        time.sleep(0.02)


class Cluster:
    """See the module; made by `one_node`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._daemons: list[subprocess.Popen] = []

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which SLURM's commands, and the jobs that they submit, find this cluster."""
        others = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
        path = f"{self._folder}/bin:{os.environ['PATH']}:{SYSTEM_FOLDERS}"
        return {**others, "PATH": path, "SLURM_CONF": f"{self._folder}/slurm.conf"}

    def command(self, *words: str) -> str:
        """Run one of SLURM's commands and return what it prints."""
        run = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        if run.returncode:
            raise RuntimeError(f"{' '.join(words)}: {run.stdout}{run.stderr}")
        return run.stdout

    def jobs(self) -> list[Job]:
        """Return all jobs since the start, in the order of their numbers."""
        lines = self.command("scontrol", "--oneliner", "show", "job").splitlines()
        return sorted((_job(line) for line in lines if "=" in line), key=lambda job: int(job.number))

    def cancel(self, job: Job) -> None:
        """Cancel a job; return when all its processes have ended."""
        self.command("scancel", job.number)
        numbers = {job.number}
        wait_until(lambda: not numbers & self._unfinished(), 60, f"the end of job {job.number}")

    def start(self) -> None:
        """Start the daemons; return when the node takes jobs."""
        self._write_files()
        configuration = ("-D", "-f", f"{self._folder}/slurm.conf")
        files = (f"--{name}-file={self._folder}/munge.{name}" for name in ("key", "pid", "log", "seed"))
        self._spawn("munged", "--foreground", f"--socket={self._folder}/munge.socket", *files)
        self._await((self._folder / "munge.socket").exists)
        self._spawn("slurmctld", *configuration)
        self._await(lambda: "UP" in self.command("scontrol", "ping"))
        self._spawn("slurmd", *configuration, "-N", "localhost")
        self._await(lambda: "idle" in self.command("sinfo", "--noheader", "--format=%T"))

    def stop(self) -> None:
        """Cancel what still runs and end the daemons, the last one first."""
        try:
            # Processes of jobs are no children of this process: SLURM has to end them. The node's daemon starts last.
            if len(self._daemons) == 3:
                for number in self._unfinished():
                    self.command("scancel", "--signal=KILL", "--full", number)
                wait_until(lambda: not self._unfinished(), 60, "the end of all jobs")
        finally:
            for daemon in reversed(self._daemons):
                daemon.terminate()
                try:
                    daemon.wait(10)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()

    def _unfinished(self) -> set[str]:
        return {job.number for job in self.jobs() if job.state not in FINISHED}

    def _write_files(self) -> None:
        for name in ("bin", "state", "spool"):
            (self._folder / name).mkdir()
        # Munge's socket must be within everybody's reach, and its key must not.
        self._folder.chmod(0o755)
        key = self._folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        controller_port, node_port = _free_ports(2)
        text = CONFIGURATION.format(
            folder=self._folder,
            user=os.getuid(),
            cpus=os.cpu_count(),
            controller_port=controller_port,
            node_port=node_port,
        )
        (self._folder / "slurm.conf").write_text(text)
        (self._folder / "gres.conf").write_text(GPUS)
        srun = self._folder / "bin/srun"
        srun.write_text(SRUN.format(folder=self._folder, srun=shutil.which("srun")))
        srun.chmod(0o755)

    def _spawn(self, *words: str) -> None:
        with (self._folder / f"{words[0]}.out").open("w") as log:
            self._daemons.append(
                subprocess.Popen(
                    [*MORTAL, *words], env=self.environment, stdout=log, stderr=log, start_new_session=True
                )
            )

    def _await(self, ready: Callable[[], bool]) -> None:
        """Wait for the daemon started last."""
        daemon = self._daemons[-1]
        name = Path(daemon.args[len(MORTAL)]).name

        def answers() -> bool:
            log = (self._folder / f"{name}.out").read_text()
            assert daemon.poll() is None, f"{name} ended: {log}"
            try:
                return ready()
            except RuntimeError:
                return False

        wait_until(answers, 60, f"{name} answers")


@contextmanager
def one_node() -> Iterator[Cluster]:
    """Start a cluster in a folder of its own; stop it and remove the folder at the end."""
    absent = [name for name in NEEDED if shutil.which(name, path=f"{os.environ['PATH']}:{SYSTEM_FOLDERS}") is None]
    assert not absent, f"not installed: {', '.join(absent)}; 'make test-cluster' installs them"
    # Whoever is asked to terminate stops the cluster first, as after Ctrl-C.
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A short path: the names of sockets have at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()
            signal.signal(signal.SIGTERM, handler)


def _job(line: str) -> Job:
    """Read one line of ``scontrol --oneliner show job``."""
    fields = dict(field.partition("=")[::2] for field in line.split())
    return Job(
        number=fields["JobId"],
        comment=fields.get("Comment", ""),
        state=fields["JobState"],
        memory=fields.get("MinMemoryNode", "0"),
        limit=fields["TimeLimit"],
        devices=fields.get("TresPerJob", ""),
    )


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [server.getsockname()[1] for server in sockets]
    finally:
        for server in sockets:
            server.close()
