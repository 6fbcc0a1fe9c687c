package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.function.Consumer;

/** A server that answers encoded calls. */
interface Results {
    /** Returns the results of a call that must be accepted, in separate memory. */
    XdrReader results(
            int program,
            int version,
            int procedure,
            Credential caller,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException;
}
