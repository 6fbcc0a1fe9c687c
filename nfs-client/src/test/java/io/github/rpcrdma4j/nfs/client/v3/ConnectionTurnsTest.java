package io.github.rpcrdma4j.nfs.client.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpConnector;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: calls of version 3 take turns on connections. Method: a server that sees the ports. */
@Timeout(120)
class ConnectionTurnsTest {
    @TempDir private Path directory;
    private NfsServer nfs;
    private TcpRpcServer server;
    private FileService service;
    private FileHandle root;
    private final Queue<Integer> ports = new ConcurrentLinkedQueue<>();

    private record Watched(RpcProgram program, Queue<Integer> ports) implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            ports.add(request.peer().getPort());
            return program.call(request, results);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.write(directory.resolve("file"), new byte[1000]);
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var programs =
                nfs.programs().stream().<RpcProgram>map(each -> new Watched(each, ports)).toList();
        server = TcpRpcServer.listen(loopback, programs, TcpRpcOptions.DEFAULT);
        var caller = ProcessCredential.read();
        var connector =
                new TcpConnector(
                        server.address(), caller, TcpClientOptions.within(Duration.ofSeconds(30)));
        var options =
                ClientOptions.DEFAULT
                        .withVersion(NfsVersion.VERSION_3)
                        .withConnections(2)
                        .withCaller(caller);
        service = NfsClient.connect(connector, connector, options);
        root = service.mount(PathName.of("/data"));
        // The second one is made meanwhile.
        while (seen().size() < 2) {
            service.attributes(root, "no");
        }
        ports.clear();
    }

    private Set<Integer> seen() {
        return new HashSet<>(ports);
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        server.close();
        nfs.close();
    }

    @Test
    void callsTakeTurns() throws Exception {
        for (int i = 0; i < 10; i++) {
            service.attributes(root, "no");
        }
        assertEquals(2, seen().size());
        int before = ports.remove();
        while (!ports.isEmpty()) {
            assertNotEquals(before, ports.element());
            before = ports.remove();
        }
    }

    @Test
    void aPipelineStaysOnOneConnection() throws Exception {
        var file = service.lookup(new RemotePlace(root, "file"), "no").handle();
        for (int round = 0; round < 2; round++) {
            ports.clear();
            try (var arena = Arena.ofShared();
                    var open = service.open(file, OpenFile.Mode.READ, "no");
                    var pipeline = service.pipeline()) {
                for (int i = 0; i < 10; i++) {
                    pipeline.read(open, i * 100L, arena.allocate(100), "no", _ -> {});
                }
                boolean hasCalls = true;
                while (hasCalls) {
                    hasCalls = pipeline.poll();
                }
            }
            assertEquals(10, ports.size());
            assertEquals(1, seen().size());
        }
    }
}
