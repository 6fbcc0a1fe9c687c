package io.github.rpcrdma4j.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process has used since it began.
 *
 * @param cpuNanos time of all its threads on a CPU, in the kernel too
 * @param allocatedOctets what it took from the heap, whether collected or not
 * @param residentOctets memory that it holds now
 */
public record Usage(long cpuNanos, long allocatedOctets, long residentOctets)
        implements Serializable {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final int KIB = 1024;

    /** Of this process. */
    static Usage now() throws IOException {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return new Usage(
                system.getProcessCpuTime(), threads.getTotalThreadAllocatedBytes(), resident());
    }

    private static long resident() throws IOException {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIB)
                    .findFirst()
                    .orElse(0);
        }
    }

    /** What was used from an earlier time to this. */
    public Usage since(Usage earlier) {
        return new Usage(
                cpuNanos - earlier.cpuNanos,
                allocatedOctets - earlier.allocatedOctets,
                residentOctets - earlier.residentOctets);
    }
}
