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

    /** Whose word on who they are is not taken. */
    public enum Squash {
        /** Nobody's: all are the users they say they are. */
        NONE,
        /** Of user 0 and of group 0: the user at the client need not be the server's. */
        ROOT,
        /** Everybody's. */
        ALL
    }

    /** Lets these hosts in as Linux does if it is told nothing else: to change, root is nobody. */
    public static ExportRule of(Clients clients) {
        return new ExportRule(clients, false, Squash.ROOT, NOBODY, NOBODY);
    }

    /** Lets everybody in, as the user they say they are. */
    static ExportRule trusting(boolean readOnly) {
        return new ExportRule(new Clients.Everybody(), readOnly, Squash.NONE, NOBODY, NOBODY);
    }

    /** The user that a caller acts as. */
    Credential.Sys user(Credential caller) {
        if (squash == Squash.ALL || !(caller instanceof Credential.Sys sys)) {
            return new Credential.Sys(0, "", anonymousUid, anonymousGid, List.of());
        }
        if (squash == Squash.NONE || sys.uid() != 0 && sys.gid() != 0 && !sys.gids().contains(0)) {
            return sys;
        }
        return new Credential.Sys(
                sys.stamp(),
                sys.machine(),
                sys.uid() == 0 ? anonymousUid : sys.uid(),
                group(sys.gid()),
                sys.gids().stream().map(this::group).toList());
    }

    private int group(int group) {
        return group == 0 ? anonymousGid : group;
    }
}
