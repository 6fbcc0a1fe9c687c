package io.github.rpcrdma4j.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

/** A transport header of any version, about to be sent. */
public interface TransportHeader {
    /** Returns how many bytes {@link #encode} writes. */
    int encodedLength();

    /**
     * Writes the header to the start of {@code target}.
     *
     * @return how many bytes were written
     * @throws IndexOutOfBoundsException if the header does not fit
     */
    int encode(MemorySegment target);
}
