package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.WccData;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the procedures on names in directories work: LOOKUP, and those that make, move and remove
 * files.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.server.Ground#kinds")
class DirectoryProceduresTest {
    private static final CreateMode GUARDED = new CreateMode.Guarded(SetAttributes.NONE);

    @Parameter Ground.Kind kind;
    private Ground ground;
    private Served served;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        ground = Ground.of(kind);
        served = Served.of(ground);
        root = served.root();
    }

    @AfterEach
    void stop() throws Exception {
        served.close();
        ground.close();
    }

    private DirOpArgs at(String name) {
        return new DirOpArgs(root, name);
    }

    @Test
    void findsFilesByName() throws Exception {
        var file = served.create(root, "file");
        assertEquals(file, served.lookup(root, "file"));
        assertEquals(Status.NOENT, served.status(new Nfs3Call.Lookup(at("other"))));
        assertEquals(Status.NOTDIR, served.status(new Nfs3Call.Lookup(new DirOpArgs(file, "x"))));
    }

    @Test
    void findsTheDirectoryItselfAndTheOneAbove() throws Exception {
        var directory = served.makeDirectory(root, "directory");
        var below = served.makeDirectory(directory, "below");
        assertEquals(below, served.lookup(below, "."));
        assertEquals(directory, served.lookup(below, ".."));
        assertEquals(root, served.lookup(directory, ".."));
        assertEquals(root, served.lookup(root, ".."));
    }

    @Test
    void keepsOddNames() throws Exception {
        var names =
                List.of(
                        " ",
                        "...",
                        "a b",
                        "-rf",
                        "*?[",
                        "'\"$`",
                        "back\\slash",
                        "größe",
                        "日本語",
                        "👩‍👩‍👧",
                        "line\nfeed",
                        "x".repeat(255),
                        "ü".repeat(127));
        for (var name : names) {
            var file = served.create(root, name);
            assertEquals(file, served.lookup(root, name), name);
        }
        var listed = served.names(root);
        assertTrue(listed.containsAll(names), listed.toString());
        for (var name : names) {
            served.ok(new Nfs3Call.Remove(at(name)));
        }
        assertEquals(List.of(".", ".."), served.names(root));
    }

    /** Goal: no invalid name reaches the file system. Method: every procedure that takes a name. */
    @Test
    void refusesWhatIsNoName() throws Exception {
        var file = served.create(root, "file");
        for (var name : new String[] {"", ".", "..", "a/b", "/", "/etc", "../up", "nul\0"}) {
            for (var call : changing(file, at(name))) {
                assertEquals(Status.INVAL, served.status(call), call.toString());
            }
        }
        for (var name : new String[] {"", "a/b", "/etc", "../up", "nul\0"}) {
            assertEquals(Status.INVAL, served.status(new Nfs3Call.Lookup(at(name))));
        }
        for (var name : new String[] {"x".repeat(256), "ü".repeat(128)}) {
            for (var call : changing(file, at(name))) {
                assertEquals(Status.NAMETOOLONG, served.status(call));
            }
            assertEquals(Status.NAMETOOLONG, served.status(new Nfs3Call.Lookup(at(name))));
        }
        assertEquals(List.of(".", "..", "file"), served.names(root));
    }

    /** The call is valid for any bytes in its names, even if the file system rejects them. */
    @Test
    void answersNamesThatAreNotUtf8WithAStatus() throws Exception {
        var file = served.create(root, "file");
        var odd = new DirOpArgs(root, new FileName(new byte[] {'l', 'o', (byte) 0xe9, 'i', 'n'}));
        var text = new PathName(new byte[] {(byte) 0xe9});
        var link = new Nfs3Call.MakeSymbolicLink(at("link"), SetAttributes.NONE, text);
        if (kind == Ground.Kind.LOCAL) {
            assertEquals(Status.NOENT, served.status(new Nfs3Call.Lookup(odd)));
            var made = served.ok(new Nfs3Call.Create(odd, GUARDED)).handle().orElseThrow();
            assertEquals(made, served.ok(new Nfs3Call.Lookup(odd)).handle());
            var linked = served.ok(link).handle().orElseThrow();
            assertEquals(text, served.ok(new Nfs3Call.ReadLink(linked)).path());
            var listed = served.list(root, 8192, () -> {});
            assertTrue(listed.stream().anyMatch(entry -> entry.name().equals(odd.name())));
            assertEquals(Status.OK, served.status(new Nfs3Call.Remove(odd)));
        } else {
            assertEquals(Status.INVAL, served.status(new Nfs3Call.Lookup(odd)));
            for (var call : changing(file, odd)) {
                assertEquals(Status.INVAL, served.status(call), call.toString());
            }
            assertEquals(Status.INVAL, served.status(link));
            assertEquals(List.of(".", "..", "file"), served.names(root));
        }
    }

    private List<Nfs3Call<?, ?>> changing(FileHandle file, DirOpArgs entry) {
        return List.of(
                new Nfs3Call.Create(entry, GUARDED),
                new Nfs3Call.MakeDirectory(entry, SetAttributes.NONE),
                new Nfs3Call.MakeSymbolicLink(entry, SetAttributes.NONE, PathName.of("text")),
                new Nfs3Call.Remove(entry),
                new Nfs3Call.RemoveDirectory(entry),
                new Nfs3Call.Rename(entry, at("new")),
                new Nfs3Call.Rename(at("file"), entry),
                new Nfs3Call.Link(file, entry));
    }

    @Test
    void makesAFileOnlyOnceIfThatIsAskedFor() throws Exception {
        served.write(served.create(root, "file"), 0, "hello");
        assertEquals(Status.EXIST, served.status(new Nfs3Call.Create(at("file"), GUARDED)));
        var made = served.ok(new Nfs3Call.Create(at("file"), unchecked(SetAttributes.NONE)));
        assertEquals(5, made.attributes().orElseThrow().size());
        var cut = served.ok(new Nfs3Call.Create(at("file"), unchecked(SetAttributes.ofSize(0))));
        assertEquals(0, cut.attributes().orElseThrow().size());
    }

    private static CreateMode unchecked(SetAttributes attributes) {
        return new CreateMode.Unchecked(attributes);
    }

    @Test
    void makesAFileWithTheAttributesAskedFor() throws Exception {
        var made = served.ok(new Nfs3Call.Create(at("file"), unchecked(SetAttributes.ofSize(3))));
        assertEquals(3, made.attributes().orElseThrow().size());
        if (kind != Ground.Kind.BASIC) {
            var mode = unchecked(SetAttributes.ofMode(0604));
            var other = served.ok(new Nfs3Call.Create(at("other"), mode));
            assertEquals(0604, other.attributes().orElseThrow().mode());
            var directory = new Nfs3Call.MakeDirectory(at("directory"), SetAttributes.ofMode(0751));
            assertEquals(0751, served.ok(directory).attributes().orElseThrow().mode());
        }
    }

    @Test
    void makesAnExclusiveFileAgainForTheSameCallOnly() throws Exception {
        var call = new Nfs3Call.Create(at("file"), new CreateMode.Exclusive(0x1234_5678_9abcL));
        var made = served.ok(call);
        assertEquals(made.handle(), served.ok(call).handle());
        // The reply is lost, and the server restarts.
        served.close();
        served = Served.of(ground);
        assertEquals(made.handle(), served.ok(call).handle());
        var other = new Nfs3Call.Create(at("file"), new CreateMode.Exclusive(1));
        assertEquals(Status.EXIST, served.status(other));
        served.makeDirectory(root, "directory");
        var taken = new Nfs3Call.Create(at("directory"), new CreateMode.Exclusive(1));
        assertEquals(Status.EXIST, served.status(taken));
    }

    @Test
    void makesNothingWhereSomethingIs() throws Exception {
        var file = served.create(root, "file");
        served.makeDirectory(root, "directory");
        for (var name : new String[] {"file", "directory"}) {
            var directory = new Nfs3Call.MakeDirectory(at(name), SetAttributes.NONE);
            assertEquals(Status.EXIST, served.status(directory));
            var link =
                    new Nfs3Call.MakeSymbolicLink(at(name), SetAttributes.NONE, PathName.of("x"));
            assertEquals(Status.EXIST, served.status(link));
            assertEquals(Status.EXIST, served.status(new Nfs3Call.Link(file, at(name))));
        }
        var over = new Nfs3Call.Create(at("directory"), unchecked(SetAttributes.NONE));
        assertEquals(Status.EXIST, served.status(over));
    }

    @Test
    void makesFifosAndSocketsWhereThereAreAny() throws Exception {
        for (var type : List.of(FileType.FIFO, FileType.SOCKET)) {
            var call = new Nfs3Call.MakeNode(at("node"), type, SetAttributes.ofMode(0640), 0);
            if (kind == Ground.Kind.LOCAL) {
                var made = served.attributes(served.ok(call).handle().orElseThrow());
                assertEquals(type, made.type());
                assertEquals(0640, made.mode());
                assertEquals(Status.OK, served.status(new Nfs3Call.Remove(at("node"))));
            } else {
                assertEquals(Status.NOTSUPP, served.status(call));
            }
        }
    }

    @Test
    void removesFilesAndDirectoriesEachTheirWay() throws Exception {
        var directory = served.makeDirectory(root, "directory");
        served.create(directory, "file");
        assertEquals(Status.ISDIR, served.status(new Nfs3Call.Remove(at("directory"))));
        assertEquals(Status.NOTEMPTY, served.status(new Nfs3Call.RemoveDirectory(at("directory"))));
        var inside = new DirOpArgs(directory, "file");
        assertEquals(Status.NOTDIR, served.status(new Nfs3Call.RemoveDirectory(inside)));
        served.ok(new Nfs3Call.Remove(inside));
        assertEquals(Status.NOENT, served.status(new Nfs3Call.Remove(inside)));
        served.ok(new Nfs3Call.RemoveDirectory(at("directory")));
        assertEquals(Status.NOENT, served.status(new Nfs3Call.RemoveDirectory(at("directory"))));
        assertEquals(Status.STALE, served.status(new Nfs3Call.GetAttributes(directory)));
    }

    @Test
    void removesALinkAndNotItsTarget() throws Exception {
        var file = served.create(root, "file");
        served.link(root, "link", "file");
        served.ok(new Nfs3Call.Remove(at("link")));
        assertEquals(0, served.attributes(file).size());
    }

    @Test
    void keepsHandlesThroughRenames() throws Exception {
        var directory = served.makeDirectory(root, "directory");
        var below = served.makeDirectory(directory, "below");
        var file = served.create(below, "file");
        served.write(file, 0, "hello");
        var other = served.makeDirectory(root, "other");
        served.ok(new Nfs3Call.Rename(at("directory"), new DirOpArgs(other, "moved")));
        assertEquals("hello", served.read(file, 0, 9));
        served.write(file, 5, "!");
        assertEquals(below, served.lookup(directory, "below"));
        assertEquals(other, served.lookup(directory, ".."));
        served.ok(new Nfs3Call.Rename(new DirOpArgs(below, "file"), at("up")));
        assertEquals("hello!", served.read(file, 0, 9));
        assertEquals(file, served.lookup(root, "up"));
    }

    @Test
    void replacesByRename() throws Exception {
        var file = served.create(root, "file");
        var gone = served.create(root, "gone");
        served.write(gone, 0, "gone");
        served.write(file, 0, "file");
        served.ok(new Nfs3Call.Rename(at("file"), at("gone")));
        assertEquals(file, served.lookup(root, "gone"));
        assertEquals("file", served.read(file, 0, 9));
        assertEquals(Status.STALE, served.status(new Nfs3Call.GetAttributes(gone)));
        served.makeDirectory(root, "one");
        served.create(served.makeDirectory(root, "full"), "x");
        served.makeDirectory(root, "empty");
        assertEquals(Status.ISDIR, served.status(new Nfs3Call.Rename(at("gone"), at("one"))));
        assertEquals(Status.NOTDIR, served.status(new Nfs3Call.Rename(at("one"), at("gone"))));
        assertEquals(Status.NOTEMPTY, served.status(new Nfs3Call.Rename(at("one"), at("full"))));
        served.ok(new Nfs3Call.Rename(at("one"), at("empty")));
        assertEquals(List.of(".", "..", "empty", "full", "gone"), served.names(root));
    }

    @Test
    void refusesRenamesThatMakeNoSense() throws Exception {
        var directory = served.makeDirectory(root, "directory");
        var below = served.makeDirectory(directory, "below");
        assertEquals(
                Status.INVAL,
                served.status(new Nfs3Call.Rename(at("directory"), new DirOpArgs(below, "x"))));
        assertEquals(
                Status.INVAL,
                served.status(new Nfs3Call.Rename(at("directory"), new DirOpArgs(directory, "x"))));
        assertEquals(Status.NOENT, served.status(new Nfs3Call.Rename(at("nothing"), at("x"))));
        var file = served.create(root, "file");
        assertEquals(
                Status.NOTDIR,
                served.status(new Nfs3Call.Rename(at("file"), new DirOpArgs(file, "x"))));
        served.ok(new Nfs3Call.Rename(at("file"), at("file")));
        assertEquals(file, served.lookup(root, "file"));
    }

    @Test
    void givesFilesFurtherNames() throws Exception {
        var file = served.create(root, "file");
        served.write(file, 0, "hello");
        var reply = served.done(new Nfs3Call.Link(file, at("name"))).attributes();
        assertEquals(file, served.lookup(root, "name"));
        if (kind != Ground.Kind.BASIC) {
            assertEquals(2, reply.file().orElseThrow().links());
        }
        served.ok(new Nfs3Call.Remove(at("file")));
        assertEquals("hello", served.read(file, 0, 9));
        served.ok(new Nfs3Call.Link(file, at("again")));
        served.ok(new Nfs3Call.Remove(at("again")));
        assertEquals("hello", served.read(file, 0, 9));
        var directory = served.makeDirectory(root, "directory");
        assertEquals(Status.ISDIR, served.status(new Nfs3Call.Link(directory, at("x"))));
        // RENAME between two names of one file does nothing (as in POSIX).
        served.ok(new Nfs3Call.Link(file, at("twin")));
        served.ok(new Nfs3Call.Rename(at("name"), at("twin")));
        assertEquals(List.of(".", "..", "directory", "name", "twin"), served.names(root));
    }

    @Test
    void tellsWhatADirectoryWasBeforeAndAfter() throws Exception {
        var before = WccData.Before.of(served.attributes(root));
        var created = served.done(new Nfs3Call.Create(at("file"), GUARDED)).attributes();
        assertEquals(before, created.before().orElseThrow());
        before = WccData.Before.of(created.after().orElseThrow());
        var made = served.done(new Nfs3Call.MakeDirectory(at("d"), SetAttributes.NONE));
        assertEquals(before, made.attributes().before().orElseThrow());
        before = WccData.Before.of(made.attributes().after().orElseThrow());
        var renamed = served.done(new Nfs3Call.Rename(at("file"), at("new"))).attributes();
        assertEquals(before, renamed.from().before().orElseThrow());
        assertEquals(renamed.from(), renamed.to());
        before = WccData.Before.of(renamed.to().after().orElseThrow());
        var removed = served.done(new Nfs3Call.Remove(at("new"))).attributes();
        assertEquals(before, removed.before().orElseThrow());
        assertEquals(served.attributes(root), removed.after().orElseThrow());
        assertFalse(served.names(root).contains("new"));
    }
}
