package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.fromRoot;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: attributes are those of the files, and are set as clients want (RFC 8881, Section 5). */
class AttributesTest {
    private static final int USER = 1000;
    private static final Timestamp EARLY = new Timestamp(1_000_000_000, 5);

    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root can act for users");
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(testDirectory.root(), "unix:mode", 0777);
        Files.writeString(path("file"), "text");
        Files.setAttribute(path("file"), "unix:mode", 0640);
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }

    private Object unix(String attribute) throws Exception {
        return Files.getAttribute(path("file"), "unix:" + attribute);
    }

    private ReadAttributes get(String path, AttributeSet wanted) throws Exception {
        var got =
                (AttributeResult.GetAttr)
                        client.last(at(path, new AttributeArguments.GetAttr(wanted)));
        return ReadAttributes.decode(got.attributes());
    }

    private ReadAttributes get(String path, Attribute... wanted) throws Exception {
        return get(path, AttributeSet.of(wanted));
    }

    private Nfs4Status set(SetAttributes changes) throws Exception {
        return client.status(at("file", setAttr(StateId.ANONYMOUS, changes)));
    }

    @Test
    void theTimeOfTheCreationIsThatOfTheFileSystem() throws Exception {
        var born = (FileTime) Files.getAttribute(path("file"), "creationTime");
        Files.setLastModifiedTime(path("file"), FileTime.from(Instant.ofEpochSecond(1)));
        assumeTrue(
                born.equals(Files.getAttribute(path("file"), "creationTime")),
                "the file system has no time of creation");
        var told = get("file", Attribute.TIME_CREATE).time(Attribute.TIME_CREATE);
        assertEquals(born.toInstant(), Instant.ofEpochSecond(told.seconds(), told.nanos()));
        // A program that copies it cannot set it, and gets the rest.
        var values = ByteBuffer.allocate(16).putInt(0600).putLong(5).putInt(6).array();
        var wanted =
                EncodedAttributes.of(
                        AttributeSet.of(Attribute.MODE, Attribute.TIME_CREATE), values);
        var set =
                (AttributeResult.SetAttr)
                        client.last(
                                at(
                                        "file",
                                        new AttributeArguments.SetAttr(StateId.ANONYMOUS, wanted)));
        assertEquals(AttributeSet.of(Attribute.MODE), set.set());
        assertEquals(0600, (int) unix("mode") & 07777);
        assertEquals(told, get("file", Attribute.TIME_CREATE).time(Attribute.TIME_CREATE));
        var exclusive =
                get("file", Attribute.SUPPATTR_EXCLCREAT).attributes(Attribute.SUPPATTR_EXCLCREAT);
        assertFalse(exclusive.has(Attribute.TIME_CREATE));
    }

    /**
     * Goal: a client asks once whether there is such a time, and shows none where there is none.
     */
    @Test
    void aFileSystemWithoutTimesOfCreationDoesNotOfferThem() throws Exception {
        try (var basic = TestDirectory.of(TestDirectory.Kind.BASIC);
                var other = TestServer.of(basic)) {
            var seen = CompoundClient.of(other, "client");
            var got =
                    (AttributeResult.GetAttr)
                            seen.last(
                                    at(
                                            "",
                                            getAttr(
                                                    Attribute.SUPPORTED_ATTRS,
                                                    Attribute.TIME_CREATE)));
            var facts = ReadAttributes.decode(got.attributes());
            assertEquals(AttributeSet.of(Attribute.SUPPORTED_ATTRS), facts.present());
            assertFalse(facts.attributes(Attribute.SUPPORTED_ATTRS).has(Attribute.TIME_CREATE));
        }
    }

    @Test
    void theAttributesAreThoseOfTheFile() throws Exception {
        Files.setAttribute(path("file"), "unix:uid", 7);
        Files.setAttribute(path("file"), "unix:gid", 8);
        Files.setLastModifiedTime(
                path("file"), FileTime.from(Instant.ofEpochSecond(1_000_000_000, 5)));
        Files.createLink(path("other"), path("file"));
        var all =
                get(
                        "file",
                        get("file", Attribute.SUPPORTED_ATTRS)
                                .attributes(Attribute.SUPPORTED_ATTRS)
                                .and(AttributeSet.READABLE));
        assertEquals(FileType.REGULAR.number(), all.word(Attribute.TYPE));
        assertEquals(4, all.hyper(Attribute.SIZE));
        assertEquals(0640, all.word(Attribute.MODE));
        assertEquals(2, all.word(Attribute.NUMLINKS));
        assertEquals("7", new String(all.bytes(Attribute.OWNER)));
        assertEquals("8", new String(all.bytes(Attribute.OWNER_GROUP)));
        assertEquals(EARLY, all.time(Attribute.TIME_MODIFY));
        assertEquals((long) unix("ino"), all.hyper(Attribute.FILEID));
        assertEquals(90, all.word(Attribute.LEASE_TIME));
        assertEquals(0, all.word(Attribute.RDATTR_ERROR));
        assertEquals(255, all.word(Attribute.MAXNAME));
        var store = Files.getFileStore(path("file"));
        assertEquals(store.getTotalSpace(), all.hyper(Attribute.SPACE_TOTAL));
        assertEquals(all.fileSystem(), get("", Attribute.FSID).fileSystem(), "one file system");
    }

    @Test
    void everyFileTellsWhatItSupports() throws Exception {
        for (var path : List.of("", "file")) {
            var supported =
                    get(path, Attribute.SUPPORTED_ATTRS).attributes(Attribute.SUPPORTED_ATTRS);
            assertTrue(supported.hasAll(AttributeSet.requiredBy(2)), supported::toString);
            var readable = supported.and(AttributeSet.READABLE);
            assertEquals(readable, get(path, AttributeSet.READABLE).present());
        }
        var root =
                (AttributeResult.GetAttr)
                        client.last(
                                fromRoot(
                                        "", new AttributeArguments.GetAttr(AttributeSet.READABLE)));
        assertEquals(
                FileType.DIRECTORY.number(),
                ReadAttributes.decode(root.attributes()).word(Attribute.TYPE));
    }

    @Test
    void attributesThatCanOnlyBeSetAreNotRead() throws Exception {
        for (var each :
                List.of(
                        Attribute.TIME_ACCESS_SET,
                        Attribute.TIME_MODIFY_SET,
                        Attribute.MODE_UMASK)) {
            assertEquals(Nfs4Status.INVAL, client.status(at("file", getAttr(each))));
            assertEquals(Nfs4Status.INVAL, client.status(at("", readDir(0, 4096, each))));
            assertEquals(Nfs4Status.INVAL, client.status(fromRoot("", getAttr(each))));
        }
    }

    @Test
    void changesArriveAtTheFile() throws Exception {
        var times =
                SetAttributes.NONE
                        .withMode(0751)
                        .withSize(2)
                        .withOwner(Optional.of(Who.ofId(7)), Optional.of(Who.ofId(8)))
                        .withTimes(
                                new SetAttributes.TimeChange.Keep(),
                                new SetAttributes.TimeChange.To(EARLY));
        var set =
                (AttributeResult.SetAttr)
                        client.last(at("file", setAttr(StateId.ANONYMOUS, times)));
        assertEquals(times.attributes(), set.set());
        assertEquals("te", Files.readString(path("file")));
        assertEquals(0751, (int) unix("mode") & 07777);
        assertEquals(7, unix("uid"));
        assertEquals(8, unix("gid"));
        assertEquals(
                Instant.ofEpochSecond(1_000_000_000, 5),
                Files.getLastModifiedTime(path("file")).toInstant());
    }

    @Test
    void aChangeThatFailsInPartTellsWhatItHasSet() throws Exception {
        Files.setAttribute(path("file"), "unix:mode", 0666);
        var user = CompoundClient.of(server, "user", USER);
        var changes = SetAttributes.ofSize(1).withMode(0600);
        var reply = user.compound(at("file", setAttr(StateId.ANONYMOUS, changes)));
        assertEquals(Nfs4Status.PERM, reply.status());
        var result = (AttributeResult.SetAttr) reply.results().getLast();
        assertEquals(1, Files.size(path("file")));
        assertEquals(AttributeSet.of(Attribute.SIZE), result.set());
        assertEquals(0666, (int) unix("mode") & 07777);
    }

    @Test
    void impossibleChangesAreRefused() throws Exception {
        assertEquals(
                Nfs4Status.BADOWNER,
                set(SetAttributes.NONE.withOwner(Optional.of(Who.of("joe@x")), Optional.empty())));
        assertEquals(Nfs4Status.FBIG, set(SetAttributes.ofSize(-1)));
        assertEquals(Nfs4Status.INVAL, set(SetAttributes.NONE.withMode(0644, 022)), "a umask");
        assertEquals(
                Nfs4Status.ISDIR,
                client.status(at("", setAttr(StateId.ANONYMOUS, SetAttributes.ofSize(0)))));
        assertEquals(
                Nfs4Status.ROFS,
                client.status(fromRoot("", setAttr(StateId.ANONYMOUS, SetAttributes.ofMode(0)))));
        var readOnly = EncodedAttributes.of(AttributeSet.of(Attribute.FILEID), new byte[8]);
        assertEquals(
                Nfs4Status.INVAL,
                client.status(
                        at("file", new AttributeArguments.SetAttr(StateId.ANONYMOUS, readOnly))));
        var surplus = EncodedAttributes.of(AttributeSet.of(Attribute.MODE), new byte[8]);
        assertEquals(
                Nfs4Status.BADXDR,
                client.status(
                        at("file", new AttributeArguments.SetAttr(StateId.ANONYMOUS, surplus))));
    }

    @Test
    void anOwnerGivesNoFileAway() throws Exception {
        var user = CompoundClient.of(server, "user", USER);
        Files.setAttribute(path("file"), "unix:uid", USER);
        var away = SetAttributes.NONE.withOwner(Optional.of(Who.ofId(1)), Optional.empty());
        assertEquals(Nfs4Status.PERM, user.status(at("file", setAttr(StateId.ANONYMOUS, away))));
        assertEquals(USER, unix("uid"));
    }

    @Test
    void verifyGoesOnIfTheValuesAreEqual() throws Exception {
        var known = get("file", Attribute.SIZE, Attribute.MODE, Attribute.CHANGE);
        var encoded =
                ((AttributeResult.GetAttr)
                                client.last(
                                        at(
                                                "file",
                                                getAttr(
                                                        Attribute.SIZE,
                                                        Attribute.MODE,
                                                        Attribute.CHANGE))))
                        .attributes();
        assertEquals(4, known.hyper(Attribute.SIZE));
        var verify = new AttributeArguments.Verify(encoded);
        var nverify = new AttributeArguments.NVerify(encoded);
        assertEquals(Nfs4Status.OK, client.status(at("file", verify)));
        assertEquals(Nfs4Status.SAME, client.status(at("file", nverify)));
        set(SetAttributes.ofSize(3));
        assertEquals(Nfs4Status.NOT_SAME, client.status(at("file", verify)));
        assertEquals(Nfs4Status.OK, client.status(at("file", nverify)));
        var error = EncodedAttributes.of(AttributeSet.of(Attribute.RDATTR_ERROR), new byte[4]);
        assertEquals(
                Nfs4Status.INVAL, client.status(at("file", new AttributeArguments.Verify(error))));
        var hidden = EncodedAttributes.of(AttributeSet.of(Attribute.HIDDEN), new byte[4]);
        assertEquals(
                Nfs4Status.ATTRNOTSUPP,
                client.status(at("file", new AttributeArguments.NVerify(hidden))));
    }

    @Test
    void everyChangeOfAFileChangesItsChangeAttribute() throws Exception {
        long before = get("file", Attribute.CHANGE).hyper(Attribute.CHANGE);
        for (int i = 0; i < 20; i++) {
            client.last(at("file", Nfs4Calls.write(StateId.ANONYMOUS, 0, "x")));
            long after = get("file", Attribute.CHANGE).hyper(Attribute.CHANGE);
            assertNotEquals(before, after);
            before = after;
        }
    }

    private boolean hasAcls() throws Exception {
        return get("file", Attribute.SUPPORTED_ATTRS)
                .attributes(Attribute.SUPPORTED_ATTRS)
                .has(Attribute.ACL);
    }

    private static Ace allow(int flags, int mask, Who who) {
        return new Ace(Ace.ALLOW, flags, mask, who);
    }

    @Test
    void anAccessControlListIsReadAsItWasSet() throws Exception {
        assumeTrue(hasAcls(), "the file system has no access control lists");
        int read = Ace.READ_DATA;
        var list =
                List.of(
                        allow(0, read | Ace.WRITE_DATA | Ace.APPEND_DATA, Who.OWNER),
                        allow(0, read, Who.ofId(5)),
                        allow(0, read, Who.GROUP),
                        allow(0, 0, Who.EVERYONE));
        assertEquals(Nfs4Status.OK, set(SetAttributes.NONE.withAcl(list)));
        var got = get("file", Attribute.ACL, Attribute.MODE);
        var five =
                got.acl().stream()
                        .filter(each -> each.type() == Ace.ALLOW && each.who().equals(Who.ofId(5)))
                        .toList();
        assertEquals(1, five.size(), got.acl()::toString);
        assertEquals(read, five.getFirst().mask() & (read | Ace.WRITE_DATA));
        assertEquals(0640, got.word(Attribute.MODE));
        // What was read can be set again and means the same.
        assertEquals(Nfs4Status.OK, set(SetAttributes.NONE.withAcl(got.acl())));
        assertEquals(got.acl(), get("file", Attribute.ACL).acl());
        var fifth = CompoundClient.of(server, "fifth", 5);
        var sixth = CompoundClient.of(server, "sixth", 6);
        assertEquals(
                Nfs4Status.OK, fifth.status(at("file", Nfs4Calls.read(StateId.ANONYMOUS, 0, 1))));
        assertEquals(
                Nfs4Status.ACCESS,
                sixth.status(at("file", Nfs4Calls.read(StateId.ANONYMOUS, 0, 1))));
    }

    @Test
    void anAccessControlListKeepsSetUserId() throws Exception {
        assumeTrue(hasAcls(), "the file system has no access control lists");
        assertEquals(Nfs4Status.OK, set(SetAttributes.ofMode(04755)));
        var list =
                List.of(
                        allow(0, Ace.READ_DATA | Ace.EXECUTE, Who.OWNER),
                        allow(0, Ace.READ_DATA, Who.GROUP),
                        allow(0, 0, Who.EVERYONE));
        assertEquals(Nfs4Status.OK, set(SetAttributes.NONE.withAcl(list)));
        assertEquals(04540, get("file", Attribute.MODE).word(Attribute.MODE));
    }

    @Test
    void entriesHaveTheAttributesOfTheirFiles() throws Exception {
        Files.createDirectory(path("directory"));
        Files.createSymbolicLink(path("link"), Path.of("nowhere"));
        var listing =
                (NameResult.ReadDir)
                        client.last(
                                at(
                                        "",
                                        readDir(
                                                0,
                                                8192,
                                                Attribute.RDATTR_ERROR,
                                                Attribute.TYPE,
                                                Attribute.FILEID,
                                                Attribute.FILEHANDLE)));
        assertTrue(listing.isLast());
        assertEquals(3, listing.entries().size());
        for (var each : listing.entries()) {
            var facts = ReadAttributes.decode(each.attributes());
            var own = get(each.name().toString(), Attribute.TYPE, Attribute.FILEID);
            assertEquals(0, facts.word(Attribute.RDATTR_ERROR));
            assertEquals(own.word(Attribute.TYPE), facts.word(Attribute.TYPE));
            assertEquals(own.hyper(Attribute.FILEID), facts.hyper(Attribute.FILEID));
        }
    }
}
