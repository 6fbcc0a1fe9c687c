package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;

/**
 * A call without a reply. The reader of the connection answers it, or its caller abandons it. The
 * second of the two learns that it was second, so the memory of a reply always has exactly one
 * owner. Thread-safe.
 */
interface PendingReply {
    /** The end of the wait: a reply, or the loss of the connection. */
    sealed interface Answer {
        /** The reply arrived. The caller owns its memory. */
        record Arrived(ReceivedRecord received) implements Answer {}

        /** The connection was lost, so no reply will arrive. */
        record Lost(String reason) implements Answer {}

        /** The time of the call is up. */
        record Late() implements Answer {}
    }

    /**
     * Delivers an answer. Returns whether the caller of the RPC takes it; if not, the reader keeps
     * its memory.
     */
    boolean answer(Answer given);

    /** Rejects later answers, and releases the memory of an answer that has already arrived. */
    void abandon();
}
