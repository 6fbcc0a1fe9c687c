package io.github.rpcrdma4j.nfs.state;

/** What the server finds that wants to call a client in a session. */
public sealed interface CallbackSlot {
    /** A slot for the call, which the caller gives back. */
    record Taken(Callback callback) implements CallbackSlot {}

    /** All slots are in use, or are kept for other calls. One is free later. */
    record Busy() implements CallbackSlot {}

    /** The client has no session with a connection for calls of the server. */
    record NoChannel() implements CallbackSlot {}
}
