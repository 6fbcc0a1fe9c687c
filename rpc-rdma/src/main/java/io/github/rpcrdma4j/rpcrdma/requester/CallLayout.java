package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.wire.PlainMessages;

/**
 * Lays out calls on the threads that make them, before anything is locked or opened. Thread-safe.
 */
public interface CallLayout {
    /** Which calls without chunks are short calls, and are not laid out. */
    PlainMessages plain();

    /**
     * Lays out a call.
     *
     * @throws IllegalArgumentException if the call cannot be laid out
     */
    OfferingCall lay(EncodedCall encoded);
}
