package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;

/**
 * The protection of a call with a token of a context that is not established yet (RFC 2203, Section
 * 5.2). It keeps the verifier of the reply, which the client can check only after it has processed
 * the token in the reply.
 */
final class GssInitProtection implements CallProtection {
    private final GssCredential credential;
    private RawAuth replyVerifier = RawAuth.NONE;

    GssInitProtection(GssCredential credential) {
        this.credential = credential;
    }

    /** Returns the verifier of the reply. It is valid as long as the reply. */
    RawAuth replyVerifier() {
        return replyVerifier;
    }

    @Override
    public RawAuth credential() {
        return credential.encode();
    }

    @Override
    public int replyVerifierMax() {
        return RawAuth.BODY_MAX;
    }

    @Override
    public void check(RawAuth verifier) {
        replyVerifier = verifier;
    }
}
