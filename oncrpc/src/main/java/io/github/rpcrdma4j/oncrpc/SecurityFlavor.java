package io.github.rpcrdma4j.oncrpc;

import java.util.Arrays;
import java.util.Optional;

/**
 * The security flavors, with the names that users write and the numbers of MOUNT (RFC 2623, Section
 * 2.2).
 */
public enum SecurityFlavor {
    /** AUTH_NONE: no identity. */
    NONE("none", 0),
    /** AUTH_SYS: an identity without proof. */
    SYS("sys", 1),
    /** Kerberos proves the identity of the caller (RFC 2203). */
    KRB5("krb5", 390003),
    /** Kerberos also signs arguments and results. */
    KRB5I("krb5i", 390004),
    /** Kerberos also encrypts arguments and results. */
    KRB5P("krb5p", 390005);

    private final String word;
    private final int number;

    SecurityFlavor(String word, int number) {
        this.word = word;
        this.number = number;
    }

    /** Returns the name of the flavor, as in {@code sec=krb5i}. */
    public String word() {
        return word;
    }

    /** Returns the number of the (pseudo) flavor. */
    public int number() {
        return number;
    }

    /** Returns the flavor with a name; empty if there is none. */
    public static Optional<SecurityFlavor> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word.equals(word)).findFirst();
    }
}
