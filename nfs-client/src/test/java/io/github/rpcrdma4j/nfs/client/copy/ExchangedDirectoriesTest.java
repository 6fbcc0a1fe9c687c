package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.FileOwner;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: another user gives the name of a directory in the target to another directory while a copy
 * runs, and that one keeps its files and its attributes.
 */
class ExchangedDirectoriesTest {
    private static final int LINKS = 1_000;

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

    private Connector connector() throws IOException {
        var caller = FileOwner.of(exported);
        return () ->
                RpcRdmaClient.builder()
                        .provider(new IwarpProvider())
                        .credential(caller)
                        .connect(rdma.address());
    }

    /** Copies the export to the target, and exchanges the two directories at the first step. */
    private void sync(String moved, String kept) throws Exception {
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
                        false,
                        true,
                        false);
        var client =
                NfsClient.connect(
                        connector(),
                        connector(),
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3));
        try (var mount = NfsMount.of(client, "/data")) {
            var copier =
                    new Copier(
                            mount,
                            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                            listener,
                            PreservedAttributes.ATTRIBUTES);
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
        assertEquals(
                List.of(
                        "cannot keep the attributes of "
                                + now
                                + ": another file has taken its place"),
                failures);
    }

    /** The other directory has all attributes that the copy is to get. */
    @Test
    void aDirectoryThatTookTheNameOfAFilledOneIsNamed() throws Exception {
        fill(exported.resolve("public"));
        Files.createDirectory(target.resolve("public"));
        var like = Files.createDirectory(target.resolve("like"));
        Files.setLastModifiedTime(like, Files.getLastModifiedTime(exported.resolve("public")));
        sync("public", "like");
        assertEquals(1, count(target.resolve("public")), failures::toString);
        assertEquals(42, count(target.resolve("moved")), failures::toString);
        assertEquals(
                List.of(
                        "cannot keep the attributes of "
                                + target.resolve("public")
                                + ": another file has taken its place"),
                failures);
    }

    @Test
    void whatFollowsGoesToTheDirectoryThatWasMade() throws Exception {
        fill(exported.resolve("secret"));
        Files.setPosixFilePermissions(
                exported.resolve("secret"), PosixFilePermissions.fromString("rwx------"));
        Files.createDirectory(target.resolve("open"));
        sync("secret", "open");
        assertEquals(1, count(target.resolve("secret")), failures::toString);
        assertEquals(42, count(target.resolve("moved")), failures::toString);
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(target.resolve("moved"))));
    }

    private interface Using {
        void use(Copier copier) throws Exception;
    }

    /** Uses a copier that copies one file after another. */
    private void use(CopyListener listener, Using using) throws Exception {
        var options = new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 1, 1);
        try (var mount =
                NfsMount.of(NfsClient.connect(connector(), connector(), options), "/data")) {
            using.use(new Copier(mount, options, listener, PreservedAttributes.ATTRIBUTES));
        } catch (IncompleteTreeException _) {
            // The listener has the failures.
        }
    }

    /** Puts the target directory to the server; exchanges two names in it at the first step. */
    private void put(String... exchanged) throws Exception {
        var listener =
                new CopyListener() {
                    @Override
                    public void failed(IOException why) {
                        failures.add(why.getMessage());
                    }

                    @Override
                    public void file(String path, long bytes) {
                        if (isExchanged.compareAndSet(false, true)) {
                            // The copied one stays, so that two others are left.
                            var others =
                                    Stream.of(exchanged)
                                            .filter(each -> !path.endsWith("/" + each))
                                            .map(target::resolve)
                                            .toList();
                            exchange(others.getFirst(), others.get(1));
                        }
                    }
                };
        use(
                listener,
                copier -> {
                    var place = copier.context().mount().place("/data/copy");
                    new TreeCopier(copier, _ -> true).put(target, place, "copy");
                });
        assertTrue(isExchanged.get());
    }

    private void exchange(Path one, Path other) {
        try {
            var between = target.resolveSibling("between");
            Files.move(one, between);
            Files.move(other, one);
            Files.move(between, other);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void aSourceDirectoryIsTheOneThatWasListed() throws Exception {
        Files.writeString(target.resolve("first"), "");
        var open = Files.createDirectory(target.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        var secret = Files.createDirectory(target.resolve("secret"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(secret.resolve("key"), "key");
        put("open", "secret");
        var copy = exported.resolve("copy");
        assertEquals(2, count(copy), failures::toString);
        failures.sort(null);
        assertEquals(
                List.of(
                        "cannot list " + open + ": another file has taken its place",
                        "cannot list " + secret + ": another file has taken its place"),
                failures);
    }

    @Test
    void aSourceLinkIsTheOneThatWasListed() throws Exception {
        for (var name : List.of("a", "b", "c")) {
            Files.createSymbolicLink(target.resolve(name), Path.of("to-" + name));
        }
        put("a", "b", "c");
        assertEquals(2, count(exported.resolve("copy")), failures::toString);
        assertEquals(2, failures.size(), failures::toString);
        for (var each : failures) {
            assertTrue(each.startsWith("cannot read the link " + target + "/"), each);
            assertTrue(each.endsWith(": another file has taken its place"), each);
        }
    }

    /** Returns how a copier judges a directory that it is said to have made with mode 0700. */
    private String judged(String name) throws Exception {
        var place = LocalPath.ROOT.child(FileName.of(name));
        var judged = new ArrayList<String>();
        use(
                new CopyListener() {},
                copier -> {
                    try (var tree = LocalTree.open(target, "open");
                            var in = tree.below(place, tree.status(place, "status"), "open")) {
                        new LocalFiles(copier.context(), tree)
                                .requireMade(place, in, 0700, "cannot make it");
                        judged.add("made");
                    } catch (IOException refused) {
                        judged.add(refused.getMessage());
                    }
                });
        return judged.getFirst();
    }

    @Test
    void aDirectoryThatTookThePlaceOfANewOneIsNotFilled() throws Exception {
        var refused = "cannot make it: another directory has taken its place";
        fill(target.resolve("full"));
        assertEquals(refused, judged("full"));
        var wide = Files.createDirectory(target.resolve("wide"));
        Files.setPosixFilePermissions(wide, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals("made", judged("wide"));
        assertEquals(
                "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(wide)));
        assumeTrue(Files.getAttribute(target, "unix:uid").equals(0), "only root gives files away");
        Files.setAttribute(Files.createDirectory(target.resolve("theirs")), "unix:uid", 7000);
        assertEquals(refused, judged("theirs"));
    }

    /**
     * Goal: another user renames a file over the temporary name of a link that is to become that
     * user's, and gets nothing. Method: a thread does that as fast as it can, in a directory that
     * both may change.
     */
    @Test
    void aFileThatTakesThePlaceOfANewLinkKeepsItsOwner() throws Exception {
        assumeTrue(Files.getAttribute(target, "unix:uid").equals(0), "only root gives files away");
        for (int i = 0; i < LINKS; i++) {
            var link = Files.createSymbolicLink(exported.resolve("link" + i), Path.of("nowhere"));
            Files.setAttribute(link, "unix:uid", 7001, LinkOption.NOFOLLOW_LINKS);
            var secret = Files.writeString(target.resolve("secret" + i), "secret");
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
            Files.setAttribute(secret, "unix:uid", 7002);
        }
        Files.setPosixFilePermissions(exported, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
        var ends = new AtomicBoolean();
        var renaming = Thread.ofPlatform().start(() -> renameOverTemporary(ends));
        try {
            use(
                    new CopyListener() {},
                    copier ->
                            new TreeCopier(copier, _ -> true)
                                    .get(
                                            copier.context().mount().resolve("/data"),
                                            "data",
                                            target));
        } finally {
            ends.set(true);
            renaming.join();
        }
        try (var all = Files.list(target)) {
            for (var each : all.toList()) {
                if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                    assertEquals(7002, Files.getAttribute(each, "unix:uid"), each::toString);
                }
            }
        }
    }

    private void renameOverTemporary(AtomicBoolean ends) {
        for (int i = 0; i < LINKS && !ends.get(); ) {
            for (var each : target.toFile().list()) {
                if (each.endsWith(".part") && i < LINKS) {
                    // Java replaces by rename(2), which no check precedes.
                    i +=
                            target.resolve("secret" + i)
                                            .toFile()
                                            .renameTo(new File(target.toFile(), each))
                                    ? 1
                                    : 0;
                }
            }
        }
    }

    @Test
    void aNewLinkLeavesNothingBesideItInASharedDirectory() throws Exception {
        Files.createSymbolicLink(exported.resolve("link"), Path.of("nowhere"));
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
        var process = RunningProcess.current();
        var ended = new RunningProcess(process.pidScope(), process.process(), process.start() + 1);
        var left = TemporaryName.of(FileName.of("link"), ended);
        var apart = Files.createDirectory(target.resolve(left.escaped()));
        Files.createSymbolicLink(apart.resolve(left.escaped()), Path.of("nowhere"));
        use(
                new CopyListener() {},
                copier -> {
                    var link = copier.context().mount().resolve("/data/link");
                    new TreeCopier(copier, _ -> true).get(link, "link", target.resolve("link"));
                    try (var tree = LocalTree.open(target, "open");
                            var names = new NameMemory().share()) {
                        new LocalFiles(copier.context(), tree)
                                .sweep(LocalPath.ROOT, names, "target");
                    }
                });
        try (var all = Files.list(target)) {
            assertEquals(List.of(target.resolve("link")), all.toList());
        }
    }
}
