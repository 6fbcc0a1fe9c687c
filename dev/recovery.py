"""The trials of dev/recovery, which starts this."""

import argparse
import collections
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

RELAY_BYTES = 1 << 18
KINDS = ("killed", "cut", "away", "ended")
RAISING = 4
COPY_SECONDS = 240


def relay(port):
    """Passes bytes between clients and a server. It runs in a process of its own: one that is stopped cuts the connections without a word."""
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)

    def passing(source, target):
        try:
            while bytes := source.recv(RELAY_BYTES):
                target.sendall(bytes)
        except OSError:
            pass
        for each in source, target:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    while True:
        client, _ = listening.accept()
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            client.close()
            continue
        for one, other in (client, server), (server, client):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=passing, args=(one, other), daemon=True).start()


if sys.argv[1] == "relay":
    relay(int(sys.argv[2]))

HOME, WORK = sys.argv[1:3]
RPCRDMA = os.path.join(WORK, "project", "rpcrdma")
TREES = os.path.join(HOME, "dev", "trees")
SOURCE, SERVED, LOCAL = (os.path.join(WORK, name) for name in ("source", "served", "local"))
NUMBER = os.path.join(SERVED, "number")

arguments = argparse.ArgumentParser(prog="dev/recovery")
arguments.add_argument("--times", type=int, default=40)
arguments.add_argument("--seed", type=int, default=None)
arguments.add_argument("--lease", type=int, default=10)
arguments.add_argument("--vers", default="4.2")
arguments.add_argument("--only", default=",".join(KINDS))
options = arguments.parse_args(sys.argv[3:])
kinds = options.only.split(",")
if not set(kinds) <= set(KINDS):
    sys.exit("dev/recovery: unknown kind: " + options.only)
seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
chance = random.Random(seed)
print(f"seed={seed}", flush=True)

failed = []
seen = collections.Counter()
environment = {**os.environ, "XDG_STATE_HOME": os.path.join(WORK, "state"), "TMPDIR": os.path.join(WORK, "tmp")}


def fail(what):
    failed.append(what)
    print(f"FAIL  {what}", flush=True)


