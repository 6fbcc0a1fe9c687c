package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;

/**
 * A call without an answer: answered by the reader of the connection, or abandoned by its caller.
 * The second of the two finds out, so the memory of a reply has one owner. Thread-safe.
 */
interface PendingReply {
    /** How the wait ends. */
    sealed interface Answer {
        /** The reply came; the memory is the caller's. */
        record Arrived(ReceivedRecord received) implements Answer {}

        /** There will be none. */
        record Lost(String reason) implements Answer {}
    }

    /** Returns whether the caller takes it; if not, its memory is still the giver's. */
    boolean answer(Answer given);

    /** Takes no answer any more; gives back the memory of one that came meanwhile. */
    void abandon();
}
