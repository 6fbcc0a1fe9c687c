package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.oncrpc.Credential;

/**
 * The user who makes copies, and the groups of that user, as far as this machine knows them.
 *
 * @param credential of this process; AUTH_NONE if the system does not tell
 */
record CopyingUser(Credential credential) {
    /** Returns whether this user may be the owner of a file. */
    boolean isOwn(int uid) {
        return !(credential instanceof Credential.Sys known) || known.uid() == uid;
    }

    /** Returns whether copies get this owner, unless the target refuses it. */
    boolean mayGive(int uid) {
        return isRoot() || isKnownAs(uid);
    }

    /** Returns whether copies get this group, unless the target refuses it. */
    boolean mayGiveToGroup(int gid) {
        return isRoot()
                || credential instanceof Credential.Sys known
                        && (known.gid() == gid || known.gids().contains(gid));
    }

    boolean isRoot() {
        return isKnownAs(0);
    }

    /** Returns whether the system tells that this is a user of that number. */
    boolean isKnownAs(int uid) {
        return credential instanceof Credential.Sys known && known.uid() == uid;
    }
}
