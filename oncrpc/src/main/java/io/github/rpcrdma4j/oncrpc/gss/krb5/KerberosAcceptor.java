package io.github.rpcrdma4j.oncrpc.gss.krb5;

import io.github.rpcrdma4j.oncrpc.gss.GssContext;
import io.github.rpcrdma4j.oncrpc.gss.GssException;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSManager;

/** Creates the server's ends of Kerberos contexts. The JDK reads a changed keytab again. */
public final class KerberosAcceptor implements GssContext.Acceptor {
    private final Subject subject;
    private final GSSCredential credential;

    /**
     * Creates an acceptor for a service.
     *
     * @param login the login of the service
     * @throws GssException if the service has no keys
     */
    public KerberosAcceptor(KerberosLogin login) throws GssException {
        subject = login.login();
        credential =
                KerberosContext.as(
                        subject,
                        "the keys of the service are not usable",
                        () ->
                                GSSManager.getInstance()
                                        .createCredential(
                                                null,
                                                GSSCredential.INDEFINITE_LIFETIME,
                                                KerberosInitiator.Mechanism.KERBEROS,
                                                GSSCredential.ACCEPT_ONLY));
    }

    /** Returns the realm of the service. */
    public String realm() {
        return subject.getPrincipals(KerberosPrincipal.class).iterator().next().getRealm();
    }

    @Override
    public GssContext accept() throws GssException {
        var what = "the caller's Kerberos token was refused";
        var context =
                KerberosContext.as(
                        subject, what, () -> GSSManager.getInstance().createContext(credential));
        return new KerberosContext(subject, context, false, what);
    }
}
