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
 * What a process has used since it began.
 *
 * @param cpuNanos time of all its threads on a CPU, in the kernel too
 * @param allocatedBytes what it took from the heap, whether collected or not
 * @param residentBytes memory that it holds now
 */
public record Usage(long cpuNanos, long allocatedBytes, long residentBytes)
        implements Serializable {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final int KIB = 1024;
    private static final int STATUS_MAX = 4 * KIB;

    /** Of this process. */
    static Usage now() throws IOException {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return new Usage(
                system.getProcessCpuTime(), threads.getTotalThreadAllocatedBytes(), resident());
    }

    /** Read in one piece: what measuring allocates is counted, too. */
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

    /** What was used from an earlier time to this. */
    public Usage since(Usage earlier) {
        return new Usage(
                cpuNanos - earlier.cpuNanos,
                allocatedBytes - earlier.allocatedBytes,
                residentBytes - earlier.residentBytes);
    }
}
