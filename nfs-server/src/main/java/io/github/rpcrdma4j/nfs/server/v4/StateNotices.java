package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Action;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.List;

/**
 * Tells the operator in the log what becomes of the state of clients. What clients can bring about
 * is logged once a minute. Thread-safe.
 */
final class StateNotices {
    private static final Logger LOG = System.getLogger(StateNotices.class.getName());

    private final FailureLog repeated = new FailureLog(LOG);

    void graceBegins(long seconds, int clients) {
        LOG.log(
                Level.INFO,
                "grace period of %d s: %s may reclaim; nothing new is opened or locked meanwhile"
                        .formatted(seconds, count(clients)));
    }

    /** Tells the news among some actions. May wait for the log. */
    void tell(List<Action> actions) {
        for (var each : actions) {
            if (each instanceof Action.Notice notice) {
                tell(notice);
            }
        }
    }

    private void tell(Action.Notice notice) {
        switch (notice) {
            case Action.GraceEnded(var missing) ->
                    LOG.log(
                            Level.INFO,
                            "the grace period is over: "
                                    + (missing == 0
                                            ? "all clients are back"
                                            : count(missing) + " did not come back in time"));
            case Action.StateLost lost -> tell(lost);
        }
    }

    private void tell(Action.StateLost lost) {
        var who =
                "client %016x (%s), opens and lock owners: %d"
                        .formatted(lost.clientId(), lost.name(), lost.held());
        switch (lost.cause()) {
            case ENDED -> LOG.log(Level.WARNING, "the administrator ended a client: " + who);
            case EXPIRED ->
                    repeated.warn("a client whose lease had expired lost its opens and locks", who);
            case RESTARTED -> repeated.warn("a host that restarted lost its locks", who);
        }
    }

    void denied(InetAddress host) {
        repeated.warn(
                "a host was denied NFS version 4, because no export has a rule for it",
                host.getHostAddress());
    }

    private static String count(int clients) {
        return clients == 1 ? "1 client" : clients + " clients";
    }
}
