package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;
import java.util.OptionalLong;

/**
 * A chunk of a call, and how it was moved.
 *
 * @param position of a Read chunk; 0 for others, and for a long message
 * @param segments as they were offered
 * @param returned bytes that the reply says were written; empty for Read chunks, and without reply
 * @param transfers the RDMA operations that moved it, in the order in which they started
 */
public record ChunkReport(
        Kind kind,
        long position,
        List<Segment> segments,
        OptionalLong returned,
        List<Transfer> transfers) {
    /** What a chunk is for (RFC 8166, Section 3.4). */
    public enum Kind {
        READ,
        POSITION_ZERO_READ,
        WRITE,
        REPLY,
        /** Of a reply whose results the caller fetches (RFC 5666). */
        REPLY_READ;

        /** Whether it is moved by RDMA Reads. */
        public boolean isRead() {
            return switch (this) {
                case READ, POSITION_ZERO_READ, REPLY_READ -> true;
                case WRITE, REPLY -> false;
            };
        }
    }

    /**
     * An RDMA Read or an RDMA Write.
     *
     * @param segment which segment of the chunk it starts in
     * @param bytes that were moved
     * @param asked bytes that a Read Request asked for; for a Write the same as {@code bytes}
     * @param frames that the bytes came in
     * @param first when its first frame came: for a Read the Read Request
     * @param last when its last frame came
     * @param complete whether its last segment was seen
     */
    public record Transfer(
            int segment,
            long bytes,
            long asked,
            int frames,
            Instant first,
            Instant last,
            boolean complete) {}

    /** A packet, and when it was captured. */
    public record Instant(long packet, long nanos) {}

    /** Bytes of all segments. */
    public long size() {
        long size = 0;
        for (var segment : segments) {
            size += segment.size();
        }
        return size;
    }

    /** Bytes that were moved. */
    public long moved() {
        long moved = 0;
        for (var transfer : transfers) {
            moved += transfer.bytes();
        }
        return moved;
    }
}
