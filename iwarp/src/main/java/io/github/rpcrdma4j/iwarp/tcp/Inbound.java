package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.ddp.DdpSegment;
import io.github.rpcrdma4j.iwarp.ddp.PlacementTarget;
import io.github.rpcrdma4j.iwarp.mpa.Fpdu;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool;
import io.github.rpcrdma4j.iwarp.mpa.ScratchPool.Scratch;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.Outcome;
import io.github.rpcrdma4j.iwarp.rdmap.Placement;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ScatteringByteChannel;
import java.util.zip.CRC32C;

/**
 * The receiving half of a connection. It cuts the stream into frames, independently of TCP segments
 * (RFC 5044-5.2-1), and {@link Placement} decides where their payload goes.
 *
 * <p>While it expects a frame's payload, it reads the socket directly into the target memory. With
 * that system call it also reads the following bytes into a small staging buffer. Between messages
 * the staging buffer takes all available bytes, so that one system call reads many short frames. If
 * they include the start of a long payload, that part is copied; it is at most as long as the
 * staging buffer.
 *
 * <p>Guarded by the receive lock of its queue pair.
 */
final class Inbound {
    private static final int STAGING_BYTES = 16 << 10;

    /** The most bytes to read before other connections get their turn. */
    static final long TURN_BYTES = 4 << 20;

    /**
     * What a read counts at least, in bytes: a system call costs as much as the copy of so many. A
     * peer that sends the shortest frames would have a turn of many thousand calls.
     */
    static final int READ_BYTES = STAGING_BYTES;

    private enum Stage {
        HEADER,
        PAYLOAD,
        TRAILER
    }

    private static final Outcome NOTHING = new Outcome.Nothing();
    private static final Outcome MORE = new Outcome.More();

    private final Placement placement;
    private final boolean crcs;
    private final CRC32C crc = new CRC32C();

    private final ScratchPool pool;

    /** The staging memory; null while it holds no bytes between turns. */
    private Scratch scratch;

    /** The staging buffer in read mode: unconsumed bytes lie between position and limit. */
    private ByteBuffer staging;

    private final ByteBuffer[] scatter = new ByteBuffer[2];
    private Stage stage = Stage.HEADER;
    private int ulpduLength;

    /** How many bytes of RDMA Reads of this side are placed. */
    private long bytesRead;

    private final PlacementTarget target;

    Inbound(Placement placement, boolean crcs, ScratchPool pool) {
        this.pool = pool;
        this.placement = placement;
        this.target = placement.target();
        this.crcs = crcs;
    }

    /**
     * Returns whether the received bytes end in the middle of a message, so that more must follow.
     */
    boolean isMidMessage() {
        return stage != Stage.HEADER || scratch != null || !placement.isLast();
    }

    /** Returns how many bytes of RDMA Reads of this side have arrived and are placed. */
    long bytesRead() {
        return bytesRead;
    }

    /**
     * Reads and places the bytes that have arrived.
     *
     * @param turnBytes the most bytes, with at least {@link #READ_BYTES} for each read; at least
     *     one read
     */
    Outcome read(ScatteringByteChannel channel, long turnBytes) throws IOException {
        if (scratch == null) {
            scratch = pool.take();
            staging = scratch.bytes().limit(0);
            scatter[1] = staging;
        }
        try {
            return readAll(channel, turnBytes);
        } finally {
            if (!staging.hasRemaining()) {
                pool.giveBack(scratch);
                scratch = null;
            }
        }
    }

    private Outcome readAll(ScatteringByteChannel channel, long turnBytes) throws IOException {
        for (long bytes = 0; bytes < turnBytes; ) {
            long room;
            long count;
            if (stage == Stage.PAYLOAD) {
                staging.clear().limit(stagingLimit());
                room = (long) target.left() + staging.remaining();
                count = readPayload(channel);
                staging.flip();
                if (count == TARGET_INVALIDATED) {
                    return placement.targetInvalidated();
                }
            } else {
                staging.compact().limit(Math.max(staging.position() + 1, stagingLimit()));
                room = staging.remaining();
                count = channel.read(staging);
                staging.flip();
            }
            if (count < 0) {
                return new Outcome.Closed(stage == Stage.HEADER && !staging.hasRemaining());
            }
            if (count == 0 && bytes == 0) {
                return NOTHING;
            }
            bytes += Math.max(count, READ_BYTES);
            var outcome = consume();
            if (outcome != MORE || count < room) {
                return outcome;
            }
        }
        return MORE;
    }

