package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.CallsWithChanges;
import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: another user exchanges a file that root has just made on a server for another one, in a
 * directory that both may change, and gets nothing by it. Method: the server makes the exchange
 * itself, before it replies to the call that made the file.
 */
class ExchangedNamesTest extends ServerWithChanges {
    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aDirectoryThatTookTheNameOfANewOneIsLeftAlone(PreservedAttributes kept) throws Exception {
        withheld = Set.of(CallsWithChanges.MKDIR);
        Files.writeString(Files.createDirectory(source.resolve("d")).resolve("key"), "key");
        Files.setAttribute(source.resolve("d"), "unix:uid", MALLORY);
        mode(source.resolve("d"), "rwxrwxrwx");
        var secret = ofOther("secret", BOB, true);
        var now = exported.resolve("copy/d");
        exchange(CallsWithChanges.MKDIR, now, secret);
        put(kept);
        assertEquals(BOB, owner(now), failures::toString);
        assertEquals("rwx------", mode(now));
        assertFalse(Files.exists(now.resolve("key")));
        assertEquals(
                List.of(
                        "cannot make copy/d: the server does not tell what it made, and another"
                                + " file may have the name"),
                failures);
    }

    /** Some servers find the new directory by its name again, after they made it. */
    @Test
    void aNewDirectoryIsThisUsersWhoeverTellsItsHandle() throws Exception {
        ofOther("theirs", MALLORY, true);
        mode(exported.resolve("theirs"), "rwxrwxrwx");
        var wide = mode(Files.createDirectory(exported.resolve("wide")), "rwxrwxrwx");
        copy(
                PreservedAttributes.PERMISSIONS,
                copier -> {
                    var mount = copier.context().mount();
                    var files = copier.remote().newFiles();
                    var place = mount.place("/data/new");
                    var theirs = Optional.of(mount.resolve("/data/theirs").handle());
                    var reply = new Created(theirs, Optional.empty());
                    assertThrows(
                            IOException.class, () -> files.directory(reply, place, 0700, "no"));
                    var own = Optional.of(mount.resolve("/data/wide").handle());
                    files.directory(new Created(own, Optional.empty()), place, 0700, "no");
                });
        assertEquals("rwx------", mode(wide));
        assertEquals("rwxrwxrwx", mode(exported.resolve("theirs")));
    }

    @Test
    void aServerThatTellsNoHandleGetsWholeTreesWhereNobodyExchangesNames() throws Exception {
        withheld =
                Set.of(
                        CallsWithChanges.CREATE,
                        CallsWithChanges.MKDIR,
                        CallsWithChanges.SYMLINK,
                        CallsWithChanges.MKNOD);
        Files.writeString(Files.createDirectory(source.resolve("d")).resolve("key"), "key");
        Files.createSymbolicLink(source.resolve("d/link"), Path.of("nowhere"));
        Files.setAttribute(source.resolve("d/link"), "unix:uid", BOB, LinkOption.NOFOLLOW_LINKS);
        put(PreservedAttributes.ALL);
        assertEquals(List.of(), failures);
        assertEquals("key", Files.readString(exported.resolve("copy/d/key")));
        assertEquals(BOB, owner(exported.resolve("copy/d/link")));
        // The directories of the copy are its own until they are full.
        assertEquals(2, directories.get());
    }

