package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.Arrays;
import java.util.Optional;

/** How much of a call is protected: {@code rpc_gss_service_t} (RFC 2203, Section 5.2.2). */
public enum GssService {
    /** The header is signed. */
    NONE(1, SecurityFlavor.KRB5),
    /** Arguments and results are signed as well. */
    INTEGRITY(2, SecurityFlavor.KRB5I),
    /** Arguments and results are encrypted. */
    PRIVACY(3, SecurityFlavor.KRB5P);

    private final int number;
    private final SecurityFlavor flavor;

    GssService(int number, SecurityFlavor flavor) {
        this.number = number;
        this.flavor = flavor;
    }

    int number() {
        return number;
    }

    /** What it is called with Kerberos as the mechanism. */
    public SecurityFlavor flavor() {
        return flavor;
    }

    static Optional<GssService> of(int number) {
        return Arrays.stream(values()).filter(each -> each.number == number).findFirst();
    }

    /** The service behind a name like krb5i; empty for flavors that need no context. */
    public static Optional<GssService> of(SecurityFlavor flavor) {
        return Arrays.stream(values()).filter(each -> each.flavor == flavor).findFirst();
    }
}
