package io.github.rpcrdma4j.oncrpc.gss.krb5;

import io.github.rpcrdma4j.oncrpc.gss.GssContext;
import io.github.rpcrdma4j.oncrpc.gss.GssException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;

/**
 * Begins Kerberos contexts with one server. Each context uses the tickets that exist when it
 * begins, so it finds renewed tickets.
 */
public final class KerberosInitiator implements GssContext.Initiator {
    private final KerberosLogin login;
    private final String service;

    /**
     * Creates an initiator for a service.
     *
     * @param login the source of the caller's tickets
     * @param service a host-based service, as in {@code nfs@server.example.org} (RFC 2743, Section
     *     4.1)
     */
    public KerberosInitiator(KerberosLogin login, String service) {
        this.login = login;
        this.service = service;
    }

    @Override
    public GssContext initiate() throws GssException {
        var subject = login.login();
        var what = "cannot authenticate with Kerberos to " + service;
        try {
            var context = KerberosContext.as(subject, what, this::begin);
            return new KerberosContext(subject, context, true, what);
        } catch (GssException failed) {
            throw DefaultRealm.isMissing()
                    ? new GssException(
                            what + ": " + DefaultRealm.MISSING,
                            failed.major(),
                            failed.minor(),
                            failed)
                    : failed;
        }
    }

    private GSSContext begin() throws GSSException {
        var manager = GSSManager.getInstance();
        var server = manager.createName(service, GSSName.NT_HOSTBASED_SERVICE);
        var context =
                manager.createContext(
                        server, Mechanism.KERBEROS, null, GSSContext.DEFAULT_LIFETIME);
        context.requestMutualAuth(true);
        context.requestInteg(true);
        context.requestConf(true);
        context.requestCredDeleg(false);
        // Calls may overtake each other, so RPCSEC_GSS has its own sequence numbers (RFC 2203,
        // Section 5.2.2).
        context.requestReplayDet(false);
        context.requestSequenceDet(false);
        return context;
    }

    /** The mechanism by its object identifier (RFC 4121, Section 1). */
    static final class Mechanism {
        static final Oid KERBEROS = kerberos();

        private Mechanism() {}

        private static Oid kerberos() {
            try {
                return new Oid("1.2.840.113554.1.2.2");
            } catch (GSSException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }
}
