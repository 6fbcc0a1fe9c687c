package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.connect.Flavors;
import io.github.rpcrdma4j.cli.connect.KerberosConfiguration;
import io.github.rpcrdma4j.cli.connect.KerberosFiles;
import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.server.users.SystemAccounts;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.gss.GssException;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosAcceptor;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosLogin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for the authentication of a server's callers. */
@Section(Section.Heading.SECURITY)
final class ServerSecurityOptions {
    /** The standard address of NFS over TCP. */
    static final String NFS_OVER_TCP = ":2049";

    /** The explanation for an operator who did not ask for TCP. */
    static final String WHY_TCP =
            "with --sec krb5... NFS is served over TCP too, as clients agree on their keys there;"
                    + " --tcp HOST:PORT says where";

    @Option(
            names = "--sec",
            paramLabel = "FLAVORS",
            defaultValue = "sys,none",
            completionCandidates = Flavors.Words.class,
            description =
                    "What reaches the directories, the preferred first: krb5p,krb5i,krb5,sys,none"
                            + " (${DEFAULT-VALUE}). With one of Kerberos NFS is served over TCP"
                            + " too: see --tcp.")
    private String flavors;

    @Option(
            names = "--keytab",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description = "The Kerberos keys of the server; KRB5_CONFIG may name its krb5.conf.")
    private Path keytab;

    @Option(
            names = "--principal",
            paramLabel = "nfs/HOST",
            description = "The name that clients know the server by, in Kerberos.")
    private String principal;

    /** The security contexts and the user names that Kerberos provides. */
    record Kerberos(GssServer contexts, KerberosUsers identities) implements AutoCloseable {
        @Override
        public void close() {
            contexts.close();
        }
    }

    List<SecurityFlavor> flavors() {
        return Flavors.list(flavors);
    }

    /** Returns the host name that clients must use; empty if any name of the host is accepted. */
    Optional<String> host() {
        return Optional.ofNullable(principal)
                .map(name -> name.replaceAll("@.*", ""))
                .filter(name -> name.contains("/"))
                .map(name -> name.substring(name.indexOf('/') + 1));
    }

    /**
     * Reads the Kerberos keys, if a flavor needs them.
     *
     * @throws IOException if they cannot be used
     */
    Optional<Kerberos> kerberos() throws IOException {
        if (!needKerberos(flavors())) {
            if (keytab != null || principal != null) {
                throw new IllegalArgumentException(
                        "--keytab and --principal have no effect without Kerberos: name flavors"
                                + " like --sec krb5p,krb5i");
            }
            return Optional.empty();
        }
        if (keytab == null || principal == null) {
            throw new IllegalArgumentException("--sec krb5... needs --keytab and --principal");
        }
        KerberosConfiguration.load(System.getenv());
        try {
            var keys = KerberosFiles.keytab(keytab);
            var acceptor = new KerberosAcceptor(KerberosLogin.ofService(keys, principal));
            return Optional.of(
                    new Kerberos(new GssServer(acceptor), new SystemAccounts(acceptor.realm())));
        } catch (GssException refused) {
            throw new IOException(refused.getMessage(), refused);
        }
    }

    private static boolean needKerberos(List<SecurityFlavor> flavors) {
        return flavors.stream().anyMatch(flavor -> GssService.of(flavor).isPresent());
    }

    /**
     * Returns the addresses to serve over TCP. With Kerberos, NFS is always served over TCP,
     * because clients establish their security contexts there (RFC 8166-8.2.2.1-1).
     *
     * @param wanted addresses that the user gave
     * @return empty if nothing is served over TCP
     */
    static List<String> tcp(List<String> wanted, List<SecurityFlavor> flavors) {
        return wanted.isEmpty() && needKerberos(flavors) ? List.of(NFS_OVER_TCP) : wanted;
    }
}
