package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The permissions that this process withholds from new files. */
public final class Umask {
    /** The default on nearly all systems that have a umask. */
    private static final int USUAL = 022;

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String FIELD = "Umask:";
    private static final int OCTAL = 8;

    private Umask() {}

    /** Asks the operating system for the current umask. Returns the usual one if that fails. */
    public static int current() {
        try {
            return ofStatus(Files.readString(STATUS));
        } catch (IOException _) {
            return USUAL;
        }
    }

    /** Returns the umask in the text of {@code /proc/PID/status} (proc_pid_status(5)). */
    static int ofStatus(String status) {
        return status.lines()
                .filter(line -> line.startsWith(FIELD))
                .findFirst()
                .map(line -> Integer.parseInt(line.substring(FIELD.length()).strip(), OCTAL))
                .orElse(USUAL);
    }
}
