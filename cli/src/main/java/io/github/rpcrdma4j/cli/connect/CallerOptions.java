package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.RawArguments;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosInitiator;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosLogin;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The user as whom a command calls, and how the command authenticates. */
@Section(Section.Heading.SECURITY)
public final class CallerOptions {
    @Option(
            names = "--sec",
            paramLabel = "FLAVOR",
            defaultValue = "sys",
            completionCandidates = Flavors.Words.class,
            description = "none, sys, krb5, krb5i or krb5p (${DEFAULT-VALUE}).")
    private String flavor;

    @Option(
            names = "--ticket-cache",
            paramLabel = "FILE",
            converter = RawArguments.PathConverter.class,
            description = "The ticket cache of kinit (what KRB5CCNAME names, or its default).")
    private Path ticketCache;

    /** Returns the credential for calls without Kerberos. */
    Credential credential() {
        return Flavors.one(flavor) == SecurityFlavor.SYS ? user() : new Credential.None();
    }

    /**
     * Reads the Kerberos settings of the environment, if the flavor needs them. To be called before
     * the first connection.
     *
     * @throws IOException if they cannot be used
     */
    void prepare() throws IOException {
        if (GssService.of(Flavors.one(flavor)).isPresent()) {
            KerberosConfiguration.load(System.getenv());
            ticketCache = ticketCache == null ? null : KerberosFiles.ticketCache(ticketCache);
        }
    }

    /**
     * Returns a client on a connection, protected by Kerberos if the flavor asks for it.
     *
     * @param host the server's name in Kerberos
     */
    <C extends RpcClient & RpcTransport> RpcClient protect(C connection, String host) {
        var service = GssService.of(Flavors.one(flavor));
        if (service.isEmpty()) {
            return connection;
        }
        var login = KerberosLogin.ofTicketCache(Optional.ofNullable(ticketCache));
        var initiator = new KerberosInitiator(login, "nfs@" + host);
        return new GssClient(connection, initiator, service.get());
    }

    /** Returns the user that runs this command, as far as the system reports it. */
    public static Credential user() {
        return ProcessCredential.read();
    }
}
