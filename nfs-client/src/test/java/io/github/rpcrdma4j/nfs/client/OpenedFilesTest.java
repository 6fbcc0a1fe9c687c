package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a file is opened with the rights that its mode gives, although NFS has no open. Method: a
 * server that grants some of them, and lets the owner of a file read and write it all the same.
 */
class OpenedFilesTest {
    @TempDir private Path directory;
    private final AtomicInteger granted = new AtomicInteger();
    private NfsServer nfs;
    private RpcRdmaServer server;
    private NfsFiles files;

    /** Answers ACCESS by what is granted, without attributes. */
    private record Granting(RpcProgram program, AtomicInteger granted)
            implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (program.id().number() != Nfs3.PROGRAM
                    || request.procedure() != Procedure.ACCESS.number()) {
                return program.call(request, results);
            }
            results.uint32(Status.OK.number()).uint32(0).uint32(granted.get());
            return AcceptStatus.SUCCESS;
        }
    }

    @BeforeEach
    void connect() throws Exception {
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(
                                nfs.programs().stream()
                                        .<RpcProgram>map(each -> new Granting(each, granted))
                                        .toList())
                        .start();
        files =
                NfsFiles.connect(
                        "rdma://127.0.0.1:" + server.address().getPort() + "/data",
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3));
        Files.writeString(directory.resolve("file"), "kept");
        Files.setPosixFilePermissions(
                directory.resolve("file"), PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @AfterEach
    void close() {
        files.close();
        server.close();
        nfs.close();
    }

    private void refused(OpenOption... options) {
        assertThrows(
                AccessDeniedException.class, () -> files.newByteChannel("/data/file", options));
    }

    @Test
    void aFileThatMayNotBeWrittenKeepsItsContents() throws Exception {
        granted.set(Nfs3.ACCESS_READ);
        assertThrows(AccessDeniedException.class, () -> files.newOutputStream("/data/file"));
        refused(StandardOpenOption.WRITE);
        refused(StandardOpenOption.APPEND);
        refused(StandardOpenOption.READ, StandardOpenOption.WRITE);
        assertEquals("kept", Files.readString(directory.resolve("file")));
        try (var in = files.newInputStream("/data/file")) {
            assertEquals("kept", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void aFileThatMayNotBeReadIsNotRead() throws Exception {
        granted.set(Nfs3.ACCESS_MODIFY | Nfs3.ACCESS_EXTEND);
        assertThrows(AccessDeniedException.class, () -> files.newInputStream("/data/file"));
        refused(StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (var out = files.newOutputStream("/data/file")) {
            out.write('x');
        }
        assertEquals("x", Files.readString(directory.resolve("file")));
    }
}
