package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Posts messages with their transport headers. Guarded by the lock of the connection.
 *
 * <p>Tests: {@code EndpointInAWorldTest}.
 */
public final class MessageSends {
    /** The most answers that may be posted at a time. */
    private static final int POSTED_MAX = 8;

    /** The most answers that may wait. No connection has so many receives that need one. */
    private static final int WAITING_MAX = 1 << 15;

    /**
     * One Send of a message.
     *
     * @param inline the data after the header; the poster owns it and keeps it until the Send has
     *     ended
     */
    public record OutgoingSend(TransportHeader header, List<MemorySegment> inline) {}

    /**
     * Data for one segment of the peer, moved by RDMA Writes.
     *
     * @param data the data in order, together not longer than the segment
     * @param target the segment of the peer
     */
    public record ChunkWrite(List<MemorySegment> data, Segment target) {}

    private record QueuedAnswer(TransportHeader answer, Runnable beforeSend) {}

    private final Endpoint endpoint;
    private final ArrayDeque<QueuedAnswer> queued = new ArrayDeque<>();
    private int posted;

    MessageSends(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Queues an answer that has no RPC message: an error or an operation. Answers are sent in
     * order, and only a few are posted at a time. A peer that does not read them runs out of posted
     * receives, or loses the connection.
     *
     * @param beforeSend runs right before the answer is posted. It posts a receive in place of the
     *     one that the message used, if none was posted yet, because the peer may send as soon as
     *     it sees the answer (RFC 8166-3.3.1-7)
     */
    public void queueAnswer(TransportHeader answer, Runnable beforeSend) {
        if (queued.size() == WAITING_MAX) {
            endpoint.close("the peer does not receive the answers to its messages");
        }
        if (!endpoint.isClosed()) {
            queued.addLast(new QueuedAnswer(answer, beforeSend));
            sendQueued();
        }
    }

    private void sendQueued() {
        while (!queued.isEmpty() && posted < POSTED_MAX) {
            posted++;
            var next = queued.removeFirst();
            next.beforeSend.run();
            if (posted == POSTED_MAX) {
                // The next answer waits for the completion of this one.
                endpoint.wakeAfterNext();
            }
            post(
                    next.answer,
                    () -> {
                        posted--;
                        sendQueued();
                    });
        }
    }

    /** Drops all waiting answers after the end of the connection. */
    void lost() {
        queued.clear();
    }

    /**
     * Posts a header alone.
     *
     * @param sent runs when the header was sent; never if the connection ends first
     */
    public void post(TransportHeader header, Runnable sent) {
        var send = new OutgoingSend(header, List.of());
        post(List.of(), List.of(send), OptionalInt.empty(), sent);
    }

    /**
     * Posts a message of one Send or more.
     *
     * @param writes the RDMA Writes to post before the Sends
     * @param invalidate the handle of the peer that the last Send invalidates, if any
     * @param sent runs when all of the message was sent; never if the connection ends first
     */
    public void post(
            List<ChunkWrite> writes,
            List<OutgoingSend> sends,
            OptionalInt invalidate,
            Runnable sent) {
        postAll(
                writes,
                sends,
                invalidate,
                succeeded -> {
                    if (succeeded) {
                        sent.run();
                    }
                });
    }

    /**
     * Posts like {@link #post}, and also reports when the connection ends first.
     *
     * @param writes the RDMA Writes to post before the Sends
     * @param invalidate the handle of the peer that the last Send invalidates, if any
     * @param ending called when all was sent, or when the connection has ended
     */
    public void postAll(
            List<ChunkWrite> writes,
            List<OutgoingSend> sends,
            OptionalInt invalidate,
            Endpoint.Ending ending) {
        var held = new WorkMemory(endpoint.memory());
        List<WorkRequest> batch;
        try {
            batch = requests(writes, sends, invalidate, held);
        } catch (RuntimeException | Error failure) {
            held.close();
            throw failure;
        }
        int from = 0;
        // Only RDMA Writes of many small segments exceed one batch.
        for (; batch.size() - from > Endpoint.BATCH_MAX; from += Endpoint.BATCH_MAX) {
            var full = new ArrayList<>(batch.subList(from, from + Endpoint.BATCH_MAX));
            // The last work request of a batch must have a completion.
            full.set(full.size() - 1, full.getLast().signaled());
            endpoint.post(full, _ -> {});
        }
        endpoint.post(
                batch.subList(from, batch.size()),
                succeeded -> {
                    held.close();
                    ending.ended(succeeded);
                });
    }

    private static List<WorkRequest> requests(
            List<ChunkWrite> writes,
            List<OutgoingSend> sends,
            OptionalInt invalidate,
            WorkMemory held) {
        var batch = new ArrayList<WorkRequest>(writes.size() + sends.size());
        for (var write : writes) {
            held.write(write, batch);
        }
        for (int i = 0; i < sends.size(); i++) {
            var send = sends.get(i);
            boolean isLast = i == sends.size() - 1;
            batch.add(
                    new WorkRequest.Send(
                            0,
                            held.message(send.header(), send.inline()),
                            isLast ? invalidate : OptionalInt.empty(),
                            isLast ? Signal.QUIET : Signal.UNSIGNALED));
        }
        return batch;
    }

    /**
     * The memory of some work requests while they are posted. Short segments, and those that cannot
     * be registered, are copied into one lease. Others are used in place, and registered until the
     * work ends if they are not of the pool. Not thread-safe.
     */
    private static final class WorkMemory {
        /** Up to this length in bytes, a copy costs less than a gather element. */
        private static final int COPIED_MAX = 512;

        private static final int SIGNAL_EACH = 16;

        private final ConnectionMemory memory;
        private final List<SegmentPool.Lease> leases = new ArrayList<>(1);
        private final List<MemoryRegion> regions = new ArrayList<>(0);

        WorkMemory(ConnectionMemory memory) {
            this.memory = memory;
        }

        /** Returns the gather elements of one Send: the header and the message. */
        List<Sge> message(TransportHeader header, List<MemorySegment> inline) {
            int headerBytes = header.encodedLength();
            boolean whole = 1 + elements(inline) > Endpoint.GATHER_MAX;
            var copies = new Copies(headerBytes + copied(inline, whole));
            header.encode(copies.lease.segment());
            copies.end = headerBytes;
            var elements = new ArrayList<Sge>(2);
            gather(inline, whole, copies, elements::add);
            copies.endRun(elements::add);
            return elements;
        }

        /**
         * Adds the RDMA Writes for some data, each with at most {@link Endpoint#GATHER_MAX}
         * elements.
         */
        void write(ChunkWrite write, List<? super WorkRequest> requests) {
            var elements = new ArrayList<Sge>(1);
            long bytes = copied(write.data(), false);
            if (bytes == 0) {
                gather(write.data(), false, null, elements::add);
            } else {
                var copies = new Copies(bytes);
                gather(write.data(), false, copies, elements::add);
                copies.endRun(elements::add);
            }
            int handle = write.target().handle();
            long address = write.target().offset();
            for (int from = 0; from < elements.size(); from += Endpoint.GATHER_MAX) {
                int to = Math.min(elements.size(), from + Endpoint.GATHER_MAX);
                // Every SIGNAL_EACH-th request has a completion, which shows that the peer accepts
                // data.
                var signal =
                        (requests.size() + 1) % SIGNAL_EACH == 0 ? Signal.QUIET : Signal.UNSIGNALED;
                var some = elements.subList(from, to);
                var request = new WorkRequest.Write(0, some, handle, address, signal);
                requests.add(request);
                address += request.bytes();
            }
        }

        /** The copies in one lease, and the start of the current run of adjacent copies. */
        private final class Copies {
            final SegmentPool.Lease lease;
            long start;
            long end;

            Copies(long bytes) {
                lease = memory.pool().lease(bytes);
                leases.add(lease);
            }

            void add(MemorySegment piece) {
                MemorySegment.copy(piece, 0, lease.segment(), end, piece.byteSize());
                end += piece.byteSize();
            }

            void endRun(Consumer<Sge> elements) {
                if (end > start) {
                    elements.accept(memory.element(lease, start, end - start));
                    start = end;
                }
            }
        }

        private void gather(
                List<MemorySegment> pieces, boolean whole, Copies copies, Consumer<Sge> elements) {
            for (var piece : pieces) {
                if (piece.byteSize() == 0) {
                    continue;
                }
                if (isCopied(piece, whole)) {
                    copies.add(piece);
                } else {
                    if (copies != null) {
                        copies.endRun(elements);
                    }
                    elements.accept(memory.element(piece, regions));
                }
            }
        }

        private static boolean isCopied(MemorySegment piece, boolean whole) {
            return whole || piece.byteSize() <= COPIED_MAX || !ProtectionDomain.canRegister(piece);
        }

        private static long copied(List<MemorySegment> pieces, boolean whole) {
            long bytes = 0;
            for (var piece : pieces) {
                bytes += isCopied(piece, whole) ? piece.byteSize() : 0;
            }
            return bytes;
        }

        /** Returns the most elements that the segments need after a header. */
        private static int elements(List<MemorySegment> pieces) {
            int count = 0;
            boolean inRun = true;
            for (var piece : pieces) {
                boolean copied = isCopied(piece, false);
                count += copied && inRun ? 0 : 1;
                inRun = copied;
            }
            return count;
        }

        /** Frees the memory after the end of the work. */
        void close() {
            leases.forEach(SegmentPool.Lease::close);
            regions.forEach(MemoryRegion::close);
        }
    }
}
