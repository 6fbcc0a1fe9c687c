package io.github.rpcrdma4j.nfs.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The capabilities of this process that tests need (capabilities(7)). */
enum Capability {
    DAC_READ_SEARCH(2),
    SETUID(7),
    SYS_PTRACE(19);

    private static final String EFFECTIVE = "CapEff:";

    private final int number;

    Capability(int number) {
        this.number = number;
    }

    boolean isThere() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(EFFECTIVE)) {
                var effective = Long.parseLong(line.substring(EFFECTIVE.length()).trim(), 16);
                return (effective >> number & 1) != 0;
            }
        }
        throw new AssertionError("the kernel reports no capabilities");
    }
}
