package io.github.rpcrdma4j.oncrpc.gss.krb5;

import io.github.rpcrdma4j.oncrpc.gss.GssException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;

/** The source of Kerberos keys or tickets. Immutable. Each login reads them again. */
public final class KerberosLogin {
    private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
    private static final String KEYTAB = "keyTab";
    private static final String PRINCIPAL = "principal";
    private static final int NO_CRED = 7 << 16;

    private final Map<String, String> options;
    private final String failure;

    private KerberosLogin(Map<String, String> options, String failure) {
        var all = new HashMap<>(options);
        all.put("doNotPrompt", "true");
        all.put("refreshKrb5Config", "true");
        this.options = Map.copyOf(all);
        this.failure = failure;
    }

    /**
     * Returns the login of a user with the tickets that {@code kinit} obtained.
     *
     * @param cache the file of the tickets; if empty, the file that the JDK finds, first by
     *     KRB5CCNAME
     */
    public static KerberosLogin ofTicketCache(Optional<Path> cache) {
        var options = new HashMap<>(Map.of("useTicketCache", "true"));
        cache.ifPresent(file -> options.put("ticketCache", file.toString()));
        return new KerberosLogin(options, "there is no valid Kerberos ticket: run kinit");
    }

    /**
     * Returns the login of a service with its keys.
     *
     * @param keytab the file of the keys
     * @param principal the name of the service, like {@code nfs/server.example.org}, with or
     *     without its realm
     */
    public static KerberosLogin ofService(Path keytab, String principal) {
        return new KerberosLogin(
                Map.of(
                        "useKeyTab",
                        "true",
                        KEYTAB,
                        keytab.toString(),
                        PRINCIPAL,
                        principal,
                        "storeKey",
                        "true",
                        "isInitiator",
                        "false"),
                Files.isReadable(keytab)
                        ? "the keytab " + keytab + " cannot be used for " + principal
                        : "the keytab " + keytab + " cannot be read");
    }

    /**
     * Logs in.
     *
     * @throws GssException if there are no keys or tickets; the message says what a user can do
     */
    Subject login() throws GssException {
        var entry = new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options);
        var configuration =
                new Configuration() {
                    @Override
                    public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                        return new AppConfigurationEntry[] {entry};
                    }
                };
        try {
            var context = new LoginContext("rpcrdma4j", new Subject(), null, configuration);
            context.login();
            requireKeys(context.getSubject());
            return context.getSubject();
        } catch (LoginException refused) {
            var words =
                    needsRealm() && DefaultRealm.isMissing()
                            ? options.get(PRINCIPAL) + " has no realm, and " + DefaultRealm.MISSING
                            : failure + " (" + KerberosFailures.oneLine(refused) + ")";
            throw new GssException(words, NO_CRED, 0, refused);
        }
    }

    private boolean needsRealm() {
        var principal = options.get(PRINCIPAL);
        return principal != null && principal.indexOf('@') < 0;
    }

    /**
     * Checks that a service has keys. The JDK reports a successful login of an acceptor even
     * without keys.
     */
    private void requireKeys(Subject subject) throws GssException {
        for (var keytab : subject.getPrivateCredentials(KeyTab.class)) {
            for (var principal : subject.getPrincipals(KerberosPrincipal.class)) {
                if (keytab.getKeys(principal).length == 0) {
                    throw new GssException(
                            Files.isReadable(Path.of(options.get(KEYTAB)))
                                    ? noKeys(principal)
                                    : failure,
                            NO_CRED,
                            0,
                            null);
                }
            }
        }
    }

    private String noKeys(KerberosPrincipal principal) {
        return "the keytab "
                + options.get(KEYTAB)
                + " has no keys for "
                + principal
                + (needsRealm() ? ", which is in the default realm of krb5.conf" : "");
    }
}
