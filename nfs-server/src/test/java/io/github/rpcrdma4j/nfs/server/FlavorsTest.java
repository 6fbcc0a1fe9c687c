package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: an export accepts only its own flavors. */
class FlavorsTest {
    private static final Credential WEAK = new Credential.Sys(0, "box", 0, 0, List.of());
    private static final Credential SIGNED =
            new Credential.Principal("alice@REALM", SecurityFlavor.KRB5I);
    private static final Credential SECRET =
            new Credential.Principal("alice@REALM", SecurityFlavor.KRB5P);

    private TestDirectory testDirectory;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "hidden");
        Files.createDirectory(testDirectory.root().resolve("signed"));
        server =
                TestServer.of(
                        List.of(
                                new Export(
                                        "/secret",
                                        testDirectory.root(),
                                        false,
                                        List.of(SecurityFlavor.KRB5P)),
                                new Export(
                                        "/signed",
                                        testDirectory.root().resolve("signed"),
                                        false,
                                        List.of(SecurityFlavor.KRB5I, SecurityFlavor.KRB5P))));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private MountResult mount(String path) throws Exception {
        return MountResult.decode(
                server.results(
                        Mount3.PROGRAM,
                        Mount3.VERSION,
                        Mount3.Procedure.MNT.number(),
                        WEAK,
                        out -> out.string(path)));
    }

    @Test
    void listsTheFlavorsForMountingClients() throws Exception {
        assertEquals(List.of(390005), ((MountResult.Ok) mount("/secret")).flavors());
        assertEquals(List.of(390004, 390005), ((MountResult.Ok) mount("/signed")).flavors());
    }

    /**
     * NULL, GETATTR and other procedures that accept any flavor do not extend the flavors of the
     * other programs.
     */
    @Test
    void theServerAsAWholeTakesTheFlavorsOfItsExportsAlone() {
        assertEquals(
                Set.of(SecurityFlavor.KRB5I, SecurityFlavor.KRB5P), server.dispatcher().flavors());
    }

    @Test
    void letsMountingClientsReadTheRootAlone() throws Exception {
        var root = server.root("/secret");
        for (var caller : List.of(WEAK, SIGNED, SECRET)) {
            assertEquals(Status.OK, server.status(caller, new Nfs3Call.GetAttributes(root)));
            assertEquals(Status.OK, server.status(caller, new Nfs3Call.FsInfo(root)));
        }
        var file = file(root);
        assertEquals(Status.OK, server.status(SECRET, new Nfs3Call.GetAttributes(file)));
        assertEquals(Status.ACCES, server.status(SIGNED, new Nfs3Call.GetAttributes(file)));
        assertEquals(Status.ACCES, server.status(WEAK, new Nfs3Call.FsInfo(file)));
    }

    private FileHandle file(FileHandle root) throws Exception {
        return switch (server.call(SECRET, new Nfs3Call.Lookup(new DirOpArgs(root, "file")))) {
            case Nfs3Reply.Ok<Optional<FileAttributes>, Nfs3Results.Found>(_, var found) ->
                    found.handle();
            case Nfs3Reply.Failed<Optional<FileAttributes>, Nfs3Results.Found>(var status, _) ->
                    throw new AssertionError(status);
        };
    }

    @Test
    void hidesEverythingFromOtherFlavors() throws Exception {
        var root = server.root("/secret");
        var file = file(root);
        var lookup = server.call(SIGNED, new Nfs3Call.Lookup(new DirOpArgs(root, "file")));
        assertEquals(new Nfs3Reply.Failed<>(Status.ACCES, Optional.empty()), lookup);
        var read = server.call(SIGNED, new Nfs3Call.Read(file, 0, 100));
        assertEquals(new Nfs3Reply.Failed<>(Status.ACCES, Optional.empty()), read);
        var remove = new Nfs3Call.Remove(new DirOpArgs(root, "file"));
        assertInstanceOf(Nfs3Reply.Failed.class, server.call(SIGNED, remove));
        assertTrue(Files.exists(testDirectory.root().resolve("file")));
    }

    @Test
    void deniesFlavorsThatNoExportTakes() throws Exception {
        var root = server.root("/secret");
        var lookup = new Nfs3Call.Lookup(new DirOpArgs(root, "file"));
        for (var caller : List.of(WEAK, new Credential.None())) {
            assertTrue(server.isTooWeak(caller, lookup));
            assertFalse(server.isTooWeak(caller, new Nfs3Call.FsInfo(root)));
        }
        assertFalse(server.isTooWeak(SIGNED, lookup));
    }
}
