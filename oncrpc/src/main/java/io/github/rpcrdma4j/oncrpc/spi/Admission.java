package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.function.Consumer;

/** What a server's {@link Authenticator} makes of a call. */
public sealed interface Admission {
    /** The caller is who it says; its program decides about the rest. */
    record Admitted(Credential caller, XdrReader arguments, ReplyProtection protection)
            implements Admission {}

    /** The caller is who it says, but its arguments are not what it sent: GARBAGE_ARGS. */
    record Garbled(ReplyProtection protection) implements Admission {}

    /** The call was for the flavor itself, and succeeded. */
    record Answered(RawAuth verifier, Consumer<XdrWriter> results) implements Admission {}

    /**
     * The caller is not let in.
     *
     * @param status {@code auth_stat}
     */
    record Denied(int status) implements Admission {}

    /** The call is not to be answered at all: it may be a replay. */
    record Dropped() implements Admission {}
}
