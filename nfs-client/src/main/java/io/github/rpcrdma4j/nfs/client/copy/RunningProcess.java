package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Identifies a copying process, so that another process can find out whether it still runs.
 *
 * @param pidScope a number for the scope of process ids: one boot of one system, and one PID
 *     namespace. Not negative
 * @param process the process id
 * @param start when the process started, in clock ticks after boot; it tells apart processes that
 *     reuse an id
 */
record RunningProcess(long pidScope, long process, long start) {
    private static final Path PROC = Path.of("/proc");
    private static final int START_FIELD = 19;
    private static final long FNV_START = 0xcbf29ce484222325L;
    private static final long FNV_FACTOR = 0x100000001b3L;
    private static final int SCOPE_BITS = 50;
    private static final long ABSENT = 0;
    private static final long UNREADABLE = -1;

    /** Computed once, because that reads several files of {@code /proc}. */
    private static final RunningProcess THIS = find();

    /** The state of another process, as far as this process can see it. */
    enum State {
        RUNNING,
        ENDED,
        /** The process is of another scope, or this user cannot see it. */
        UNKNOWN
    }

    static RunningProcess current() {
        return THIS;
    }

    private static RunningProcess find() {
        long process = ProcessHandle.current().pid();
        return new RunningProcess(currentPidScope(), process, Math.max(start(process), 0));
    }

    /** Returns whether the process runs, as far as this process can see. */
    State state() {
        if (equals(THIS)) {
            return State.RUNNING;
        }
        if (pidScope != THIS.pidScope) {
            return State.UNKNOWN;
        }
        long started = start(process);
        if (started == start) {
            return State.RUNNING;
        }
        if (started == UNREADABLE) {
            return State.UNKNOWN;
        }
        // If /proc hides other users' processes, an invisible process may still run.
        return started != ABSENT || seesAll() ? State.ENDED : State.UNKNOWN;
    }

    /**
     * Returns whether this user sees the processes of other users. Process 1, which belongs to
     * root, shows it.
     */
    private static boolean seesAll() {
        return Files.isReadable(PROC.resolve("1/stat"));
    }

    /**
     * Returns the scope of this process. Without {@code /proc} it is random, so that no two
     * processes share a scope.
     */
    private static long currentPidScope() {
        try {
            var text =
                    Files.readString(PROC.resolve("sys/kernel/random/boot_id"))
                            + Files.readSymbolicLink(PROC.resolve("self/ns/pid"));
            long hash = FNV_START;
            for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
                hash = (hash ^ each) * FNV_FACTOR;
            }
            return hash >>> Long.SIZE - SCOPE_BITS;
        } catch (IOException | UnsupportedOperationException _) {
            return new SecureRandom().nextLong() >>> Long.SIZE - SCOPE_BITS;
        }
    }

    /**
     * Returns the start time of a process in clock ticks after boot; only compared for equality.
     */
    private static long start(long process) {
        try {
            // The name before the fields is in parentheses, and may hold any bytes.
            var stat =
                    Files.readString(PROC.resolve(process + "/stat"), StandardCharsets.ISO_8859_1);
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[START_FIELD]);
        } catch (NoSuchFileException _) {
            return ABSENT;
        } catch (IOException | RuntimeException _) {
            return UNREADABLE;
        }
    }
}
