package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.client.FileOwner;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a tree is copied into a directory that is there, such as the home of a user, although the
 * user may make no directory beside it. Method: a server that refuses each MKDIR, before it looks
 * for the name.
 */
class ExistingDirectoriesTest {
    @TempDir private Path directory;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private volatile Status status;
    private NfsServer nfs;
    private RpcRdmaServer server;

    /** Refuses MKDIR. */
    private final class NoDirectories implements ForwardingProgram {
        private final RpcProgram program;

        NoDirectories(RpcProgram program) {
            this.program = program;
        }

        @Override
        public RpcProgram program() {
            return program;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (program.id().number() != Nfs3.PROGRAM
                    || request.procedure() != Procedure.MKDIR.number()) {
                return program.call(request, results);
            }
            // Without attributes before and after.
            results.uint32(status.number()).uint32(0).uint32(0);
            return AcceptStatus.SUCCESS;
        }
    }

    @BeforeEach
    void serve() throws Exception {
        Files.createDirectories(directory.resolve("exported/home"));
        Files.createDirectories(directory.resolve("source/home"));
        Files.writeString(directory.resolve("source/home/file"), "text");
        var export = new Export("/data", directory.resolve("exported"), false);
        nfs = new NfsServer(List.of(export), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(
                                nfs.programs().stream()
                                        .<RpcProgram>map(NoDirectories::new)
                                        .toList())
                        .start();
    }

    @AfterEach
    void stop() {
        server.close();
        nfs.close();
    }

    private void put() throws Exception {
        var home = directory.resolve("exported");
        var owner = FileOwner.of(home);
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(owner)
                                .connect(server.address());
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }
                };
        var client =
                NfsClient.connect(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3));
        try (var mount = NfsMount.of(client, "/data")) {
            var copier =
                    new Copier(
                            mount,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                            listener,
                            PreservedAttributes.PERMISSIONS);
            new TreeCopier(copier, _ -> true)
                    .put(directory.resolve("source/home"), mount.place("/data/home"), "home");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCES", "PERM", "ROFS", "EXIST"})
    void aDirectoryThatIsThereIsFilled(Status refused) throws Exception {
        status = refused;
        try {
            put();
        } catch (IncompleteTreeException _) {
            // The failures tell what failed.
        }
        assertEquals(List.of(), failures);
        assertEquals("text", Files.readString(directory.resolve("exported/home/file")));
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCES", "ROFS"})
    void aDirectoryThatIsNotThereCannotBeMade(Status refused) throws Exception {
        status = refused;
        Files.delete(directory.resolve("exported/home"));
        var failed = assertThrows(IOException.class, this::put);
        var told = failures + failed.getMessage();
        assertTrue(told.contains("cannot make home"), told);
    }
}
