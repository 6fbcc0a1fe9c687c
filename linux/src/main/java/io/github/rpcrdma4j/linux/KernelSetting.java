package io.github.rpcrdma4j.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Settings of the kernel that are numbers (sysctl, proc(5)). */
public final class KernelSetting {
    private KernelSetting() {}

    /**
     * Returns what a setting is now.
     *
     * @param file its file below {@code /proc/sys}
     * @return nothing if this kernel has no such number
     */
    public static OptionalLong read(Path file) {
        // A second read of such a file finds its end, so the first one takes all.
        try (var lines = Files.newBufferedReader(file)) {
            return OptionalLong.of(Long.parseLong(String.valueOf(lines.readLine()).strip()));
        } catch (IOException | NumberFormatException _) {
            return OptionalLong.empty();
        }
    }
}
