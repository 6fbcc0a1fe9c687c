package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.ServerSessions.Made;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.time.Duration;

/**
 * Makes the connections of a client, and binds each to the session that there is. Thread-safe.
 *
 * <p>Tests: {@code Nfs4SessionTest}, {@code SeveralConnectionsTest}.
 */
final class SessionConnections implements Connector {
    private final Connector nfs;
    private final int count;
    private final ServerSessions sessions;
    private final SessionSlots slots;
    private final SessionThreads threads;

    /** The newest connections, guarded by this object; null with one connection. */
    private SeveralConnections newest;

    /** Whether a session is made now; guarded by this object. */
    private boolean isMaking = true;

    /**
     * @param nfs connects to the server; its connections carry callbacks if there are any
     * @param count how many connections a session is to have
     */
    SessionConnections(
            Connector nfs,
            int count,
            ServerSessions sessions,
            SessionSlots slots,
            SessionThreads threads) {
        this.nfs = nfs;
        this.count = count;
        this.sessions = sessions;
        this.slots = slots;
        this.threads = threads;
    }

    @Override
    public RpcClient connect() throws RpcException, InterruptedException {
        return ofSession(nfs.connect());
    }

    @Override
    public RpcClient connect(Duration atMost) throws RpcException, InterruptedException {
        return ofSession(nfs.connect(atMost));
    }

    @Override
    public void lost(RpcException why) {
        nfs.lost(why);
    }

    @Override
    public void lossEnded(boolean isConnected) {
        nfs.lossEnded(isConnected);
    }

    private RpcClient ofSession(RpcClient connected) throws RpcException, InterruptedException {
        slots.mayRepeat();
        var live = slots.live();
        if (live != null) {
            bind(connected, live.made());
        }
        return count == 1 ? connected : several(connected, live);
    }

    private void bind(RpcClient connected, Made made) throws RpcException, InterruptedException {
        try {
            sessions.bind(connected, made, true);
        } catch (RpcException lost) {
            connected.close();
            throw lost;
        } catch (IOException _) {
            // The calls find out what is wrong with the session.
        } catch (InterruptedException | RuntimeException failure) {
            connected.close();
            throw failure;
        }
    }

    private synchronized RpcClient several(RpcClient first, SessionSlots.Live live) {
        newest = new SeveralConnections(this, first, count, threads);
        if (live != null && !isMaking) {
            newest.begin(live.made());
        }
        return newest;
    }

    /** Hears that a session is made now. */
    synchronized void beforeSession() {
        isMaking = true;
        if (newest != null) {
            newest.beforeSession();
        }
    }

    /** Begins with a session, to which the connection of CREATE_SESSION is bound. */
    synchronized void begin(Made made) {
        isMaking = false;
        if (newest != null) {
            newest.begin(made);
        }
    }

    /**
     * Binds the connection for callbacks to the session once more.
     *
     * @param client the connections
     */
    void bindAgain(RpcClient client) throws IOException, InterruptedException {
        sessions.bind(first(client), slots.live().made(), true);
    }

    private RpcClient first(RpcClient client) throws RpcException {
        SeveralConnections now;
        synchronized (this) {
            now = newest;
        }
        return now == null ? client : now.first();
    }

    /** Makes one more connection. */
    RpcClient connectOne() throws RpcException, InterruptedException {
        return nfs.connect();
    }

    /** Binds one more connection. Returns whether it carries callbacks. */
    boolean bindOne(RpcClient connected, Made made, boolean withCallbacks)
            throws IOException, InterruptedException {
        return sessions.bind(connected, made, withCallbacks);
    }

    /**
     * Hears that one of several connections was lost: its calls are sent again on another one.
     *
     * @param isNews whether this was not said before of the connection
     */
    void lostOne(RpcException why, boolean isNews) {
        slots.mayRepeat();
        if (isNews) {
            nfs.lost(why);
            // The others carry the calls.
            nfs.lossEnded(true);
        }
    }
}
