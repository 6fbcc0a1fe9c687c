package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.served.ClientNotices;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.share.CallerHost;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.List;

/**
 * Tells the operator in the log what becomes of the state of clients. What clients can bring about
 * is logged once a minute for each address, and never for more than a few of them. Thread-safe.
 */
public final class StateNotices {
    private static final Logger LOG = System.getLogger(StateNotices.class.getName());

    private final FailureLog repeated = new FailureLog(LOG);

    /** Clients that go do not keep the lines of others out. */
    private final FailureLog departures = new FailureLog(LOG);

    /** Nor do those that lose what they had. */
    private final FailureLog losses = new FailureLog(LOG);

    private final FailureLog denials = new FailureLog(LOG);

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
            case Action.ClientGone gone -> tell(gone);
            case Action.VerifiersTried tried -> tell(tried);
            case Action.LongWaits waits -> tell(waits);
            case Action.DelegationTaken taken -> tell(taken);
        }
    }

    private void tell(Action.VerifiersTried tried) {
        var line =
                switch (tried.by()) {
                    case PLACE ->
                            "%s has sent many verifiers with the names of clients of other addresses,"
                                    + " as if it guessed them; the last name: %s. It counts as none"
                                    + " of these clients until it has sent no other verifier for an"
                                    + " hour.";
                    case HOST ->
                            "addresses of %3$s have sent many verifiers with the names of clients of"
                                    + " other addresses, as if they guessed them; the last one: %1$s,"
                                    + " with the name %2$s. Those that have sent any count as none of"
                                    + " these clients until none has sent another one for an hour.";
                };
        repeated.tell(
                Level.WARNING,
                client(tried.host()),
                "verifiers " + tried.by() + tried.place(),
                line.formatted(tried.place(), tried.name(), where(tried.host()))
                        + " If it is a gateway, or machines have one name, let each have its own"
                        + " (nfs4_unique_id of Linux)");
    }

    private void tell(Action.DelegationTaken taken) {
        var who = who(taken.client());
        var late = "did not return it in time: " + who;
        repeated.tell(
                Level.WARNING,
                client(taken.client().host()),
                "delegation, " + taken.why() + " " + taken.client().place(),
                "a delegation was taken from a client that "
                        + switch (taken.why()) {
                            case NOT_RETURNED -> late;
                            case OUT_OF_REACH ->
                                    late
                                            + "; the server's calls do not reach it, so look whether"
                                            + " a firewall is between them";
                            case NO_SLOT ->
                                    "was not called, because it left no slot for calls of the server"
                                            + " free: "
                                            + who;
                            case NOT_CALLED ->
                                    "was not called, because the server had no room for that while a"
                                            + " local process waited: "
                                            + who;
                        });
    }

    private void tell(Action.LongWaits waits) {
        repeated.tell(
                Level.WARNING,
                client(waits.client().host()),
                "waits " + waits.client().place(),
                "others have waited for more than 10 seconds in an hour for delegations of a client;"
                        + " no client at its address gets any for an hour: "
                        + who(waits.client()));
    }

    private void tell(Action.ClientGone gone) {
        var who = who(gone.client());
        var held = ", opens, lock owners and delegations: " + gone.held();
        departures.tell(
                Level.INFO,
                client(gone.client().host()),
                gone.why() + " " + gone.client().place(),
                switch (gone.why()) {
                    case LEFT -> "a client has left: " + who;
                    case DISCONNECTED -> "a client has no connection any more: " + who + held;
                    case EXPIRED ->
                            "the lease of a client has expired: "
                                    + who
                                    + held
                                    + (gone.held() == 0
                                            ? ""
                                            : ", kept without locks until others need them");
                });
    }

    private static ClientAddress client(Host host) {
        return host instanceof CallerHost(var address)
                ? address
                : ClientAddress.ofUnknownLocalUsers();
    }

    private static String who(Action.Subject client) {
        return "client %s (%s) at %s"
                .formatted(ClientNotices.number(client.id()), client.name(), client.place());
    }

    private static String where(Host host) {
        return host instanceof CallerHost(var address) ? address.toString() : "no address";
    }

    private void tell(Action.StateLost lost) {
        var who = who(lost.client()) + ", opens and lock owners: " + lost.held();
        switch (lost.cause()) {
            case ENDED -> LOG.log(Level.WARNING, "the administrator ended a client: " + who);
            case EXPIRED ->
                    tell(lost, "a client whose lease had expired lost its opens and locks: " + who);
            case LOCKS_EXPIRED ->
                    tell(lost, "a client whose lease has expired lost its locks: " + who);
            case REPLACED ->
                    tell(
                            lost,
                            "a client that had reclaimed from another address lost its opens and"
                                    + " locks to one from the address of a record: "
                                    + who);
            case RESTARTED -> tell(lost, "a host that restarted lost its locks: " + who);
        }
    }

    private void tell(Action.StateLost lost, String line) {
        losses.tell(
                Level.WARNING,
                client(lost.client().host()),
                lost.cause() + " " + lost.client().place(),
                line);
    }

    public void denied(InetAddress host) {
        denials.tell(
                Level.WARNING,
                // Each user of this machine has all of 127.0.0.0/8.
                host.isLoopbackAddress()
                        ? ClientAddress.ofUnknownLocalUsers()
                        : ClientAddress.of(host),
                "no rule",
                "a host was denied NFS version 4, because no export has a rule for it: "
                        + host.getHostAddress());
    }

    private static String count(int clients) {
        return clients == 1 ? "1 client" : clients + " clients";
    }
}
