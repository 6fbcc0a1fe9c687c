package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.xdr.XdrException;

/** Answers the COMPOUNDs of one server. Thread-safe. */
interface Lying {
    /** Answers a COMPOUND. */
    Told tell(Asked asked) throws XdrException, InterruptedException;
}
