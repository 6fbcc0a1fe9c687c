package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.makeDirectory;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the directories above the exports lead to all of them (RFC 8881, Section 7.3). */
class PseudoTreeTest {
    private static final HandleArguments PARENT = new HandleArguments.LookupP();

    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        var root = testDirectory.root();
        for (var name : List.of("one", "two", "secret", "outer", "outer/sub", "outer/sub/inner")) {
            Files.createDirectory(root.resolve(name));
        }
        Files.writeString(root.resolve("one/first"), "1");
        Files.writeString(root.resolve("outer/sub/inner/hidden"), "3");
        Files.createDirectory(root.resolve("elsewhere"));
        Files.writeString(root.resolve("elsewhere/shown"), "2");
        start();
    }

    private void start() throws Exception {
        var root = testDirectory.root();
        server =
                TestServer.of(
                        List.of(
                                new Export("/srv/deep/one", root.resolve("one"), false),
                                new Export("/srv/two", root.resolve("two"), true),
                                new Export(
                                        "/secret",
                                        root.resolve("secret"),
                                        false,
                                        List.of(SecurityFlavor.KRB5P, SecurityFlavor.KRB5I)),
                                new Export("/outer", root.resolve("outer"), false),
                                new Export("/outer/sub/inner", root.resolve("elsewhere"), false)));
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private FileHandle handle(String path) throws Exception {
        return ((HandleResult.GetFh) client.last(fromRoot(path, getFh()))).handle();
    }

    private List<String> names(String path) throws Exception {
        var names = new ArrayList<String>();
        long cookie = 0;
        while (true) {
            // One entry for each call.
            var page =
                    (NameResult.ReadDir)
                            client.last(
                                    fromRoot(path, readDir(cookie, 64, Attribute.RDATTR_ERROR)));
            for (var each : page.entries()) {
                names.add(each.name().toString());
                assertTrue(each.cookie() > Math.max(cookie, 2));
                cookie = each.cookie();
            }
            if (page.isLast()) {
                return names;
            }
            assertEquals(1, page.entries().size());
        }
    }

    @Test
    void theRootLeadsToAllExports() throws Exception {
        assertEquals(List.of("srv", "secret", "outer"), names(""));
        assertEquals(List.of("deep", "two"), names("srv"));
        assertEquals(List.of("one"), names("srv/deep"));
        assertEquals(List.of("first"), names("srv/deep/one"));
        assertEquals(Nfs4Status.NOENT, client.status(fromRoot("absent")));
        assertEquals(Nfs4Status.BADNAME, client.status(fromRoot("..")));
    }

    @Test
    void theParentsOfExportsLeadBackToTheRoot() throws Exception {
        assertEquals(handle("srv/deep"), parent("srv/deep/one"));
        assertEquals(handle("srv"), parent("srv/deep"));
        assertEquals(handle(""), parent("srv"));
        assertEquals(Nfs4Status.NOENT, client.status(fromRoot("", PARENT)));
        assertEquals(Nfs4Status.NOTDIR, client.status(fromRoot("srv/deep/one/first", PARENT)));
    }

    private FileHandle parent(String path) throws Exception {
        return ((HandleResult.GetFh) client.last(fromRoot(path, PARENT, getFh()))).handle();
    }

    @Test
    void anExportInsideAnotherHidesItsDirectory() throws Exception {
        assertEquals(List.of("shown"), names("outer/sub/inner"));
        assertEquals(handle("outer/sub"), parent("outer/sub/inner"));
        assertEquals(handle("outer"), parent("outer/sub"));
        assertEquals(List.of("inner"), names("outer/sub"));
        var inside = facts("outer/sub/inner", Attribute.FSID, Attribute.FILEID);
        var outside = facts("outer/sub", Attribute.FSID, Attribute.FILEID);
        assertNotEquals(outside.fileSystem(), inside.fileSystem());
        assertEquals(Nfs4Status.NOENT, client.status(fromRoot("outer/sub/inner/hidden")));
    }

    private ReadAttributes facts(String path, Attribute... wanted) throws Exception {
        var got = (AttributeResult.GetAttr) client.last(fromRoot(path, getAttr(wanted)));
        return ReadAttributes.decode(got.attributes());
    }

    @Test
    void entriesOfListingsAreTheRootsOfExports() throws Exception {
        var listing =
                (NameResult.ReadDir)
                        client.last(
                                fromRoot(
                                        "outer/sub",
                                        readDir(
                                                0,
                                                4096,
                                                Attribute.FSID,
                                                Attribute.FILEHANDLE,
                                                Attribute.MOUNTED_ON_FILEID)));
        var entry = ReadAttributes.decode(listing.entries().getFirst().attributes());
        var root = facts("outer/sub/inner", Attribute.FSID, Attribute.MOUNTED_ON_FILEID);
        assertEquals(root.fileSystem(), entry.fileSystem());
        assertEquals(handle("outer/sub/inner"), FileHandle.of(entry.bytes(Attribute.FILEHANDLE)));
    }

    @Test
    void listingsOfTheRootKeepToTheirLimits() throws Exception {
        assertEquals(
                Nfs4Status.TOOSMALL, client.status(fromRoot("", readDir(0, 20, Attribute.FILEID))));
        for (long cookie : new long[] {1, 2}) {
            assertEquals(
                    Nfs4Status.BAD_COOKIE,
                    client.status(fromRoot("", readDir(cookie, 4096, Attribute.FILEID))));
        }
        var behind = (NameResult.ReadDir) client.last(fromRoot("", readDir(-1, 4096)));
        assertEquals(List.of(), behind.entries());
        assertTrue(behind.isLast());
        var stale = new NameArguments.ReadDir(3, 1, 4096, 4096, AttributeSet.NONE);
        assertEquals(Nfs4Status.NOT_SAME, client.status(fromRoot("", stale)));
    }

    @Test
    void anExportOfAnotherFlavorTellsItsFlavors() throws Exception {
        assertEquals(Nfs4Status.WRONGSEC, client.status(fromRoot("secret")));
        var flavors =
                (HandleResult.SecInfo)
                        client.last(
                                fromRoot("", new HandleArguments.SecInfo(FileName.of("secret"))));
        assertEquals(2, flavors.choices().size());
        assertEquals(3, ((SecurityChoice.Gss) flavors.choices().get(0)).service());
        assertEquals(2, ((SecurityChoice.Gss) flavors.choices().get(1)).service());
        assertEquals(
                Nfs4Status.NOENT,
                client.status(fromRoot("", new HandleArguments.SecInfo(FileName.of("absent")))));
    }

    @Test
    void aListingTellsWhichEntriesTheCallerMayNotSee() throws Exception {
        var listing =
                (NameResult.ReadDir)
                        client.last(
                                fromRoot(
                                        "",
                                        readDir(0, 4096, Attribute.RDATTR_ERROR, Attribute.TYPE)));
        var statuses = new ArrayList<Integer>();
        for (var each : listing.entries()) {
            statuses.add(ReadAttributes.decode(each.attributes()).word(Attribute.RDATTR_ERROR));
        }
        assertEquals(List.of(0, Nfs4Status.WRONGSEC.number(), 0), statuses);
    }

    @Test
    void handlesAreValidAfterARestart() throws Exception {
        var root = handle("");
        var deep = handle("srv/deep");
        var file = handle("srv/deep/one/first");
        server.close();
        start();
        assertEquals(root, handle(""));
        assertEquals(deep, handle("srv/deep"));
        for (var each : List.of(root, deep, file)) {
            client.last(new HandleArguments.PutFh(each), getAttr(Attribute.TYPE));
        }
        var one =
                (HandleResult.GetFh)
                        client.last(
                                new HandleArguments.PutFh(deep),
                                new HandleArguments.Lookup(FileName.of("one")),
                                getFh());
        assertEquals(handle("srv/deep/one"), one.handle());
    }

    @Test
    void forgedHandlesAreRefused() throws Exception {
        byte[] forged = handle("srv").bytes();
        forged[forged.length - 1] ^= 1;
        assertEquals(
                Nfs4Status.BADHANDLE,
                client.status(new HandleArguments.PutFh(FileHandle.of(forged))));
        for (int length : new int[] {0, 1, 64, 65, 128}) {
            assertEquals(
                    Nfs4Status.BADHANDLE,
                    client.status(new HandleArguments.PutFh(FileHandle.of(new byte[length]))));
        }
    }

    @Test
    void nothingChangesAboveTheExports() throws Exception {
        var root = testDirectory.root();
        for (var call : List.of(makeDirectory("made"), remove("srv"))) {
            assertEquals(Nfs4Status.ROFS, client.status(fromRoot("", call)));
        }
        assertEquals(
                Nfs4Status.ROFS, client.status(fromRoot("", saveFh(), rename("srv", "other"))));
        assertEquals(Nfs4Status.ROFS, client.status(fromRoot("srv/two", makeDirectory("made"))));
        assertTrue(Files.notExists(root.resolve("two/made")));
        var rights =
                (AttributeResult.Access)
                        client.last(fromRoot("", new AttributeArguments.Access(0x3f)));
        assertEquals(3, rights.granted(), "READ and LOOKUP");
    }

    @Test
    void namesDoNotMoveBetweenExports() throws Exception {
        assertEquals(
                Nfs4Status.XDEV,
                client.status(
                        join(
                                fromRoot("srv/deep/one", saveFh()),
                                fromRoot("outer", rename("first", "second")))));
        assertTrue(Files.exists(path("one/first")));
        assertEquals(
                Nfs4Status.XDEV,
                client.status(
                        join(
                                fromRoot("srv/deep/one/first", saveFh()),
                                fromRoot("outer", new NameArguments.Link(FileName.of("x"))))));
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }
}
