package io.github.rpcrdma4j.oncrpc.gss.krb5;

import javax.security.auth.kerberos.KerberosPrincipal;

/** The realm of names without a realm. */
final class DefaultRealm {
    /** The message for a user about a missing default realm. */
    static final String MISSING =
            "Kerberos knows no default realm: krb5.conf is not found, or names none";

    private DefaultRealm() {}

    /** Returns whether there is no default realm, by the configuration that the JDK read last. */
    static boolean isMissing() {
        try {
            return new KerberosPrincipal("name").getRealm().isEmpty();
        } catch (IllegalArgumentException _) {
            return true;
        }
    }
}
