package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lookup;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.makeDirectory;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments.NewFile;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: names change as RFC 8881 says, Sections 18.4, 18.9 and 18.23 to 18.26. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class Nfs4NamesTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        Files.writeString(path("file"), "text");
        Files.createDirectory(path("directory"));
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }

    private Nfs4Status status(Arguments... operations) throws Exception {
        return client.status(at("", operations));
    }

    private static Arguments[] renaming(String from, String to) {
        return new Arguments[] {saveFh(), rename(from, to)};
    }

    private static Arguments link(String name) {
        return new NameArguments.Link(FileName.of(name));
    }

    private long change() throws Exception {
        var got = (AttributeResult.GetAttr) client.last(at("", getAttr(Attribute.CHANGE)));
        return ReadAttributes.decode(got.attributes()).hyper(Attribute.CHANGE);
    }

    @Test
    void aRenameOntoItselfChangesNothing() throws Exception {
        long before = change();
        var renamed = (NameResult.Rename) client.last(at("", renaming("file", "file")));
        assertEquals(renamed.source().before(), renamed.source().after());
        assertEquals(renamed.target().before(), renamed.target().after());
        assertEquals(before, change());
        assertEquals("text", Files.readString(path("file")));
    }

    @Test
    void aRenameOntoAnotherNameOfTheFileChangesNothing() throws Exception {
        Files.createLink(path("other"), path("file"));
        var renamed = (NameResult.Rename) client.last(at("", renaming("file", "other")));
        assertEquals(renamed.source().before(), renamed.source().after());
        assertTrue(Files.exists(path("file")));
        assertTrue(Files.exists(path("other")));
    }

    @Test
    void aRenameReplacesWhatItMay() throws Exception {
        Files.writeString(path("old"), "old");
        var renamed = (NameResult.Rename) client.last(at("", renaming("file", "old")));
        assertNotEquals(renamed.source().before(), renamed.source().after());
        assertEquals("text", Files.readString(path("old")));
        assertEquals(Nfs4Status.NOENT, status(renaming("file", "x")));
        assertEquals(Nfs4Status.ISDIR, status(renaming("old", "directory")));
        assertEquals(Nfs4Status.NOTDIR, status(renaming("directory", "old")));
        Files.createDirectory(path("full"));
        Files.createFile(path("full/file"));
        assertEquals(Nfs4Status.NOTEMPTY, status(renaming("directory", "full")));
        assertEquals(Nfs4Status.OK, status(renaming("full", "directory")));
        assertTrue(Files.exists(path("directory/file")));
    }

    @Test
    void aDirectoryDoesNotMoveIntoItself() throws Exception {
        assertEquals(
                Nfs4Status.INVAL,
                client.status(
                        join(at("", saveFh()), at("directory", rename("directory", "below")))));
    }

    @Test
    void removeTakesFilesAndEmptyDirectories() throws Exception {
        Files.createFile(path("directory/file"));
        assertEquals(Nfs4Status.NOTEMPTY, status(remove("directory")));
        Files.delete(path("directory/file"));
        assertEquals(Nfs4Status.OK, status(remove("directory")));
        var removed = (NameResult.Remove) client.last(at("", remove("file")));
        assertNotEquals(removed.change().before(), removed.change().after());
        assertEquals(Nfs4Status.NOENT, status(remove("file")));
        assertFalse(Files.exists(path("file")));
        assertFalse(Files.exists(path("directory")));
    }

    @Test
    void linksLeadToTheFile() throws Exception {
        client.last(join(at("file", saveFh()), at("directory", link("other"))));
        assertEquals("text", Files.readString(path("directory/other")));
        assertEquals(
                Nfs4Status.EXIST, client.status(join(at("file", saveFh()), at("", link("file")))));
        assertEquals(
                Nfs4Status.ISDIR,
                client.status(join(at("directory", saveFh()), at("", link("x")))));
        assertEquals(
                Nfs4Status.NOTDIR,
                client.status(join(at("file", saveFh()), at("file", link("x")))));
    }

    @Test
    void badNamesAreRefusedByEveryOperation() throws Exception {
        var names =
                List.of(
                        List.of("", Nfs4Status.INVAL),
                        List.of(".", Nfs4Status.BADNAME),
                        List.of("..", Nfs4Status.BADNAME),
                        List.of("a/b", Nfs4Status.BADNAME),
                        List.of("a\0b", Nfs4Status.BADNAME),
                        List.of("n".repeat(256), Nfs4Status.NAMETOOLONG));
        for (var each : names) {
            var name = (String) each.get(0);
            var expected = each.get(1);
            assertEquals(expected, status(lookup(name)), "LOOKUP " + name);
            assertEquals(expected, status(remove(name)), "REMOVE " + name);
            assertEquals(expected, status(makeDirectory(name)), "CREATE " + name);
            assertEquals(expected, status(renaming(name, "x")), "RENAME " + name);
            assertEquals(expected, status(renaming("file", name)), "RENAME to " + name);
            assertEquals(
                    expected,
                    client.status(join(at("file", saveFh()), at("", link(name)))),
                    "LINK " + name);
            assertEquals(expected, status(Nfs4Calls.create(name)), "OPEN " + name);
        }
        assertEquals(Nfs4Status.OK, status(makeDirectory("n".repeat(255))));
    }

    @Test
    void namesOfFilesInOtherFilesAreRefused() throws Exception {
        for (var call : List.of(lookup("x"), remove("x"), makeDirectory("x"))) {
            assertEquals(Nfs4Status.NOTDIR, client.status(at("file", call)));
        }
        assertEquals(Nfs4Status.NOTDIR, client.status(at("file", readDir(0, 4096))));
    }

    private Arguments create(NewFile file, String name) {
        return new NameArguments.Create(
                file, FileName.of(name), encoded(SetAttributes.ofMode(0750)));
    }

    @Test
    void createMakesDirectoriesAndLinks() throws Exception {
        client.last(at("", create(new NewFile.Directory(), "made"), makeDirectory("below")));
        assertTrue(Files.isDirectory(path("made/below")));
        var text = new NewFile.SymbolicLink(PathName.of("some/text"));
        var link =
                (NameResult.ReadLink)
                        client.last(at("", create(text, "link"), new NameArguments.ReadLink()));
        assertEquals("some/text", new String(link.text().toArray(ValueLayout.JAVA_BYTE)));
        assertEquals(Nfs4Status.EXIST, status(create(text, "file")));
        assertEquals(Nfs4Status.BADTYPE, status(create(new NewFile.Other(1), "regular")));
        assertEquals(
                Nfs4Status.INVAL,
                status(create(new NewFile.SymbolicLink(PathName.of("")), "empty")));
        assertEquals(
                Nfs4Status.WRONG_TYPE, client.status(at("file", new NameArguments.ReadLink())));
        assertEquals(Nfs4Status.ISDIR, status(new NameArguments.ReadLink()));
        assertEquals(Nfs4Status.SYMLINK, client.status(at("link", lookup("x"))));
    }

    @Test
    void aListingOfPagesHasEveryNameOnce() throws Exception {
        var expected = new HashSet<>(Set.of("file", "directory"));
        for (int i = 0; i < 40; i++) {
            Files.createFile(path("entry" + i));
            expected.add("entry" + i);
        }
        var found = new HashSet<String>();
        long cookie = 0;
        int pages = 0;
        boolean isLast = false;
        while (!isLast) {
            var page =
                    (NameResult.ReadDir)
                            client.last(at("", readDir(cookie, 500, Attribute.FILEID)));
            for (var each : page.entries()) {
                assertTrue(found.add(each.name().toString()), each.name()::toString);
                cookie = each.cookie();
            }
            isLast = page.isLast();
            pages++;
        }
        assertEquals(expected, found);
        assertTrue(pages > 3);
        assertEquals(Nfs4Status.TOOSMALL, status(readDir(0, 30, Attribute.FILEID)));
    }

    @Test
    void aHandleOfARemovedFileIsStale() throws Exception {
        var handle = ((HandleResult.GetFh) client.last(at("file", getFh()))).handle();
        client.last(at("", remove("file")));
        var put = new HandleArguments.PutFh(handle);
        assertEquals(Nfs4Status.STALE, client.status(put, getAttr(Attribute.SIZE)));
    }
}
