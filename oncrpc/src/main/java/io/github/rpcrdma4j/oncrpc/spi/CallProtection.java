package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The protection that an authentication flavor gives one call of a client and its reply (RFC 5531,
 * Section 8; RFC 2203, Section 5.3). One thread uses it, for one call, and calls the methods in the
 * order of their declaration, except {@link #sent}. By default a call has a credential and no
 * verifier, nothing is wrapped, and the verifier of the reply is ignored.
 */
public interface CallProtection {
    /**
     * Returns the protection of a flavor that has only a credential: no verifier, and nothing is
     * wrapped.
     *
     * @throws IllegalArgumentException if the credential exceeds the limits of its flavor
     */
    static CallProtection of(Credential credential) {
        var encoded = RawAuth.of(credential);
        return () -> encoded;
    }

    /** Returns the credential of the caller. */
    RawAuth credential();

    /**
     * Returns the verifier of the call header.
     *
     * @param header the bytes of the header from the XID through the credential
     * @throws RpcException if it cannot be made; nothing was sent
     */
    default RawAuth verifier(MemorySegment header) throws RpcException {
        return RawAuth.NONE;
    }

    /**
     * Returns whether arguments and results travel wrapped. If so, none of their items may be
     * placed directly (RFC 8166, Section 8.2.2.3).
     */
    default boolean wrapsData() {
        return false;
    }

    /** Returns the longest body of a reply's verifier, padding included, in bytes. */
    default int replyVerifierMax() {
        return 0;
    }

    /**
     * Returns the longest that results can be on the wire, in bytes.
     *
     * @param resultsMax their length before they are wrapped, in bytes
     */
    default long wrappedMax(long resultsMax) {
        return resultsMax;
    }

    /**
     * Writes the arguments in the form in which they travel.
     *
     * @param pool lends memory for intermediate results
     * @throws RpcException if they cannot be wrapped; nothing was sent
     */
    default void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message)
            throws RpcException {
        arguments.accept(message);
    }

    /** Notes that the call was sent. Any thread calls it, once or again; it must not wait. */
    default void sent() {}

    /**
     * Checks the verifier of an accepted reply.
     *
     * @throws RpcException if the verifier does not prove that the server sent the reply
     */
    default void check(RawAuth verifier) throws RpcException {
        // The server may offer AUTH_SHORT here (RFC 5531, Section 8.2). This client ignores it.
    }

    /**
     * Unwraps the results.
     *
     * @param results positioned after the header of the reply
     * @return a reader at the results; it reads the same memory, or memory of its own
     * @throws RpcException if the results were altered on the way
     */
    default XdrReader unwrap(XdrReader results) throws RpcException {
        return results;
    }

    /**
     * Decodes and checks the header of a reply.
     *
     * @param reply positioned at the start of the reply message
     * @param call the call, for messages
     * @param xid the XID of the call
     * @return a reader at the unwrapped results
     * @throws RpcException if there are no results
     */
    default XdrReader results(XdrReader reply, RpcCall call, int xid) throws RpcException {
        return ReplyHeader.requireSuccess(reply, call, xid, this);
    }
}
