package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;

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
    private static final long ABSENT = 0;
    private static final long UNREADABLE = -1;

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
        return new RunningProcess(thisMachine(), process, Math.max(start(process), 0));
    }

    /** Whether it runs, as seen from this process. */
    State state() {
        if (equals(THIS)) {
            return State.RUNNING;
        }
        if (machine != THIS.machine) {
            return State.UNKNOWN;
        }
        long started = start(process);
        if (started == start) {
            return State.RUNNING;
        }
        if (started == UNREADABLE) {
            return State.UNKNOWN;
        }
        // Where processes of others are hidden, one that is not seen may still run.
        return started != ABSENT || seesAll() ? State.ENDED : State.UNKNOWN;
    }

    /** Whether this user is told of processes of others: the first one is root's. */
    private static boolean seesAll() {
        return Files.isReadable(PROC.resolve("1/stat"));
    }

    /** Where the system does not tell, no two processes are of one machine. */
    private static long thisMachine() {
        try {
            var text =
                    Files.readString(PROC.resolve("sys/kernel/random/boot_id"))
                            + Files.readSymbolicLink(PROC.resolve("self/ns/pid"));
            long hash = FNV_START;
            for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
                hash = (hash ^ each) * FNV_FACTOR;
            }
            return hash >>> Long.SIZE - MACHINE_BITS;
        } catch (IOException | UnsupportedOperationException _) {
            return new SecureRandom().nextLong() >>> Long.SIZE - MACHINE_BITS;
        }
    }

    /** When a process started, in a unit that only equality is asked of. */
    private static long start(long process) {
        try {
            var stat = Files.readString(PROC.resolve(process + "/stat"));
            // The name before it is in parentheses, and may hold any characters.
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[START_FIELD]);
        } catch (NoSuchFileException _) {
            return ABSENT;
        } catch (IOException | RuntimeException _) {
            return UNREADABLE;
        }
    }
}
