package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.io.Closeable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The behavior of every store for names. */
public abstract class NamesContract<P extends Closeable> extends StoreUser<P> {
    private static final Creation GUARDED = new Creation.Guarded(NONE);

    /** Called by the test of a store. */
    protected NamesContract() {}

    @Test
    void theRootIsADirectoryAndItsOwnParent() throws Exception {
        assertEquals(FileType.DIRECTORY, status(root()).type());
        assertEquals(root(), lookup(root(), ".").id());
        assertEquals(root(), lookup(root(), "..").id());
        assertEquals(root(), at(root(), Node::id));
    }

    @Test
    void filesAreFoundByTheirNames() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var below = makeDirectory(directory, "below");
        var file = create(below, "file");
        var link = makeLink(below, "link", "..");
        var found = lookup(below, "file");
        assertEquals(file, found.id());
        assertEquals(status(file), found.status());
        assertEquals(status(below), found.directory());
        assertEquals(directory, lookup(below, "..").id());
        assertEquals(root(), lookup(directory, "..").id());
        assertEquals(below, lookup(below, ".").id());
        assertEquals(FileType.SYMBOLIC_LINK, lookup(below, "link").status().type());
        fails(Failure.NOENT, below, node -> node.lookup(caller(), name("other")));
        for (var none : List.of(file, link)) {
            fails(Failure.NOTDIR, none, node -> node.lookup(caller(), name("file")));
        }
    }

    interface OnDirectoryEntry {
        void run(FileName name) throws StoreException;
    }

    private List<OnDirectoryEntry> changesOf(FileId directory, FileId file) {
        return List.of(
                name -> create(directory, name, GUARDED),
                name -> create(directory, name, new Creation.Unchecked(NONE)),
                name -> create(directory, name, new Creation.Exclusive(1)),
                name -> at(directory, n -> n.makeDirectory(caller(), name, NONE, Storage.SYNC)),
                name ->
                        at(
                                directory,
                                n ->
                                        n.makeSymbolicLink(
                                                caller(),
                                                name,
                                                new byte[] {'x'},
                                                NONE,
                                                Storage.SYNC)),
                name ->
                        at(
                                directory,
                                n ->
                                        n.makeSpecialFile(
                                                caller(),
                                                name,
                                                new SpecialFile.Fifo(),
                                                NONE,
                                                Storage.SYNC)),
                name -> at(directory, n -> n.remove(caller(), name, Storage.SYNC)),
                name -> at(directory, n -> n.removeDirectory(caller(), name, Storage.SYNC)),
                name -> at(directory, n -> n.rename(caller(), name, n, name("x"), Storage.SYNC)),
                name -> at(directory, n -> n.rename(caller(), name("file"), n, name, Storage.SYNC)),
                name ->
                        at(
                                file,
                                linked ->
                                        at(
                                                directory,
                                                n ->
                                                        n.link(
                                                                caller(),
                                                                linked,
                                                                name,
                                                                Storage.SYNC))));
    }

    final void refuses(Failure expected, OnDirectoryEntry call, FileName name) {
        try {
            call.run(name);
        } catch (StoreException failure) {
            assertEquals(expected, failure.failure(), () -> name + ": " + failure);
            return;
        }
        throw new AssertionError("took \"" + name + "\"");
    }

    @Test
    void whatIsNoNameReachesNoFileSystem() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var file = create(directory, "file");
        for (var call : changesOf(directory, file)) {
            for (var text : List.of("", ".", "..", "a/b", "/", "/etc", "../file", "nul\0", "\0")) {
                refuses(Failure.INVAL, call, name(text));
            }
            refuses(Failure.NAMETOOLONG, call, name("x".repeat(256)));
            refuses(Failure.NAMETOOLONG, call, name("\u00fc".repeat(128)));
        }
        for (var text : List.of("", "a/b", "/etc", "../file", "nul\0")) {
            refuses(
                    Failure.INVAL,
                    name -> at(directory, node -> node.lookup(caller(), name)),
                    name(text));
        }
        refuses(
                Failure.NAMETOOLONG,
                name -> at(directory, node -> node.lookup(caller(), name)),
                name("x".repeat(256)));
        assertEquals(List.of("file"), names(directory));
        assertEquals(List.of("directory"), names(root()));
    }

    @Test
    void namesAreKeptAsTheyAre() throws Exception {
        var texts =
                List.of(
                        " ",
                        "...",
                        "-rf",
                        "*?[",
                        "back\\slash",
                        "gr\u00f6\u00dfe",
                        "\u65e5\u672c",
                        "line\nfeed",
                        "\u001b[2J",
                        "x".repeat(255));
        for (var text : texts) {
            var file = create(root(), text);
            assertEquals(file, lookup(root(), text).id(), text);
        }
        assertEquals(texts.stream().sorted().toList(), names(root()));
        for (var text : texts) {
            remove(root(), text);
        }
        assertEquals(List.of(), names(root()));
    }

    @Test
    void namesAreOfAnyBytes() throws Exception {
        for (int value = 1; value < 256; value++) {
            if (value == '/') {
                continue;
            }
            var name = new FileName(new byte[] {(byte) value, 'x'});
            if (!has(Trait.ANY_BYTES) && value > 0x7f) {
                refuses(Failure.INVAL, each -> create(root(), each, GUARDED), name);
                continue;
            }
            var file = made(create(root(), name, GUARDED));
            assertEquals(file, at(root(), node -> node.lookup(caller(), name)).id());
            var listed =
                    list(root(), 0, Integer.MAX_VALUE, true).stream()
                            .filter(each -> each != null && each.name().equals(name))
                            .toList();
            assertEquals(1, listed.size(), () -> "lists " + listed);
            at(root(), node -> node.remove(caller(), name, Storage.SYNC));
        }
    }

    @Test
    void filesAreMadeOnce() throws Exception {
        write(create(root(), "file"), 0, "hello");
        makeDirectory(root(), "directory");
        for (var text : List.of("file", "directory")) {
            refuses(Failure.EXIST, name -> create(root(), name, GUARDED), name(text));
            refuses(
                    Failure.EXIST,
                    name -> create(root(), name, new Creation.Exclusive(1)),
                    name(text));
            refuses(
                    Failure.EXIST,
                    name -> at(root(), n -> n.makeDirectory(caller(), name, NONE, Storage.SYNC)),
                    name(text));
            refuses(Failure.EXIST, name -> makeLink(root(), name.toString(), "x"), name(text));
        }
        var same = create(root(), name("file"), new Creation.Unchecked(NONE));
        assertEquals(5, same.value().made().orElseThrow().status().size());
        var cut = create(root(), name("file"), new Creation.Unchecked(ofSize(2)));
        assertEquals(made(same), made(cut));
        assertEquals(2, status(made(cut)).size());
        refuses(
                Failure.EXIST,
                name -> create(root(), name, new Creation.Unchecked(NONE)),
                name("directory"));
    }

    /**
     * After a start, the first request for a known file may cause a walk of the whole tree. Files
     * that are made after the walk must be found too.
     */
    @Test
    void filesAreFoundThatWereMadeAfterAWalk() throws Exception {
        var old = create(root(), "old");
        reopen();
        status(old);
        var made = new ArrayList<FileId>();
        for (int i = 0; i < 5; i++) {
            made.add(create(root(), "made-" + i));
            var how = new Creation.Exclusive(i);
            made.add(made(create(root(), name("exclusive-" + i), how)));
            made.add(makeDirectory(root(), "directory-" + i));
        }
        for (var each : made) {
            assertTrue(status(each).links() > 0);
        }
    }

    @Test
    void filesAreMadeWithTheirAttributes() throws Exception {
        var wanted =
                new AttributeChanges(
                        OptionalInt.of(0604),
                        NONE.uid(),
                        NONE.gid(),
                        ofSize(3).size(),
                        new TimeChange.To(new Time(1_000_000_000, 0)),
                        new TimeChange.To(new Time(1_100_000_000, 0)));
        var file = made(create(root(), name("file"), new Creation.Guarded(wanted)));
        var status = status(file);
        assertEquals(3, status.size());
        assertEquals(1_000_000_000, status.accessed().seconds());
        assertEquals(1_100_000_000, status.modified().seconds());
        if (has(Trait.MODES)) {
            assertEquals(0604, status.mode());
            for (int mode : new int[] {0, 0400, 0777}) {
                var how = new Creation.Guarded(ofMode(mode));
                assertEquals(mode, status(made(create(root(), name("m" + mode), how))).mode());
            }
            var directory =
                    made(
                            at(
                                    root(),
                                    node ->
                                            node.makeDirectory(
                                                    caller(),
                                                    name("directory"),
                                                    ofMode(0751),
                                                    Storage.SYNC)));
            assertEquals(0751, status(directory).mode());
        }
    }

    @Test
    void anExclusiveFileIsMadeAgainForTheSameCallOnly() throws Exception {
        var name = name("file");
        var how = new Creation.Exclusive(0xfedc_ba98_7654_3210L);
        var file = made(create(root(), name, how));
        assertEquals(file, made(create(root(), name, how)));
        // The reply is lost, and the server restarts.
        reopen();
        assertEquals(file, made(create(root(), name, how)));
        refuses(
                Failure.EXIST,
                each -> create(root(), each, new Creation.Exclusive(0xfedc_ba98_7654_3211L)),
                name);
        refuses(
                Failure.EXIST,
                each -> create(root(), each, new Creation.Exclusive(0xfedc_ba97_7654_3210L)),
                name);
    }

    /** Goal: the times alone do not prove it, since clients can set them. */
    @Test
    void anExclusiveFileWithContentIsNotMadeAgain() throws Exception {
        var how = new Creation.Exclusive(1);
        var file = made(create(root(), name("file"), how));
        var accessed = new TimeChange.To(status(file).accessed());
        var modified = new TimeChange.To(status(file).modified());
        write(file, 0, "hello");
        change(file, ofTimes(accessed, modified));
        refuses(Failure.EXIST, name -> create(root(), name, how), name("file"));
    }

    @Test
    void linksKeepTheirTexts() throws Exception {
        for (var text : List.of("file", "../../etc/passwd", "/absolute", "gr\u00f6\u00dfe/x")) {
            var link = makeLink(root(), "link", text);
            assertArrayEquals(
                    text.getBytes(StandardCharsets.UTF_8),
                    at(link, node -> node.readLink(caller())));
            remove(root(), "link");
        }
        for (var file : List.of(root(), create(root(), "file"))) {
            fails(Failure.INVAL, file, node -> node.readLink(caller()));
        }
        fails(
                Failure.INVAL,
                root(),
                node ->
                        node.makeSymbolicLink(
                                caller(), name("none"), new byte[0], NONE, Storage.SYNC));
    }

    @Test
    void namesAreTakenOutOfDirectories() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var file = create(directory, "file");
        fails(Failure.ISDIR, root(), n -> n.remove(caller(), name("directory"), Storage.SYNC));
        fails(
                Failure.NOTEMPTY,
                root(),
                n -> n.removeDirectory(caller(), name("directory"), Storage.SYNC));
        fails(
                Failure.NOTDIR,
                directory,
                n -> n.removeDirectory(caller(), name("file"), Storage.SYNC));
        makeLink(root(), "link", "directory");
        fails(Failure.NOTDIR, root(), n -> n.removeDirectory(caller(), name("link"), Storage.SYNC));
        remove(root(), "link");
        remove(directory, "file");
        fails(Failure.NOENT, directory, n -> n.remove(caller(), name("file"), Storage.SYNC));
        removeDirectory(root(), "directory");
        fails(
                Failure.NOENT,
                root(),
                n -> n.removeDirectory(caller(), name("directory"), Storage.SYNC));
        for (var gone : List.of(directory, file)) {
            fails(Failure.STALE, gone, Node::status);
        }
        fails(Failure.STALE, directory, n -> n.lookup(caller(), name("file")));
        // A new file with that name is another file.
        assertNotEquals(file, create(root(), "file"));
        fails(Failure.STALE, file, Node::status);
    }

    @Test
    void filesStayTheSameWhenTheyMove() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var below = makeDirectory(directory, "below");
        var file = create(below, "file");
        var other = makeDirectory(root(), "other");
        rename(root(), "directory", other, "moved");
        write(file, 0, "hello");
        assertEquals("hello", read(file, 0, 9));
        assertEquals(other, lookup(directory, "..").id());
        assertEquals(below, lookup(directory, "below").id());
        rename(below, "file", root(), "up");
        assertEquals(file, lookup(root(), "up").id());
        reopen();
        assertEquals("hello", read(file, 0, 9));
        assertEquals(List.of("moved"), names(other));
    }

    @Test
    void filesAreReplacedByRenames() throws Exception {
        var file = create(root(), "file");
        var replaced = create(root(), "replaced");
        write(file, 0, "file");
        write(replaced, 0, "replaced");
        rename(root(), "file", root(), "replaced");
        assertEquals(file, lookup(root(), "replaced").id());
        assertEquals("file", read(file, 0, 9));
        fails(Failure.STALE, replaced, Node::status);
        var one = makeDirectory(root(), "one");
        create(makeDirectory(root(), "full"), "x");
        makeDirectory(root(), "empty");
        renameFails(Failure.ISDIR, root(), "replaced", root(), "one");
        renameFails(Failure.NOTDIR, root(), "one", root(), "replaced");
        var full = assertThrows(StoreException.class, () -> rename(root(), "one", root(), "full"));
        // rename(2) and RFC 1813, Section 3.3.14, allow both failures; XFS reports EXIST.
        assertTrue(Set.of(Failure.NOTEMPTY, Failure.EXIST).contains(full.failure()));
        rename(root(), "one", root(), "empty");
        assertEquals(one, lookup(root(), "empty").id());
        assertEquals(List.of("empty", "full", "replaced"), names(root()));
    }

    @Test
    void renamesThatMakeNoSenseAreRefused() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var below = makeDirectory(directory, "below");
        renameFails(Failure.INVAL, root(), "directory", below, "x");
        renameFails(Failure.INVAL, root(), "directory", directory, "x");
        renameFails(Failure.NOENT, root(), "nothing", root(), "x");
        var file = create(root(), "file");
        renameFails(Failure.NOTDIR, root(), "file", file, "x");
        renameFails(Failure.NOTDIR, file, "x", root(), "file");
        rename(root(), "file", root(), "file");
        assertEquals(file, lookup(root(), "file").id());
    }

    @Test
    void filesHaveFurtherNames() throws Exception {
        var file = create(root(), "file");
        write(file, 0, "hello");
        var directory = makeDirectory(root(), "directory");
        var linked = link(file, directory, "name").value();
        assertEquals(status(file), linked);
        assertEquals(file, lookup(directory, "name").id());
        if (has(Trait.LINK_COUNTS)) {
            assertEquals(2, linked.links());
        }
        refuses(Failure.EXIST, each -> link(file, root(), "directory"), name("directory"));
        refuses(Failure.EXIST, each -> link(file, root(), "file"), name("file"));
        refuses(Failure.ISDIR, each -> link(directory, root(), "x"), name("x"));
        refuses(Failure.NOTDIR, each -> link(file, file, "x"), name("x"));
        // RENAME between two names of one file does nothing (as in POSIX).
        link(file, root(), "twin");
        rename(root(), "file", root(), "twin");
        assertEquals(List.of("directory", "file", "twin"), names(root()));
        remove(root(), "file");
        remove(root(), "twin");
        assertEquals("hello", read(file, 0, 9));
        remove(directory, "name");
        fails(Failure.STALE, file, Node::status);
    }

    @Test
    void nodesOfTwoStoresDoNotMeet() throws Exception {
        try (var otherDirectory = makePlace();
                var other = open(otherDirectory, verifier);
                var target = other.node(other.root(), FileStore.Mounts.STAY)) {
            var file = create(root(), "file");
            fails(
                    Failure.XDEV,
                    root(),
                    n -> n.rename(caller(), name("file"), target, name("x"), Storage.SYNC));
            fails(Failure.XDEV, file, n -> target.link(caller(), n, name("x"), Storage.SYNC));
        }
    }
}
