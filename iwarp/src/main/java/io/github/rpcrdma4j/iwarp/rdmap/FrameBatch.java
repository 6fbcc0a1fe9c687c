package io.github.rpcrdma4j.iwarp.rdmap;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool.Scratch;
import io.github.rpcrdma4j.verbs.software.SoftwareWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Frames that leave with one gathering write. Headers and trailers lie in one small buffer; payload
 * stays where it is. Short payload is copied when that is cheaper than another buffer in the write.
 * Guarded by the send lock of its queue pair.
 *
 * <p>Tests: {@code OutboundTest}.
 */
final class FrameBatch {
    /** The most buffers of one write. */
    private static final int VECTORS_MAX = 64;

    /**
     * The most ULPDU bytes of one write: nine of the longest frames. With fewer, the peer wakes for
     * too little. With more, the bytes have left the cache when the kernel copies them (ADR 16).
     * Each frame of a batch needs a view of its own.
     */
    private static final long BYTES_MAX = 9L * Fpdu.ULPDU_MAX;

    /** The longest payload that is copied, in bytes. */
    private static final int SHORT_PAYLOAD = 1024;

    private static final int OVERHEAD_MAX =
            Fpdu.LENGTH_BYTES + DdpSegment.UNTAGGED_BYTES + Fpdu.TRAILER_MAX;

    private final boolean crcs;
    private final int ulpduMax;
    private final CRC32C crc = new CRC32C();
    private final ScratchPool pool;
    private final ByteBuffer[] vectors = new ByteBuffer[VECTORS_MAX + 2];
    private final List<SendElement> finished = new ArrayList<>();

    /** The windows whose bytes are in {@link #vectors}, in that order. */
    private final List<SoftwareWindow> sources = new ArrayList<>();

    /** For each of {@link #sources}, the index of the first vector behind its bytes. */
    private final int[] sourceEnds = new int[VECTORS_MAX];

    /** Headers, trailers and short payload; null while the batch is empty. */
    private Scratch scratch;

    private ByteBuffer copied;

    /** Null until the first payload that is not copied. */
    private PayloadViews views;

    private int vectorCount;
    private int nextVector;
    private int runCount;
    private int runStart;
    private long bytes;
    private long bytesWritten;
    private boolean midMessage;

    FrameBatch(boolean crcs, int ulpduMax, ScratchPool pool) {
        this.pool = pool;
        this.crcs = crcs;
        this.ulpduMax = ulpduMax;
    }

    /** Returns whether there is something to write. */
    boolean isPending() {
        return nextVector < vectorCount;
    }

    /** Returns whether another frame may be added. */
    boolean hasRoom() {
        return vectorCount + 2 < VECTORS_MAX
                && bytes < BYTES_MAX
                && (copied == null || copied.remaining() >= OVERHEAD_MAX + SHORT_PAYLOAD);
    }

    /**
     * Adds the next frame of a message.
     *
     * @return whether it was the last frame of the message
     * @throws SourceInvalidatedException if the memory of the message was invalidated
     */
    boolean add(SendElement element, int sequence) throws SourceInvalidatedException {
        var source = element.source();
        if (source == null) {
            return addFrame(element, sequence);
        }
        if (!source.acquire()) {
            throw new SourceInvalidatedException(source.handle());
        }
        try {
            return addFrame(element, sequence);
        } finally {
            source.release();
        }
    }

    private boolean addFrame(SendElement element, int sequence) {
        boolean readRequest = element.kind() == SendElement.Kind.READ_REQUEST;
        int headerBytes = element.isTagged() ? DdpSegment.TAGGED_BYTES : DdpSegment.UNTAGGED_BYTES;
        int payload = readRequest ? ReadRequest.BYTES : payload(element, ulpduMax - headerBytes);
        // A Read Request is never segmented (RFC 5040-5.2.1-1). Of other messages only the last
        // segment has the Last flag (RFC 5041-5.2-1).
        boolean last = readRequest || payload == element.left();
        if (scratch == null) {
            scratch = pool.take();
            copied = scratch.bytes();
        }
        int start = copied.position();
        copied.putShort((short) (headerBytes + payload));
        element.encodeHeader(sequence, last, copied);
        crc.reset();
        if (readRequest) {
            element.readRequest().encode(copied);
        } else if (payload <= SHORT_PAYLOAD) {
            for (int left = payload; left > 0; ) {
                int count = element.copyNext(scratch.memory(), copied.position(), left);
                copied.position(copied.position() + count);
                left -= count;
            }
        } else {
            checksum(start);
            start = -1;
            addPayload(element, payload);
        }
        trailer(start, headerBytes + payload);
        bytes += headerBytes + payload;
        midMessage = !last;
        if (last) {
            finished.add(element);
        }
        return last;
    }

