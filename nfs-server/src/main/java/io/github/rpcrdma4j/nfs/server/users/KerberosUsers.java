package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;

/** Maps authenticated Kerberos principals to users of this machine. Thread-safe. */
@FunctionalInterface
public interface KerberosUsers {
    /** Maps every principal to {@link Credential.None}. */
    KerberosUsers NONE = _ -> new Credential.None();

    /**
     * @return the user and the groups; {@link Credential.None} if the principal is no user of this
     *     machine
     */
    Credential of(Credential.Principal caller);
}
