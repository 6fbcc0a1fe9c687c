package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Layouts.Element;
import io.github.rpcrdma4j.rdmacore.library.Layouts.Send;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.Completion.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The work of a send queue, in order: posted to the adapter, or waiting for room there.
 *
 * <p>Every piece has a number, which the adapter returns in its completion. {@link PostedPieces}
 * says which pieces that completes. Guarded by the queue pair.
 *
 * <p>Tests: {@code SiwContract}, {@code RxeContract}.
 */
final class SendQueue {
    private static final int BATCH = 16;

    private final Device device;
    private final AdapterDomain domain;

    /** The most pieces that the adapter's queue holds. */
    final int depth;

    /** All work that is not complete, in order. */
    private final Queue<SendWork> works = new ArrayDeque<>();

    /** The work of which not all pieces are posted, in order. */
    private final Queue<SendWork> waiting = new ArrayDeque<>();

    private final PostedPieces pieces;
    private final MemorySegment memory;
    private final long requests;
    private final long elements;
    private final long bad;

    /** The work of the caller that is not complete. */
    private int size;

    private int unfinishedReads;

    /** Whether the adapter did not end a registration of work: peers may still write there. */
    private boolean hasRefusal;

    /** The number after that of the last posted piece. */
    private long posted;

    /** The number after that of the last piece of ended work. */
    private long ended;

    /** Receives the ends of work. */
    interface Ended {
        void ended(SendWork work, Status status);
    }

    SendQueue(AdapterDomain domain, int depth) {
        this.device = domain.device;
        this.domain = domain;
        this.depth = depth;
        // siw (Linux 6.12) copies only the bytes of a request with a completion. TCP takes the
        // others from their pages, even after a later request is complete.
        pieces = new PostedPieces(depth, device.isSiw);
        long each = Send.SIZE + device.gatherMax * Element.SIZE;
        memory = Arena.ofAuto().allocate(BATCH * each + Long.BYTES, Long.BYTES);
        requests = memory.address();
        elements = requests + BATCH * Send.SIZE;
        bad = requests + BATCH * each;
    }

    /** Returns the number of the caller's requests that are not complete. */
    int size() {
        return size;
    }

    boolean isEmpty() {
        return works.isEmpty();
    }

    boolean hasRefusal() {
        return hasRefusal;
    }

    boolean hasUnfinishedRead() {
        return unfinishedReads > 0;
    }

    /**
     * Adds work, which {@link #post} posts.
     *
     * @throws IllegalStateException if the memory for it cannot be registered; nothing is added
     * @throws IllegalArgumentException if a region has ended; nothing is added
     */
    void add(List<SendWork> added) {
        try {
            for (var work : added) {
                work.prepare(domain, device.gatherMax);
            }
        } catch (RuntimeException | Error refused) {
            added.forEach(SendWork::release);
            throw refused;
        }
        for (var work : added) {
            works.add(work);
            waiting.add(work);
            size += work.isBinding() ? 0 : 1;
            unfinishedReads += work.isRead() ? 1 : 0;
        }
    }

    /** Posts as many pieces as the adapter has room for. Returns 0 or an error number. */
    int post(long qp) {
        while (!waiting.isEmpty() && pieces.hasRoom()) {
            int count = 0;
            while (count < BATCH && !waiting.isEmpty() && pieces.hasRoom()) {
                count += write(waiting.element(), count) ? 1 : 0;
            }
            int error =
                    count == 0
                            ? 0
                            : Verbs.postSends(device.postSend, qp, requests, bad, device.isSoft);
            if (error != 0) {
                return error;
            }
        }
        return 0;
    }

    /** Writes the next piece of work. Returns whether there was one. */
    private boolean write(SendWork work, int index) {
        if (work.isBinding() && !work.window.isValid()) {
            // The window ended before the adapter knew of it.
            waiting.remove();
            works.remove(work);
            return false;
        }
        long at = requests + index * Send.SIZE;
        Memory.clear(at, Send.SIZE);
        boolean isLast =
                work.write(
                        at,
                        elements + index * device.gatherMax * Element.SIZE,
                        device.gatherMax,
                        device.messageMax);
        if (work.isBinding()) {
            work.window.isHandedOver = true;
        }
        long piece = pieces.add(work.isRead());
        Memory.int64(at + Send.WR_ID, piece);
        posted = piece + 1;
        if (pieces.signalLast(isLast && work.needsCompletion())) {
            Memory.int32(at + Send.SEND_FLAGS, Verbs.SEND_SIGNALED);
        }
        if (index > 0) {
            Memory.int64(at - Send.SIZE + Send.NEXT, at);
        }
        if (isLast) {
            waitNoLonger(work);
        }
        return true;
    }

    private void waitNoLonger(SendWork work) {
        work.isPosted = true;
        work.lastPiece = posted - 1;
        waiting.remove();
    }

    /** Ends the work that a successful completion completes. */
    void succeeded(long piece, Ended receiver) {
        endBefore(pieces.complete(piece), Status.SUCCESS, receiver);
    }

    /**
     * Ends the work of a failed piece, and all earlier work: as flushed if the adapter has not
     * completed it.
     */
    void failed(long piece, Status status, Ended receiver) {
        if (piece < ended) {
            return;
        }
        endBefore(pieces.fail(piece), Status.SUCCESS, receiver);
        endBefore(piece, Status.FLUSHED, receiver);
        if (!works.isEmpty()) {
            waiting.remove(works.element());
            end(status, receiver);
            ended = Math.max(ended, piece + 1);
        }
    }

    /** Ends the work whose pieces are all before a piece. */
    private void endBefore(long piece, Status status, Ended receiver) {
        while (!works.isEmpty() && works.element().isPosted && works.element().lastPiece < piece) {
            end(status, receiver);
        }
    }

    /** Ends all work as flushed. */
    void flush(Ended receiver) {
        waiting.clear();
        while (!works.isEmpty()) {
            end(Status.FLUSHED, receiver);
        }
    }

    private void end(Status status, Ended receiver) {
        var work = works.remove();
        size -= work.isBinding() ? 0 : 1;
        unfinishedReads -= work.isRead() ? 1 : 0;
        ended = Math.max(ended, work.lastPiece + 1);
        hasRefusal |= !work.release();
        receiver.ended(work, status);
    }
}
