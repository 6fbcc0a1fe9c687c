package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;

/**
 * A call that carries a token of a context that is not there yet (RFC 2203, Section 5.2). The
 * verifier of its reply is kept: whether it is good can be told when the token was taken.
 */
final class GssInitProtection implements CallProtection {
    private final GssCredential credential;
    private RawAuth replyVerifier = RawAuth.NONE;

    GssInitProtection(GssCredential credential) {
        this.credential = credential;
    }

    /** What came with the reply; views that live as long as it. */
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
