package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.oncrpc.Credential;

/** Which users of the server callers are that proved their names. Thread-safe. */
@FunctionalInterface
public interface Identities {
    /** Nobody is known: all are {@link Credential.None}. */
    Identities NONE = _ -> new Credential.None();

    /**
     * @return the user and the groups; {@link Credential.None} if it is nobody in particular
     */
    Credential of(Credential.Principal caller);
}
