package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.tcp.PrivilegedPorts;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.HexFormat;

/**
 * Tells the operator in the log which clients use which exports, and which may not. No client can
 * fill the log: there are few lines a minute. Thread-safe.
 */
public final class ClientNotices {
    /** How many uses are known, so that they are told once. */
    private static final int KNOWN_MAX = 4096;

    /** The most characters that a line takes over from a client. */
    private static final int TEXT_MAX = 200;

    private static final String HIDDEN =
            "the user who mounts may not search the directories that lead there";

    private final FailureLog mounts;
    private final FailureLog refusals;
    private final FailureLog squashed;
    private final RecentlyUsed<Use, Boolean> known = new RecentlyUsed<>(KNOWN_MAX);
    private final RecentlyUsed<Squashed, Boolean> knownSquashed = new RecentlyUsed<>(KNOWN_MAX);

    /**
     * An export that a client of version 4 uses.
     *
     * @param client its ID, or its host
     */
    private record Use(Object client, String export) {
        @Override
        public int hashCode() {
            return KeyedHash.of(client.hashCode(), KeyedHash.of(export));
        }
    }

    /** An export where root of a host is not root. */
    private record Squashed(ClientAddress host, String export) {
        @Override
        public int hashCode() {
            return KeyedHash.of(host.hashCode(), KeyedHash.of(export));
        }
    }

    public ClientNotices() {
        this(System.getLogger(ClientNotices.class.getName()));
    }

    ClientNotices(Logger log) {
        // Refused clients do not keep out the lines of others.
        mounts = new FailureLog(log);
        refusals = new FailureLog(log);
        squashed = new FailureLog(log);
    }

    /**
     * A client has mounted an export, or a directory below it, by MNT.
     *
     * @param client its address
     * @param identity who it was found to be when it connected
     * @param path that the client has sent
     */
    public void mounted(
            InetSocketAddress client, PeerIdentity identity, OpenExport export, PathName path) {
        var name = export.export().name();
        mounts.tell(
                Level.INFO,
                identity.client(),
                "mount " + name,
                HostPort.text(client) + " has mounted " + cut(path));
    }

    /** A client has said by UMNT that it does not use a directory any more. */
    public void unmounted(InetSocketAddress client, PeerIdentity identity, PathName path) {
        mounts.tell(
                Level.INFO,
                identity.client(),
                "unmount",
                HostPort.text(client) + " has unmounted " + cut(path));
    }

