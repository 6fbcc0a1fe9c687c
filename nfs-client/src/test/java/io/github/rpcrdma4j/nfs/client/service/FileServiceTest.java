package io.github.rpcrdma4j.nfs.client.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Goal: a service does the same by each version of NFS. Method: over RDMA, with the project's
 * server.
 */
@Timeout(120)
class FileServiceTest {
    private static final int MIB = 1 << 20;

    @TempDir private Path directory;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private FileService service;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(programs)
                        .start();
    }

    @AfterEach
    void stop() {
        if (service != null) {
            service.close();
        }
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
    }

    private void connect(NfsVersion version) throws Exception {
        var caller = ProcessCredential.read();
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .credential(caller)
                                .binding(version.binding())
                                .connect(server.address());
        var options = ClientOptions.DEFAULT.withVersion(version).withCaller(caller);
        service = NfsClient.connect(connector, connector, options);
        root = service.mount(PathName.of("/data"));
    }

    private RemotePlace place(String name) {
        return new RemotePlace(root, name);
    }

    private RemoteFile make(String name) throws Exception {
        var made = service.makeFile(place(name), AttributeChanges.ofMode(0640), false, "no");
        return service.lookup(place(name), "no " + made);
    }

    private static Status status(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(NfsException.class, call).status();
    }

    @ParameterizedTest
    @EnumSource
    void tellsItsExports(NfsVersion version) throws Exception {
        connect(version);
        assertEquals(version, service.version());
        service.ping();
        var paths = service.exports().stream().map(each -> each.path().toString()).toList();
        // In version 4 all exports lie below the root.
        assertEquals(List.of(version.number() == 4 ? "/" : "/data"), paths);
        // Limits are those of the file system, and not those of the root above the exports.
        var holding = version.number() == 4 ? List.of("/", "/data") : List.of("/data");
        for (var path : List.of("/data", "/data/none/x", "/data/file/x")) {
            assertEquals(
                    holding,
                    service.exports(PathName.of(path)).stream().map(PathName::toString).toList());
        }
        var limits = service.limits(root);
        assertEquals(version == NfsVersion.VERSION_2 ? 8192 : MIB, limits.readMax());
        assertEquals(version == NfsVersion.VERSION_2 ? 8192 : MIB, limits.writeMax());
        assertTrue(service.space(root).totalBytes() > 0);
    }

    /** In version 4 the way to the export has told that there is no such name. */
    @ParameterizedTest
    @EnumSource
    void whatIsMadeBehindTheWayToTheExportIsFound(NfsVersion version) throws Exception {
        connect(version);
        var export = service.mountFor(PathName.of("/data/made")).root().handle();
        service.makeDirectory(place("made"), AttributeChanges.ofMode(0700), "no");
        var walked = service.walk(export, List.of(FileName.of("made")), "no");
        assertEquals(1, walked.files().size());
    }

    @ParameterizedTest
    @EnumSource
    void writesAndReadsBytes(NfsVersion version) throws Exception {
        connect(version);
        var file = make("file");
        var bytes = new byte[8000];
        new Random(1).nextBytes(bytes);
        try (var arena = Arena.ofShared();
                var open = service.open(file.handle(), OpenFile.Mode.BOTH, "no")) {
            var data = arena.allocate(bytes.length);
            data.copyFrom(java.lang.foreign.MemorySegment.ofArray(bytes));
            var written = service.write(open, 0, Stability.UNSTABLE, data, "no");
            assertEquals(bytes.length, written.count());
            if (version != NfsVersion.VERSION_2) {
                assertEquals(written.verifier(), service.commit(open, 0, 0, "no"));
            }
            var back = arena.allocate(8192);
            assertEquals(bytes.length - 10, service.read(open, 10, back, "no"));
            assertArrayEquals(
                    java.util.Arrays.copyOfRange(bytes, 10, bytes.length),
                    back.asSlice(0, bytes.length - 10).toArray(ValueLayout.JAVA_BYTE));
            assertEquals(0, service.read(open, bytes.length, back, "no"));
        }
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("file")));
        assertEquals(0, nfs.administration().opens(9).size());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "VERSION_2")
    void aFileIsMadeAndOpenedAtOnce(NfsVersion version) throws Exception {
        connect(version);
        var none = AttributeChanges.ofMode(0);
        try (var arena = Arena.ofShared();
                var opened =
                        opened(
                                version.number() == 4 ? none : AttributeChanges.ofMode(0600),
                                true)) {
            var data = arena.allocateFrom("12345").asSlice(0, 5);
            var end = Stability.FILE_SYNC;
            assertEquals(5L, service.writeAtEnd(opened, 0, end, data, "no").orElseThrow().count());
            assertEquals(Optional.empty(), service.writeAtEnd(opened, 0, end, data, "no"));
            assertTrue(service.writeAtEnd(opened, 5, end, data, "no").isPresent());
            service.truncate(opened, 7, "no");
            assertEquals(7, Files.size(directory.resolve("file")));
            assertEquals(Status.EXIST, status(() -> opened(none, true)));
        }
        Files.setPosixFilePermissions(
                directory.resolve("file"), PosixFilePermissions.fromString("rw-------"));
        opened(none.withSize(0), false).close();
        assertEquals(0, Files.size(directory.resolve("file")));
        assertEquals(0, nfs.administration().opens(9).size());
    }

    private OpenFile opened(AttributeChanges attributes, boolean isNew) throws Exception {
        var opened = service.makeOpen(place("file"), attributes, isNew, OpenFile.Mode.WRITE, "no");
        assertEquals(opened.file().handle(), opened.open().handle());
        return opened.open();
    }

    @ParameterizedTest
    @EnumSource
    void aPipelineKeepsManyCallsOutstanding(NfsVersion version) throws Exception {
        connect(version);
        int calls = 300;
        int length = 4096;
        var bytes = new byte[calls * length];
        new Random(2).nextBytes(bytes);
        Files.write(directory.resolve("file"), bytes);
        var file = service.lookup(place("file"), "no");
        var back = new byte[bytes.length];
        try (var arena = Arena.ofShared();
                var open = service.open(file.handle(), OpenFile.Mode.READ, "no");
                var pipeline = service.pipeline()) {
            for (int i = 0; i < calls; i++) {
                int at = i * length;
                pipeline.read(
                        open,
                        at,
                        arena.allocate(length),
                        "no",
                        read ->
                                java.lang.foreign.MemorySegment.copy(
                                        read.data(), ValueLayout.JAVA_BYTE, 0, back, at, length));
            }
            boolean hasCalls = true;
            while (hasCalls) {
                hasCalls = pipeline.poll();
            }
        }
        assertArrayEquals(bytes, back);
    }

    @ParameterizedTest
    @EnumSource
    void changesNamesAndAttributes(NfsVersion version) throws Exception {
        connect(version);
        var file = make("file");
        assertEquals(FileType.REGULAR, file.attributes().type());
        assertEquals(0640, file.attributes().mode());
        var time = Instant.ofEpochSecond(1_000_000_000);
        var to = new AttributeChanges.TimeChange.To(time);
        service.change(file.handle(), AttributeChanges.ofMode(0600).withTimes(to, to), "no");
        var changed = service.attributes(file.handle(), "no");
        assertEquals(0600, changed.mode());
        assertEquals(time, changed.modified());
        assertEquals(time, changed.accessed());
        service.change(file.handle(), AttributeChanges.ofSize(5), "no");
        assertEquals(5, service.attributes(file.handle(), "no").size());

        service.link(file.handle(), place("second"), "no");
        assertEquals(2, service.attributes(file.handle(), "no").links());
        service.rename(place("second"), place("third"), "no");
        assertTrue(service.find(place("second"), "no").isEmpty());
        assertEquals(file.handle(), service.lookup(place("third"), "no").handle());
        service.remove(place("third"), "no");
        assertFalse(Files.exists(directory.resolve("third")));

        service.makeDirectory(place("directory"), AttributeChanges.ofMode(0755), "no");
        assertTrue(service.lookup(place("directory"), "no").attributes().isDirectory());
        service.makeLink(place("link"), PathName.of("to/any where"), "no");
        var link = service.lookup(place("link"), "no");
        assertEquals(FileType.SYMBOLIC_LINK, link.attributes().type());
        assertEquals("to/any where", service.readLink(link.handle(), "no").toString());
        assertEquals(
                EnumSet.of(AccessRight.READ), service.access(root, Set.of(AccessRight.READ), "no"));
    }

    /** REMOVE of version 4 takes directories, too, so this is the part of the service. */
    @ParameterizedTest
    @EnumSource
    void removesFilesAndDirectoriesByDifferentCalls(NfsVersion version) throws Exception {
        connect(version);
        make("file");
        Files.createDirectory(directory.resolve("empty"));
        Files.createDirectory(directory.resolve("full"));
        Files.createFile(directory.resolve("full/file"));
        assertTrue(
                Set.of(Status.ISDIR, Status.PERM)
                        .contains(status(() -> service.remove(place("empty"), "no"))));
        assertEquals(Status.NOTDIR, status(() -> service.removeDirectory(place("file"), "no")));
        assertEquals(Status.NOTEMPTY, status(() -> service.removeDirectory(place("full"), "no")));
        assertTrue(Files.exists(directory.resolve("empty")));
        assertTrue(Files.exists(directory.resolve("file")));
        service.removeDirectory(place("empty"), "no");
        service.remove(place("file"), "no");
        assertFalse(Files.exists(directory.resolve("empty")));
        assertFalse(Files.exists(directory.resolve("file")));
    }

    @ParameterizedTest
    @EnumSource
    void failuresHaveOneWordForAllVersions(NfsVersion version) throws Exception {
        connect(version);
        make("file");
        assertEquals(Status.NOENT, status(() -> service.lookup(place("none"), "no")));
        assertEquals(Status.NOENT, status(() -> service.remove(place("none"), "no")));
        assertEquals(Optional.empty(), service.find(place("none"), "no"));
        var inFile =
                new RemotePlace(service.lookup(place("file"), "no").handle(), FileName.of("x"));
        assertEquals(Status.NOTDIR, status(() -> service.lookup(inFile, "no")));
        assertEquals(
                Status.EXIST,
                status(
                        () ->
                                service.makeDirectory(
                                        place("file"), AttributeChanges.ofMode(0755), "no")));
        var gone = make("gone");
        service.remove(place("gone"), "no");
        assertEquals(Status.STALE, status(() -> service.attributes(gone.handle(), "no")));
        assertEquals(
                "cannot find x: no such file or directory",
                assertThrows(NfsException.class, () -> service.lookup(place("x"), "cannot find x"))
                        .getMessage());
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "VERSION_2")
    void aNewFileMayHaveToBeNew(NfsVersion version) throws Exception {
        connect(version);
        var mode = AttributeChanges.ofMode(0600);
        service.makeFile(place("new"), mode, true, "no");
        assertEquals(Status.EXIST, status(() -> service.makeFile(place("new"), mode, true, "no")));
        service.makeFile(place("new"), mode, false, "no");
    }

    @ParameterizedTest
    @EnumSource
    void listsADirectoryPageByPage(NfsVersion version) throws Exception {
        connect(version);
        for (int i = 0; i < 1000; i++) {
            Files.createFile(directory.resolve("a long name of a file, number " + i));
        }
        boolean withFiles = version != NfsVersion.VERSION_2;
        var wanted = withFiles ? DirectoryPage.Wanted.ALL : DirectoryPage.Wanted.NAMES;
        var names = new HashSet<String>();
        var page = service.list(root, 0, 0, wanted, "no");
        int pages = 1;
        while (true) {
            for (var entry : page.entries()) {
                if (!entry.name().isDots()) {
                    assertEquals(withFiles, entry.file().isPresent());
                    assertTrue(names.add(entry.name().toString()));
                }
            }
            if (page.isLast()) {
                break;
            }
            var last = page.entries().getLast();
            page = service.list(root, last.cookie(), page.verifier(), wanted, "no");
            pages++;
        }
        assertEquals(1000, names.size());
        assertTrue(pages > 1, "pages: " + pages);
    }

    /** Goal: nothing of a client stays at the server. */
    @ParameterizedTest
    @EnumSource
    void leavesNothingBehind(NfsVersion version) throws Exception {
        connect(version);
        var file = make("file");
        var open = service.open(file.handle(), OpenFile.Mode.READ, "no");
        service.close();
        assertEquals(0, nfs.administration().opens(9).size());
        // In version 4.0 a client leaves by the end of its lease.
        int clients = version == NfsVersion.VERSION_4_0 ? 1 : 0;
        assertEquals(clients, nfs.administration().clients(9).size());
        open.close();
        assertThrows(IOException.class, () -> service.lookup(place("file"), "no"));
    }
}
