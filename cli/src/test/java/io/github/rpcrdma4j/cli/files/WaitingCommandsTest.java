package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServedDirectory;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a command that waits says for what, once. Method: a server over RDMA that restarts, and
 * waits for a client that never comes back.
 */
@Timeout(120)
class WaitingCommandsTest {
    private static final String NOTICE =
            "rpcrdma: waiting for 3 s: the server restarted, and waits for its clients";

    private final Console console = new Console();
    private final byte[] key = HandleKey.random();
    @TempDir private Path directory;

    /** A server of one directory. */
    private record Served(NfsServer nfs, RpcRdmaServer rdma) implements AutoCloseable {
        String url() {
            return "rdma://127.0.0.1:" + rdma.address().getPort() + "/data";
        }

        @Override
        public void close() {
            rdma.close();
            nfs.close();
        }
    }

    private Served serve() throws Exception {
        var options =
                new Nfs4Options(
                        Duration.ofSeconds(Nfs4Options.LEASE_SECONDS_MIN),
                        Duration.ofSeconds(5),
                        Optional.of(directory.resolve("records")),
                        "1");
        var exported = Files.createDirectories(directory.resolve("exported"));
        var nfs =
                new NfsServer(
                        List.of(new Export("/data", exported, false)),
                        key,
                        KerberosUsers.NONE,
                        options);
        return new Served(
                nfs,
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs())
                        .start());
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.0", "4.2"})
    void aCommandTellsOnceThatTheServerHasRestarted(String version) throws Exception {
        var source = Files.writeString(directory.resolve("source"), "text").toString();
        Served first = serve();
        try (var files =
                        NfsFiles.connect(
                                first.url(),
                                ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_4_2));
                var _ =
                        files.newByteChannel(
                                "/data/held",
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE)) {
            first.close();
            try (var second = serve()) {
                console.succeeds("put", "--vers", version, source, second.url() + "/file");
                assertEquals(
                        "text", Files.readString(directory.resolve("exported").resolve("file")));
                assertEquals(
                        List.of(NOTICE),
                        console.errLines().stream()
                                .filter(each -> each.contains("waiting"))
                                .toList(),
                        console::err);
                console.succeeds("ls", second.url());
                assertEquals("", console.err());
            }
        } catch (IOException _) {
            // The server of the open file is gone.
            assertEquals("text", Files.readString(directory.resolve("exported").resolve("file")));
        }
    }

    /** Holds an answer back, or says that it is not ready, until the command has told that. */
    private record Waiting(RpcProgram program, int procedure, boolean isSilent, Console console)
            implements ForwardingProgram {
        private static final int JUKEBOX = 10008;

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            boolean isMeant =
                    program.id().number() == Nfs4Binding.PROGRAM
                            && request.procedure() == procedure;
            if (isMeant && isSilent) {
                Eventually.await(() -> console.err().contains("waiting"));
            } else if (isMeant && !console.err().contains("waiting")) {
                results.uint32(JUKEBOX);
                results.uint32(0);
                return AcceptStatus.SUCCESS;
            }
            return program.call(request, results);
        }
    }

    @ParameterizedTest
    @CsvSource({"3,6,false", "3,6,true", "3,3,true", "4.0,1,true", "4.2,1,true"})
    void aCommandTellsOnceThatTheServerIsBusyOrSilent(
            String version, int procedure, boolean isSilent) throws Exception {
        Files.writeString(directory.resolve("file"), "text");
        try (var served =
                ServedDirectory.of(
                        directory, each -> new Waiting(each, procedure, isSilent, console))) {
            var copy = directory.resolve("copy");
            console.succeeds("get", "--vers", version, served.url() + "/file", copy.toString());
            assertEquals("text", Files.readString(copy));
            var why = isSilent ? "the server does not answer" : "the server is busy";
            var told = console.errLines().stream().filter(each -> each.contains("waiting"));
            var line = "rpcrdma: waiting for [3-9] s: " + why;
            assertEquals(1, told.filter(each -> each.matches(line)).count(), console::err);
        }
    }
}
