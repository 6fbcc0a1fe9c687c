package io.github.rpcrdma4j.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The resources that a process has used since its start.
 *
 * @param cpuNanos the CPU time of all its threads, including time in the kernel
 * @param allocatedBytes the bytes that it has allocated on the heap, including those of collected
 *     objects
 * @param residentBytes its resident memory now
 */
public record Usage(long cpuNanos, long allocatedBytes, long residentBytes)
        implements Serializable {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final int KIB = 1024;
    private static final int STATUS_MAX = 4 * KIB;

    /** Returns the usage of this process. */
    static Usage now() throws IOException {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return new Usage(
                system.getProcessCpuTime(), threads.getTotalThreadAllocatedBytes(), resident());
    }

    /**
     * Returns the resident bytes of this process. Reads the file with one buffer, because
     * allocations of the measurement count too.
     */
    private static long resident() throws IOException {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        var status = new byte[STATUS_MAX];
        int length;
        try (var in = new FileInputStream(STATUS.toFile())) {
            length = in.readNBytes(status, 0, STATUS_MAX);
        }
        var text = new String(status, 0, length, StandardCharsets.US_ASCII);
        int start = text.indexOf(RESIDENT);
        int end = text.indexOf(" kB", start);
        if (start < 0 || end < 0) {
            return 0;
        }
        return Long.parseLong(text.substring(start + RESIDENT.length(), end).strip()) * KIB;
    }

    /** Returns the usage from an earlier time to this one. */
    public Usage since(Usage earlier) {
        return new Usage(
                cpuNanos - earlier.cpuNanos,
                allocatedBytes - earlier.allocatedBytes,
                residentBytes - earlier.residentBytes);
    }
}