    /** Returns the words of a client, so short that they do not push others out of a line. */
    private static String cut(PathName path) {
        var text = path.escaped();
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX) + "...";
    }

    /**
     * Returns how lines name a client: by the first half of its ID, which administrators may name
     * it by. Who knows all of it, and sees the packets of the client, could act for the client; the
     * log has more readers than the server has administrators.
     */
    public static String number(long clientId) {
        return HexFormat.of().toHexDigits((int) (clientId >>> Integer.SIZE));
    }

    /**
     * A client of version 4 has come to an export from outside, as by a mount. Told once for each
     * client and export.
     *
     * @param clientId 0 if it is not known: minor version 0 has no sessions
     */
    public void entered(Client client, long clientId, int minorVersion, OpenExport export) {
        var host = client.identity().client();
        Object who = clientId == 0 ? host : clientId;
        var use = new Use(who, export.export().name());
        if (known.find(use) != null) {
            return;
        }
        boolean isTold =
                mounts.tell(
                        Level.INFO,
                        host,
                        "use " + use.export,
                        "%s uses %s with version 4.%d"
                                        .formatted(
                                                HostPort.text(client.peer()),
                                                use.export,
                                                minorVersion)
                                + (clientId == 0 ? "" : ": client " + number(clientId)));
        if (isTold) {
            known.put(use, true);
        }
    }

    /**
     * A client may not mount what it has asked for.
     *
     * @param path that the client has sent
     * @param export that it is in; null if it is in none
     */
    public void refused(
            InetSocketAddress client,
            PeerIdentity identity,
            PathName path,
            OpenExport export,
            Failure failure) {
        refusals.tell(
                Level.WARNING,
                identity.client(),
                failure + (export == null ? "" : " of " + export.number()),
                "%s was refused a mount of %s: %s"
                        .formatted(
                                HostPort.text(client),
                                cut(path),
                                reason(client, path, export, failure)));
    }

    /** A caller that no export takes calls from, because of its port, may not have a client. */
    public void refusedClient(Client client) {
        refusals.tell(
                Level.WARNING,
                client.identity().client(),
                "version 4",
                "%s was refused NFS version 4: %s"
                        .formatted(HostPort.text(client.peer()), forbiddenPort(client.peer())));
    }

    private static String forbiddenPort(InetSocketAddress client) {
        return (PrivilegedPorts.contain(client.getPort())
                                ? "port %d is not of a process of root"
                                : "port %d is not below 1024")
                        .formatted(client.getPort())
                + ", as secure in the rule for this host demands";
    }

    private static String reason(
            InetSocketAddress client, PathName path, OpenExport export, Failure failure) {
        if (export == null) {
            return "there is no such export";
        }
        var name = export.export().name();
        boolean hasRule = export.export().rule(client.getAddress()).isPresent();
        return switch (failure) {
            case ACCES ->
                    hasRule
                            ? isBelow(path, name) ? HIDDEN : failure.toString()
                            : "%s has no rule for this host: allow %s would let it in"
                                    .formatted(name, client.getAddress().getHostAddress());
            case PERM -> forbiddenPort(client);
            case MOVED -> "refer in the rule for this host sends it to other servers";
            case NOENT -> name + " has no such directory";
            case NOTDIR -> "it is no directory";
            default -> failure.toString();
        };
    }

    private static boolean isBelow(PathName path, String export) {
        return path.below(PathName.of(export))
                .filter(below -> !below.names().isEmpty())
                .isPresent();
    }

    /**
     * Returns the caller that a client acts as. Tells the operator if it is root and does not act
     * as root: once for each host and export.
     */
    Caller caller(OpenExport export, ExportRule rule, Client client) {
        var believed = client.believed(rule);
        var user = rule.user(believed);
        if (believed instanceof Credential.None
                && client.credential() instanceof Credential.Sys claimed) {
            tellNotBelieved(export, claimed, user.uid(), client.identity().client());
        } else if (rule.squash() == Squash.ROOT
                && believed instanceof Credential.Sys claimed
                && claimed.uid() == 0) {
            tellSquashed(export, user.uid(), client);
        }
        return caller(user);
    }

    /** Returns the caller that a client acts as when it mounts, which is no use of files yet. */
    static Caller mountingCaller(ExportRule rule, Client client) {
        return caller(rule.user(client.believed(rule)));
    }

    private static Caller caller(Credential.Sys user) {
        int[] groups = user.gids().stream().mapToInt(Integer::intValue).toArray();
        return new Caller.User(user.uid(), user.gid(), groups);
    }

    private void tellSquashed(OpenExport export, int uid, Client client) {
        var host = client.identity().client();
        var key = new Squashed(host, export.export().name());
        if (knownSquashed.find(key) != null) {
            return;
        }
        if (!export.store().actsForCallers()) {
            return;
        }
        boolean isTold =
                squashed.tell(
                        Level.INFO,
                        host,
                        key.export,
                        "root of %s acts as user %s in %s; no_root_squash in its rule lets it be root"
                                .formatted(
                                        client.peer().getAddress().getHostAddress(),
                                        Integer.toUnsignedString(uid),
                                        key.export));
        if (isTold) {
            knownSquashed.put(key, true);
        }
    }

    /** A process of this machine has said that it is another user than it is. */
    private void tellNotBelieved(
            OpenExport export, Credential.Sys claimed, int uid, ClientAddress client) {
        if (!export.store().actsForCallers()) {
            return;
        }
        var name = export.export().name();
        squashed.tell(
                Level.WARNING,
                client,
                "local " + name,
                "a process of this machine that is not of user %s says so, and acts as user %s in %s;"
                                .formatted(
                                        Integer.toUnsignedString(claimed.uid()),
                                        Integer.toUnsignedString(uid),
                                        name)
                        + " insecure in its rule lets local users be others");
    }
}
