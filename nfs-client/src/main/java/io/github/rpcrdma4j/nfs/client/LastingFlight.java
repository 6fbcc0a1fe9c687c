package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Flight;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Calls in flight on a connection that is made anew when it is lost: then those without an answer
 * are started again on the new one, with their XIDs. Used by one thread at a time, which also
 * reconnects, within {@link #progress}.
 */
final class LastingFlight implements AutoCloseable {
    private final Connection connection;
    private final Duration deadline;

    /** To be started on the next connection. */
    private final ArrayDeque<Attempt> again = new ArrayDeque<>();

    private RpcClient client;
    private Flight flight;
    private int untold;
    private long told;

    /** A call until its outcome is told, over as many connections as it takes. */
    private final class Attempt implements CallOutcome {
        private final RpcCall call;
        private final CallOutcome outcome;
        private final Tries tries;
        private RpcException reason;

        Attempt(RpcCall call, CallOutcome outcome, Tries tries) {
            this.call = call;
            this.outcome = outcome;
            this.tries = tries;
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            connection.answered();
            count();
            outcome.succeeded(results);
        }

        @Override
        public void failed(RpcException why) {
            if (tries.again(why, System.nanoTime())) {
                reason = why;
                again.addLast(this);
            } else {
                giveUp(why);
            }
        }

        void giveUp(RpcException why) {
            count();
            outcome.failed(why);
        }

        private void count() {
            untold--;
            told++;
        }
    }

    LastingFlight(Connection connection, Duration deadline) {
        this.connection = connection;
        this.deadline = deadline;
        client = connection.client();
        flight = client.flight();
    }

    /** Starts a call, as {@link Flight#start} says. */
    void start(RpcCall call, CallOutcome outcome) throws RpcException {
        var attempt = new Attempt(connection.numbered(call), outcome, connection.tries());
        if (client == connection.client()) {
            flight.start(attempt.call, deadline, attempt);
        } else {
            again.addLast(attempt);
        }
        untold++;
    }

    /**
     * Tells outcomes, and waits for the first, as {@link Flight#progress} says; meanwhile it makes
     * lost connections anew.
     *
     * @return false if no call is left
     */
    boolean progress() throws InterruptedException {
        long before = told;
        while (told == before && untold > 0) {
            if (again.isEmpty()) {
                flight.progress(deadline);
            } else {
                startAgain();
            }
        }
        return told != before;
    }

    private void startAgain() throws InterruptedException {
        var first = again.getFirst();
        try {
            connection.reconnect(client, first.tries.giveUp(), first.reason);
        } catch (RpcException unreachable) {
            again.removeFirst();
            first.giveUp(unreachable);
            return;
        }
        // What was in flight beside it has an outcome too: the old connection is closed.
        while (untold > again.size()) {
            flight.progress(deadline);
        }
        flight.close();
        client = connection.client();
        flight = client.flight();
        for (int i = again.size(); i > 0; i--) {
            var attempt = again.removeFirst();
            try {
                flight.start(attempt.call, deadline, attempt);
            } catch (RpcException unprotected) {
                attempt.giveUp(unprotected);
            }
        }
    }

    @Override
    public void close() {
        flight.close();
        again.clear();
        untold = 0;
    }
}
