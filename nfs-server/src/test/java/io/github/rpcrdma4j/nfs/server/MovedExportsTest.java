package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lookup;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: clients learn where an export is that is not here, and nothing else of it (RFC 8881,
 * Section 11.4; RFC 7530, Section 8.3).
 */
class MovedExportsTest {
    private static final List<FileSystemLocation> PLACES =
            List.of(
                    new FileSystemLocation(
                            List.of("a.example.org", "2001:db8::1"), PathName.of("/data/new")),
                    new FileSystemLocation(List.of("b.example.org"), PathName.of("/")));

    private static final FsLocations LOCATIONS =
            new FsLocations(
                    names("export", "away"),
                    List.of(
                            new FsLocations.Location(
                                    List.of(
                                            Nfs4Calls.name("a.example.org"),
                                            Nfs4Calls.name("2001:db8::1")),
                                    names("data", "new")),
                            new FsLocations.Location(
                                    List.of(Nfs4Calls.name("b.example.org")), List.of())));

    private TestDirectory testDirectory;
    private Path inner;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        inner = Files.createDirectories(testDirectory.root().resolve("here/inner"));
        Files.createDirectory(testDirectory.root().resolve("away"));
        Files.writeString(testDirectory.root().resolve("away/file"), "text");
        serve(PLACES);
    }

    private void serve(List<FileSystemLocation> places) throws Exception {
        var all = ExportRule.trusting(false);
        var some =
                ExportRule.of(Clients.parse("192.0.2.0/24"))
                        .withSquash(ExportRule.Squash.NONE)
                        .withMoved(PLACES);
        var root = testDirectory.root();
        server =
                TestServer.of(
                        List.of(
                                export("/export/away", root.resolve("away"), all.withMoved(places)),
                                export("/export/here", root.resolve("here"), all),
                                export("/export/here/inner", inner, all.withMoved(PLACES)),
                                export("/export/some", root.resolve("here"), all, some)));
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private static Export export(String name, Path root, ExportRule... rules) {
        return new Export(name, root, List.of(rules), List.of(SecurityFlavor.SYS));
    }

    private static List<FileName> names(String... names) {
        return List.of(names).stream().map(FileName::of).toList();
    }

    private ReadAttributes facts(String path, Attribute... wanted) throws Exception {
        var got = (AttributeResult.GetAttr) client.last(fromRoot(path, getAttr(wanted)));
        return ReadAttributes.decode(got.attributes());
    }

    @Test
    void theLocationsOfAMovedExportCanBeRead() throws Exception {
        var facts =
                facts(
                        "export/away",
                        Attribute.FS_LOCATIONS,
                        Attribute.FSID,
                        Attribute.MOUNTED_ON_FILEID,
                        Attribute.TYPE,
                        Attribute.SIZE);
        assertEquals(LOCATIONS, facts.locations());
        assertEquals(
                AttributeSet.of(
                        Attribute.FS_LOCATIONS, Attribute.FSID, Attribute.MOUNTED_ON_FILEID),
                facts.present());
        var here = facts("export/here", Attribute.FSID);
        assertNotEquals(here.fileSystem(), facts.fileSystem());
        assertNotEquals(facts("export", Attribute.FSID).fileSystem(), facts.fileSystem());
    }

    @Test
    void aPresentFileSystemIsNowhereElse() throws Exception {
        assertEquals(
                new FsLocations(names("export", "here"), List.of()),
                facts("export/here", Attribute.FS_LOCATIONS).locations());
        assertEquals(
                new FsLocations(List.of(), List.of()),
                facts("export", Attribute.FS_LOCATIONS).locations());
    }

    @Test
    void allElseSaysThatTheExportHasMoved() throws Exception {
        var size = EncodedAttributes.of(AttributeSet.of(Attribute.SIZE), new byte[8]);
        var operations =
                List.of(
                        getFh(),
                        saveFh(),
                        getAttr(Attribute.FSID),
                        getAttr(),
                        lookup("file"),
                        new HandleArguments.LookupP(),
                        new HandleArguments.SecInfo(FileName.of("file")),
                        new HandleArguments.SecInfoNoName(
                                HandleArguments.SecInfoNoName.Style.CURRENT_FH),
                        readDir(0, 4096, Attribute.FS_LOCATIONS),
                        open("file", Open.READ, 0),
                        read(StateId.ANONYMOUS, 0, 4),
                        new AttributeArguments.Access(1),
                        new AttributeArguments.Verify(size));
        for (var each : operations) {
            var status = client.status(fromRoot("export/away", each));
            assertEquals(Nfs4Status.MOVED, status, () -> "" + each);
        }
        assertEquals(Nfs4Status.OK, client.status(fromRoot("export/away")));
        var session = new SessionArguments.ReclaimComplete(false);
        assertEquals(Nfs4Status.COMPLETE_ALREADY, client.status(fromRoot("export/away", session)));
    }

    @Test
    void theLocationsCanBeCompared() throws Exception {
        var got =
                (AttributeResult.GetAttr)
                        client.last(fromRoot("export/away", getAttr(Attribute.FS_LOCATIONS)));
        var verify = new AttributeArguments.Verify(got.attributes());
        assertEquals(Nfs4Status.OK, client.status(fromRoot("export/away", verify)));
        assertEquals(Nfs4Status.NOT_SAME, client.status(fromRoot("export/here", verify)));
        var nverify = new AttributeArguments.NVerify(got.attributes());
        assertEquals(Nfs4Status.SAME, client.status(fromRoot("export/away", nverify)));
    }

    private List<ReadAttributes> list(String path, Attribute... wanted) throws Exception {
        var listing = (NameResult.ReadDir) client.last(fromRoot(path, readDir(0, 4096, wanted)));
        var all = new ArrayList<ReadAttributes>();
        for (var each : listing.entries()) {
            all.add(ReadAttributes.decode(each.attributes()));
        }
        return all;
    }

    @Test
    void aListingShowsTheLocations() throws Exception {
        var away =
                list(
                                "export",
                                Attribute.FS_LOCATIONS,
                                Attribute.RDATTR_ERROR,
                                Attribute.FSID,
                                Attribute.TYPE)
                        .getFirst();
        assertEquals(LOCATIONS, away.locations());
        assertEquals(0, away.word(Attribute.RDATTR_ERROR));
        assertEquals(
                facts("export/away", Attribute.FS_LOCATIONS, Attribute.FSID).fileSystem(),
                away.fileSystem());
        assertThrows(IllegalArgumentException.class, () -> away.word(Attribute.TYPE));
    }

    @Test
    void aListingWithoutLocationsSaysThatTheExportHasMoved() throws Exception {
        var listed =
                list("export", Attribute.RDATTR_ERROR, Attribute.TYPE, Attribute.MOUNTED_ON_FILEID);
        assertEquals(
                List.of(Nfs4Status.MOVED.number(), 0, 0),
                listed.stream().map(each -> each.word(Attribute.RDATTR_ERROR)).toList());
        assertEquals(
                facts("export/away", Attribute.FS_LOCATIONS, Attribute.MOUNTED_ON_FILEID)
                        .hyper(Attribute.MOUNTED_ON_FILEID),
                listed.getFirst().hyper(Attribute.MOUNTED_ON_FILEID));
        assertEquals(
                Nfs4Status.MOVED,
                client.status(fromRoot("export", readDir(0, 4096, Attribute.TYPE))));
        assertEquals(
                Nfs4Status.MOVED,
                client.status(fromRoot("export/here", readDir(0, 4096, Attribute.TYPE))));
    }

    @Test
    void aMovedExportMayBeInsideAnother() throws Exception {
        var covered =
                list(
                                "export/here",
                                Attribute.RDATTR_ERROR,
                                Attribute.FS_LOCATIONS,
                                Attribute.MOUNTED_ON_FILEID)
                        .getFirst();
        assertEquals(names("export", "here", "inner"), covered.locations().root());
        var facts = facts("export/here/inner", Attribute.FS_LOCATIONS, Attribute.MOUNTED_ON_FILEID);
        assertEquals(
                covered.hyper(Attribute.MOUNTED_ON_FILEID),
                facts.hyper(Attribute.MOUNTED_ON_FILEID));
        assertEquals(Nfs4Status.MOVED, client.status(fromRoot("export/here/inner", getFh())));
    }

    /** Inode numbers alone come from the listing, where the root of an export is a directory. */
    @Test
    void aListingOfNumbersAloneSaysThatAnExportInsideHasMoved() throws Exception {
        Files.createDirectory(testDirectory.root().resolve("here/other"));
        var listed = list("export/here", Attribute.RDATTR_ERROR, Attribute.FILEID);
        assertEquals(
                Map.of(
                        AttributeSet.of(Attribute.RDATTR_ERROR),
                        Nfs4Status.MOVED.number(),
                        AttributeSet.of(Attribute.RDATTR_ERROR, Attribute.FILEID),
                        0),
                listed.stream()
                        .collect(
                                Collectors.toMap(
                                        ReadAttributes::present,
                                        each -> each.word(Attribute.RDATTR_ERROR))));
        for (var numbers : List.of(readDir(0, 4096, Attribute.FILEID), readDir(0, 4096))) {
            assertEquals(Nfs4Status.MOVED, client.status(fromRoot("export/here", numbers)));
            assertEquals(Nfs4Status.OK, client.status(fromRoot("export/here/other", numbers)));
        }
    }

    @Test
    void aHandleFromBeforeTheMoveLeadsToTheLocations() throws Exception {
        server.close();
        serve(List.of());
        var before = (HandleResult.GetFh) client.last(fromRoot("export/away/file", getFh()));
        client.last(fromRoot("export/away", open("file", Open.READ, 0), close(StateId.CURRENT)));
        server.close();
        serve(PLACES);
        var put = new HandleArguments.PutFh(before.handle());
        assertEquals(Nfs4Status.MOVED, client.status(put, read(StateId.ANONYMOUS, 0, 4)));
        var wanted = getAttr(Attribute.FS_LOCATIONS, Attribute.FSID, Attribute.MOUNTED_ON_FILEID);
        var got = (AttributeResult.GetAttr) client.last(put, wanted);
        var facts = ReadAttributes.decode(got.attributes());
        assertEquals(LOCATIONS, facts.locations());
        // The number would be that of the file, which is not here.
        assertEquals(AttributeSet.of(Attribute.FS_LOCATIONS, Attribute.FSID), facts.present());
    }

    @Test
    void onlyTheHostsOfTheRuleAreSentAway() throws Exception {
        assertEquals(Nfs4Status.OK, client.status(fromRoot("export/some", getFh())));
        server.moveTo("192.0.2.7");
        client = CompoundClient.of(server, "far");
        assertEquals(Nfs4Status.MOVED, client.status(fromRoot("export/some", getFh())));
        assertEquals(
                names("export", "some"),
                facts("export/some", Attribute.FS_LOCATIONS).locations().root());
    }

    @Test
    void aFlavorThatTheExportDoesNotAcceptLearnsNothing() throws Exception {
        client.become(new Credential.None());
        assertEquals(
                Nfs4Status.WRONGSEC,
                client.status(fromRoot("export/away", getAttr(Attribute.FS_LOCATIONS))));
    }

    @Test
    void version0LearnsTheSame() throws Exception {
        var old = LeasedClient.of(server, "old");
        Arguments[] asking = fromRoot("export/away", getAttr(Attribute.FS_LOCATIONS));
        var got = (AttributeResult.GetAttr) old.last(asking);
        assertEquals(LOCATIONS, ReadAttributes.decode(got.attributes()).locations());
        assertEquals(Nfs4Status.MOVED, old.status(fromRoot("export/away", getFh())));
    }

    @Test
    void earlierVersionsGetNoAccess() throws Exception {
        assertEquals(
                new Mount3.MountResult.Failed(Mount3.MountStatus.ACCES),
                server.mount("/export/away"));
    }

    @Test
    void locationsAreHostsAndPaths() {
        for (var host : List.of("", "a b", "a/b", "x".repeat(256), "\u00e4")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new FileSystemLocation(List.of(host), PathName.of("/")));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new FileSystemLocation(List.of(), PathName.of("/")));
        assertThrows(
                IllegalArgumentException.class,
                () -> new FileSystemLocation(List.of("a"), PathName.of("data")));
    }
}
