package io.github.rpcrdma4j.oncrpc.gss.krb5;

import io.github.rpcrdma4j.oncrpc.gss.GssContext;
import io.github.rpcrdma4j.oncrpc.gss.GssException;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSManager;

/** Makes a server's ends of Kerberos contexts. A keytab that changes is read anew by the JDK. */
public final class KerberosAcceptor implements GssContext.Acceptor {
    private final Subject subject;
    private final GSSCredential credential;

    /**
     * Accepts callers as a service.
     *
     * @param login of a service
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

    /** The realm of the service. */
    public String realm() {
        return subject.getPrincipals(KerberosPrincipal.class).iterator().next().getRealm();
    }

    @Override
    public GssContext accept() throws GssException {
        var what = "the token of a caller is not taken";
        var context =
                KerberosContext.as(
                        subject, what, () -> GSSManager.getInstance().createContext(credential));
        return new KerberosContext(subject, context, false, what);
    }
}
