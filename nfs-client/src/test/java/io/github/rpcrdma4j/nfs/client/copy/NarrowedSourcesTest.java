package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.client.CallsWithChanges;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a file that its owner closes while it is copied is not open in the copy. */
class NarrowedSourcesTest extends ServerWithChanges {
    private void copyOnServer(PreservedAttributes kept) throws Exception {
        copy(
                kept,
                copier ->
                        trees(copier)
                                .copy(
                                        copier.context().mount().resolve("/data/tree"),
                                        "tree",
                                        copier.context().mount().place("/data/copy"),
                                        "copy"));
        assertEquals(List.of(), failures);
    }

    private Path open(String name) throws IOException {
        var tree = Files.createDirectories(exported.resolve("tree"));
        var file = mode(Files.writeString(tree.resolve(name), "open"), "rw-r--r--");
        return Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
    }

    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aCopyHasTheModeThatItsSourceHasWhenItIsRead(PreservedAttributes kept) throws Exception {
        var file = open("file");
        var fifo = exported.resolve("tree/fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        mode(fifo, "rw-r--r--");
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.MKDIR) {
                        // The directory is listed before its copy is made.
                        mode(Files.writeString(file, "secret"), "rw-------");
                        mode(fifo, "rw-------");
                    }
                };
        copyOnServer(kept);
        assertEquals("secret", Files.readString(exported.resolve("copy/file")));
        assertEquals("rw-------", mode(exported.resolve("copy/file")));
        assertEquals("rw-------", mode(exported.resolve("copy/fifo")));
    }

    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aCopyGrantsNoMoreThanItsSourceWhenItWasRead(PreservedAttributes kept) throws Exception {
        var narrowed = open("narrowed");
        change =
                procedure -> {
                    // The attributes of the source are asked for before its copy is made.
                    if (procedure == CallsWithChanges.CREATE) {
                        mode(Files.writeString(narrowed, "key!"), "rw-----w-");
                    }
                };
        copyOnServer(kept);
        assertEquals("key!", Files.readString(exported.resolve("copy/narrowed")));
        assertEquals("rw-------", mode(exported.resolve("copy/narrowed")));
    }

    /** A server may give the handle of a removed file to a new one. */
    @Test
    void aFileThatBecameALinkIsNotRead() throws Exception {
        open("file");
        Files.createSymbolicLink(exported.resolve("tree/link"), Path.of("file"));
        copy(
                PreservedAttributes.PERMISSIONS,
                copier -> {
                    var mount = copier.context().mount();
                    var listed =
                            new RemoteFile(
                                    mount.resolve("/data/tree/link").handle(),
                                    mount.resolve("/data/tree/file").attributes());
                    trees(copier).copy(listed, "file", mount.place("/data/copy"), "copy");
                });
        assertEquals(
                List.of("cannot read file: its type has changed since it was listed"), failures);
        assertFalse(Files.exists(exported.resolve("copy"), LinkOption.NOFOLLOW_LINKS));
    }

    /** Its owner closes it when the copy has asked for its attributes. */
    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aCopyHereGrantsNoMoreThanItsSourceWhenItWasRead(PreservedAttributes kept)
            throws Exception {
        var file = open("file");
        var target = directory.resolve("here");
        copy(
                kept,
                copier -> {
                    var found = copier.context().mount().resolve("/data/tree/file");
                    mode(Files.writeString(file, "key!"), "rw-------");
                    copier.get(found, "file", target);
                });
        assertEquals("key!", Files.readString(target));
        assertEquals("rw-------", mode(target));
    }

    @Test
    void aServerThatTellsNoAttributesWithBytesIsAskedForThem() throws Exception {
        var file = open("file");
        copy(
                PreservedAttributes.PERMISSIONS,
                copier -> {
                    var found = copier.context().mount().resolve("/data/tree/file");
                    var before = copier.context().source(found, "file");
                    mode(file, "rw-------");
                    var told = new ReadRights(copier.context(), found, "file");
                    told.told(Optional.of(found.attributes()));
                    assertEquals(before, told.narrowed(before));
                    var untold = new ReadRights(copier.context(), found, "file");
                    untold.told(Optional.empty());
                    assertEquals(0600, untold.narrowed(before).attributes().mode());
                });
    }

    /** The names in it, and what they lead to, may be secret by now. */
    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aDirectoryHereGrantsNoMoreThanItsSourceWhenItIsListed(PreservedAttributes kept)
            throws Exception {
        var tree = open("file").getParent();
        var fifo = tree.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        mode(fifo, "rw-r--r--");
        mode(tree, "rwxr-xr-x");
        var target = directory.resolve("here");
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.READDIRPLUS) {
                        mode(tree, "rwx------");
                        mode(fifo, "rw-------");
                    }
                };
        copy(
                kept,
                copier ->
                        trees(copier)
                                .get(
                                        copier.context().mount().resolve("/data/tree"),
                                        "tree",
                                        target));
        assertEquals(List.of(), failures);
        assertEquals("rwx------", mode(target));
        assertEquals("rw-------", mode(target.resolve("fifo")));
    }

    /** A tree is listed long before its last file is read. */
    @ParameterizedTest
    @ValueSource(strings = {"key!", "k", "", "a longer key"})
    void aSmallFileThatHasChangedSinceItWasListedIsReadOnceMore(String text) throws Exception {
        var file = open("file");
        var target = directory.resolve("here");
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.READDIRPLUS) {
                        mode(Files.writeString(file, text), "rw-------");
                    }
                };
        copy(
                PreservedAttributes.PERMISSIONS,
                copier ->
                        trees(copier)
                                .get(
                                        copier.context().mount().resolve("/data/tree"),
                                        "tree",
                                        target));
        assertEquals(List.of(), failures);
        assertEquals(text, Files.readString(target.resolve("file")));
        assertEquals("rw-------", mode(target.resolve("file")));
    }

    @ParameterizedTest
    @EnumSource(PreservedAttributes.class)
    void aCopyOnTheServerGrantsNoMoreThanItsSourceHereWhenItWasRead(PreservedAttributes kept)
            throws Exception {
        var file = mode(Files.writeString(source.resolve("file"), "open"), "rw-r--r--");
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.WRITE) {
                        mode(file, "rw-----w-");
                    }
                };
        put(kept);
        assertEquals(List.of(), failures);
        assertEquals("rw-------", mode(exported.resolve("copy/file")));
    }

    private static ExtendedAcls listing(int user, int rights) {
        return new ExtendedAcls(
                Optional.of(
                        new PosixAcl(
                                List.of(
                                        new Entry(Tag.USER_OBJ, 6),
                                        new Entry(Tag.USER, user, rights),
                                        new Entry(Tag.GROUP_OBJ, 4),
                                        new Entry(Tag.MASK, 4),
                                        new Entry(Tag.OTHER, 0)))),
                Optional.empty());
    }

    /** The mode stays, and the change time may. */
    @Test
    void aCopyHasTheListThatItsSourceHasWhenItWasRead() throws Exception {
        var file = Files.writeString(source.resolve("file"), "open");
        CopiedAcls.setAcls(file, listing(4242, 4));
        var now = listing(4243, 4);
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.WRITE) {
                        CopiedAcls.setAcls(file, now);
                    }
                };
        put(PreservedAttributes.ALL);
        assertEquals(List.of(), failures);
        assertEquals(now, CopiedAcls.acls(exported.resolve("copy/file")));
    }

    /** It has more bytes than are asked for at a time. */
    @Test
    void aCopyHereHasTheListThatItsSourceHasWhenItWasRead() throws Exception {
        var file = open("file");
        try (var bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.setLength(64 << 20);
        }
        CopiedAcls.setAcls(file, listing(4242, 4));
        var now = listing(4243, 4);
        var isChanged = new AtomicBoolean();
        change =
                procedure -> {
                    if (procedure == CallsWithChanges.READ && !isChanged.getAndSet(true)) {
                        CopiedAcls.setAcls(file, now);
                    }
                };
        var target = directory.resolve("here");
        copy(
                PreservedAttributes.ALL,
                copier ->
                        copier.get(
                                copier.context().mount().resolve("/data/tree/file"),
                                "file",
                                target));
        assertEquals(now, CopiedAcls.acls(target));
    }
}