def hear_signals():
    """A shell that starts this script in the background ignores SIGINT, and its children would, too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(command, **more):
    return subprocess.Popen(command, env=environment, preexec_fn=hear_signals, text=True, **more)


class Server:
    """Our server. It keeps its port and its state when it is started again."""

    def __init__(self):
        self.port = 0
        self.log = os.path.join(WORK, "server.log")
        self.start()

    def start(self):
        begin = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:
            command = [RPCRDMA, "serve", f"{SERVED}=/to", f"{SOURCE}=/from", "--listen", f"127.0.0.1:{self.port}"]
            command += ["--allow", "any,no_root_squash", "--lease", str(options.lease)]
            self.process = started(command, stdout=log, stderr=subprocess.STDOUT)
        while "\nServing" not in (text := self.said(begin)):
            if self.process.poll() is not None:
                sys.exit("the server did not start: " + text)
            time.sleep(0.05)
        self.port = int(re.search(r"rdma://127\.0\.0\.1:(\d+)/", text)[1])

    def said(self, begin=0):
        with open(self.log, errors="replace") as log:
            log.seek(begin)
            return log.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end_a_client(self):
        """As an administrator; returns whether there was one to end."""
        listed = subprocess.run([RPCRDMA, "clients", "--json", "--port", str(self.port)], env=environment, capture_output=True, text=True)
        clients = [json.loads(line)["client"] for line in listed.stdout.splitlines()]
        clients = [each for each in clients if each]
        if not clients:
            return False
        ended = subprocess.run([RPCRDMA, "clients", "--end", chance.choice(clients), "--port", str(self.port)], env=environment, capture_output=True, text=True)
        return ended.returncode == 0


class Relay:
    """A connection to the server that can be cut."""

    def __init__(self, port):
        self.process = started([sys.executable, __file__, "relay", str(port)], stdout=subprocess.PIPE)
        self.url = f"rdma://127.0.0.1:{int(self.process.stdout.readline())}"

    def cut(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)


class Raising:
    """A process that raises the number."""

    def __init__(self, index, relay):
        self.lines = os.path.join(WORK, f"raised.{index}")
        java = os.path.join(os.environ["JAVA_HOME"], "bin", "java")
        classes = os.path.join(WORK, "raising") + ":" + os.path.join(WORK, "project", "cli", "target", "runtime", "*")
        command = [java, "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-classpath", classes]
        command += ["RaiseNumber", relay.url + "/to/number", options.vers, str(chance.randrange(1 << 31))]
        with open(self.lines, "wb") as out, open(self.lines + ".err", "wb") as err:
            self.process = started(command, stdin=subprocess.PIPE, stdout=out, stderr=err)

    def end(self):
        self.process.stdin.close()
        try:
            if self.process.wait(150) != 0:
                fail(f"a process that raises the number ended with {self.process.returncode}: see {self.lines}.err")
        except subprocess.TimeoutExpired:
            fail(f"a process that raises the number has not ended: see {self.lines}")
            self.process.kill()
        with open(self.lines, errors="replace") as lines:
            return lines.read().splitlines()


def is_temporary(name):
    return ".rpcrdma-" in name and name.endswith(".part")


class Copy:
    """A put -r or a get -r."""

    def __init__(self, name, relay):
        self.name = name
        self.relay = relay
        self.target = os.path.join(SERVED, "source") if name == "put" else os.path.join(LOCAL, "from")

    def start(self):
        here = [SOURCE, f"{self.relay.url}/to/"] if self.name == "put" else [f"{self.relay.url}/from", LOCAL]
        self.said = os.path.join(WORK, self.name + ".said")
        with open(self.said, "wb") as err:
            command = [RPCRDMA, self.name, "-r", *here, "--vers", options.vers, "--deadline", "10", "--retry", "100"]
            self.process = started(command, stdout=subprocess.DEVNULL, stderr=err)

    def end(self, what):
        """Waits for the end. Returns whether all was copied."""
        try:
            status = self.process.wait(COPY_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            fail(f"{what}: {self.name} has not ended in {COPY_SECONDS} s: {self.words()}")
            return False
        if status not in (0, 1) or status == 1 and not self.words():
            fail(f"{what}: {self.name} ended with {status}: {self.words()}")
        for line in self.wrong(status == 0):
            fail(f"{what}: {self.name} ended with {status}: {line}")
        return status == 0

    def words(self):
        with open(self.said, errors="replace") as file:
            return file.read().strip()[-1000:]

    def wrong(self, is_whole):
        """What is wrong with the files at the target: all of them must be there if it is whole."""
        for directory, _, names in os.walk(SOURCE):
            for name in names:
                path = os.path.join(directory, name)
                copied = os.path.join(self.target, os.path.relpath(path, SOURCE))
                if os.path.islink(path):
                    continue
                try:
                    with open(path, "rb") as one, open(copied, "rb") as other:
                        if one.read() != other.read():
                            yield f"other bytes: {copied}"
                except FileNotFoundError:
                    if is_whole:
                        yield f"missing: {copied}"
        if is_whole:
            for directory, _, names in os.walk(self.target):
                yield from (f"left: {directory}/{name}" for name in names if is_temporary(name))


def happen(kind, server, relays):
    if kind == "killed":
        server.kill()
        time.sleep(chance.random() * 2)
        server.start()
    elif kind == "cut":
        chance.choice(relays).cut(options.lease / 3)
    elif kind == "away":
        chance.choice(relays).cut(options.lease * 2.5)
    elif not server.end_a_client():
        fail("no client could be ended")


def try_once(number, server, relays, copies, took):
    kind = chance.choice(kinds)
    moment = chance.random() * took
    what = f"{number}: {kind} after {moment:.3f} s"
    for copy in copies:
        copy.start()
    time.sleep(moment)
    happen(kind, server, relays)
    for copy in copies:
        is_whole = copy.end(what)
        seen[kind, f"{copy.name} whole" if is_whole else f"{copy.name} told"] += 1
        if not is_whole:
            print(f"{what}: {copy.name} said: {copy.words()}", flush=True)
            copy.start()
            if not copy.end(what + ", second run"):
                fail(f"{what}: a second run of {copy.name} did not copy all: {copy.words()}")
        shutil.rmtree(copy.target)


def check_number(all_lines):
    """Compares the number with what the processes said of it."""
    said = collections.Counter()
    raised, perhaps = collections.Counter(), collections.Counter()
    for line in all_lines:
        words = line.rstrip().replace(":", " ").split(" ")
        said[words[0]] += 1
        if words[0] == "raised":
            raised[int(words[1])] += 1
        elif words[0] == "perhaps":
            perhaps[int(words[1])] += 1
        elif words[0] != "refused":
            fail(f"the number: {line}")
    with open(NUMBER) as file:
        end = int(file.read())
    for value, times in raised.items():
        if times > 1:
            fail(f"the number: {times} processes raised it to {value}")
    missing = [value for value in range(1, end + 1) if value not in raised and value not in perhaps]
    if missing or raised and max(raised) > end:
        fail(f"the number: it is {end}, and nobody raised it to {missing}, somebody to {max(raised)}")
    print(f"the number is {end}: {said['raised']} raises, {said['perhaps']} in doubt, {said['refused']} refused", flush=True)
    if not said["raised"]:
        fail("the number: nobody raised it")


def table():
    columns = [f"{copy} {how}" for copy in ("put", "get") for how in ("whole", "told")]
    print("\n| | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for kind in kinds:
        print(f"| {kind} | " + " | ".join(str(seen[kind, each]) for each in columns) + " |")


def main():
    os.umask(0o022)
    made = subprocess.run([TREES, "make-plain", SOURCE, "--seed", str(seed)], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(made.stderr)
    for directory in SERVED, LOCAL, environment["TMPDIR"]:
        os.mkdir(directory)
    with open(NUMBER, "w") as file:
        file.write(f"{0:19d}\n")
    server = Server()
    relays = [Relay(server.port) for _ in range(2)]
    copies = [Copy("put", relays[0]), Copy("get", relays[1])]
    raising = []
    try:
        for copy in copies * 2:  # The server is slow at first.
            copy.start()
            begin = time.monotonic()
            if not copy.end("before all"):
                fail(f"before all: {copy.name}: {copy.words()}")
            took = time.monotonic() - begin
            shutil.rmtree(copy.target)
        raising += [Raising(index, relays[index % 2]) for index in range(RAISING)]
        for number in range(options.times):
            try_once(number, server, relays, copies, 2 * took)
            if number % 10 == 9:
                print(f"{number + 1} of {options.times}", flush=True)
        check_number([line for each in raising for line in each.end()])
    finally:
        for each in [*relays, *raising, server]:
            each.process.kill()
    table()
    if failed:
        print(f"{len(failed)} failures with seed={seed}: see {WORK}")
        return 1
    shutil.rmtree(WORK)
    print(f"PASS  {options.times} times, and no loss was silent")
    return 0


sys.exit(main())
