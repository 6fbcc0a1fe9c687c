package io.github.rpcrdma4j.oncrpc.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;

/** A write of several pieces of memory to a socket, without copying them. */
final class GatheringWrite {
    private final ByteBuffer[] buffers;
    private int first;
    private boolean isBegun;

    GatheringWrite(List<MemorySegment> pieces) {
        buffers = pieces.stream().map(MemorySegment::asByteBuffer).toArray(ByteBuffer[]::new);
    }

    /**
     * Writes as much as the socket accepts.
     *
     * @return whether all bytes are written
     */
    boolean writeTo(SocketChannel channel) throws IOException {
        isBegun |= channel.write(buffers, first, buffers.length - first) > 0;
        while (first < buffers.length && !buffers[first].hasRemaining()) {
            first++;
        }
        return first == buffers.length;
    }

    /** Returns whether some of the bytes are written. */
    boolean isBegun() {
        return isBegun;
    }
}
