package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** AUTH_NONE and AUTH_SYS: verifiers are empty, and those of replies are not looked at. */
record Unprotected(RawAuth credential) implements CallProtection {
    @Override
    public RawAuth verifier(MemorySegment header) {
        return RawAuth.NONE;
    }

    @Override
    public boolean wrapsData() {
        return false;
    }

    @Override
    public int replyVerifierMax() {
        return 0;
    }

    @Override
    public long wrappedMax(long resultsMax) {
        return resultsMax;
    }

    @Override
    public void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message) {
        arguments.accept(message);
    }

    @Override
    public void check(RawAuth verifier) {
        // AUTH_SHORT may be offered here (RFC 5531, Section 8.2), and is not taken up.
    }

    @Override
    public XdrReader unwrap(XdrReader results) {
        return results;
    }
}
