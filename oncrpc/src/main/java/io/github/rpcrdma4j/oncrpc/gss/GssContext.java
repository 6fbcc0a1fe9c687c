package io.github.rpcrdma4j.oncrpc.gss;

import java.time.Duration;

/**
 * One end of a security context of some mechanism (RFC 2743). Until it is established, one thread
 * at a time may use it. Afterwards it is thread-safe.
 */
public interface GssContext extends AutoCloseable {
    /**
     * Processes the next token of the other end.
     *
     * @param token the token; empty for the first step of the initiator
     * @return the token for the other end; empty if there is nothing to send
     * @throws GssException if the context cannot be established
     */
    byte[] step(byte[] token) throws GssException;

    /** Returns whether the context is complete, so that this end needs no further token. */
    boolean isEstablished();

    /** Returns the name of the other end, in the form of the mechanism. */
    String peer() throws GssException;

    /**
     * Returns the remaining life of the context; not negative. If the mechanism knows it, this is
     * the remaining validity of the peer's proof of identity. Callable once the context is
     * established.
     */
    Duration lifetime();

    /** Returns the length of the longest message integrity code of either end, in bytes. */
    int micMax();

    /**
     * Returns the most bytes by which a wrapped message of either end is longer than its content.
     */
    int wrapOverheadMax();

    /** Returns the message integrity code of a message. */
    byte[] mic(byte[] message) throws GssException;

    /**
     * Checks a message integrity code from {@link #mic} of the other end.
     *
     * @throws GssException if the other end did not make this code for this message
     */
    void verify(byte[] message, byte[] mic) throws GssException;

    /** Encrypts and signs a message. */
    byte[] wrap(byte[] message) throws GssException;

    /**
     * Decrypts and checks a message from {@link #wrap} of the other end.
     *
     * @throws GssException if the other end did not wrap it, or did not encrypt it
     */
    byte[] unwrap(byte[] wrapped) throws GssException;

    /** Destroys the keys. Closing twice is harmless. */
    @Override
    void close();

    /** Begins contexts with one server. Thread-safe. */
    interface Initiator {
        /**
         * Begins a context.
         *
         * @throws GssException if this end has no tickets or keys to prove its identity
         */
        GssContext initiate() throws GssException;
    }

    /** Creates the server's ends of contexts. Thread-safe. */
    interface Acceptor {
        /**
         * Creates the server's end for the context of a caller.
         *
         * @throws GssException if this end has no tickets or keys to prove its identity
         */
        GssContext accept() throws GssException;
    }
}
