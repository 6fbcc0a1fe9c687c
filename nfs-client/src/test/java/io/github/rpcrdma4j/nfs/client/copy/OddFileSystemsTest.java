package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import com.google.common.jimfs.PathNormalization;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.BentAttributes;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Comparison;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules.Deletion;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: on file systems that take two names for one, or give several files one number, copies come
 * to rest, remove nothing that they have made, and keep the contents of each file apart. Method:
 * copies over RDMA from and to such file systems.
 */
class OddFileSystemsTest {
    private static final ClientOptions OVER_VERSION_3 =
            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);

    private static final CopyRules SYNC =
            new CopyRules(
                    CopyRules.ALL,
                    Comparison.SIZE_AND_TIME,
                    new Deletion.Everything(),
                    false,
                    true,
                    false);

    @TempDir private Path directory;
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (var each : opened.reversed()) {
            each.close();
        }
    }

    /** Records what happens to files. */
    private static final class Events implements CopyListener {
        private final List<String> copied = new ArrayList<>();
        private final List<String> deleted = new ArrayList<>();
        private final List<String> failed = new ArrayList<>();

        @Override
        public synchronized void file(String name, long bytes) {
            copied.add(name);
        }

        @Override
        public synchronized void deleted(String name) {
            deleted.add(name);
        }

        @Override
        public synchronized void failed(IOException why) {
            // The file system in memory has users of its own.
            if (!why.getMessage().startsWith("cannot keep the owner of ")) {
                failed.add(why.getMessage());
            }
        }

        void require(int copies, int deletions, int failures) {
            assertEquals(
                    List.of(copies, deletions, failures),
                    List.of(copied.size(), deleted.size(), failed.size()),
                    () -> copied + " " + deleted + " " + failed);
        }
    }

    private static FileSystem folding(PathNormalization... normalizations) {
        var configuration =
                Configuration.unix().toBuilder()
                        .setAttributeViews("basic", "owner", "posix", "unix")
                        .setNameCanonicalNormalization(normalizations[0], tail(normalizations))
                        .build();
        return Jimfs.newFileSystem(configuration);
    }

    private static PathNormalization[] tail(PathNormalization... all) {
        return List.of(all).subList(1, all.length).toArray(PathNormalization[]::new);
    }

    private NfsMount mount(Path exported, UnaryOperator<RpcProgram> bent) throws Exception {
        var nfs = new NfsServer(List.of(new Export("/data", exported, false)), new byte[32]);
        opened.add(nfs);
        var rdma =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs().stream().map(bent).toList())
                        .start();
        opened.add(rdma);
        var caller = new Credential.Sys(0, "test", 0, 0, List.of());
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(Nfs3Binding.BINDING)
                                .connect(rdma.address());
        var mount = NfsMount.of(NfsClient.connect(connector, connector, OVER_VERSION_3), "/data");
        opened.add(mount);
        return mount;
    }

    private static Events put(NfsMount mount, Path source, String target) throws Exception {
        var events = new Events();
        var copier = new Copier(mount, OVER_VERSION_3, events, PreservedAttributes.ATTRIBUTES);
        run(() -> new TreeCopier(copier, SYNC).put(source, mount.place("/data/" + target), target));
        return events;
    }

    private static Events get(
            NfsMount mount, String source, Path target, CopyRules rules, PreservedAttributes kept)
            throws Exception {
        var events = new Events();
        var copier = new Copier(mount, OVER_VERSION_3, events, kept);
        run(
                () ->
                        new TreeCopier(copier, rules)
                                .get(mount.resolve("/data/" + source), source, target));
        return events;
    }

    private interface Copy {
        void run() throws IOException, InterruptedException;
    }

    private static void run(Copy copy) throws IOException, InterruptedException {
        try {
            copy.run();
        } catch (IncompleteTreeException _) {
            // The events tell what failed.
        }
    }

    private static Path file(Path in, String name, String text) throws IOException {
        Files.createDirectories(in);
        var file = Files.writeString(in.resolve(name), text);
        return Files.setLastModifiedTime(file, FileTime.fromMillis(981173106700L));
    }

    private static List<String> contents(Path in) throws IOException {
        try (Stream<Path> all = Files.list(in)) {
            var contents = new ArrayList<String>();
            for (var each : all.filter(Files::isRegularFile).toList()) {
                contents.add(each.getFileName() + "=" + Files.readString(each));
            }
            contents.sort(null);
            return contents;
        }
    }

    @Test
    void aServerThatIgnoresCaseKeepsWhatWasJustCopied() throws Exception {
        try (var server = folding(PathNormalization.CASE_FOLD_ASCII)) {
            var exported = Files.createDirectory(server.getPath("/exported"));
            file(exported.resolve("s"), "photo.jpg", "older");
            file(exported.resolve("s"), "gone", "x");
            var source = directory.resolve("s");
            file(source, "Photo.JPG", "precious");
            file(source, "keep", "k");
            var mount = mount(exported, each -> each);
            put(mount, source, "s").require(2, 1, 0);
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        "precious", Files.readString(exported.resolve("s").resolve("Photo.JPG")));
                put(mount, source, "s").require(0, 0, 0);
            }
        }
    }

    @Test
    void aServerThatNormalizesNamesKeepsWhatWasJustCopied() throws Exception {
        try (var server = folding(PathNormalization.NFD)) {
            var exported = Files.createDirectory(server.getPath("/exported"));
            file(exported.resolve("s"), "e\u0301te\u0301", "older");
            file(exported.resolve("s").resolve("e\u0301"), "f", "older");
            file(exported.resolve("s").resolve("e\u0301"), "g", "x");
            var source = directory.resolve("s");
            file(source, "\u00e9t\u00e9", "summer");
            file(source.resolve("\u00e9"), "f", "f");
            var mount = mount(exported, each -> each);
            put(mount, source, "s").require(2, 1, 0);
            put(mount, source, "s").require(0, 0, 0);
            assertEquals(
                    "summer", Files.readString(exported.resolve("s").resolve("\u00e9t\u00e9")));
        }
    }

    /** Two files of the source have one place: one is copied, and the other is reported. */
    @Test
    void noFileReplacesAnotherOneOfTheSameSource() throws Exception {
        var source = directory.resolve("s");
        file(source, "a", "1");
        file(source, "A", "22");
        file(source.resolve("d"), "f", "3");
        file(source.resolve("D"), "F", "44");
        try (var server = folding(PathNormalization.CASE_FOLD_ASCII)) {
            var exported = Files.createDirectory(server.getPath("/exported"));
            var mount = mount(exported, each -> each);
            var first = put(mount, source, "s");
            first.require(2, 0, 2);
            assertTrue(
                    first.failed.contains(
                            "cannot copy "
                                    + source
                                    + "/a: the target takes its name for that of A, which is"
                                    + " copied, too"),
                    first.failed::toString);
            for (int i = 0; i < 2; i++) {
                put(mount, source, "s").require(0, 0, 2);
                assertEquals(List.of("A=22"), contents(exported.resolve("s")));
                assertEquals(List.of("F=44"), contents(exported.resolve("s").resolve("D")));
            }
        }
        try (var here = folding(PathNormalization.CASE_FOLD_ASCII)) {
            var target = here.getPath("/t");
            var mount = mount(directory, each -> each);
            get(mount, "s", target, SYNC, PreservedAttributes.ATTRIBUTES).require(2, 0, 2);
            for (int i = 0; i < 2; i++) {
                get(mount, "s", target, SYNC, PreservedAttributes.ATTRIBUTES).require(0, 0, 2);
                assertEquals(1, contents(target).size());
            }
        }
        // Another file system has both.
        var both = directory.resolve("both");
        var mount = mount(directory, each -> each);
        get(mount, "s", both, SYNC, PreservedAttributes.ATTRIBUTES).require(4, 0, 0);
        assertEquals(List.of("A=22", "a=1"), contents(both));
        get(mount, "s", both, SYNC, PreservedAttributes.ATTRIBUTES).require(0, 0, 0);
    }

    @Test
    void aLocalTargetThatIgnoresCaseKeepsWhatWasJustCopied() throws Exception {
        file(directory.resolve("s"), "Photo.JPG", "precious");
        file(directory.resolve("s"), "keep", "k");
        try (var here = folding(PathNormalization.CASE_FOLD_ASCII)) {
            var target = here.getPath("/t");
            file(target, "photo.jpg", "older");
            file(target, "gone", "x");
            var mount = mount(directory, each -> each);
            get(mount, "s", target, SYNC, PreservedAttributes.ATTRIBUTES).require(2, 1, 0);
            for (int i = 0; i < 3; i++) {
                assertEquals("precious", Files.readString(target.resolve("Photo.JPG")));
                get(mount, "s", target, SYNC, PreservedAttributes.ATTRIBUTES).require(0, 0, 0);
            }
        }
    }

    /** Servers exist that give files of several file systems, or all files, one number. */
    @Test
    void filesOfOneNumberAreLinkedOnlyIfTheirHandlesAreEqual() throws Exception {
        var source = directory.resolve("s");
        for (var each : List.of("a", "b")) {
            var file = file(source.resolve(each), "x", "file of " + each);
            Files.createLink(source.resolve(each).resolve("y"), file);
        }
        var mount = mount(directory, each -> BentAttributes.of(each, _ -> 7));
        var copy = directory.resolve("copy");
        get(mount, "s", copy, CopyRules.EVERYTHING, PreservedAttributes.ALL).require(4, 0, 0);
        for (var each : List.of("a", "b")) {
            var in = copy.resolve(each);
            assertEquals(List.of("x=file of " + each, "y=file of " + each), contents(in));
            assertTrue(Files.isSameFile(in.resolve("x"), in.resolve("y")));
        }
        var copier = new Copier(mount, OVER_VERSION_3, new Events(), PreservedAttributes.ALL);
        new TreeCopier(copier, CopyRules.EVERYTHING)
                .copy(mount.resolve("/data/s"), "s", mount.place("/data/cp"), "cp");
        assertEquals(List.of("x=file of b", "y=file of b"), contents(directory.resolve("cp/b")));
        assertTrue(Files.isSameFile(directory.resolve("cp/b/x"), directory.resolve("cp/b/y")));
    }

    /** The numbers of files are other ones in each reply. */
    @Test
    void copiesComeToRestWhereNumbersChange() throws Exception {
        var source = directory.resolve("s");
        file(source, "a", "1");
        var link = file(source, "b", "2");
        Files.createLink(source.resolve("c"), link);
        var number = new int[1];
        var mount = mount(directory, each -> BentAttributes.of(each, _ -> ++number[0]));
        put(mount, source, "t").require(3, 0, 0);
        file(directory.resolve("t"), "gone", "x");
        var second = put(mount, source, "t");
        assertNotEquals(0, number[0]);
        second.require(0, 1, 0);
        put(mount, source, "t").require(0, 0, 0);
        var copy = directory.resolve("copy");
        get(mount, "s", copy, CopyRules.EVERYTHING, PreservedAttributes.ALL).require(3, 0, 0);
        assertEquals(List.of("a=1", "b=2", "c=2"), contents(copy));
    }

    /** A directory is listed under a name that the copy does not have, and for no known reason. */
    @Test
    void aDirectoryThatWasFilledStaysUnderWhateverNameItIsListed() throws Exception {
        var source = directory.resolve("s");
        file(source.resolve("d"), "f", "1");
        file(directory.resolve("t").resolve("d"), "f", "1");
        Files.createDirectory(directory.resolve("t/x"));
        var mount = mount(directory, each -> each);
        var there = mount.resolve("/data/t/d");
        var listed = mount.resolve("/data/t");
        var events = new Events();
        var copier = new Copier(mount, OVER_VERSION_3, events, PreservedAttributes.ATTRIBUTES);
        var extras = new ServerExtras(copier.context(), new JobQueue(events), SYNC, 0);
        extras.fills(there.handle());
        extras.remove(
                false,
                listed.handle(),
                Map.of(FileName.of("d"), there, FileName.of("x"), mount.resolve("/data/t/x")),
                LocalPath.ROOT,
                "t");
        events.require(0, 1, 0);
        try (var tree = LocalTree.open(directory.resolve("t"), "cannot open")) {
            Files.createDirectory(directory.resolve("t/x"));
            var d = LocalPath.ROOT.child(FileName.of("d"));
            var x = LocalPath.ROOT.child(FileName.of("x"));
            var shown = new ShownPath("t", 0);
            var local = new LocalExtras(tree, events, new JobQueue(events), shown, SYNC);
            local.fills(tree.status(d, ""));
            var inTree = Map.of(d, tree.status(d, ""), x, tree.status(x, ""));
            local.remove(false, LocalPath.ROOT, tree.status(LocalPath.ROOT, ""), inTree);
        }
        events.require(0, 2, 0);
        assertEquals(List.of("f=1"), contents(directory.resolve("t/d")));
    }

    @Test
    void aFoldingFileSystemIsOne() throws Exception {
        try (var here = folding(PathNormalization.CASE_FOLD_ASCII)) {
            Files.createFile(here.getPath("/a"));
            assertThrows(IOException.class, () -> Files.createFile(here.getPath("/A")));
        }
    }
}
