package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a path that only version 3 has is reached by that, if the user asks for no version; all
 * other paths are those of version 4. Method: a server with one export, which has another path in
 * each version, as old servers of Linux do.
 */
@Timeout(60)
class OlderExportsTest {
    private static final String OLDER = "/srv/nfs/data";

    @TempDir private Path exported;
    private NfsServer newer;
    private NfsServer older;
    private RpcRdmaServer server;
    private final List<PathName> told = new ArrayList<>();

    @BeforeEach
    void serve() throws Exception {
        Files.writeString(exported.resolve("file"), "text");
        newer = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        older = new NfsServer(List.of(new Export(OLDER, exported, false)), new byte[32]);
        var programs = new ArrayList<RpcProgram>();
        newer.programs().stream().filter(OlderExportsTest::isVersion4).forEach(programs::add);
        older.programs().stream().filter(each -> !isVersion4(each)).forEach(programs::add);
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(programs)
                        .start();
    }

    private static boolean isVersion4(RpcProgram program) {
        return program.id().lowestVersion() == Nfs4Binding.VERSION
                && program.id().number() == Nfs4Binding.PROGRAM;
    }

    @AfterEach
    void stop() {
        server.close();
        newer.close();
        older.close();
    }

    private NfsMount mount(String path, ClientOptions options) throws Exception {
        var connector =
                RpcRdmaClient.builder()
                        .provider(new IwarpProvider())
                        .credential(ProcessCredential.read())
                        .bindings(ClientOptions.DEFAULT.bindings())
                        .connector(server.address());
        var called = options.withCaller(ProcessCredential.read());
        return new NfsConnector(connector, connector, called).mount(PathName.of(path), told::add);
    }

    private NfsMount mount(String path) throws Exception {
        return mount(path, ClientOptions.DEFAULT);
    }

    @Test
    void aPathThatOnlyVersion3HasIsReachedByVersion3() throws Exception {
        try (var mount = mount(OLDER + "/file")) {
            assertEquals(NfsVersion.VERSION_3, mount.service().version());
            assertEquals(PathName.of(OLDER), mount.export());
            assertEquals(4, mount.resolve(OLDER + "/file").attributes().size());
        }
        assertEquals(List.of(PathName.of(OLDER)), told);
    }

    @Test
    void aFileThatIsMissingIsOneOfVersion4() throws Exception {
        for (var path : List.of("/data/none", "/data/file", "/none", "/none/at/all", "/")) {
            try (var mount = mount(path)) {
                assertEquals(NfsVersion.VERSION_4_2, mount.service().version(), path);
            }
        }
        assertEquals(List.of(), told);
    }

    @Test
    void whoAsksForAVersionGetsNoOther() throws Exception {
        try (var mount = mount(OLDER, ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_4_2))) {
            assertEquals(NfsVersion.VERSION_4_2, mount.service().version());
            assertTrue(mount.find(PathName.of(OLDER)).isEmpty());
        }
        assertEquals(List.of(), told);
    }
}
