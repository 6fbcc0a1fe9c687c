package io.github.rpcrdma4j.oncrpc;

import java.util.Arrays;
import java.util.Optional;

/** Flavors by the names and numbers that users and MOUNT give them (RFC 2623, Section 2.2). */
public enum SecurityFlavor {
    NONE("none", 0),
    SYS("sys", 1),
    KRB5("krb5", 390003),
    KRB5I("krb5i", 390004),
    KRB5P("krb5p", 390005);

    private final String word;
    private final int number;

    SecurityFlavor(String word, int number) {
        this.word = word;
        this.number = number;
    }

    /** As in {@code sec=krb5i}. */
    public String word() {
        return word;
    }

    /** The pseudo flavor. */
    public int number() {
        return number;
    }

    /** The flavor of that name. */
    public static Optional<SecurityFlavor> of(String word) {
        return Arrays.stream(values()).filter(each -> each.word.equals(word)).findFirst();
    }
}
