package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountStatus;
import io.github.rpcrdma4j.nfs.mount.Mount3.Procedure;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: all six procedures of MOUNT work. */
class MountTest {
    private TestDirectory testDirectory;
    private TestServer server;

    /** Serves two exports; the second lies inside the first. */
    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.createDirectories(testDirectory.root().resolve("directory/below"));
        Files.createFile(testDirectory.root().resolve("file"));
        server =
                TestServer.of(
                        List.of(
                                new Export("/all", testDirectory.root(), false),
                                new Export(
                                        "/all/one",
                                        testDirectory.root().resolve("directory"),
                                        true)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private XdrReader results(Procedure procedure, Consumer<XdrWriter> arguments) throws Exception {
        return server.results(
                Mount3.PROGRAM,
                Mount3.VERSION,
                procedure.number(),
                new Credential.None(),
                arguments);
    }

    private List<MountEntry> mountEntries() throws Exception {
        return MountEntry.decode(results(Procedure.DUMP, _ -> {}));
    }

    private List<String> mountedPaths() throws Exception {
        return mountEntries().stream().map(entry -> entry.path().toString()).toList();
    }

    @Test
    void givesTheRootOfTheExportWithTheLongestName() throws Exception {
        assertEquals(List.of(".", "..", "directory", "file"), server.names(server.root("/all")));
        assertEquals(List.of(".", "..", "below"), server.names(server.root("/all/one")));
        assertEquals(List.of(".", "..", "below"), server.names(server.root("/all/one/")));
        assertEquals(server.root("/all"), server.root("/all/"));
    }

    @Test
    void givesDirectoriesBelowAnExport() throws Exception {
        assertEquals(List.of(".", "..", "below"), server.names(server.root("/all/directory")));
        assertEquals(List.of(".", ".."), server.names(server.root("/all/directory//below/")));
    }

    /** As with mountd of Linux, which asks the kernel for the path. */
    @Test
    void takesPathsWithSlashesAndDotsThatSayNothing() throws Exception {
        for (var path : List.of("//all", "/./all", "/all/.", "///all//./", "/.//all")) {
            assertEquals(server.root("/all"), server.root(path), path);
        }
        for (var path : List.of("//all/one", "/all//one", "/all/./one/.")) {
            assertEquals(server.root("/all/one"), server.root(path), path);
        }
        assertEquals(List.of("/all", "/all/one"), mountedPaths().stream().sorted().toList());
        results(Procedure.UMNT, out -> out.string("/all//one/"));
        assertEquals(List.of("/all"), mountedPaths());
        for (var path : List.of("/all/../all", "/../all", "/all/one/..")) {
            assertTrue(server.mount(path) instanceof MountResult.Failed, path);
        }
    }

    @Test
    void takesBothKindsOfCallers() throws Exception {
        switch (server.mount("/all")) {
            case MountResult.Ok(var handle, var flavors) -> {
                assertEquals(List.of(1, 0), flavors);
                assertArrayEquals(server.root("/all").bytes(), handle);
            }
            case MountResult.Failed(var status) -> throw new AssertionError(status);
        }
    }

    @Test
    void refusesWhatIsNotExported() throws Exception {
        for (var path : new String[] {"", "/", "all", "/al", "/alles", "/all/nothing", "/other"}) {
            assertEquals(new MountResult.Failed(MountStatus.NOENT), server.mount(path), path);
        }
        assertEquals(new MountResult.Failed(MountStatus.NOTDIR), server.mount("/all/file"));
        assertEquals(new MountResult.Failed(MountStatus.INVAL), server.mount("/all/.."));
        var long_ = "/all/" + "x".repeat(256);
        assertEquals(new MountResult.Failed(MountStatus.NAMETOOLONG), server.mount(long_));
    }

    @Test
    void listsTheExports() throws Exception {
        assertEquals(
                List.of(
                        new ExportEntry(PathName.of("/all"), List.of()),
                        new ExportEntry(PathName.of("/all/one"), List.of())),
                ExportEntry.decode(results(Procedure.EXPORT, _ -> {})));
    }

    /** Handles hold a checksum of the name; these two names have the same. */
    @Test
    void refusesTwoExportsThatHandlesCannotDistinguish() {
        var one = new Export("/pppppppppppp", testDirectory.root(), false);
        var other = new Export("/wttwwpvurttp", testDirectory.root(), false);
        var refused =
                assertThrows(
                        IllegalArgumentException.class, () -> TestServer.of(List.of(one, other)));
        assertEquals(
                "file handles cannot distinguish the exports /pppppppppppp and /wttwwpvurttp:"
                        + " rename one of them",
                refused.getMessage());
    }

    @Test
    void remembersWhoMountedWhat() throws Exception {
        results(Procedure.NULL, _ -> {}).finish();
        server.root("/all");
        server.root("/all/one");
        server.root("/all");
        server.mount("/nothing");
        assertEquals(List.of("/all", "/all/one"), mountedPaths());
        results(Procedure.UMNT, out -> out.string("/all")).finish();
        assertEquals(List.of("/all/one"), mountedPaths());
        results(Procedure.UMNTALL, _ -> {}).finish();
        assertEquals(List.of(), mountEntries());
    }

    /** The directories that lead to what another host has mounted may hide the names. */
    @Test
    void tellsAnotherHostTheExportAlone() throws Exception {
        server.root("/all/directory/below");
        server.root("/all/directory");
        server.root("/all/one/below");
        server.moveTo("192.0.2.1");
        server.root("/all/directory");
        assertEquals(
                List.of("localhost /all", "localhost /all/one", "192.0.2.1 /all/directory"),
                mountEntries().stream().map(each -> each.client() + " " + each.path()).toList());
    }

    /** Goal: a host that mounts much pushes out what it has mounted itself. */
    @Test
    void forgetsTheFirstMountsOfAHostWithTooMany() throws Exception {
        server.moveTo("192.0.2.1");
        server.root("/all/one");
        server.moveTo("192.0.2.2");
        for (int i = 0; i < 300; i++) {
            Files.createDirectory(testDirectory.root().resolve("directory" + i));
            server.root("/all/directory" + i);
        }
        var paths = mountedPaths();
        assertEquals("/all/one", paths.getFirst());
        assertEquals("/all/directory299", paths.getLast());
        // A quarter of what the other host leaves of 1024.
        assertEquals(1 + 255, paths.size());
    }

    /** All have the address of this machine. */
    @Test
    void usersOfThisMachineHaveTheirOwnMounts() throws Exception {
        server.root("/all/one/below");
        server.be(
                new PeerIdentity(
                        ClientAddress.ofLocalUser(1000), new PeerIdentity.Process.Local(1000)));
        assertEquals(List.of("/all/one"), mountedPaths(), "the export alone");
        results(Procedure.UMNT, out -> out.string("/all/one/below")).finish();
        results(Procedure.UMNTALL, _ -> {}).finish();
        assertEquals(List.of("/all/one"), mountedPaths());
        server.root("/all");
        results(Procedure.UMNTALL, _ -> {}).finish();
        assertEquals(List.of("/all/one"), mountedPaths());
    }

    @Test
    void servesNoTwoExportsOfOneName() {
        var twice = new Export("/all", testDirectory.root(), false);
        assertThrows(IllegalArgumentException.class, () -> TestServer.of(List.of(twice, twice)));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Export("all", testDirectory.root(), true));
    }
}
