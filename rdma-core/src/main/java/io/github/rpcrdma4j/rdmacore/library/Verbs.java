package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The functions of libibverbs. Thread-safe.
 *
 * <p>A function that returns a pointer returns the negative error number if it fails. The others
 * return 0, or the error number.
 *
 * <p>Tests: {@code AdapterConnections}, {@code LayoutsTest}.
 */
public final class Verbs {
    public static final int ACCESS_LOCAL_WRITE = 1;
    public static final int ACCESS_REMOTE_WRITE = 1 << 1;
    public static final int ACCESS_REMOTE_READ = 1 << 2;
    public static final int ACCESS_MW_BIND = 1 << 4;

    public static final int CAPABILITY_WINDOW_TYPE_2B = 1 << 24;
    public static final int TRANSPORT_IWARP = 1;
    public static final int LINK_LAYER_ETHERNET = 2;
    public static final int QP_TYPE_RC = 2;
    public static final int QP_STATE_ERROR = 6;

    public static final int WR_RDMA_WRITE = 0;
    public static final int WR_SEND = 2;
    public static final int WR_RDMA_READ = 4;
    public static final int WR_BIND_MW = 8;
    public static final int WR_SEND_WITH_INV = 9;
    public static final int SEND_SIGNALED = 1 << 1;
    public static final int WC_WITH_INV = 1 << 3;

    /** What rxe sets instead: the flag of the kernel's own completions. */
    public static final int KERNEL_WC_WITH_INV = 1 << 2;

    private static final int QP_ATTRIBUTE_STATE = 1;
    private static final int WINDOW_TYPE_2 = 2;

    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;

    private static final Function QUERY_DEVICE = Libraries.verbs("ibv_query_device");
    private static final Function QUERY_PORT = Libraries.verbs("ibv_query_port");
    private static final Function QUERY_GID = Libraries.verbs("ibv_query_gid");
    private static final Function ALLOC_PD = Libraries.verbs("ibv_alloc_pd");
    private static final Function DEALLOC_PD = Libraries.verbs("ibv_dealloc_pd");
    private static final Function REG_MR = Libraries.verbs("ibv_reg_mr");
    private static final Function DEREG_MR = Libraries.verbs("ibv_dereg_mr");
    private static final Function CREATE_COMP_CHANNEL = Libraries.verbs("ibv_create_comp_channel");
    private static final Function CREATE_CQ = Libraries.verbs("ibv_create_cq");
    private static final Function DESTROY_CQ = Libraries.verbs("ibv_destroy_cq");
    private static final Function GET_CQ_EVENT = Libraries.verbs("ibv_get_cq_event");
    private static final Function ACK_CQ_EVENTS = Libraries.verbs("ibv_ack_cq_events");
    private static final Function GET_ASYNC_EVENT = Libraries.verbs("ibv_get_async_event");
    private static final Function ACK_ASYNC_EVENT = Libraries.verbs("ibv_ack_async_event");
    private static final Function MODIFY_QP = Libraries.verbs("ibv_modify_qp");
    private static final Function QUERY_QP = Libraries.verbs("ibv_query_qp");
    private static final Function POLL = Libraries.c("poll");
    private static final Function WRITE = Libraries.c("write");
    private static final Function FCNTL = Libraries.c("fcntl");

