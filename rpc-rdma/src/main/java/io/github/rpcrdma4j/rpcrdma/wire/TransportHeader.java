package io.github.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

/** A transport header, of whatever version, that is about to be sent. */
public interface TransportHeader {
    /** How many bytes {@link #encode} writes. */
    int encodedLength();

    /**
     * Writes it to the start of {@code target}.
     *
     * @return how many bytes it took
     * @throws IndexOutOfBoundsException if they do not fit
     */
    int encode(MemorySegment target);
}
