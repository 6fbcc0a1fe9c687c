package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.ChunkReport.Transfer;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * A chunk of a tracked call, and its transfers. Not thread-safe.
 *
 * <p>Tests: {@code ConnectionsTest}, {@code CapturesTest}.
 */
final class TrackedChunk {
    /**
     * The most bytes kept from the start of a long message, until it is decoded: those of a READDIR
     * or of signed data of 1 MiB, and more.
     */
    private static final int KEPT_MAX = 1 << 21;

    private static final int TRANSFERS_MAX = 1 << 16;

    /** An RDMA operation on the chunk; {@code next} is the offset of its next bytes. */
    static final class OpenTransfer {
        private final TrackedChunk chunk;
        private final int segment;
        private final long requested;
        private final Instant first;
        private long next;
        private long bytes;
        private int frames;
        private Instant last;
        private boolean complete;

        private OpenTransfer(
                TrackedChunk chunk, int segment, long next, long requested, Instant first) {
            this.chunk = chunk;
            this.segment = segment;
            this.next = next;
            this.requested = requested;
            this.first = first;
            this.last = first;
        }

        /** Returns the offset of the next bytes in the memory of the segment. */
        long next() {
            return next;
        }

        boolean isWhole() {
            return complete && bytes == requested;
        }

        /** Adds the bytes of one frame. */
        void add(ByteBuffer payload, boolean isLast, Instant at) {
            chunk.keep(segment, next, payload);
            next += payload.remaining();
            bytes += payload.remaining();
            frames++;
            last = at;
            complete |= isLast;
        }

        private Transfer report() {
            long wanted = requested < 0 ? bytes : requested;
            return new Transfer(segment, bytes, wanted, frames, first, last, complete);
        }
    }

    private final Kind kind;
    private final long position;
    private final List<Segment> segments;
    private final List<OpenTransfer> transfers = new ArrayList<>();
    private OptionalLong returned = OptionalLong.empty();
    private byte[] kept = new byte[0];
    private long keptContiguous;

    TrackedChunk(Kind kind, long position, List<Segment> segments) {
        this.kind = kind;
        this.position = position;
        this.segments = segments;
    }

    Kind kind() {
        return kind;
    }

    List<Segment> segments() {
        return segments;
    }

    /** Starts an RDMA Read. */
    OpenTransfer read(int segment, long offset, long requested, Instant at) {
        return start(new OpenTransfer(this, segment, offset, requested, at));
    }

    /** Starts an RDMA Write. */
    OpenTransfer write(int segment, long offset, Instant at) {
        return start(new OpenTransfer(this, segment, offset, -1, at));
    }

    private OpenTransfer start(OpenTransfer transfer) {
        if (transfers.size() < TRANSFERS_MAX) {
            transfers.add(transfer);
        }
        return transfer;
    }

    void returned(long bytes) {
        returned = OptionalLong.of(bytes);
    }

    /** Returns how many bytes were moved. */
    long moved() {
        return transfers.stream().mapToLong(each -> each.bytes).sum();
    }

    boolean isEveryTransferWhole() {
        return transfers.stream().allMatch(OpenTransfer::isWhole);
    }

    long size() {
        return segments.stream().mapToLong(Segment::size).sum();
    }

    /**
     * Returns the kept bytes of the message, from its start up to the first gap, and forgets them.
     */
    byte[] takeKept() {
        byte[] taken = Arrays.copyOf(kept, (int) keptContiguous);
        kept = new byte[0];
        keptContiguous = 0;
        return taken;
    }

    private void keep(int segment, long offset, ByteBuffer payload) {
        boolean isMessage =
                switch (kind) {
                    case POSITION_ZERO_READ, REPLY -> true;
                    case REPLY_READ -> position == 0;
                    case READ, WRITE -> false;
                };
        if (!isMessage) {
            return;
        }
        long at = offset - segments.get(segment).offset();
        for (int i = 0; i < segment; i++) {
            at += segments.get(i).size();
        }
        // Bytes after a gap are of no use, because decoding starts at the first byte.
        if (at != keptContiguous || at >= KEPT_MAX) {
            return;
        }
        int count = (int) Math.min(payload.remaining(), KEPT_MAX - at);
        if (kept.length < at + count) {
            kept = Arrays.copyOf(kept, (int) Math.min(KEPT_MAX, 2 * (at + count)));
        }
        payload.get(payload.position(), kept, (int) at, count);
        keptContiguous = at + count;
    }

    ChunkReport report() {
        return new ChunkReport(
                kind,
                position,
                segments,
                returned,
                transfers.stream().map(OpenTransfer::report).toList());
    }
}
