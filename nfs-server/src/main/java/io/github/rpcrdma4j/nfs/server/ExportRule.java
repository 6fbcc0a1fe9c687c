package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.List;

/**
 * What the hosts of a network may do with an export, and whom the server takes their users for. The
 * words are those of exports(5).
 *
 * @param clients the hosts
 * @param readOnly whether they may change nothing
 * @param squash which callers become the anonymous user
 * @param anonymousUid the user that squashed callers and callers without a user act as
 * @param anonymousGid the group of that user
 * @param secure whether calls that prove nothing have to come from a port below 1024, as only root
 *     of a Unix host may call from there. Clients over RDMA are no exception, though Linux makes
 *     one of them: its own client calls over RDMA from high ports, and this rule shuts it out
 * @param sync whether a reply waits until what it says is done is on storage
 * @param crossMounts whether file systems that are mounted below the export's directory are served
 */
public record ExportRule(
        Clients clients,
        boolean readOnly,
        Squash squash,
        int anonymousUid,
        int anonymousGid,
        boolean secure,
        boolean sync,
        boolean crossMounts) {
    /** The user and the group that own nothing. */
    public static final int NOBODY = 65534;

    /**
     * The id that is none. Systems take it for "leave the owner as it is", so it never reaches
     * them.
     */
    static final int NO_ID = -1;

    /** The ports below are those of root (RFC 2623, Section 2.1). */
    private static final int ORDINARY_PORTS = 1024;

    /** Which callers become the anonymous user. */
    public enum Squash {
        /** None: every caller is the user that it says it is. */
        NONE,
        /** User 0 and group 0: root of a client need not be root of the server. */
        ROOT,
        /** All. */
        ALL
    }

    /**
     * @throws IllegalArgumentException if the anonymous user or group is 4294967295, which is no id
     */
    public ExportRule {
        if (anonymousUid == NO_ID || anonymousGid == NO_ID) {
            throw new IllegalArgumentException(
                    "4294967295 is no id of a user or a group: choose another anonymous one");
        }
    }

    /**
     * Lets these hosts in: to change, from any port; root acts as the anonymous user; replies wait
     * for storage; what is mounted below stays out.
     */
    public static ExportRule of(Clients clients) {
        return new ExportRule(clients, false, Squash.ROOT, NOBODY, NOBODY, false, true, false);
    }

    /** Lets all hosts in; every caller is the user that it says it is. */
    static ExportRule trusting(boolean readOnly) {
        return of(new Clients.Everybody()).withReadOnly(readOnly).withSquash(Squash.NONE);
    }

    /** Like this one, but for whether the hosts may change nothing. */
    public ExportRule withReadOnly(boolean other) {
        return new ExportRule(
                clients, other, squash, anonymousUid, anonymousGid, secure, sync, crossMounts);
    }

    /** Like this one, but for which callers are squashed. */
    public ExportRule withSquash(Squash other) {
        return new ExportRule(
                clients, readOnly, other, anonymousUid, anonymousGid, secure, sync, crossMounts);
    }

    /**
     * Like this one, but for the anonymous user and its group.
     *
     * @throws IllegalArgumentException if one of them is 4294967295
     */
    public ExportRule withAnonymous(int uid, int gid) {
        return new ExportRule(clients, readOnly, squash, uid, gid, secure, sync, crossMounts);
    }

    /** Like this one, but for whether calls have to come from the ports of root. */
    public ExportRule withSecure(boolean other) {
        return new ExportRule(
                clients, readOnly, squash, anonymousUid, anonymousGid, other, sync, crossMounts);
    }

    /** Like this one, but for whether replies wait for storage. */
    public ExportRule withSync(boolean other) {
        return new ExportRule(
                clients, readOnly, squash, anonymousUid, anonymousGid, secure, other, crossMounts);
    }

    /** Like this one, but for whether what is mounted below is served. */
    public ExportRule withCrossMounts(boolean other) {
        return new ExportRule(
                clients, readOnly, squash, anonymousUid, anonymousGid, secure, sync, other);
    }

    /**
     * Whether calls of a flavor may come from a port: a caller that proves its name may use any.
     */
    boolean takes(SecurityFlavor flavor, int port) {
        return switch (flavor) {
            case NONE, SYS -> !secure || port < ORDINARY_PORTS;
            case KRB5, KRB5I, KRB5P -> true;
        };
    }

    /**
     * The user that a caller acts as: never with an id of 4294967295, whatever is squashed. A
     * caller that says so is the anonymous user, and a further group of that number is dropped.
     */
    Credential.Sys user(Credential caller) {
        if (squash == Squash.ALL || !(caller instanceof Credential.Sys sys)) {
            return new Credential.Sys(0, "", anonymousUid, anonymousGid, List.of());
        }
        boolean asItIs = isBelieved(sys.uid()) && isBelieved(sys.gid());
        for (int i = 0; asItIs && i < sys.gids().size(); i++) {
            asItIs = isBelieved(sys.gids().get(i));
        }
        if (asItIs) {
            return sys;
        }
        return new Credential.Sys(
                sys.stamp(),
                sys.machine(),
                isBelieved(sys.uid()) ? sys.uid() : anonymousUid,
                group(sys.gid()),
                sys.gids().stream().filter(gid -> gid != NO_ID).map(this::group).toList());
    }

    /** Whether a caller may be the user, or in the group, of this id if it says so. */
    private boolean isBelieved(int id) {
        return id != NO_ID && (id != 0 || squash == Squash.NONE);
    }

    private int group(int group) {
        return isBelieved(group) ? group : anonymousGid;
    }
}
