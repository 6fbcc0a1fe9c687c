package io.github.rpcrdma4j.cli.metrics;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import io.github.rpcrdma4j.cli.service.ServerReport;
import io.github.rpcrdma4j.memory.MemoryBudget;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** The metrics of the process of a server. */
final class ProcessMetrics {
    private static final double MILLIS = TimeUnit.SECONDS.toMillis(1);
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private ProcessMetrics() {}

    /** Adds them; those that the system does not report are not there. */
    static void add(MetricText all) {
        var budget = MemoryBudget.process();
        all.gauge("rpcrdma_memory_bytes", "Native memory in use or kept, of all transports")
                .add(budget.used())
                .end();
        all.gauge("rpcrdma_memory_limit_bytes", "The most native memory").add(budget.limit()).end();
        all.gauge("process_start_time_seconds", "When the process started, since 1970")
                .add(ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS)
                .end();
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            all.counter("process_cpu_seconds", "Time of processors that the process has used")
                    .add(system.getProcessCpuTime() / NANOS)
                    .end();
        }
        long descriptors = ServerReport.descriptorsNow();
        if (descriptors >= 0) {
            all.gauge("process_open_fds", "Open file descriptors").add(descriptors).end();
        }
        if (ManagementFactory.getOperatingSystemMXBean()
                instanceof UnixOperatingSystemMXBean system) {
            all.gauge("process_max_fds", "The most file descriptors that may be open")
                    .add(system.getMaxFileDescriptorCount())
                    .end();
        }
        all.gauge("process_threads", "Platform threads")
                .add(ManagementFactory.getThreadMXBean().getThreadCount())
                .end();
        all.gauge("jvm_heap_bytes", "Memory of the heap in use")
                .add(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed())
                .end();
    }
}