    private void requireSecretKept(String name, int procedure) throws Exception {
        var held = Files.createDirectory(directory.resolve("held"));
        var secret = ofOther("secret", BOB, false);
        // A second name shows what becomes of the file.
        var second = Files.createLink(held.resolve("secret"), secret);
        Files.setAttribute(source.resolve(name), "unix:uid", MALLORY, LinkOption.NOFOLLOW_LINKS);
        var target = exported.resolve(name);
        exchange(procedure, target, secret);
        copy(
                PreservedAttributes.ATTRIBUTES,
                copier ->
                        trees(copier)
                                .put(
                                        source.resolve(name),
                                        copier.context().mount().place("/data/" + name),
                                        name));
        assertFalse(Files.exists(secret));
        assertEquals(BOB, owner(second), failures::toString);
        assertEquals("rw-------", mode(second));
        assertEquals(List.of(), failures);
        assertEquals(MALLORY, owner(target));
        assertFalse(Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS));
        try (var all = Files.list(exported)) {
            assertEquals(List.of(target), all.toList());
        }
    }

    @Test
    void aFileThatTookTheNameOfANewLinkIsLeftAloneOverVersionTwo() throws Exception {
        version = NfsVersion.VERSION_2;
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        requireSecretKept("link", CallsWithChanges.SYMLINK);
    }

    @Test
    void aFileThatTookTheNameOfANewLinkIsLeftAlone() throws Exception {
        withheld = Set.of(CallsWithChanges.SYMLINK);
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        requireSecretKept("link", CallsWithChanges.SYMLINK);
    }

    @Test
    void aFileThatTookTheNameOfANewFifoIsLeftAlone() throws Exception {
        withheld = Set.of(CallsWithChanges.MKNOD, CallsWithChanges.MKDIR);
        var fifo = source.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        mode(fifo, "rw-rw-rw-");
        requireSecretKept("fifo", CallsWithChanges.MKNOD);
    }

    private String written(StandardOpenOption how) throws Exception {
        try (var files = NfsFiles.of(mount());
                var out = files.newByteChannel("/data/new", StandardOpenOption.WRITE, how)) {
            out.write(ByteBuffer.wrap("private".getBytes()));
            return "written";
        } catch (IOException refused) {
            return refused.getMessage();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = StandardOpenOption.class,
            names = {"CREATE", "CREATE_NEW"})
    void whatIsWrittenGoesToTheFileThatWasMade(StandardOpenOption how) throws Exception {
        var secret = ofOther("secret", BOB, false);
        exchange(CallsWithChanges.CREATE, exported.resolve("new"), secret);
        assertEquals("written", written(how));
        assertEquals("secret", Files.readString(exported.resolve("new")));
        assertEquals("private", Files.readString(exported.resolve("moved")));
    }

    @Test
    void nothingIsWrittenIfTheServerDoesNotTellWhatItMade() throws Exception {
        withheld = Set.of(CallsWithChanges.CREATE);
        assertEquals("written", written(StandardOpenOption.CREATE_NEW));
        assertEquals("private", Files.readString(exported.resolve("new")));
        Files.delete(exported.resolve("new"));
        var evil = Files.createFile(exported.resolve("evil"));
        Files.setAttribute(evil, "unix:uid", MALLORY);
        exchange(CallsWithChanges.CREATE, exported.resolve("new"), evil);
        var refused = written(StandardOpenOption.CREATE_NEW);
        assertTrue(refused.endsWith("another file may have the name"), refused);
        assertEquals("", Files.readString(exported.resolve("new")));
    }

    @Test
    void aNewEmptyFileIsTheOneThatWasMade() throws Exception {
        var secret = ofOther("secret", BOB, false);
        exchange(CallsWithChanges.CREATE, exported.resolve("new"), secret);
        try (var mount = mount()) {
            assertEquals(0, mount.makeFile(PathName.of("/data/new"), 0600).attributes().size());
        }
        assertEquals("secret", Files.readString(exported.resolve("new")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNewDirectoryOfACommandIsTheOneThatWasMade(boolean isTold) throws Exception {
        withheld = isTold ? Set.of() : Set.of(CallsWithChanges.MKDIR);
        var secret = ofOther("secret", BOB, true);
        try (var mount = mount()) {
            mount.makeDirectory(PathName.of("/data/first"));
            exchange(CallsWithChanges.MKDIR, exported.resolve("new"), secret);
            var path = PathName.of("/data/new");
            if (isTold) {
                var made = mount.makeDirectory(path);
                assertEquals(mount.resolve("/data/moved").handle(), made);
            } else {
                assertThrows(IOException.class, () -> mount.makeDirectory(path));
            }
        }
    }

    /** Its owner may rename in it, even if its mode lets nobody else. */
    @Test
    void aLinkInTheDirectoryOfAnotherUserIsMadeApart() throws Exception {
        withheld = Set.of(CallsWithChanges.SYMLINK);
        Files.setAttribute(exported, "unix:uid", MALLORY);
        mode(exported, "rwxr-xr-x");
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        requireSecretKept("link", CallsWithChanges.SYMLINK);
    }

    @Test
    void whatIsMadeApartIsOutOfTheReachOfOthers() throws Exception {
        withheld = Set.of(CallsWithChanges.SYMLINK);
        Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        var around = Collections.synchronizedSet(new TreeSet<String>());
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.SYMLINK) {
                        try (var all = Files.list(exported)) {
                            for (var each : all.filter(Files::isDirectory).toList()) {
                                around.add(mode(each));
                            }
                        }
                    }
                };
        copy(
                PreservedAttributes.ATTRIBUTES,
                copier ->
                        trees(copier)
                                .put(
                                        source.resolve("link"),
                                        copier.context().mount().place("/data/link"),
                                        "link"));
        assertEquals(Set.of("rwx------"), around);
    }

    /** Some servers find a new file by its name again, after they made it. */
    @Test
    void aLinkOfAnotherUserGetsNoAttributesWhoeverTellsItsHandle() throws Exception {
        var theirs = Files.createSymbolicLink(exported.resolve("theirs"), Path.of("elsewhere"));
        Files.setAttribute(theirs, "unix:uid", BOB, LinkOption.NOFOLLOW_LINKS);
        try (var mount = mount()) {
            var found = mount.lookup(mount.place("/data/theirs"));
            told.put(
                    CallsWithChanges.SYMLINK,
                    new io.github.rpcrdma4j.nfs.v3.FileHandle(found.handle().bytes()));
        }
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.SYMLINK) {
                        // It cannot happen where the other user may not rename.
                        told.clear();
                    }
                };
        var link = Files.createSymbolicLink(source.resolve("link"), Path.of("nowhere"));
        Files.setAttribute(link, "unix:uid", MALLORY, LinkOption.NOFOLLOW_LINKS);
        copy(
                PreservedAttributes.ATTRIBUTES,
                copier ->
                        trees(copier)
                                .put(link, copier.context().mount().place("/data/link"), "link"));
        assertEquals(BOB, owner(theirs));
        assertEquals(MALLORY, owner(exported.resolve("link")));
    }
}