    private static final long TARGET_INVALIDATED = -2;

    private long readPayload(ScatteringByteChannel channel) throws IOException {
        if (!placement.enter()) {
            return TARGET_INVALIDATED;
        }
        try {
            var into = target.room();
            int from = into.position();
            scatter[0] = into;
            long count = channel.read(scatter);
            target.filled(into.position() - from);
            placed(into.position() - from);
            checksum(into, from, into.position());
            return count;
        } finally {
            placement.exit();
        }
    }

    /**
     * Returns how much to read into the staging buffer. In the middle of a message it is no more
     * than the next header, because payload follows that.
     */
    private int stagingLimit() {
        if (placement.isLast()) {
            return STAGING_BYTES;
        }
        int header = Fpdu.LENGTH_BYTES + placement.headerBytes();
        return stage == Stage.HEADER ? header : Fpdu.trailer(ulpduLength) + header;
    }

    private Outcome consume() {
        while (true) {
            var outcome =
                    switch (stage) {
                        case HEADER -> header();
                        case PAYLOAD -> payload();
                        case TRAILER -> trailer();
                    };
            if (outcome == null) {
                return MORE;
            }
            if (outcome != MORE) {
                return outcome;
            }
        }
    }

    /**
     * Each of these methods returns MORE after a step, null if bytes are missing, or the end of the
     * connection.
     */
    private Outcome header() {
        int start = staging.position();
        if (staging.remaining() < Fpdu.LENGTH_BYTES + DdpSegment.CONTROL_BYTES) {
            return null;
        }
        int length = staging.getShort(start) & 0xffff;
        int headerBytes =
                DdpSegment.headerBytes(DdpSegment.control(staging, start + Fpdu.LENGTH_BYTES));
        // RFC 5044-8-1.
        if (length < headerBytes) {
            return new Outcome.Broken(Fault.FRAMING, null);
        }
        if (staging.remaining() < Fpdu.LENGTH_BYTES + headerBytes) {
            return null;
        }
        staging.position(start + Fpdu.LENGTH_BYTES);
        var fault = placement.begin(staging, length - headerBytes);
        if (fault != null) {
            return new Outcome.Broken(
                    fault, new Terminate.Offender(length, placement.header(), null));
        }
        crc.reset();
        checksum(staging, start, staging.position());
        ulpduLength = length;
        stage = target.left() > 0 ? Stage.PAYLOAD : Stage.TRAILER;
        return MORE;
    }

    private Outcome payload() {
        if (target.left() == 0) {
            return toTrailer();
        }
        if (!staging.hasRemaining()) {
            return null;
        }
        if (!placement.enter()) {
            return placement.targetInvalidated();
        }
        try {
            int count = Math.min(staging.remaining(), target.left());
            checksum(staging, staging.position(), staging.position() + count);
            target.put(scratch.memory(), staging.position(), count);
            placed(count);
            staging.position(staging.position() + count);
        } finally {
            placement.exit();
        }
        return MORE;
    }

    private void placed(int count) {
        if (placement.isReadResponse()) {
            bytesRead += count;
        }
    }

    private Outcome toTrailer() {
        stage = Stage.TRAILER;
        return MORE;
    }

    private Outcome trailer() {
        int padding = Fpdu.padding(ulpduLength);
        if (staging.remaining() < padding + Fpdu.CRC_BYTES) {
            return null;
        }
        int start = staging.position();
        // RFC 5044-4.1-3.
        checksum(staging, start, start + padding);
        staging.position(start + padding);
        int sent = staging.order(ByteOrder.LITTLE_ENDIAN).getInt();
        staging.order(ByteOrder.BIG_ENDIAN);
        // The bytes are placed, but the message is not delivered (RFC 5044-4.4-3), and neither is
        // any later one (RFC 5044-8-2).
        if (crcs && sent != (int) crc.getValue()) {
            return new Outcome.Broken(Fault.CRC, null);
        }
        stage = Stage.HEADER;
        var outcome = placement.end();
        return outcome == null ? MORE : outcome;
    }

    private void checksum(ByteBuffer buffer, int from, int to) {
        if (crcs) {
            int position = buffer.position();
            int limit = buffer.limit();
            buffer.limit(to).position(from);
            crc.update(buffer);
            buffer.limit(limit).position(position);
        }
    }
}
