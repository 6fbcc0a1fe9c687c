package io.github.rpcrdma4j.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.util.function.ToLongFunction;

/** How much native memory this process may use for its pools. */
final class ProcessMemory {
    /** A process that has less cannot serve anything. */
    static final long LEAST_LIMIT = 16L << 20;

    /** The part of direct memory that is left to others: channels, and buffers for headers. */
    private static final int OTHERS_PART = 8;

    /** What the JVM needs beside heap and direct memory: a part of all, and at least so much. */
    private static final int JVM_PART = 8;

    private static final long JVM_LEAST = 64L << 20;

    private static final class Known {
        static final long LIMIT =
                limit(
                        Runtime.getRuntime().maxMemory(),
                        ask(HotSpotDiagnosticMXBean.class, ProcessMemory::maxDirectMemory),
                        // Within a control group, this is its limit.
                        ask(
                                OperatingSystemMXBean.class,
                                OperatingSystemMXBean::getTotalMemorySize));

        private Known() {}
    }

    private ProcessMemory() {}

    /** The limit for this process, in bytes; known after the first call. */
    static long limit() {
        return Known.LIMIT;
    }

    /**
     * @param heap the most that the heap may take, in bytes
     * @param direct the most direct memory, in bytes; 0: as much as the heap
     * @param machine what the machine or the control group has, in bytes; 0: not known
     */
    static long limit(long heap, long direct, long machine) {
        long allowed = direct > 0 ? direct : heap;
        long limit = allowed - allowed / OTHERS_PART;
        if (machine > 0) {
            long beside = machine - heap - Math.max(JVM_LEAST, machine / JVM_PART);
            limit = Math.min(limit, beside);
        }
        return Math.max(limit, LEAST_LIMIT);
    }

    private static long maxDirectMemory(HotSpotDiagnosticMXBean bean) {
        return Long.parseLong(bean.getVMOption("MaxDirectMemorySize").getValue());
    }

    /** Zero if this JVM does not tell. */
    private static <T extends PlatformManagedObject> long ask(
            Class<T> type, ToLongFunction<T> question) {
        try {
            var bean = ManagementFactory.getPlatformMXBean(type);
            return bean == null ? 0 : question.applyAsLong(bean);
        } catch (IllegalArgumentException _) {
            return 0;
        }
    }
}
