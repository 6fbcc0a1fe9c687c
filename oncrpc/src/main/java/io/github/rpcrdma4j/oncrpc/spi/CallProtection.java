package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * What an authentication flavor does to one call of a client and to its reply (RFC 5531, Section 8;
 * RFC 2203, Section 5.3). Used by one thread, for one call, in the order of the methods. By default
 * nothing vouches for a call but its credential, nothing is wrapped, and the verifier of the reply
 * is not looked at.
 */
public interface CallProtection {
    /**
     * A flavor whose credential says all: no verifier, and nothing is wrapped.
     *
     * @throws IllegalArgumentException if the credential exceeds the limits of its flavor
     */
    static CallProtection of(Credential credential) {
        var encoded = RawAuth.of(credential);
        return () -> encoded;
    }

    /** Who makes the call. */
    RawAuth credential();

    /**
     * What vouches for the header.
     *
     * @param header from the XID through the credential
     * @throws RpcException if it cannot be made; nothing was sent
     */
    default RawAuth verifier(MemorySegment header) throws RpcException {
        return RawAuth.NONE;
    }

    /**
     * Whether arguments and results travel wrapped: then none of their items may be placed directly
     * (RFC 8166, Section 8.2.2.3).
     */
    default boolean wrapsData() {
        return false;
    }

    /** The longest body of a reply's verifier, padding included, in bytes. */
    default int replyVerifierMax() {
        return 0;
    }

    /**
     * How long results can get on the wire.
     *
     * @param resultsMax their length before they are wrapped, in bytes
     */
    default long wrappedMax(long resultsMax) {
        return resultsMax;
    }

    /**
     * Writes the arguments as they travel.
     *
     * @param pool for what is needed on the way
     * @throws RpcException if they cannot be wrapped; nothing was sent
     */
    default void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message)
            throws RpcException {
        arguments.accept(message);
    }

    /**
     * Checks the verifier of an accepted reply.
     *
     * @throws RpcException if the reply is not the server's
     */
    default void check(RawAuth verifier) throws RpcException {
        // AUTH_SHORT may be offered here (RFC 5531, Section 8.2), and is not taken up.
    }

    /**
     * Takes the results out of what they travelled in.
     *
     * @param results stands behind the header of the reply
     * @return stands at the results; views of the same memory, or of memory of its own
     * @throws RpcException if they are not what the server sent
     */
    default XdrReader unwrap(XdrReader results) throws RpcException {
        return results;
    }
}
