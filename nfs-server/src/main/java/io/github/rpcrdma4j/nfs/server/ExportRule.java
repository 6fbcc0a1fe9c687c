package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.List;

/**
 * What the hosts of a network may do with an export, and whom the server takes their users for.
 *
 * @param clients the hosts
 * @param readOnly whether they may change nothing
 * @param squash whose word is not taken
 * @param anonymousUid the user that those, and callers who do not say who they are, act as
 * @param anonymousGid the group of that user
 */
public record ExportRule(
        Clients clients, boolean readOnly, Squash squash, int anonymousUid, int anonymousGid) {
    /** The user and the group that own nothing. */
    public static final int NOBODY = 65534;

    /**
     * The id that is none. Systems take it for "leave the owner as it is", so it never reaches
     * them.
     */
    static final int NO_ID = -1;

    /** Whose word on who they are is not taken. */
    public enum Squash {
        /** Nobody's: all are the users they say they are. */
        NONE,
        /** Of user 0 and of group 0: the user at the client need not be the server's. */
        ROOT,
        /** Everybody's. */
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

    /** Lets these hosts in as Linux does if it is told nothing else: to change, root is nobody. */
    public static ExportRule of(Clients clients) {
        return new ExportRule(clients, false, Squash.ROOT, NOBODY, NOBODY);
    }

    /** Lets everybody in, as the user they say they are. */
    static ExportRule trusting(boolean readOnly) {
        return new ExportRule(new Clients.Everybody(), readOnly, Squash.NONE, NOBODY, NOBODY);
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
