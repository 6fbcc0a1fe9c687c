package io.github.rpcrdma4j.iwarp.tcp;

import java.nio.ByteBuffer;
import java.nio.channels.ScatteringByteChannel;
import java.util.function.IntSupplier;

/** A stream whose bytes arrive in pieces, as from TCP. Between two pieces a read finds nothing. */
final class Dribble implements ScatteringByteChannel {
    private final byte[] bytes;
    private final IntSupplier pieces;
    private int position;
    private int inPiece;
    private int reads;

    /**
     * Makes a stream.
     *
     * @param pieces the length of each piece; after the end of a piece one read finds nothing
     */
    Dribble(byte[] bytes, IntSupplier pieces) {
        this.bytes = bytes;
        this.pieces = pieces;
    }

    /** Returns whether all bytes were read. */
    boolean isDrained() {
        return position == bytes.length;
    }

    /** Returns how often bytes were asked for. */
    int reads() {
        return reads;
    }

    /** Lets the next piece arrive. */
    void arrive() {
        if (inPiece == 0 && !isDrained()) {
            inPiece = Math.min(pieces.getAsInt(), bytes.length - position);
        }
    }

    @Override
    public int read(ByteBuffer target) {
        reads++;
        if (isDrained()) {
            return -1;
        }
        int count = Math.min(inPiece, target.remaining());
        target.put(bytes, position, count);
        position += count;
        inPiece -= count;
        return count;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        if (isDrained()) {
            return -1;
        }
        long count = 0;
        for (int i = offset; i < offset + length && !isDrained(); i++) {
            count += read(targets[i]);
        }
        return count;
    }

    @Override
    public long read(ByteBuffer[] targets) {
        return read(targets, 0, targets.length);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
