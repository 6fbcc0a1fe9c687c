package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;
import java.util.OptionalLong;

/**
 * A chunk of a call, and the RDMA operations that moved it.
 *
 * @param position the Position of a Read chunk; 0 for other chunks, and for a long message
 * @param segments the offered segments
 * @param returned how many bytes the reply reports as written; empty for Read chunks, and without a
 *     reply
 * @param transfers the RDMA operations that moved it, in the order in which they started
 */
public record ChunkReport(
        Kind kind,
        long position,
        List<Segment> segments,
        OptionalLong returned,
        List<Transfer> transfers) {
    /** The purpose of a chunk (RFC 8166, Section 3.4). */
    public enum Kind {
        READ,
        POSITION_ZERO_READ,
        WRITE,
        REPLY,
        /** A Read chunk of a reply: the requester fetches its results (RFC 5666). */
        REPLY_READ;

        /** Returns whether RDMA Reads move this kind of chunk. */
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
     * @param segment the index of the chunk's segment in which it starts
     * @param bytes how many bytes were moved
     * @param requested how many bytes a Read Request asks for; for a Write, equal to {@code bytes}
     * @param frames how many frames carried the bytes
     * @param first when its first frame was captured: for a Read, the Read Request
     * @param last when its last frame was captured
     * @param complete whether its last segment was captured
     */
    public record Transfer(
            int segment,
            long bytes,
            long requested,
            int frames,
            Instant first,
            Instant last,
            boolean complete) {}

    /** A packet with its time of capture, in nanoseconds since 1970. */
    public record Instant(long packet, long nanos) {}

    /** Returns how many bytes all segments have. */
    public long size() {
        long size = 0;
        for (var segment : segments) {
            size += segment.size();
        }
        return size;
    }

    /** Returns how many bytes were moved. */
    public long moved() {
        long moved = 0;
        for (var transfer : transfers) {
            moved += transfer.bytes();
        }
        return moved;
    }
}
