package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Layouts.Element;
import io.github.rpcrdma4j.rdmacore.library.Layouts.Registration;
import io.github.rpcrdma4j.rdmacore.library.Layouts.Send;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * One work request on its way through the send queue of the adapter, or the binding of a window.
 *
 * <p>A Write or Read may take several requests of the adapter ("pieces"): an adapter limits the
 * elements and the bytes of each. A Send is one piece. If it has too many elements, its bytes are
 * copied into one.
 *
 * <p>Tests: {@code SiwContract}, {@code RxeContract}.
 */
final class SendWork {
    private static final List<Sge> NO_ELEMENTS = List.of();

    final long id;

    /** What completes for the caller; null for a binding, which completes for this side only. */
    final Operation operation;

    final Signal signal;
    final long bytes;

    /** The window to bind or to invalidate, or null. */
    final AdapterWindow window;

    /** The number of the last posted piece. */
    long lastPiece = -1;

    boolean isPosted;

    private final int opcode;
    private final int handle;
    private final long address;
    private List<Sge> gather;

    /** How many of the elements count as posted with their regions. */
    private int counted;

    /** A registered copy of the bytes of a Send with too many elements, or null. */
    private MemoryRegion copy;

    /** The region in which the RDMA Read places bytes, on iWARP, with the registrations for it. */
    private AdapterRegion sinkRegion;

    private long sink;
    private int sinkKey;

    // The next piece starts at this element and byte.
    private int element;
    private long elementOffset;
    private long done;

    private SendWork(
            WorkRequest request,
            Operation operation,
            int opcode,
            List<Sge> gather,
            int handle,
            long address,
            AdapterWindow window) {
        id = request.id();
        signal = request.signal();
        bytes = request.bytes();
        this.operation = operation;
        this.opcode = opcode;
        this.gather = gather;
        this.handle = handle;
        this.address = address;
        this.window = window;
    }

    /** Makes the work of binding a window, which has no completion for the caller. */
    SendWork(AdapterWindow bound) {
        id = 0;
        signal = Signal.UNSIGNALED;
        bytes = 0;
        operation = null;
        opcode = Verbs.WR_BIND_MW;
        gather = NO_ELEMENTS;
        handle = 0;
        address = 0;
        window = bound;
    }

    static SendWork of(WorkRequest request) {
        return switch (request) {
            case WorkRequest.Send send ->
                    new SendWork(
                            send,
                            Operation.SEND,
                            send.invalidate().isPresent() ? Verbs.WR_SEND_WITH_INV : Verbs.WR_SEND,
                            send.gather(),
                            send.invalidate().orElse(0),
                            0,
                            null);
            case WorkRequest.Write write ->
                    new SendWork(
                            write,
                            Operation.WRITE,
                            Verbs.WR_RDMA_WRITE,
                            write.gather(),
                            write.handle(),
                            write.address(),
                            null);
            case WorkRequest.Read read ->
                    new SendWork(
                            read,
                            Operation.READ,
                            Verbs.WR_RDMA_READ,
                            List.of(read.sink()),
                            read.handle(),
                            read.address(),
                            null);
            // A Write of zero bytes completes in its turn. The window then ends by a call, because
            // the soft adapters cannot invalidate a window that the peer has invalidated.
            case WorkRequest.Invalidate invalidate ->
                    new SendWork(
                            invalidate,
                            Operation.INVALIDATE,
                            Verbs.WR_RDMA_WRITE,
                            NO_ELEMENTS,
                            0,
                            0,
                            (AdapterWindow) invalidate.window());
        };
    }

    boolean isBinding() {
        return opcode == Verbs.WR_BIND_MW;
    }

    boolean isRead() {
        return operation == Operation.READ;
    }

    /** Returns whether the caller gets a completion if the work succeeds. */
    boolean isReported() {
        return !isBinding() && signal != Signal.UNSIGNALED;
    }

    /** Returns whether the adapter must complete the work, with its last piece. */
    boolean needsCompletion() {
        return isBinding()
                || isRead()
                || signal != Signal.UNSIGNALED
                || operation == Operation.INVALIDATE;
    }

    /**
     * Prepares memory: the copy of a Send, and the sink of a Read on iWARP.
     *
     * @throws IllegalArgumentException if a region has ended
     * @throws IllegalStateException if memory cannot be registered
     */
    void prepare(AdapterDomain domain, int gatherMax) {
        if (operation == Operation.SEND && gather.size() > gatherMax) {
            var whole = Arena.ofAuto().allocate(Math.max(1, bytes));
            long at = 0;
            for (var each : gather) {
                whole.asSlice(at, each.length())
                        .copyFrom(each.region().segment().asSlice(each.offset(), each.length()));
                at += each.length();
            }
            copy = domain.registerOnce(whole.asReadOnly());
            gather = List.of(new Sge(copy, 0, bytes));
        } else if (isRead() && domain.device.isIwarp && bytes > 0) {
            var named = gather.getFirst();
            sinkRegion = domain.require(named.region());
            sink = sinkRegion.registerSink(named.offset(), named.length());
            // The registration may have ended when a later piece is posted.
            sinkKey = Memory.int32(sink + Registration.LKEY);
        }
        for (; counted < gather.size(); counted++) {
            ((AdapterRegion) gather.get(counted).region()).addPosted();
        }
    }

    /** Frees what {@link #prepare} made. Returns whether the adapter gave all of it back. */
    boolean release() {
        while (counted > 0) {
            counted--;
            ((AdapterRegion) gather.get(counted).region()).removePosted();
        }
        var madeCopy = copy;
        copy = null;
        long madeSink = sink;
        sink = 0;
        if (madeCopy != null) {
            madeCopy.close();
        }
        return madeSink == 0 || sinkRegion.endSink(madeSink);
    }

    /**
     * Writes the next piece into the memory of a work request.
     *
     * @param at the address of a {@code struct ibv_send_wr}, all zero
     * @param elements the address of {@code gatherMax} elements
     * @return whether it was the last piece
     */
    boolean write(long at, long elements, int gatherMax, long messageMax) {
        Memory.int32(at + Send.OPCODE, opcode);
        if (isBinding()) {
            window.writeBinding(at);
            return true;
        }
        long remote = address + done;
        int count = 0;
        long room = messageMax;
        while (element < gather.size() && count < gatherMax && room > 0) {
            var each = gather.get(element);
            long length = Math.min(room, each.length() - elementOffset);
            // An adapter may take an element of zero bytes for one of 2^31.
            if (length > 0) {
                var region = (AdapterRegion) each.region();
                long to = elements + count * Element.SIZE;
                Memory.int64(to + Element.ADDR, region.address() + each.offset() + elementOffset);
                Memory.int32(to + Element.LENGTH, (int) length);
                Memory.int32(to + Element.LKEY, sink == 0 ? region.localKey() : sinkKey);
                count++;
                room -= length;
                done += length;
                elementOffset += length;
            }
            if (elementOffset == each.length()) {
                element++;
                elementOffset = 0;
            }
        }
        Memory.int64(at + Send.SG_LIST, elements);
        Memory.int32(at + Send.NUM_SGE, count);
        if (opcode == Verbs.WR_SEND_WITH_INV) {
            Memory.int32(at + Send.INVALIDATE_RKEY, handle);
        }
        if (opcode != Verbs.WR_SEND) {
            // libsiw takes the handle of a Send With Invalidate from here.
            Memory.int64(at + Send.WR__RDMA__REMOTE_ADDR, remote);
            Memory.int32(at + Send.WR__RDMA__RKEY, handle);
        }
        return element == gather.size();
    }
}
