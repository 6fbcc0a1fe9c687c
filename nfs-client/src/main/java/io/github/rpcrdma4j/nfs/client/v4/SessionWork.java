package io.github.rpcrdma4j.nfs.client.v4;

/** Work of the keeper of a session. */
sealed interface SessionWork {
    /** It asks about a slot in doubt, or renews the lease, by SEQUENCE alone. */
    record Sequence(SlotTicket ticket) implements SessionWork {}

    /** It makes a session. */
    record Recovery() implements SessionWork {}

    /** It checks which state the server still has. */
    record Check() implements SessionWork {}

    /** It closes what nobody uses. */
    record Tidying() implements SessionWork {}
}
