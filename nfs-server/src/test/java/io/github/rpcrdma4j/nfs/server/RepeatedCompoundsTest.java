package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.CompoundClient.channel;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lookup;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.makeDirectory;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a COMPOUND takes effect once, however often it is sent (RFC 8881, Section 2.10.6). */
class RepeatedCompoundsTest {
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "five!");
        Files.createSymbolicLink(
                testDirectory.root().resolve("link"),
                testDirectory.root().getFileSystem().getPath("text"));
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Nfs4Status status(CompoundArguments call) throws Exception {
        return CompoundClient.decode(client.bytes(call::encode)).status();
    }

    /** Sends a call three times; the second and the third time nothing may happen. */
    private void repeats(Nfs4Status expected, Arguments... operations) throws Exception {
        var call = client.nextCall(true, operations);
        byte[] first = client.bytes(call::encode);
        assertEquals(expected, CompoundClient.decode(first).status());
        assertArrayEquals(first, client.bytes(call::encode));
        assertArrayEquals(first, client.bytes(call::encode));
        client.advance();
    }

    /** What tells nothing to anybody is not done; what has been begun is done to the end. */
    @Test
    void aCompoundWhoseConnectionHasEndedStopsBeforeItTellsSomething() throws Exception {
        var root = ((HandleResult.GetFh) client.last(at("", getFh()))).handle();
        var put = new HandleArguments.PutFh(root);
        var connection = new CallbackPeer();
        server.connect(connection);
        connection.cut();
        repeats(Nfs4Status.DELAY, put, getAttr(Attribute.TYPE));
        repeats(Nfs4Status.DELAY, put, getAttr(Attribute.TYPE), makeDirectory("later"));
        assertFalse(Files.exists(testDirectory.root().resolve("later")));
        repeats(Nfs4Status.OK, put, makeDirectory("made"), getFh(), getAttr(Attribute.TYPE));
        assertTrue(Files.exists(testDirectory.root().resolve("made")));
        server.disconnect();
        repeats(Nfs4Status.OK, put, getAttr(Attribute.TYPE));
    }

    @Test
    void resultsOfAllKindsAreRepeatedByteForByte() throws Exception {
        repeats(Nfs4Status.OK);
        repeats(Nfs4Status.OK, at("file", getFh(), read(StateId.ANONYMOUS, 0, 10)));
        repeats(
                Nfs4Status.OK,
                at("file", read(StateId.ANONYMOUS, 0, 3), read(StateId.ANONYMOUS, 3, 5), getFh()));
        repeats(Nfs4Status.OK, at("link", new NameArguments.ReadLink(), getFh()));
        repeats(Nfs4Status.OK, at("", readDir(0, 4096, Attribute.FILEID, Attribute.TYPE)));
        repeats(
                Nfs4Status.OK,
                at("file", getAttr(Attribute.SUPPORTED_ATTRS, Attribute.OPEN_ARGUMENTS)));
        repeats(Nfs4Status.OK, at("", create("made"), write(StateId.CURRENT, 0, "text")));
        repeats(Nfs4Status.OK, at("file", new DataArguments.ReadPlus(StateId.ANONYMOUS, 0, 9)));
        repeats(Nfs4Status.OK, at("", new HandleArguments.SecInfo(FileName.of("file"))));
        repeats(Nfs4Status.OK, at("", new StateArguments.TestStateId(List.of(StateId.INVALID))));
        repeats(Nfs4Status.OK, at("", new AttributeArguments.Access(0x3f)));
    }

    @Test
    void failuresAreRepeatedByteForByte() throws Exception {
        repeats(Nfs4Status.NOENT, at("", lookup("absent")));
        repeats(Nfs4Status.ISDIR, at("", read(StateId.ANONYMOUS, 0, 1)));
        repeats(
                Nfs4Status.BAD_STATEID,
                at("file", read(StateId.ANONYMOUS, 0, 3), read(StateId.CURRENT, 0, 3)));
        repeats(
                Nfs4Status.ATTRNOTSUPP,
                at(
                        "file",
                        new AttributeArguments.SetAttr(
                                StateId.ANONYMOUS,
                                Nfs4Calls.encoded(SetAttributes.NONE.withAcl(List.of())))));
        repeats(Nfs4Status.OP_ILLEGAL, new Arguments.Illegal(999));
    }

    @Test
    void aDeniedLockIsRepeatedByteForByte() throws Exception {
        var other = CompoundClient.of(server, "other");
        var theirs = other.open(at("", create("made")));
        other.last(at("made", lock(theirs, "them", LockType.WRITE, 5, 10)));
        var ours = client.open(at("", create("made")));
        repeats(Nfs4Status.DENIED, at("made", lock(ours, "us", LockType.READ, 0, 6)));
    }

    @Test
    void aRepeatedChangeHappensOnce() throws Exception {
        repeats(Nfs4Status.OK, at("", makeDirectory("made")));
        repeats(Nfs4Status.OK, at("", remove("made"), getFh()));
        assertFalse(Files.exists(testDirectory.root().resolve("made")));
        var write = client.nextCall(true, at("", create("made"), write(StateId.CURRENT, 0, "A")));
        byte[] first = client.bytes(write::encode);
        long written = server.nfs.statistics().bytesWritten();
        Files.writeString(testDirectory.root().resolve("made"), "B");
        assertArrayEquals(first, client.bytes(write::encode));
        assertEquals("B", Files.readString(testDirectory.root().resolve("made")));
        assertEquals(written, server.nfs.statistics().bytesWritten());
    }

    @Test
    void theRepeatedDataIsThatOfTheFirstTime() throws Exception {
        var call = client.nextCall(true, at("file", read(StateId.ANONYMOUS, 0, 10)));
        byte[] first = client.bytes(call::encode);
        Files.writeString(testDirectory.root().resolve("file"), "other");
        assertArrayEquals(first, client.bytes(call::encode));
    }

    @Test
    void anotherPrincipalGetsNoKeptReply() throws Exception {
        var call = client.nextCall(true, at("", makeDirectory("made")));
        assertEquals(Nfs4Status.OK, status(call));
        client.become(CompoundClient.user(1000));
        assertEquals(Nfs4Status.SEQ_FALSE_RETRY, status(call));
        client.become(CompoundClient.ROOT);
        assertEquals(Nfs4Status.OK, status(call));
    }

    @Test
    void anotherCallInTheSlotIsAFalseRetry() throws Exception {
        assertEquals(Nfs4Status.OK, status(client.nextCall(true, at("", makeDirectory("made")))));
        assertEquals(
                Nfs4Status.SEQ_FALSE_RETRY,
                status(client.nextCall(true, at("", makeDirectory("other")))));
        assertEquals(
                Nfs4Status.SEQ_FALSE_RETRY,
                status(client.nextCall(true, at("", makeDirectory("made"), getFh()))));
        assertFalse(Files.exists(testDirectory.root().resolve("other")));
    }

    /** Goal: a tag is for people. Each reply has that of its call. */
    @Test
    void aRepetitionMayHaveAnotherTag() throws Exception {
        var call = client.nextCall(true, at("", makeDirectory("made"), getFh()));
        var first = CompoundClient.decode(client.bytes(call::encode));
        var tag = OpaqueName.of("again".getBytes());
        var again = new CompoundArguments(tag, call.minorVersion(), call.operations());
        assertEquals(
                new CompoundResult(first.status(), tag, first.results()),
                CompoundClient.decode(client.bytes(again::encode)));
        assertEquals(Nfs4Status.OK, first.status());
    }

    @Test
    void aCallWithAnotherCountIsAFalseRetry() throws Exception {
        var call = client.nextCall(true, at("", makeDirectory("made"), getFh()));
        assertEquals(Nfs4Status.OK, status(call));
        byte[] less =
                client.bytes(
                        out -> {
                            new CompoundArguments.Header(
                                            call.tag(),
                                            call.minorVersion(),
                                            call.operations().size() - 1)
                                    .encode(out);
                            call.operations().forEach(each -> each.encode(out));
                        });
        assertEquals(Nfs4Status.SEQ_FALSE_RETRY, CompoundClient.decode(less).status());
    }

    @Test
    void aCallThatNeedNotBeKeptCannotBeRepeated() throws Exception {
        var call = client.nextCall(false, at("", makeDirectory("made"), getFh()));
        assertEquals(Nfs4Status.OK, status(call));
        assertEquals(Nfs4Status.RETRY_UNCACHED_REP, status(call));
        client.advance();
        assertEquals(Nfs4Status.OK, client.status());
    }

    @Test
    void sequenceAloneIsAlwaysKept() throws Exception {
        var call = client.nextCall(false);
        byte[] first = client.bytes(call::encode);
        assertEquals(Nfs4Status.OK, CompoundClient.decode(first).status());
        assertArrayEquals(first, client.bytes(call::encode));
    }

    @Test
    void aSequenceThatIsNotTheNextOneIsMisordered() throws Exception {
        assertEquals(Nfs4Status.OK, client.status());
        client.advance();
        assertEquals(Nfs4Status.SEQ_MISORDERED, client.status());
    }

    /** The kept results of the largest session take no more than its cache. */
    @Test
    void aReplyThatFitsExactlyIsRepeated() throws Exception {
        var operations = at("file", getFh(), getFh(), read(StateId.ANONYMOUS, 0, 10));
        byte[] reply = client.bytes(client.nextCall(true, operations)::encode);
        int bytes = 24 + reply.length;
        var fitting =
                CompoundClient.of(
                        server, CompoundClient.ROOT, 2, "fitting", channel(4096, 4096, bytes, 64));
        var call = fitting.nextCall(true, operations);
        byte[] first = fitting.bytes(call::encode);
        assertEquals(reply.length, first.length);
        assertArrayEquals(first, fitting.bytes(call::encode));
    }

    @Test
    void aRepeatedSymbolicLinkHasItsText() throws Exception {
        var create =
                new NameArguments.Create(
                        new NameArguments.NewFile.SymbolicLink(PathName.of("to")),
                        FileName.of("new"),
                        Nfs4Calls.encoded(SetAttributes.NONE));
        repeats(
                Nfs4Status.OK,
                at("", join(new Arguments[] {create, getFh()}, new NameArguments.ReadLink())));
        assertTrue(Files.isSymbolicLink(testDirectory.root().resolve("new")));
    }
}
