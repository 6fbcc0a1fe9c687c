package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: another user gives the name of a directory in the target to another directory while a copy
 * runs, and that one keeps its files and its attributes.
 */
class ExchangedDirectoriesTest {
    @TempDir private Path directory;
    private Path exported;
    private Path target;
    private NfsServer nfs;
    private RpcRdmaServer rdma;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean isExchanged = new AtomicBoolean();

    @BeforeEach
    void serve() throws Exception {
        exported = Files.createDirectory(directory.resolve("exported"));
        target = Files.createDirectory(directory.resolve("target"));
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs())
                        .start();
    }

    @AfterEach
    void everythingIsGivenBack() {
        rdma.close();
        nfs.close();
        assertEquals(0, rdma.leasedMemory());
    }

    /** Copies the export to the target, and exchanges the two directories at the first step. */
    private void sync(String moved, String kept) throws Exception {
        var caller =
                new Credential.Sys(
                        0,
                        "test",
                        (Integer) Files.getAttribute(exported, "unix:uid"),
                        (Integer) Files.getAttribute(exported, "unix:gid"),
                        List.of());
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .connect(rdma.address());
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }

                    @Override
                    public void file(String path, long bytes) {
                        exchange(path, moved, kept);
                    }

                    @Override
                    public void deleted(String path) {
                        exchange(path, moved, kept);
                    }
                };
        var rules =
                new CopyRules(
                        (path, _) -> !path.names().getFirst().equals(FileName.of(kept)),
                        Comparison.SIZE_AND_TIME,
                        new Deletion.Everything(),
                        false);
        var client = new Nfs3Client(connector, connector, ClientOptions.DEFAULT);
        try (var mount = NfsMount.of(client, "/data")) {
            var copier =
                    new Copier(
                            mount, ClientOptions.DEFAULT, listener, PreservedAttributes.ATTRIBUTES);
            new TreeCopier(copier, rules).get(mount.resolve("/data"), "data", target);
        } catch (IncompleteTreeException _) {
            // The listener has the failures.
        }
        assertTrue(isExchanged.get());
    }

    private void exchange(String path, String moved, String kept) {
        if (path.contains("/" + moved + "/") && isExchanged.compareAndSet(false, true)) {
            try {
                Files.move(target.resolve(moved), target.resolve("moved"));
                Files.move(target.resolve(kept), target.resolve(moved));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    private static void fill(Path filled) throws IOException {
        Files.createDirectories(filled.resolve("docs"));
        for (int i = 0; i < 20; i++) {
            Files.writeString(filled.resolve("file" + i), "");
            Files.writeString(filled.resolve("docs/file" + i), "");
        }
    }

    private static long count(Path in) throws IOException {
        try (var all = Files.walk(in)) {
            return all.count();
        }
    }

    @Test
    void nothingIsRemovedFromADirectoryThatTookTheName() throws Exception {
        Files.writeString(exported.resolve("a"), "a");
        fill(target.resolve("extra"));
        fill(target.resolve("keepme"));
        sync("extra", "keepme");
        assertEquals(42, count(target.resolve("extra")), failures::toString);
        assertTrue(count(target.resolve("moved")) < 42);
    }

    @Test
    void noAttributesGoToADirectoryThatTookTheName() throws Exception {
        fill(exported.resolve("public"));
        var secret = Files.createDirectory(target.resolve("private"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(secret.resolve("mine"), "mine");
        sync("public", "private");
        var now = target.resolve("public");
        assertEquals(
                "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(now)));
        assertEquals("mine", Files.readString(now.resolve("mine")));
        // Files that are being copied at that moment may fail too.
        assertEquals(
                "cannot keep the attributes of " + now + ": another file has taken its place",
                failures.getLast());
    }
}
