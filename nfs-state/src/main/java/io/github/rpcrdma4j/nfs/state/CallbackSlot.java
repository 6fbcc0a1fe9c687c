package io.github.rpcrdma4j.nfs.state;

/**
 * The answer when the server wants to call a client back: a slot of its back channel, or why there
 * is none now (RFC 8881, Section 2.10.6.1).
 */
public sealed interface CallbackSlot {
    /** A slot for the call, which the caller gives back. */
    record Taken(Callback callback) implements CallbackSlot {}

    /** All slots are in use, or are kept for other calls. One is free later. */
    record Busy() implements CallbackSlot {}

    /** The client has no session with a connection for calls of the server. */
    record NoChannel() implements CallbackSlot {}
}
