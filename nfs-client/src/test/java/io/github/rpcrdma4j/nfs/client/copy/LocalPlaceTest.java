package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a name that a user gave is resolved once. */
class LocalPlaceTest {
    private static final String WHAT = "cannot do it";

    @TempDir private Path temporary;
    private Path directory;

    @BeforeEach
    void begin() throws IOException {
        directory = temporary.toRealPath();
    }

    private static void fails(Reason reason, Path path) {
        var failure =
                assertThrows(LocalException.class, () -> LocalPlace.follow(path, WHAT).close());
        assertEquals(reason, failure.reason());
    }

    @Test
    void aDirectoryStaysTheOneThatWasOpened() throws Exception {
        assumeTrue(SystemCalls.missing().isEmpty(), () -> SystemCalls.missing().orElse(""));
        var own = Files.createDirectory(directory.resolve("own"));
        Files.createFile(own.resolve("mine"));
        Files.createFile(Files.createDirectory(directory.resolve("other")).resolve("theirs"));
        try (var place = LocalPlace.openDirectory(own, WHAT)) {
            Files.move(own, directory.resolve("moved"));
            Files.createSymbolicLink(own, Path.of("other"));
            var listed = place.tree().list(place.path(), (_, _) -> {}, WHAT);
            assertEquals(List.of(FileName.of("mine")), listed);
            place.child(FileName.of("made")).makeDirectory(0700, WHAT);
        }
        assertTrue(Files.isDirectory(directory.resolve("moved/made")));
        assertFalse(Files.exists(directory.resolve("other/made")));
    }

    @Test
    void aLinkToADirectoryIsFollowedOnce() throws Exception {
        var own = Files.createDirectory(directory.resolve("own"));
        var link = Files.createSymbolicLink(directory.resolve("link"), Path.of("own"));
        try (var place = LocalPlace.openDirectory(link, WHAT)) {
            assertTrue(place.isOpenDirectory());
            assertTrue(place.isEmpty(WHAT));
            assertEquals(own, place.directory());
            Files.delete(link);
            Files.createSymbolicLink(link, Path.of(".."));
            assertTrue(place.isEmpty(WHAT));
        }
        try (var place = LocalPlace.open(link, WHAT)) {
            assertTrue(place.isLink(WHAT));
        }
    }

    @Test
    void aLinkToAFileLeadsToTheDirectoryOfTheFile() throws Exception {
        var inner = Files.createDirectories(directory.resolve("a/b"));
        Files.writeString(inner.resolve("file"), "text");
        Files.createSymbolicLink(directory.resolve("one"), Path.of("a/link"));
        Files.createSymbolicLink(directory.resolve("a/link"), Path.of("b/file"));
        try (var place = LocalPlace.follow(directory.resolve("one"), WHAT)) {
            assertEquals(inner, place.directory());
            assertEquals(FileName.of("file"), place.name());
        }
        try (var place = LocalPlace.openDirectory(directory.resolve("one"), WHAT)) {
            assertEquals(FileName.of("one"), place.name());
            assertTrue(place.isLink(WHAT));
        }
    }

    @Test
    void whatIsNotThereHasAPlaceUnlessALinkLeadsThere() throws Exception {
        try (var place = LocalPlace.follow(directory.resolve("new"), WHAT)) {
            assertTrue(place.type(WHAT).isEmpty());
            place.makeDirectory(0700, WHAT);
        }
        assertTrue(Files.isDirectory(directory.resolve("new")));
        fails(
                Reason.MISSING,
                Files.createSymbolicLink(directory.resolve("dangling"), Path.of("nothing")));
        fails(
                Reason.LINK,
                Files.createSymbolicLink(directory.resolve("circle"), Path.of("circle")));
        fails(Reason.MISSING, directory.resolve("nothing/."));
        fails(Reason.MISSING, directory.resolve("nothing/below"));
    }
}
