package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.NfsException;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;

/** Why root may be refused what is allowed to root: most servers squash it. */
final class RootSquash {
    private static final String HINT =
            " (most servers take root for an anonymous user, unless a rule there says no_root_squash)";

    private RootSquash() {}

    /** What to add to the message of a refusal. */
    static String hint(NfsException refused) {
        boolean denied = refused.status() == Status.ACCES || refused.status() == Status.PERM;
        boolean isRoot = CallerFlavor.user() instanceof Credential.Sys user && user.uid() == 0;
        return denied && isRoot ? HINT : "";
    }
}
