package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
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
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class DirectoryProceduresTest {
    private static final CreateMode GUARDED = new CreateMode.Guarded(SetAttributes.NONE);

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private DirOpArgs at(String name) {
        return new DirOpArgs(root, name);
    }

    @Test
    void findsFilesByName() throws Exception {
        var file = server.create(root, "file");
        assertEquals(file, server.lookup(root, "file"));
        assertEquals(Status.NOENT, server.status(new Nfs3Call.Lookup(at("other"))));
        assertEquals(Status.NOTDIR, server.status(new Nfs3Call.Lookup(new DirOpArgs(file, "x"))));
    }

    @Test
    void findsTheDirectoryItselfAndTheOneAbove() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var below = server.makeDirectory(directory, "below");
        assertEquals(below, server.lookup(below, "."));
        assertEquals(directory, server.lookup(below, ".."));
        assertEquals(root, server.lookup(directory, ".."));
        assertEquals(root, server.lookup(root, ".."));
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
            var file = server.create(root, name);
            assertEquals(file, server.lookup(root, name), name);
        }
        var listed = server.names(root);
        assertTrue(listed.containsAll(names), listed.toString());
        for (var name : names) {
            server.ok(new Nfs3Call.Remove(at(name)));
        }
        assertEquals(List.of(".", ".."), server.names(root));
    }

    /** Goal: no invalid name reaches the file system. Method: every procedure that takes a name. */
    @Test
    void refusesWhatIsNoName() throws Exception {
        var file = server.create(root, "file");
        for (var name : new String[] {"", ".", "..", "a/b", "/", "/etc", "../up", "nul\0"}) {
            for (var call : changing(file, at(name))) {
                assertEquals(Status.INVAL, server.status(call), call.toString());
            }
        }
        for (var name : new String[] {"", "a/b", "/etc", "../up", "nul\0"}) {
            assertEquals(Status.INVAL, server.status(new Nfs3Call.Lookup(at(name))));
        }
        for (var name : new String[] {"x".repeat(256), "ü".repeat(128)}) {
            for (var call : changing(file, at(name))) {
                assertEquals(Status.NAMETOOLONG, server.status(call));
            }
            assertEquals(Status.NAMETOOLONG, server.status(new Nfs3Call.Lookup(at(name))));
        }
        assertEquals(List.of(".", "..", "file"), server.names(root));
    }

    /** The call is valid for any bytes in its names, even if the file system rejects them. */
    @Test
    void answersNamesThatAreNotUtf8WithAStatus() throws Exception {
        var file = server.create(root, "file");
        var odd = new DirOpArgs(root, new FileName(new byte[] {'l', 'o', (byte) 0xe9, 'i', 'n'}));
        var text = new PathName(new byte[] {(byte) 0xe9});
        var link = new Nfs3Call.MakeSymbolicLink(at("link"), SetAttributes.NONE, text);
        if (kind == TestDirectory.Kind.LOCAL) {
            assertEquals(Status.NOENT, server.status(new Nfs3Call.Lookup(odd)));
            var made = server.ok(new Nfs3Call.Create(odd, GUARDED)).handle().orElseThrow();
            assertEquals(made, server.ok(new Nfs3Call.Lookup(odd)).handle());
            var linked = server.ok(link).handle().orElseThrow();
            assertEquals(text, server.ok(new Nfs3Call.ReadLink(linked)).path());
            var listed = server.list(root, 8192, () -> {});
            assertTrue(listed.stream().anyMatch(entry -> entry.name().equals(odd.name())));
            assertEquals(Status.OK, server.status(new Nfs3Call.Remove(odd)));
        } else {
            assertEquals(Status.INVAL, server.status(new Nfs3Call.Lookup(odd)));
            for (var call : changing(file, odd)) {
                assertEquals(Status.INVAL, server.status(call), call.toString());
            }
            assertEquals(Status.INVAL, server.status(link));
            assertEquals(List.of(".", "..", "file"), server.names(root));
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
        server.write(server.create(root, "file"), 0, "hello");
        assertEquals(Status.EXIST, server.status(new Nfs3Call.Create(at("file"), GUARDED)));
        var made = server.ok(new Nfs3Call.Create(at("file"), unchecked(SetAttributes.NONE)));
        assertEquals(5, made.attributes().orElseThrow().size());
        var cut = server.ok(new Nfs3Call.Create(at("file"), unchecked(SetAttributes.ofSize(0))));
        assertEquals(0, cut.attributes().orElseThrow().size());
    }

    private static CreateMode unchecked(SetAttributes attributes) {
        return new CreateMode.Unchecked(attributes);
    }

    @Test
    void makesAFileWithTheAttributesAskedFor() throws Exception {
        var made = server.ok(new Nfs3Call.Create(at("file"), unchecked(SetAttributes.ofSize(3))));
        assertEquals(3, made.attributes().orElseThrow().size());
        if (kind != TestDirectory.Kind.BASIC) {
            var mode = unchecked(SetAttributes.ofMode(0604));
            var other = server.ok(new Nfs3Call.Create(at("other"), mode));
            assertEquals(0604, other.attributes().orElseThrow().mode());
            var directory = new Nfs3Call.MakeDirectory(at("directory"), SetAttributes.ofMode(0751));
            assertEquals(0751, server.ok(directory).attributes().orElseThrow().mode());
        }
    }

    @Test
    void makesAnExclusiveFileAgainForTheSameCallOnly() throws Exception {
        var call = new Nfs3Call.Create(at("file"), new CreateMode.Exclusive(0x1234_5678_9abcL));
        var made = server.ok(call);
        assertEquals(made.handle(), server.ok(call).handle());
        // The reply is lost, and the server restarts.
        server.close();
        server = TestServer.of(testDirectory);
        assertEquals(made.handle(), server.ok(call).handle());
        var other = new Nfs3Call.Create(at("file"), new CreateMode.Exclusive(1));
        assertEquals(Status.EXIST, server.status(other));
        server.makeDirectory(root, "directory");
        var taken = new Nfs3Call.Create(at("directory"), new CreateMode.Exclusive(1));
        assertEquals(Status.EXIST, server.status(taken));
    }

    @Test
    void makesNothingWhereSomethingIs() throws Exception {
        var file = server.create(root, "file");
        server.makeDirectory(root, "directory");
        for (var name : new String[] {"file", "directory"}) {
            var directory = new Nfs3Call.MakeDirectory(at(name), SetAttributes.NONE);
            assertEquals(Status.EXIST, server.status(directory));
            var link =
                    new Nfs3Call.MakeSymbolicLink(at(name), SetAttributes.NONE, PathName.of("x"));
            assertEquals(Status.EXIST, server.status(link));
            assertEquals(Status.EXIST, server.status(new Nfs3Call.Link(file, at(name))));
        }
        var over = new Nfs3Call.Create(at("directory"), unchecked(SetAttributes.NONE));
        assertEquals(Status.EXIST, server.status(over));
    }

    @Test
    void makesFifosAndSocketsWhereThereAreAny() throws Exception {
        for (var type : List.of(FileType.FIFO, FileType.SOCKET)) {
            var call = new Nfs3Call.MakeNode(at("node"), type, SetAttributes.ofMode(0640), 0);
            if (kind == TestDirectory.Kind.LOCAL) {
                var made = server.attributes(server.ok(call).handle().orElseThrow());
                assertEquals(type, made.type());
                assertEquals(0640, made.mode());
                assertEquals(Status.OK, server.status(new Nfs3Call.Remove(at("node"))));
            } else {
                assertEquals(Status.NOTSUPP, server.status(call));
            }
        }
    }

    @Test
    void removesFilesByRemoveAndDirectoriesByRmdir() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        server.create(directory, "file");
        assertEquals(Status.ISDIR, server.status(new Nfs3Call.Remove(at("directory"))));
        assertEquals(Status.NOTEMPTY, server.status(new Nfs3Call.RemoveDirectory(at("directory"))));
        var inside = new DirOpArgs(directory, "file");
        assertEquals(Status.NOTDIR, server.status(new Nfs3Call.RemoveDirectory(inside)));
        server.ok(new Nfs3Call.Remove(inside));
        assertEquals(Status.NOENT, server.status(new Nfs3Call.Remove(inside)));
        server.ok(new Nfs3Call.RemoveDirectory(at("directory")));
        assertEquals(Status.NOENT, server.status(new Nfs3Call.RemoveDirectory(at("directory"))));
        assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(directory)));
    }

    @Test
    void removesALinkAndNotItsTarget() throws Exception {
        var file = server.create(root, "file");
        server.link(root, "link", "file");
        server.ok(new Nfs3Call.Remove(at("link")));
        assertEquals(0, server.attributes(file).size());
    }

    @Test
    void keepsHandlesThroughRenames() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var below = server.makeDirectory(directory, "below");
        var file = server.create(below, "file");
        server.write(file, 0, "hello");
        var other = server.makeDirectory(root, "other");
        server.ok(new Nfs3Call.Rename(at("directory"), new DirOpArgs(other, "moved")));
        assertEquals("hello", server.read(file, 0, 9));
        server.write(file, 5, "!");
        assertEquals(below, server.lookup(directory, "below"));
        assertEquals(other, server.lookup(directory, ".."));
        server.ok(new Nfs3Call.Rename(new DirOpArgs(below, "file"), at("up")));
        assertEquals("hello!", server.read(file, 0, 9));
        assertEquals(file, server.lookup(root, "up"));
    }

    @Test
    void replacesByRename() throws Exception {
        var file = server.create(root, "file");
        var gone = server.create(root, "gone");
        server.write(gone, 0, "gone");
        server.write(file, 0, "file");
        server.ok(new Nfs3Call.Rename(at("file"), at("gone")));
        assertEquals(file, server.lookup(root, "gone"));
        assertEquals("file", server.read(file, 0, 9));
        assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(gone)));
        server.makeDirectory(root, "one");
        server.create(server.makeDirectory(root, "full"), "x");
        server.makeDirectory(root, "empty");
        assertEquals(Status.ISDIR, server.status(new Nfs3Call.Rename(at("gone"), at("one"))));
        assertEquals(Status.NOTDIR, server.status(new Nfs3Call.Rename(at("one"), at("gone"))));
        assertEquals(Status.NOTEMPTY, server.status(new Nfs3Call.Rename(at("one"), at("full"))));
        server.ok(new Nfs3Call.Rename(at("one"), at("empty")));
        assertEquals(List.of(".", "..", "empty", "full", "gone"), server.names(root));
    }

    @Test
    void refusesRenamesThatMakeNoSense() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        var below = server.makeDirectory(directory, "below");
        assertEquals(
                Status.INVAL,
                server.status(new Nfs3Call.Rename(at("directory"), new DirOpArgs(below, "x"))));
        assertEquals(
                Status.INVAL,
                server.status(new Nfs3Call.Rename(at("directory"), new DirOpArgs(directory, "x"))));
        assertEquals(Status.NOENT, server.status(new Nfs3Call.Rename(at("nothing"), at("x"))));
        var file = server.create(root, "file");
        assertEquals(
                Status.NOTDIR,
                server.status(new Nfs3Call.Rename(at("file"), new DirOpArgs(file, "x"))));
        server.ok(new Nfs3Call.Rename(at("file"), at("file")));
        assertEquals(file, server.lookup(root, "file"));
    }

    @Test
    void givesFilesFurtherNames() throws Exception {
        var file = server.create(root, "file");
        server.write(file, 0, "hello");
        var reply = server.done(new Nfs3Call.Link(file, at("name"))).attributes();
        assertEquals(file, server.lookup(root, "name"));
        if (kind != TestDirectory.Kind.BASIC) {
            assertEquals(2, reply.file().orElseThrow().links());
        }
        server.ok(new Nfs3Call.Remove(at("file")));
        assertEquals("hello", server.read(file, 0, 9));
        server.ok(new Nfs3Call.Link(file, at("again")));
        server.ok(new Nfs3Call.Remove(at("again")));
        assertEquals("hello", server.read(file, 0, 9));
        var directory = server.makeDirectory(root, "directory");
        assertEquals(Status.ISDIR, server.status(new Nfs3Call.Link(directory, at("x"))));
        // RENAME between two names of one file does nothing (as in POSIX).
        server.ok(new Nfs3Call.Link(file, at("twin")));
        server.ok(new Nfs3Call.Rename(at("name"), at("twin")));
        assertEquals(List.of(".", "..", "directory", "name", "twin"), server.names(root));
    }

    @Test
    void reportsADirectoryBeforeAndAfterAChange() throws Exception {
        var before = WccData.Before.of(server.attributes(root));
        var created = server.done(new Nfs3Call.Create(at("file"), GUARDED)).attributes();
        assertEquals(before, created.before().orElseThrow());
        before = WccData.Before.of(created.after().orElseThrow());
        var made = server.done(new Nfs3Call.MakeDirectory(at("d"), SetAttributes.NONE));
        assertEquals(before, made.attributes().before().orElseThrow());
        before = WccData.Before.of(made.attributes().after().orElseThrow());
        var renamed = server.done(new Nfs3Call.Rename(at("file"), at("new"))).attributes();
        assertEquals(before, renamed.from().before().orElseThrow());
        assertEquals(renamed.from(), renamed.to());
        before = WccData.Before.of(renamed.to().after().orElseThrow());
        var removed = server.done(new Nfs3Call.Remove(at("new"))).attributes();
        assertEquals(before, removed.before().orElseThrow());
        assertEquals(server.attributes(root), removed.after().orElseThrow());
        assertFalse(server.names(root).contains("new"));
    }
}
