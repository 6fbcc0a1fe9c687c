package io.github.rpcrdma4j.rpcrdma.events;

import java.net.InetSocketAddress;
import jdk.jfr.FlightRecorder;

/**
 * The events of this package, for as far as a recording may want them. Until the first recording of
 * the process begins, no class of an event is used: the first one would make JFR read the
 * descriptions of all events of the JDK, a fifth of the time of a short command. Thread-safe.
 */
public final class Recordings {
    private Recordings() {}

    private static boolean mayRun() {
        return FlightRecorder.isInitialized();
    }

    /** Begins the event of a connection that is being set up; null if no recording wants it. */
    public static ConnectionEvent beginConnection() {
        return mayRun() ? ConnectionEvent.begun() : null;
    }

    /**
     * Records that a connection has ended, if a recording wants that.
     *
     * @param side client or server
     * @param peer the address of the peer
     * @param reason the reason for its end, in words for a user
     */
    public static void connectionEnded(String side, InetSocketAddress peer, String reason) {
        if (mayRun()) {
            ConnectionEndEvent.record(side, peer, reason);
        }
    }

    /** Begins the event of a call; null if no recording wants it. */
    public static CallEvent beginCall() {
        return mayRun() ? CallEvent.begun() : null;
    }

    /** Begins the event of a program that runs a call; null if no recording wants it. */
    public static ExecutionEvent beginExecution() {
        return mayRun() ? ExecutionEvent.begun() : null;
    }

    /** Begins the event of calls that wait for credits; null if no recording wants it. */
    public static CreditStallEvent beginCreditStall() {
        return mayRun() ? CreditStallEvent.begun() : null;
    }

    /**
     * Records a chunk, if a recording wants that.
     *
     * @param side client or server
     * @param peer the address of the peer; empty if it is unknown
     * @param kind the kind of chunk, by the name of its counter
     * @param xid the XID of the call with the chunk
     * @param length the length of the chunk in bytes
     */
    public static void chunk(String side, String peer, String kind, int xid, long length) {
        if (mayRun()) {
            ChunkEvent.record(side, peer, kind, xid, length);
        }
    }
}
