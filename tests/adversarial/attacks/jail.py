"""A process that is given hostile inputs, one after the other, under watch.

Each input ends in success or in one `EditcastError`. Anything else is a finding: another
exception, a process that dies, no end within `PATIENCE`, something opened in the folder that must
not be touched, something changed there. What is opened is seen by `strace`, native code included.
"""

import json
import queue
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from attacks.editor import PATIENCE

#: Follows children, and stops a process only at the calls that are asked for.
STRACE = ("strace", "-f", "--seccomp-bpf")
INMATE = Path(__file__).with_name("inmate.py")


class Jail:
    """The process and its watch; use as a context manager.

    Attributes:
        outside: The folder that no input may lead to; it holds a file `secret.py`.
        inside: The folder for inputs.
        is_watched: Whether what is opened is seen: `strace` is there and may be used.

    Args:
        folder: Where both are made.
    """

    def __init__(self, folder: Path) -> None:
        self.outside, self.inside = folder / "outside", folder / "inside"
        for one in (self.outside, self.inside):
            one.mkdir(parents=True)
        (self.outside / "secret.py").write_text("password = 'hunter2'\n" * 30)
        self._trace = folder / "trace"
        self._read_until = 0
        self.is_watched = can_trace()
        self._before = self._look()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def give(self, kind: str, given: Any) -> tuple[str, str]:
        """Give it an input.

        Returns:
            How it ended ("success" or the name of an exception), and what is wrong with that, if
            anything.
        """
        if self._process is None:
            self._start()
        line = json.dumps({"kind": kind, "given": given})
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
            answer = self._answers.get(timeout=PATIENCE)
        except (queue.Empty, OSError):
            self._end()
            return "hang", f"no end within {PATIENCE:g} s"
        if answer is None:
            code = self._process.wait()
            self._end()
            return "death", f"the process died with {code}"
        end, words, expected = json.loads(answer)
        touched = self._touched()
        if touched:
            return end, touched
        return end, "" if expected else f"{end}: {words}"

    def _start(self) -> None:
        strace = [*STRACE, "-y", "-A", "-e", "trace=%file"]
        strace += ["-o", str(self._trace)]
        self._process = subprocess.Popen(
            [*(strace if self.is_watched else ()), sys.executable, str(INMATE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self.inside,
        )
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._listen, args=(self._process,))
        self._thread.start()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._answers.put(line)
        self._answers.put(None)

    def _end(self) -> None:
        if self._process is None:
            return
        children = f"/proc/{self._process.pid}/task/{self._process.pid}/children"
        inmates = Path(children).read_text().split() if self._process.poll() is None else []
        for pid in inmates:  # strace passes no signal on
            subprocess.run(["kill", "-9", pid], check=False, stderr=subprocess.DEVNULL)
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                pass
        self._process = None

    def _look(self) -> list[tuple[str, bytes]]:
        files = sorted(path for path in self.outside.rglob("*") if path.is_file())
        return [(str(path), path.read_bytes()) for path in files]

    def _touched(self) -> str:
        if self._look() != self._before:
            return "something was written outside"
        if not self.is_watched:
            return ""
        with self._trace.open("rb") as trace:
            trace.seek(self._read_until)
            lines = trace.read()
            self._read_until = trace.tell()
        for line in lines.splitlines():
            if b"<" + bytes(self.outside) + b"/" in line.rpartition(b" = ")[2]:
                return f"something was opened outside: {line.decode('utf-8', 'replace')}"
        return ""


def can_trace() -> bool:
    """Tell whether `strace` is there and may be used."""
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run([*STRACE, "-o", "/dev/null", "true"], capture_output=True)
    return tried.returncode == 0
