package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.Credential;

/** Finds the user of this machine for a caller that proved its name. Thread-safe. */
@FunctionalInterface
public interface KerberosUsers {
    /** Knows no name: every caller is {@link Credential.None}. */
    KerberosUsers NONE = _ -> new Credential.None();

    /**
     * @return the user and the groups; {@link Credential.None} if the name is no user's
     */
    Credential of(Credential.Principal caller);
}
