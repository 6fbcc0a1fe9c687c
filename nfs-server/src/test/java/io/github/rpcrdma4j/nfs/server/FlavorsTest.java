package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountResult;
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

    private Ground ground;
    private Served served;

    @BeforeEach
    void serve() throws Exception {
        ground = Ground.of(Ground.Kind.BASIC);
        Files.writeString(ground.root().resolve("file"), "hidden");
        Files.createDirectory(ground.root().resolve("signed"));
        served =
                Served.of(
                        List.of(
                                new Export(
                                        "/secret",
                                        ground.root(),
                                        false,
                                        List.of(SecurityFlavor.KRB5P)),
                                new Export(
                                        "/signed",
                                        ground.root().resolve("signed"),
                                        false,
                                        List.of(SecurityFlavor.KRB5I, SecurityFlavor.KRB5P))));
    }

    @AfterEach
    void stop() throws Exception {
        served.close();
        ground.close();
    }

    private MountResult mount(String path) throws Exception {
        return MountResult.decode(
                served.results(
                        Mount3.PROGRAM,
                        Mount3.VERSION,
                        Mount3.Procedure.MNT.number(),
                        WEAK,
                        out -> out.string(path)));
    }

    @Test
    void tellsWhoMountsWhichFlavorsThereAre() throws Exception {
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
                Set.of(SecurityFlavor.KRB5I, SecurityFlavor.KRB5P), served.dispatcher().flavors());
    }

    @Test
    void letsWhoMountsLookAtTheRootAlone() throws Exception {
        var root = served.root("/secret");
        for (var caller : List.of(WEAK, SIGNED, SECRET)) {
            assertEquals(Status.OK, served.status(caller, new Nfs3Call.GetAttributes(root)));
            assertEquals(Status.OK, served.status(caller, new Nfs3Call.FsInfo(root)));
        }
        var file = file(root);
        assertEquals(Status.OK, served.status(SECRET, new Nfs3Call.GetAttributes(file)));
        assertEquals(Status.ACCES, served.status(SIGNED, new Nfs3Call.GetAttributes(file)));
        assertEquals(Status.ACCES, served.status(WEAK, new Nfs3Call.FsInfo(file)));
    }

    private FileHandle file(FileHandle root) throws Exception {
        return switch (served.call(SECRET, new Nfs3Call.Lookup(new DirOpArgs(root, "file")))) {
            case Nfs3Reply.Ok<Optional<FileAttributes>, Nfs3Results.Found>(_, var found) ->
                    found.handle();
            case Nfs3Reply.Failed<Optional<FileAttributes>, Nfs3Results.Found>(var status, _) ->
                    throw new AssertionError(status);
        };
    }

    @Test
    void hidesEverythingFromOtherFlavors() throws Exception {
        var root = served.root("/secret");
        var file = file(root);
        var lookup = served.call(SIGNED, new Nfs3Call.Lookup(new DirOpArgs(root, "file")));
        assertEquals(new Nfs3Reply.Failed<>(Status.ACCES, Optional.empty()), lookup);
        var read = served.call(SIGNED, new Nfs3Call.Read(file, 0, 100));
        assertEquals(new Nfs3Reply.Failed<>(Status.ACCES, Optional.empty()), read);
        var remove = new Nfs3Call.Remove(new DirOpArgs(root, "file"));
        assertInstanceOf(Nfs3Reply.Failed.class, served.call(SIGNED, remove));
        assertTrue(Files.exists(ground.root().resolve("file")));
    }

    @Test
    void deniesFlavorsThatNoExportTakes() throws Exception {
        var root = served.root("/secret");
        var lookup = new Nfs3Call.Lookup(new DirOpArgs(root, "file"));
        for (var caller : List.of(WEAK, new Credential.None())) {
            assertTrue(served.isTooWeak(caller, lookup));
            assertFalse(served.isTooWeak(caller, new Nfs3Call.FsInfo(root)));
        }
        assertFalse(served.isTooWeak(SIGNED, lookup));
    }
}
