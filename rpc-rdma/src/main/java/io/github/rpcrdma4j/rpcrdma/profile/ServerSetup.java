package io.github.rpcrdma4j.rpcrdma.profile;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import java.util.Set;

/** One connection of a server, for its profile. */
public interface ServerSetup {
    Settings settings();

    /** Guarded by the lock of the connection, as the responder is. */
    Endpoint endpoint();

    /** There from {@link ServerProfile#begin} on. */
    Responder responder();

    Statistics statistics();

    /** The time by the clock of the connection, in nanoseconds of any origin. */
    long nanoTime();

    /** Of calls back to the client. */
    Statistics reverseStatistics();

    /** What was agreed on when the connection was established. */
    Terms initial();

    /** The flavors that the programs of the server take. */
    Set<SecurityFlavor> flavors();

    /** Whether a call back to the client has that XID. */
    boolean callsWith(int xid);

    /** Does something with the lock of the connection. */
    void locked(Runnable work);

    /** What holds from now on, in both directions; the lock of the connection is held. */
    void agree(Terms terms);
}
