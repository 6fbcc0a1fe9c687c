package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process that copies, so that others can tell whether it still runs.
 *
 * @param machine a number of where process numbers mean something: one running system, and there
 *     one namespace of processes. Not negative
 * @param process its number there
 * @param start when it started, so that another process of that number is not taken for it
 */
record RunningProcess(long machine, long process, long start) {
    private static final Path PROC = Path.of("/proc");
    private static final int START_FIELD = 19;
    private static final long FNV_START = 0xcbf29ce484222325L;
    private static final long FNV_FACTOR = 0x100000001b3L;
    private static final int MACHINE_BITS = 50;

    /** Made once: it costs some files of {@code /proc}. */
    private static final RunningProcess THIS = find();

    /** What is known of a process from here. */
    enum State {
        RUNNING,
        ENDED,
        /** It is of another machine, or this user is not told. */
        UNKNOWN
    }

    static RunningProcess current() {
        return THIS;
    }

    private static RunningProcess find() {
        long process = ProcessHandle.current().pid();
        return new RunningProcess(thisMachine(), process, start(process));
    }

    /** Whether it runs, as seen from this process. */
    State state() {
        if (machine != THIS.machine) {
            return State.UNKNOWN;
        }
        long started = start(process);
        if (started == start) {
            return State.RUNNING;
        }
        // Where processes of others are hidden, one that is not seen may still run.
        return started != 0 || !Files.exists(PROC) || seesAll() ? State.ENDED : State.UNKNOWN;
    }

    /** Whether this user is told of processes of others: the first one is root's. */
    private static boolean seesAll() {
        return Files.isReadable(PROC.resolve("1/stat"));
    }

    private static long thisMachine() {
        var text = new StringBuilder();
        for (var file : new String[] {"sys/kernel/random/boot_id", "self/ns/pid"}) {
            try {
                var path = PROC.resolve(file);
                text.append(
                        Files.isSymbolicLink(path)
                                ? Files.readSymbolicLink(path)
                                : Files.readString(path));
            } catch (IOException _) {
                // Another system than Linux: numbers of processes are its own.
                text.append(System.getProperty("os.name")).append(System.getenv("HOSTNAME"));
            }
        }
        long hash = FNV_START;
        for (byte each : text.toString().getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ each) * FNV_FACTOR;
        }
        return hash >>> Long.SIZE - MACHINE_BITS;
    }

    /** When a process started, in a unit that only equality is asked of; 0 if it does not run. */
    private static long start(long process) {
        if (Files.exists(PROC)) {
            try {
                var stat = Files.readString(PROC.resolve(process + "/stat"));
                // The name before it is in parentheses, and may hold any characters.
                var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                return Long.parseLong(fields[START_FIELD]);
            } catch (IOException | RuntimeException _) {
                return 0;
            }
        }
        return ProcessHandle.of(process)
                .flatMap(handle -> handle.info().startInstant())
                .map(instant -> instant.toEpochMilli())
                .orElse(0L);
    }
}
