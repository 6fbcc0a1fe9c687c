package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.Arrays;
import java.util.Optional;

/** The extent of protection of a call: {@code rpc_gss_service_t} (RFC 2203, Section 5.2.2). */
public enum GssService {
    /** The header is signed; arguments and results are not protected. */
    NONE(1, SecurityFlavor.KRB5),
    /** The header, arguments and results are signed. */
    INTEGRITY(2, SecurityFlavor.KRB5I),
    /** The header is signed; arguments and results are signed and encrypted. */
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

    /** Returns the flavor of this service with Kerberos as the mechanism. */
    public SecurityFlavor flavor() {
        return flavor;
    }

    static Optional<GssService> of(int number) {
        return Arrays.stream(values()).filter(each -> each.number == number).findFirst();
    }

    /** Returns the service of a flavor like krb5i; empty for flavors without a context. */
    public static Optional<GssService> of(SecurityFlavor flavor) {
        return Arrays.stream(values()).filter(each -> each.flavor == flavor).findFirst();
    }
}