    // The functions that are inline in C, by their addresses in the context.
    private static final MethodHandle POLL_CQ =
            Libraries.byAddress(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG);
    private static final MethodHandle REQ_NOTIFY_CQ =
            Libraries.byAddress(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    private static final MethodHandle POST =
            Libraries.byAddress(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG);
    private static final MethodHandle ALLOC_MW =
            Libraries.byAddress(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    private static final MethodHandle DEALLOC_MW =
            Libraries.byAddress(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);

    private Verbs() {}

    /** Returns why adapters cannot be used, in one line; empty if the libraries are there. */
    public static Optional<String> missing() {
        return Libraries.missing().or(RdmaCm::missing);
    }

    /**
     * Checks that a context has the known layout: it names its device, ends with the mark of the
     * extended ABI, and has the operations that this class calls.
     *
     * @throws IllegalStateException if it does not
     */
    public static void requireKnownContext(long context) {
        boolean isKnown = Memory.int64(context + Layouts.Context.ABI_COMPAT) == -1L;
        for (long operation :
                new long[] {
                    Layouts.Context.DEVICE,
                    Layouts.Context.OPS__POLL_CQ,
                    Layouts.Context.OPS__REQ_NOTIFY_CQ,
                    Layouts.Context.OPS__POST_SEND,
                    Layouts.Context.OPS__POST_RECV,
                    Layouts.Context.OPS__ALLOC_MW,
                    Layouts.Context.OPS__DEALLOC_MW
                }) {
            isKnown &= Memory.int64(context + operation) != 0;
        }
        if (!isKnown || Memory.int32(context + Layouts.Context.NUM_COMP_VECTORS) < 1) {
            throw new IllegalStateException(
                    "the installed libibverbs has an ABI that is not known: rdma-core 17 to 65 are"
                            + " known to work");
        }
        CommandThread.watch(Memory.int32(context + Layouts.Context.CMD_FD));
    }

    /** Returns a function of a context that is inline in C. */
    public static MemorySegment operation(long context, long offset) {
        return MemorySegment.ofAddress(Memory.int64(context + offset));
    }

    public static int queryDevice(long context, long attributes) {
        return QUERY_DEVICE.status(context, attributes);
    }

    public static int queryPort(long context, int port, long attributes) {
        return QUERY_PORT.status(context, port, attributes);
    }

    public static int queryGid(long context, int port, int index, long gid) {
        return QUERY_GID.status(context, port, index, gid);
    }

    public static long allocatePd(long context) {
        return ALLOC_PD.pointer(context, 0, 0, 0, 0);
    }

    public static int deallocatePd(long pd) {
        return DEALLOC_PD.status(pd);
    }

    public static long register(long pd, long address, long length, int access) {
        return REG_MR.pointer(pd, address, length, access, 0);
    }

    public static int deregister(long mr) {
        return DEREG_MR.status(mr);
    }

    public static long createCompletionChannel(long context) {
        return CREATE_COMP_CHANNEL.pointer(context, 0, 0, 0, 0);
    }

    public static long createCq(long context, int entries, long cqContext, long channel) {
        return CREATE_CQ.pointer(context, entries, cqContext, channel, 0);
    }

    public static int destroyCq(long cq) {
        return DESTROY_CQ.status(cq);
    }

    /** Waits for an event of a completion channel, and stores the queue and its context. */
    public static int getCqEvent(long channel, long cq, long cqContext) {
        return GET_CQ_EVENT.status(channel, cq, cqContext);
    }

    public static void ackCqEvent(long cq) {
        ACK_CQ_EVENTS.status(cq, 1);
    }

    public static int getAsyncEvent(long context, long event) {
        return GET_ASYNC_EVENT.status(context, event);
    }

    public static void ackAsyncEvent(long event) {
        ACK_ASYNC_EVENT.status(event);
    }

    /** Moves a queue pair to the error state. */
    public static int fail(long qp, long attributes) {
        Memory.clear(attributes, Layouts.QpAttributes.SIZE);
        Memory.int32(attributes + Layouts.QpAttributes.QP_STATE, QP_STATE_ERROR);
        return MODIFY_QP.status(qp, attributes, QP_ATTRIBUTE_STATE);
    }

    /** Returns the state of a queue pair, or a negative error number. */
    public static int state(long qp, long attributes, long initial) {
        int error = QUERY_QP.status(qp, attributes, QP_ATTRIBUTE_STATE, initial);
        return error != 0 ? -error : Memory.int32(attributes + Layouts.QpAttributes.QP_STATE);
    }

    /** Returns the number of ready descriptors, 0 after the timeout, or a negative error number. */
    static int poll(long descriptors, int count, int timeoutMillis) {
        return POLL.number(descriptors, count, timeoutMillis);
    }

    /** Makes reads from a descriptor return at once. Returns 0 or the error number. */
    static int makeNonBlocking(int descriptor) {
        return -FCNTL.number(descriptor, F_SETFL, O_NONBLOCK);
    }

    /** Writes to a descriptor. Returns 0 or the error number. */
    static int write(int descriptor, long from, int length) {
        return Math.max(0, -WRITE.number(descriptor, from, length));
    }

    public static int pollCq(MemorySegment function, long cq, int count, long completions) {
        try {
            return (int) POLL_CQ.invokeExact(function, cq, count, completions);
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    /** Requests an event for the next completion of a queue. */
    public static int requestNotification(MemorySegment function, long cq) {
        try {
            return (int) REQ_NOTIFY_CQ.invokeExact(function, cq, 0);
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    /**
     * Posts a list of sends.
     *
     * @param isCommand whether the device takes them by a command, as soft devices do
     */
    public static int postSends(
            MemorySegment function, long qp, long first, long bad, boolean isCommand) {
        return isCommand
                ? (int) CommandThread.run(() -> post(function, qp, first, bad))
                : post(function, qp, first, bad);
    }

    /** Posts a list of receives, which no device takes by a command. */
    public static int postReceives(MemorySegment function, long qp, long first, long bad) {
        return post(function, qp, first, bad);
    }

    private static int post(MemorySegment function, long qp, long first, long bad) {
        try {
            return Math.abs((int) POST.invokeExact(function, qp, first, bad));
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    /** Returns a new memory window of type 2, or 0. */
    public static long allocateWindow(MemorySegment function, long pd) {
        return CommandThread.run(() -> allocateHere(function, pd));
    }

    private static long allocateHere(MemorySegment function, long pd) {
        try {
            return (long) ALLOC_MW.invokeExact(function, pd, WINDOW_TYPE_2);
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }

    public static int deallocateWindow(MemorySegment function, long window) {
        return (int) CommandThread.run(() -> deallocateHere(function, window));
    }

    private static int deallocateHere(MemorySegment function, long window) {
        try {
            return Math.abs((int) DEALLOC_MW.invokeExact(function, window));
        } catch (Throwable failure) {
            throw Libraries.thrown(failure);
        }
    }
}
