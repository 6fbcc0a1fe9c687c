"""The common parts of the trials of dev/evil: a server, commands with limits, and directories for each."""

import collections
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading

WORK, *WANTED = sys.argv[1:]
TRIED = os.path.join(WORK, "tried", "rpcrdma")
OURS = os.path.join(WORK, "ours", "rpcrdma")
SECONDS = 60
ROOT = os.geteuid() == 0
USER = 1000
AS_USER = {"user": USER, "group": USER, "extra_groups": []} if ROOT else {}
BIG = 100_000_000
counts = collections.Counter()
running = []


class Ran(collections.namedtuple("Ran", "status out err")):
    @property
    def said(self):
        return self.err.decode(errors="replace").strip()

    @property
    def seen(self):
        return f"ended with {self.status}, said: {self.said or 'nothing'}"

    def failed(self, *words):
        """Returns whether the command failed with one line that contains all these words."""
        return self.status == 1 and self.said.count("\n") == 0 and all(word in self.said for word in words)


def started(command, words, env=None, umask=0o022, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more):
    usual = {name: value for name, value in os.environ.items() if name != "KRB5_CONFIG"}
    # The launcher's logs and the servers' keys go to the work directory too.
    usual.update(TMPDIR=os.path.join(WORK, "tmp"), XDG_STATE_HOME=os.path.join(WORK, "state"))
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    process = subprocess.Popen([command, *words], env={**usual, **(env or {})}, umask=umask, start_new_session=True, **streams, **more)
    running[:] = [each for each in running if each.returncode is None] + [process]
    return process


def ended(process, given=None):
    """Returns the result of a process; kills it after a while, because an older version may never end by itself."""
    try:
        out, err = process.communicate(given, timeout=SECONDS)
        return Ran(process.returncode, out or b"", err or b"")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Ran(f"nothing in {SECONDS} s", out or b"", err or b"")


class Server:
    """A command serve, started until its ready line, or until its end."""

    def __init__(self, command, *words, env=None):
        self.process = started(command, ["serve", *words, "--listen", "127.0.0.1:0"], env, stderr=subprocess.STDOUT)
        limit = threading.Timer(SECONDS, self.process.kill)
        limit.start()
        lines = []
        for line in self.process.stdout:
            lines.append(line.decode(errors="replace").rstrip())
            if lines[-1].startswith("Serving"):
                break
        limit.cancel()
        self.text = "\n".join(lines)
        self.is_ready = "\nServing" in self.text
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(SECONDS)


class Trial:
    """One row, with directories of its own on both sides."""

    def __init__(self, row, server):
        self.row = row
        self.base = re.search(r"rdma://127\.0\.0\.1:\d+", server.text)[0]
        # The first URL squashes root of a client, the second does not.
        self.url, self.open = f"{self.base}/data/{row}", f"{self.base}/open/{row}"
        self.served, self.local = (os.path.join(WORK, side, row) for side in ("served", "local"))
        for directory in self.served, self.local:
            os.mkdir(directory)
            os.chmod(directory, 0o777)

    def claim(self, what, holds, seen):
        if isinstance(seen, Ran):
            seen = seen.seen
        line = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(seen).replace(WORK, "..."))
        counts["held" if holds else "did not"] += 1
        print(f"ok     {self.row:4}{what}" if holds else f"not ok {self.row:4}{what}: {line[:250]}", flush=True)

    def skip(self, what):
        counts["skipped"] += 1
        print(f"skip   {self.row:4}{what}", flush=True)

    def run(self, *words, given=None, **more):
        if given is not None:
            more["stdin"] = subprocess.PIPE
        return ended(started(TRIED, words, cwd=more.pop("cwd", self.local), **more), given)

    def terminal(self, *words):
        """Runs a command at a terminal and returns its output there."""
        ours, theirs = os.openpty()
        settings = termios.tcgetattr(theirs)
        settings[1] &= ~termios.OPOST
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        process = started(TRIED, words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.local)
        os.close(theirs)
        limit = threading.Timer(SECONDS, process.kill)
        limit.start()
        got = b""
        try:
            while bytes := os.read(ours, 65536):
                got += bytes
        except OSError:
            pass  # The other end was closed.
        status = process.wait()
        limit.cancel()
        os.close(ours)
        return Ran(status, got, got)


