package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.function.Consumer;

/** The verdict of a server's {@link Authenticator} on one call. */
public sealed interface Admission {
    /**
     * The caller proved its identity. The called program decides whether this caller may proceed.
     */
    record Admitted(Credential caller, XdrReader arguments, ReplyProtection protection)
            implements Admission {}

    /**
     * The caller proved its identity, but its arguments were altered. The reply is GARBAGE_ARGS.
     */
    record Garbled(ReplyProtection protection) implements Admission {}

    /** The call was a control procedure of the flavor itself, and succeeded. */
    record Answered(RawAuth verifier, Consumer<XdrWriter> results) implements Admission {}

    /**
     * The caller is rejected.
     *
     * @param status {@code auth_stat}
     */
    record Denied(int status) implements Admission {}

    /** The call gets no reply at all, because it may be a replay. */
    record Dropped() implements Admission {}
}
