package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosAcceptor;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosInitiator;
import io.github.rpcrdma4j.oncrpc.gss.krb5.KerberosLogin;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A call that Kerberos encrypts: run {@code kinit} first. */
public final class KerberosCall {
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private KerberosCall() {}

    /**
     * Makes one call.
     *
     * @param args the keytab of the server, its principal such as {@code nfs/host.example.org}, and
     *     the ticket cache of the caller
     */
    public static void main(String[] args) throws Exception {
        var service = KerberosLogin.ofService(Path.of(args[0]), args[1]);
        var user = KerberosLogin.ofTicketCache(Optional.of(Path.of(args[2])));
        try (var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress("localhost", 0))
                                .program(new BulkProgram())
                                .authenticator(new GssServer(new KerberosAcceptor(service)))
                                .start();
                var client =
                        new GssClient(
                                RpcRdmaClient.builder().connect(server.address()),
                                new KerberosInitiator(user, args[1].replace('/', '@')),
                                GssService.PRIVACY)) {
            // Encrypted data cannot be placed directly, so the results come in the reply message.
            var fetch =
                    new RpcCall(
                            BulkProgram.PROGRAM,
                            BulkProgram.VERSION,
                            BulkProgram.FETCH,
                            _ -> {},
                            4 + BulkProgram.MAX);
            try (var reply = client.call(fetch, DEADLINE)) {
                System.out.println(reply.results().bulk(BulkProgram.MAX).byteSize() + " bytes");
            }
        }
    }
}
