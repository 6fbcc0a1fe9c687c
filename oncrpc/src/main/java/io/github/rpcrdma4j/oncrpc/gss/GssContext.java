package io.github.rpcrdma4j.oncrpc.gss;

import java.time.Duration;

/**
 * One end of a security context of some mechanism (RFC 2743). One thread at a time takes it through
 * its tokens; once it is established it is thread-safe.
 */
public interface GssContext extends AutoCloseable {
    /**
     * Takes the next token of the other end.
     *
     * @param token empty for the first step of the end that begins
     * @return for the other end; empty if there is nothing to send
     * @throws GssException if there will be no context
     */
    byte[] step(byte[] token) throws GssException;

    /** Whether no further token is wanted. */
    boolean isEstablished();

    /** Who is at the other end, as the mechanism writes it. */
    String peer() throws GssException;

    /**
     * How long the context may be used from now on; not negative. As far as the mechanism knows it
     * that is what is left of the proof of identity that the peer brought. Asked once it is
     * established.
     */
    Duration lifetime();

    /** The longest message integrity code of either end, in bytes. */
    int micMax();

    /** How much longer than its content a wrapped message of either end can be, in bytes. */
    int wrapOverheadMax();

    /** A message integrity code. */
    byte[] mic(byte[] message) throws GssException;

    /**
     * Checks a code that was made by {@link #mic}.
     *
     * @throws GssException if the other end did not make this code for this message
     */
    void verify(byte[] message, byte[] mic) throws GssException;

    /** Encrypts and signs. */
    byte[] wrap(byte[] message) throws GssException;

    /**
     * Takes a message out of what {@link #wrap} made.
     *
     * @throws GssException if the other end did not wrap it, or did not encrypt it
     */
    byte[] unwrap(byte[] wrapped) throws GssException;

    /** Forgets the keys. Closing twice is harmless. */
    @Override
    void close();

    /** Begins contexts with one server. Thread-safe. */
    interface Initiator {
        /**
         * Begins a context.
         *
         * @throws GssException if there is nothing to prove an identity with
         */
        GssContext initiate() throws GssException;
    }

    /** Makes the server's ends of contexts. Thread-safe. */
    interface Acceptor {
        /**
         * Begins to take the context of a caller.
         *
         * @throws GssException if there is nothing to prove an identity with
         */
        GssContext accept() throws GssException;
    }
}
