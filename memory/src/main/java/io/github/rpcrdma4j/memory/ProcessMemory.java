package io.github.rpcrdma4j.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.util.function.ToLongFunction;

/** The limit on the native memory that the pools of this process may use. */
final class ProcessMemory {
    /** The lowest limit, in bytes: a process with less memory cannot serve anything. */
    static final long LEAST_LIMIT = 16L << 20;

    /** One eighth of direct memory stays free for other users: channels and header buffers. */
    private static final int OTHERS_DIVISOR = 8;

    /** The JVM needs one eighth of all memory beside heap and direct memory. */
    private static final int JVM_DIVISOR = 8;

    /** The JVM needs at least this many bytes beside heap and direct memory. */
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

    /** Returns the limit for this process, in bytes. The first call takes some milliseconds. */
    static long limit() {
        return Known.LIMIT;
    }

    /**
     * Returns the limit for a given configuration, in bytes.
     *
     * @param heap the most that the heap may take, in bytes
     * @param direct the most direct memory, in bytes; 0: as much as the heap
     * @param machine the memory of the machine or the control group, in bytes; 0: not known
     */
    static long limit(long heap, long direct, long machine) {
        long allowed = direct > 0 ? direct : heap;
        long limit = allowed - allowed / OTHERS_DIVISOR;
        if (machine > 0) {
            long beside = machine - heap - Math.max(JVM_LEAST, machine / JVM_DIVISOR);
            limit = Math.min(limit, beside);
        }
        return Math.max(limit, LEAST_LIMIT);
    }

    private static long maxDirectMemory(HotSpotDiagnosticMXBean bean) {
        return Long.parseLong(bean.getVMOption("MaxDirectMemorySize").getValue());
    }

    /** Returns a value of a management bean, or 0 if this JVM does not have it. */
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
