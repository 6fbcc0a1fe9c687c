package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which permissions this process leaves out of new files. */
final class Umask {
    /** Nearly all systems have it where they have one. */
    private static final int USUAL = 022;

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String FIELD = "Umask:";
    private static final int OCTAL = 8;

    private Umask() {}

    /** Asks the operating system now; where it does not tell, the usual umask. */
    static int ofProcess() {
        try {
            return ofStatus(Files.readString(STATUS));
        } catch (IOException _) {
            return USUAL;
        }
    }

    /** What the text of {@code /proc/PID/status} tells (proc_pid_status(5)). */
    static int ofStatus(String status) {
        return status.lines()
                .filter(line -> line.startsWith(FIELD))
                .findFirst()
                .map(line -> Integer.parseInt(line.substring(FIELD.length()).strip(), OCTAL))
                .orElse(USUAL);
    }
}