    /**
     * Returns how much payload the next frame takes. If the payload lies in many small buffers, the
     * frame takes no more of them than the write has room for, or copies them.
     */
    private int payload(SendElement element, int max) {
        if (element.left() <= SHORT_PAYLOAD) {
            return (int) Math.min(element.left(), max);
        }
        // One buffer is reserved for the headers before the payload, one for the trailer after it.
        long inPieces = element.inPieces(VECTORS_MAX - 2 - vectorCount);
        return (int) Math.min(Math.max(inPieces, SHORT_PAYLOAD), Math.min(element.left(), max));
    }

    private void addPayload(SendElement element, int payload) {
        endRun();
        if (views == null) {
            views = new PayloadViews();
        }
        for (int left = payload; left > 0; ) {
            var piece = element.next(left, views);
            left -= piece.remaining();
            if (crcs) {
                int from = piece.position();
                crc.update(piece);
                piece.position(from);
            }
            vectors[vectorCount++] = piece;
        }
        runStart = copied.position();
        if (element.source() != null) {
            sourceEnds[sources.size()] = vectorCount;
            sources.add(element.source());
        }
    }

    private void checksum(int start) {
        if (crcs) {
            crc.update(scratch.view().limit(copied.position()).position(start));
        }
    }

    /**
     * Appends padding and CRC.
     *
     * @param start where the bytes start that the CRC does not cover yet; -1 if it covers all
     */
    private void trailer(int start, int ulpduLength) {
        int from = start < 0 ? copied.position() : start;
        for (int i = Fpdu.padding(ulpduLength); i > 0; i--) {
            copied.put((byte) 0);
        }
        checksum(from);
        int value = crcs ? (int) crc.getValue() : 0;
        copied.order(ByteOrder.LITTLE_ENDIAN).putInt(value).order(ByteOrder.BIG_ENDIAN);
    }

    private void endRun() {
        if (copied != null && copied.position() > runStart) {
            var run = scratch.run(runCount++);
            vectors[vectorCount++] = run.limit(copied.position()).position(runStart);
            runStart = copied.position();
        }
    }

    /** Ends the batch, so that it can be written. */
    void seal() {
        endRun();
    }

    /**
     * Writes as much as the socket accepts. A window may be invalidated as soon as its bytes are
     * written, although other bytes of the batch are not: the peer can have them all by then.
     *
     * @return whether the whole batch is written
     * @throws SourceInvalidatedException if memory of unwritten bytes was invalidated
     * @throws IOException if the connection is lost
     */
    boolean write(GatheringByteChannel channel) throws IOException {
        int first = 0;
        while (first < sources.size() && sourceEnds[first] <= nextVector) {
            first++;
        }
        int acquired = first;
        try {
            while (acquired < sources.size()) {
                if (!sources.get(acquired).acquire()) {
                    throw new SourceInvalidatedException(sources.get(acquired).handle());
                }
                acquired++;
            }
            bytesWritten +=
                    vectorCount - nextVector == 1
                            ? channel.write(vectors[nextVector])
                            : channel.write(vectors, nextVector, vectorCount - nextVector);
        } finally {
            for (int i = first; i < acquired; i++) {
                sources.get(i).release();
            }
        }
        while (nextVector < vectorCount && !vectors[nextVector].hasRemaining()) {
            vectors[nextVector++] = null;
        }
        return !isPending();
    }

    /** Returns how many bytes of all batches the socket has accepted. */
    long bytesWritten() {
        return bytesWritten;
    }

    /** Returns the messages whose last frame is in this batch. */
    List<SendElement> finished() {
        return finished;
    }

    /** Empties the batch for the next frames. */
    void clear() {
        if (scratch != null) {
            pool.giveBack(scratch);
            scratch = null;
            copied = null;
        }
        if (views != null) {
            views.batchWritten(midMessage);
        }
        finished.clear();
        sources.clear();
        vectorCount = 0;
        nextVector = 0;
        runCount = 0;
        runStart = 0;
        bytes = 0;
    }
}