def write(path, content=b"content", mode=None):
    with open(path, "wb") as file:
        file.write(content)
    if mode is not None:
        os.chmod(path, mode)
    return path


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def mode(path):
    return oct(os.lstat(path).st_mode & 0o7777)[2:] if os.path.lexists(path) else "nothing there"


def names(directory):
    return sorted(os.listdir(directory)) if os.path.isdir(directory) else []


def temporary(directory):
    return [name for name in names(directory) if name.startswith(".") and name.endswith(".part")]


def credentials(capture):
    """Yields user, group and groups of each call with AUTH_SYS (RFC 5531, Section 9 and Appendix A)."""
    bytes = content(capture) or b""
    for call in re.finditer(rb"\x00{7}\x02\x00\x01\x86[\xa3\xa5]\x00{3}\x03.{4}\x00{3}\x01.{8}", bytes, re.DOTALL):
        (length,) = struct.unpack_from(">I", bytes, call.end())
        at = call.end() + 4 + (length + 3) // 4 * 4
        user, group, count = struct.unpack_from(">3I", bytes, at)
        yield user, group, set(struct.unpack_from(f">{count}I", bytes, at + 12))


def caught(t, directory, *words):
    """Starts a copy and stops it while a file is incomplete."""
    for _ in range(5):
        process = started(TRIED, words, cwd=t.local)
        while not temporary(directory):
            try:
                process.wait(0.002)
                break
            except subprocess.TimeoutExpired:
                pass
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if temporary(directory):
                return process
            process.send_signal(signal.SIGCONT)
        ended(process)
    raise RuntimeError(f"{words[0]} was over each time before it could be ended")


def keytab(realm, *components):
    """Returns a keytab in MIT's format with one useless key."""
    counted = b"".join(struct.pack(">H", len(each)) + each for each in (realm, *components))
    entry = struct.pack(">H", len(components)) + counted + struct.pack(">IIBHH", 1, 0, 1, 18, 32) + bytes(32)
    return b"\5\2" + struct.pack(">i", len(entry)) + entry


def try_rows(rows):
    """Runs the wanted rows, or all; returns the exit status."""
    # A shell may have set both signals to be ignored, for commands in the background, and commands inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.umask(0o022)
    try:
        unknown = set(WANTED) - {each.__name__ for each in rows}
        if unknown:
            sys.exit(f"not tried here: {' '.join(sorted(unknown))}")
        for side in "served", "local", "tmp", "state":
            os.mkdir(os.path.join(WORK, side))
        os.chmod(os.path.join(WORK, "tmp"), 0o1777)
        directory = os.path.join(WORK, "served")
        exports = [f"{directory}=/{name}" for name in ("data", "open", "c", "d", "e", "f")]
        with Server(OURS, *exports, "--allow", "any", "--allow", "/open=127.0.0.1,no_root_squash") as server:
            if not server.is_ready:
                sys.exit(f"the server did not start: {server.text}")
            for each in rows:
                if not WANTED or each.__name__ in WANTED:
                    try_row(each, server)
    finally:
        clean()
    skipped = f", {counts['skipped']} were skipped" if counts["skipped"] else ""
    print(f"{counts['held']} held, {counts['did not']} did not{skipped}")
    return 1 if counts["did not"] else 0


def clean():
    for process in running:
        if process.poll() is None:
            process.kill()
            process.wait()
    # Some directories are closed even to their owner.
    for path, directories, _ in os.walk(WORK):
        for directory in directories:
            if not os.path.islink(os.path.join(path, directory)):
                os.chmod(os.path.join(path, directory), 0o700)
    shutil.rmtree(WORK)


def try_row(row, server):
    trial = Trial(row.__name__, server)
    try:
        row(trial)
    except (OSError, RuntimeError, ValueError) as failure:
        trial.claim("the row can be tried to its end", False, failure)
