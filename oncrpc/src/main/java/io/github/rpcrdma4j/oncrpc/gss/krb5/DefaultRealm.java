package io.github.rpcrdma4j.oncrpc.gss.krb5;

import javax.security.auth.kerberos.KerberosPrincipal;

/** The realm of names that are written without one. */
final class DefaultRealm {
    /** What a user can do something about. */
    static final String MISSING =
            "Kerberos knows no default realm: krb5.conf is not found, or names none";

    private DefaultRealm() {}

    /** Whether there is none, as far as the configuration says that was read last. */
    static boolean isMissing() {
        try {
            return new KerberosPrincipal("name").getRealm().isEmpty();
        } catch (IllegalArgumentException _) {
            return true;
        }
    }
}
