package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.FileType;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.RandomAccessFile;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: all 18 procedures of NFS version 2 work as in RFC 1094 and at other servers. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class Nfs2Test {
    private static final long MAX = 0xffff_ffffL;

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private Nfs2Client client;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        start();
    }

    private void start() throws Exception {
        server = TestServer.of(testDirectory);
        client = Nfs2Client.of(server);
        root = client.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    @Test
    void makesReadsAndRemovesFiles() throws Exception {
        var directory = client.makeDirectory(root, "directory");
        var file = client.create(directory, "file");
        assertEquals(5, client.ok(Nfs2Client.write(file, 0, "hello")).size());
        assertEquals(11, client.ok(Nfs2Client.write(file, 5, " world")).size());
        assertEquals("lo wor", client.read(file, 3, 6));
        assertEquals("", client.read(file, 11, 6));
        assertEquals(file, client.lookup(directory, "file"));
        assertEquals(FileType.REGULAR, client.attributes(file).type());
        assertEquals(0100000, client.attributes(file).mode() & 0170000);
        assertEquals(FileType.DIRECTORY, client.attributes(directory).type());
        assertEquals(0040000, client.attributes(directory).mode() & 0170000);
        assertEquals(List.of(".", "..", "file"), client.names(directory));
        client.ok(
                new Nfs2Call.Rename(
                        Nfs2Client.place(directory, "file"), Nfs2Client.place(root, "moved")));
        client.ok(new Nfs2Call.Link(file, Nfs2Client.place(root, "also")));
        assertEquals(List.of(".", "..", "also", "directory", "moved"), client.names(root));
        assertEquals(
                Status.ISDIR,
                client.status(new Nfs2Call.Remove(Nfs2Client.place(root, "directory"))));
        client.ok(new Nfs2Call.RemoveDirectory(Nfs2Client.place(root, "directory")));
        client.ok(new Nfs2Call.Remove(Nfs2Client.place(root, "moved")));
        assertEquals("hello world", client.read(file, 0, 100));
        client.ok(new Nfs2Call.Remove(Nfs2Client.place(root, "also")));
        assertEquals(Status.STALE, client.status(new Nfs2Call.GetAttributes(file)));
        assertEquals(Status.STALE, client.status(new Nfs2Call.GetAttributes(directory)));
    }

    @Test
    void makesLinks() throws Exception {
        client.ok(Nfs2Client.link(root, "link", "somewhere/else"));
        var link = client.lookup(root, "link");
        assertEquals(FileType.SYMBOLIC_LINK, client.attributes(link).type());
        assertEquals("somewhere/else", client.ok(new Nfs2Call.ReadLink(link)).path().toString());
        assertEquals(Status.INVAL, client.status(Nfs2Client.link(root, "empty", "")));
        assertEquals(Status.INVAL, client.status(Nfs2Client.link(root, "nul", "a\0b")));
        assertEquals(Status.EXIST, client.status(Nfs2Client.link(root, "link", "x")));
        assertEquals(
                Status.INVAL, client.status(new Nfs2Call.ReadLink(client.create(root, "file"))));
    }

    /** The text of a link may have 4096 bytes elsewhere, and 1024 in version 2. */
    @Test
    void doesNotShortenTheTextOfALink() throws Exception {
        server.link(server.root(), "long", "x/".repeat(512) + "x");
        server.link(server.root(), "fits", "x/".repeat(511) + "xx");
        assertEquals(
                Status.NAMETOOLONG,
                client.status(new Nfs2Call.ReadLink(client.lookup(root, "long"))));
        var fits = client.ok(new Nfs2Call.ReadLink(client.lookup(root, "fits")));
        assertEquals(1024, fits.path().length());
    }

    @Test
    void nullRootAndWritecacheDoNothing() throws Exception {
        for (var procedure : List.of(Procedure.NULL, Procedure.ROOT, Procedure.WRITECACHE)) {
            server.results(
                            Nfs2Binding.PROGRAM,
                            Nfs2Binding.VERSION,
                            procedure.number(),
                            client.caller(),
                            _ -> {})
                    .finish();
            assertEquals(1, server.nfs.statistics().calls(procedure));
        }
    }

    @Test
    void countsCallsAndBytes() throws Exception {
        var file = client.create(root, "file");
        client.ok(Nfs2Client.write(file, 0, "hello"));
        client.read(file, 0, 3);
        assertEquals(1, server.nfs.statistics().calls(Procedure.CREATE));
        assertEquals(5, server.nfs.statistics().bytesWritten());
        assertEquals(3, server.nfs.statistics().bytesRead());
    }

    @Test
    void tellsTheSpace() throws Exception {
        var space = client.ok(new Nfs2Call.FileSystem(root));
        assertEquals(8192, space.transfer());
        assertTrue(space.blockSize() >= 4096);
        assertTrue(space.blocks() > 0 && space.availableBlocks() <= space.blocks());
    }

    /** A value of -1 leaves an attribute alone, and a million microseconds mean now. */
    @Test
    void changesTheNamedAttributesAlone() throws Exception {
        var file = client.create(root, "file");
        client.ok(Nfs2Client.write(file, 0, "hello"));
        var early = new Timestamp(1_000_000_000, 250_000);
        int keep = SetAttributes.KEEP;
        var times = new SetAttributes(keep, keep, keep, keep, early, early);
        var changed = client.ok(new Nfs2Call.ChangeAttributes(file, times));
        assertEquals(early, changed.modified());
        assertEquals(5, changed.size());
        var size = SetAttributes.NONE.withSize(2);
        assertEquals(2, client.ok(new Nfs2Call.ChangeAttributes(file, size)).size());
        var before = client.attributes(file);
        assertEquals(before, client.ok(change(file, SetAttributes.NONE)));
        var now = new Timestamp(7, SetAttributes.SERVER_TIME_MICROS);
        var touch = new SetAttributes(keep, keep, keep, keep, early, now);
        var touched = client.ok(change(file, touch));
        assertTrue(touched.modified().seconds() > early.seconds(), touched::toString);
        assertTrue(touched.accessed().seconds() > early.seconds(), touched::toString);
        var malformed =
                new SetAttributes(keep, keep, keep, keep, early, new Timestamp(1, 1_000_001));
        assertEquals(Status.INVAL, client.status(change(file, malformed)));
        if (kind != TestDirectory.Kind.BASIC) {
            assertEquals(0100600, client.ok(change(file, SetAttributes.ofMode(0600))).mode());
            // Some clients of Sun mean -1.
            assertEquals(0100600, client.ok(change(file, SetAttributes.ofMode(0xffff))).mode());
        }
    }

    private static Nfs2Call.ChangeAttributes change(FileHandle file, SetAttributes changes) {
        return new Nfs2Call.ChangeAttributes(file, changes);
    }

    /** CREATE has no condition: a file that exists gets the size, and keeps all else. */
    @Test
    void createCutsAFileThatExists() throws Exception {
        var file = client.create(root, "file");
        client.ok(Nfs2Client.write(file, 0, "hello"));
        var again = Nfs2Client.place(root, "file");
        var mode = SetAttributes.ofMode(0600);
        var kept = client.ok(new Nfs2Call.Create(again, mode));
        assertEquals(file, kept.handle());
        assertEquals(5, kept.attributes().size());
        var cut = client.ok(new Nfs2Call.Create(again, mode.withSize(0)));
        assertEquals(file, cut.handle());
        assertEquals(0, cut.attributes().size());
        assertEquals(client.attributes(file).mode(), cut.attributes().mode());
    }

    /** Other servers make a FIFO of a character device without a number. */
    @Test
    void createMakesFifos() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL);
        for (int format : new int[] {0010000, 0020000}) {
            var name = "fifo" + format;
            var made =
                    client.ok(
                            new Nfs2Call.Create(
                                    Nfs2Client.place(root, name),
                                    SetAttributes.ofMode(format | 0644)));
            assertEquals(FileType.CHARACTER_DEVICE, made.attributes().type());
            assertEquals(FileAttributes.FIFO_DEVICE, made.attributes().device());
            assertEquals(
                    io.github.rpcrdma4j.nfs.FileType.FIFO,
                    server.attributes(server.lookup(server.root(), name)).type());
        }
        assertEquals(
                Status.INVAL,
                client.status(
                        new Nfs2Call.Create(
                                Nfs2Client.place(root, "no"), SetAttributes.ofMode(0040755))));
    }

    /** Goal: a handle is valid as long as its file, in its version alone. */
    @Test
    void handlesOutliveARestartAndHaveOneVersion() throws Exception {
        var file = client.create(client.makeDirectory(root, "directory"), "file");
        client.ok(Nfs2Client.write(file, 0, "hello"));
        var before = root;
        server.close();
        start();
        assertEquals(before, root);
        assertEquals("hello", client.read(file, 0, 9));
        var asVersion3 = new io.github.rpcrdma4j.nfs.v3.FileHandle(file.bytes());
        assertEquals(
                io.github.rpcrdma4j.nfs.v3.Status.BADHANDLE,
                server.status(new Nfs3Call.GetAttributes(asVersion3)));
        byte[] version3 = Arrays.copyOf(server.root().bytes(), FileHandle.BYTES);
        assertEquals(
                Status.STALE, client.status(new Nfs2Call.GetAttributes(FileHandle.of(version3))));
        for (int bit = 0; bit < FileHandle.BYTES * 8; bit++) {
            byte[] forged = file.bytes();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            assertEquals(
                    Status.STALE, client.status(new Nfs2Call.GetAttributes(FileHandle.of(forged))));
        }
    }

    @Test
    void listsLargeDirectoriesInPages() throws Exception {
        for (int i = 0; i < 300; i++) {
            Files.createFile(testDirectory.root().resolve("name" + i));
        }
        var all = client.names(root);
        assertEquals(302, all.size());
        var paged = client.list(root, 512, () -> {});
        assertEquals(all, paged.stream().map(each -> each.name().toString()).sorted().toList());
        assertEquals(302, paged.stream().map(each -> each.cookie()).distinct().count());
        assertEquals(all, acrossRestarts());
        assertEquals(Status.IO, client.status(new Nfs2Call.ReadDirectory(root, 0, 20)));
    }

    /** Lists the root from a server that is restarted after each page, so it remembers none. */
    private List<String> acrossRestarts() throws Exception {
        var names = new ArrayList<String>();
        int cookie = 0;
        boolean ended = false;
        while (!ended) {
            var page = client.ok(new Nfs2Call.ReadDirectory(root, cookie, 1024));
            page.entries().forEach(each -> names.add(each.name().toString()));
            cookie = page.entries().getLast().cookie();
            ended = page.endOfList();
            server.close();
            start();
        }
        return names.stream().sorted().toList();
    }

    /** Goal: what {@code rm -r} does: the names of a page go before the next page comes. */
    @Test
    void listsDirectoriesWhoseNamesGo() throws Exception {
        for (int i = 0; i < 300; i++) {
            Files.createFile(testDirectory.root().resolve("name" + i));
        }
        var seen = new HashSet<String>();
        int cookie = 0;
        boolean ended = false;
        while (!ended) {
            var page = client.ok(new Nfs2Call.ReadDirectory(root, cookie, 512));
            for (var each : page.entries()) {
                cookie = each.cookie();
                assertTrue(seen.add(each.name().toString()), each::toString);
                if (!each.name().isDots()) {
                    client.ok(new Nfs2Call.Remove(new Nfs2Call.Place(root, each.name())));
                }
            }
            ended = page.endOfList();
        }
        assertEquals(302, seen.size());
    }

    /** Goal: a file that is too long for version 2 is not taken for a shorter one. */
    @Test
    void filesOfMoreThanFourGigabytesFailAtTheirEnd() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL);
        server.create(server.root(), "long");
        try (var file = new RandomAccessFile(testDirectory.root().resolve("long").toFile(), "rw")) {
            file.setLength(MAX + 10);
            file.seek(MAX - 2);
            file.write("abcdef".getBytes());
        }
        var file = client.lookup(root, "long");
        assertEquals((int) MAX, client.attributes(file).size());
        assertEquals("ab", client.read(file, MAX - 2, 100));
        assertEquals(Status.FBIG, client.status(new Nfs2Call.Read(file, (int) MAX, 100)));
        assertEquals(Status.OK, client.status(Nfs2Client.write(file, MAX - 2, "xy")));
        assertEquals(Status.FBIG, client.status(Nfs2Client.write(file, MAX - 2, "xyz")));
        assertEquals(Status.FBIG, client.status(Nfs2Client.write(file, MAX, "x")));
        assertEquals("xy", client.read(file, MAX - 2, 100));
    }

    @Test
    void movesNoMoreThanEightKilobytes() throws Exception {
        var file = client.create(root, "file");
        for (int i = 0; i < 3; i++) {
            client.ok(Nfs2Client.write(file, i * 8192L, "x".repeat(8192)));
        }
        var read = client.ok(new Nfs2Call.Read(file, 0, 24_576));
        assertEquals(8192, read.data().byteSize());
        assertEquals(24_576, read.attributes().size());
        assertEquals('x', read.data().get(ValueLayout.JAVA_BYTE, 8191));
    }

    @Test
    void answersWithTheStatusesOfVersion2() throws Exception {
        var file = client.create(root, "file");
        var directory = client.makeDirectory(root, "directory");
        client.create(directory, "inside");
        assertEquals(Status.NOENT, lookup(root, "nothing"));
        assertEquals(Status.NOTDIR, lookup(file, "x"));
        assertEquals(Status.NAMETOOLONG, lookup(root, "x".repeat(256)));
        assertEquals(Status.ISDIR, client.status(new Nfs2Call.Read(directory, 0, 10)));
        assertEquals(
                Status.NOTEMPTY,
                client.status(new Nfs2Call.RemoveDirectory(Nfs2Client.place(root, "directory"))));
        assertEquals(
                Status.EXIST,
                client.status(
                        new Nfs2Call.MakeDirectory(
                                Nfs2Client.place(root, "directory"), SetAttributes.NONE)));
        assertEquals(Status.NOTDIR, client.status(new Nfs2Call.ReadDirectory(file, 0, 4096)));
    }

    private Status lookup(FileHandle directory, String name) throws Exception {
        return client.status(new Nfs2Call.Lookup(Nfs2Client.place(directory, name)));
    }

    /** Goal: a repeated call that must not be carried out twice gets the kept reply. */
    @Test
    void onlyCallsThatMayRunTwiceAreRepeatable() {
        var nfs = server.nfs.version2Programs().getFirst();
        var kept =
                Arrays.stream(Procedure.values())
                        .filter(each -> !nfs.procedure(2, each.number()).repeatable())
                        .map(Procedure::name)
                        .collect(Collectors.joining(" "));
        assertEquals("CREATE REMOVE RENAME LINK SYMLINK MKDIR RMDIR", kept);
    }

    @Test
    void versions2And3SeeOneFile() throws Exception {
        var file = client.create(root, "file");
        client.ok(Nfs2Client.write(file, 0, "hello"));
        var asVersion3 = server.lookup(server.root(), "file");
        assertEquals("hello", server.read(asVersion3, 0, 9));
        assertNotEquals(asVersion3.toString(), file.toString());
        assertEquals(
                (int) server.attributes(asVersion3).fileId()
                        ^ (int) (server.attributes(asVersion3).fileId() >>> 32),
                client.attributes(file).fileId());
        int fileId = client.attributes(file).fileId();
        var listed = client.list(root, 8192, () -> {});
        assertEquals(1, listed.stream().filter(each -> each.fileId() == fileId).count());
    }

    /** A caller without a user acts as the anonymous one. */
    @Test
    void takesCallersWithoutAUser() throws Exception {
        var anonymous = new Nfs2Client(server, new Credential.None());
        assertEquals(FileType.DIRECTORY, anonymous.attributes(anonymous.root()).type());
    }
}
