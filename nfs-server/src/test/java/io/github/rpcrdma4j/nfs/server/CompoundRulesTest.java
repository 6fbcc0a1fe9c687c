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
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a COMPOUND follows the rules of RFC 8881, Sections 2.10.6 and 16.2. */
class CompoundRulesTest {
    /** The RPC header of a reply without a verifier, in bytes. */
    private static final int REPLY_HEADER = 24;

    private static final OpaqueName TAG = OpaqueName.of("päge".getBytes());

    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private CompoundResult send(OpaqueName tag, int minorVersion, Arguments... operations)
            throws Exception {
        var call = new CompoundArguments(tag, minorVersion, List.of(operations));
        return CompoundClient.decode(client.bytes(call::encode));
    }

    private boolean exists(String name) {
        return Files.exists(testDirectory.root().resolve(name));
    }

    @Test
    void otherMinorVersionsAreRefusedWithoutResults() throws Exception {
        for (int version : new int[] {3, -1}) {
            var mismatch = new CompoundResult(Nfs4Status.MINOR_VERS_MISMATCH, TAG, List.of());
            assertEquals(mismatch, send(TAG, version, new HandleArguments.PutRootFh()));
        }
    }

    /**
     * Goal: no client believes that the server calls it in a context that the server does not know
     * (RFC 8881, Section 18.36.3).
     */
    @Test
    void contextsForCallbacksThatTheServerDoesNotKnowAreRefused() throws Exception {
        var none = OpaqueName.of("none".getBytes());
        var unknown = new CallbackSecurity.Gss(2, none, none);
        for (var choices :
                List.of(
                        List.<CallbackSecurity>of(unknown),
                        List.<CallbackSecurity>of(unknown, unknown))) {
            assertEquals(Nfs4Status.NOENT, client.status(createSession(choices)));
            assertEquals(Nfs4Status.NOENT, client.status(backchannel(choices)));
        }
        var choice = List.<CallbackSecurity>of(unknown, new CallbackSecurity.None());
        assertEquals(Nfs4Status.OK, client.status(backchannel(choice)));
    }

    private SessionArguments backchannel(List<CallbackSecurity> choices) {
        return new SessionArguments.BackchannelCtl(0x4000_0000, choices);
    }

    private SessionArguments createSession(List<CallbackSecurity> choices) {
        int backChannel = 2;
        return new SessionArguments.CreateSession(
                client.clientId(),
                2,
                backChannel,
                CompoundClient.CHANNEL,
                CompoundClient.CHANNEL,
                0x4000_0000,
                choices);
    }

    @Test
    void theReplyHasTheTagOfTheCall() throws Exception {
        assertEquals(TAG, send(TAG, 1, client.next(false)).tag());
    }

    @Test
    void aTagThatIsNotTextIsRefused() throws Exception {
        var tag = OpaqueName.of(new byte[] {(byte) 0xc3, 0x28});
        assertEquals(
                new CompoundResult(Nfs4Status.INVAL, tag, List.of()),
                send(tag, 1, client.next(false)));
    }

    @Test
    void anEmptyCompoundSucceedsWithoutResults() throws Exception {
        assertEquals(new CompoundResult(Nfs4Status.OK, TAG, List.of()), send(TAG, 2));
    }

    @Test
    void operationsNeedASession() throws Exception {
        var reply = client.send(List.of(new HandleArguments.PutRootFh()));
        assertEquals(Nfs4Status.OP_NOT_IN_SESSION, reply.status());
        assertEquals(1, reply.results().size());
    }

    @Test
    void sequenceIsTheFirstOperationOnly() throws Exception {
        var second = client.compound(client.next(false));
        assertEquals(Nfs4Status.SEQUENCE_POS, second.status());
        assertEquals(2, second.results().size());
    }

    @Test
    void operationsWithoutSessionStandAlone() throws Exception {
        var destroy = new SessionArguments.DestroySession(client.session());
        var reply = client.send(List.of(destroy, new HandleArguments.PutRootFh()));
        assertEquals(Nfs4Status.NOT_ONLY_OP, reply.status());
        assertEquals(1, reply.results().size());
        assertEquals(Nfs4Status.OK, client.status(), "the session is still there");
    }

    @Test
    void onlyTheLastOperationMayEndItsOwnSession() throws Exception {
        var destroy = new SessionArguments.DestroySession(client.session());
        assertEquals(
                Nfs4Status.NOT_ONLY_OP, client.status(destroy, new HandleArguments.PutRootFh()));
        assertEquals(Nfs4Status.OK, client.status(destroy));
        assertEquals(Nfs4Status.BADSESSION, client.status());
    }

    @Test
    void unknownOperationsAreIllegal() throws Exception {
        for (int number : new int[] {0, 2, 10_044, 76, -1}) {
            var reply = client.compound(new Arguments.Illegal(number), getFh());
            assertEquals(Nfs4Status.OP_ILLEGAL, reply.status());
            assertEquals(
                    Result.failed(Opcode.ILLEGAL, Nfs4Status.OP_ILLEGAL),
                    reply.results().getLast());
            assertEquals(2, reply.results().size());
        }
    }

    @Test
    void operationsOfMinorVersion2AreIllegalInMinorVersion1() throws Exception {
        var seek = new DataArguments.Seek(StateId.ANONYMOUS, 0, 0);
        var old = CompoundClient.of(server, CompoundClient.ROOT, 1, "old", CompoundClient.CHANNEL);
        assertEquals(Nfs4Status.OP_ILLEGAL, old.status(at("", seek)));
        assertEquals(Nfs4Status.ISDIR, client.status(at("", seek)));
    }

    @Test
    void anOperationBehindAFailureIsNotCarriedOut() throws Exception {
        var reply = client.compound(at("", lookup("absent"), makeDirectory("made")));
        assertEquals(Nfs4Status.NOENT, reply.status());
        assertEquals(4, reply.results().size());
        assertFalse(exists("made"));
    }

    @Test
    void operationsInFrontOfAMalformedOneAreCarriedOut() throws Exception {
        var call = client.nextCall(false, at("", makeDirectory("made")));
        var reply =
                CompoundClient.decode(
                        client.bytes(
                                out -> {
                                    TAG.encode(out).uint32(2).uint32(5);
                                    call.operations().forEach(each -> each.encode(out));
                                    // LOOKUP of a name that is longer than the message
                                    out.uint32(Opcode.LOOKUP.number()).uint32(1000);
                                }));
        assertEquals(Nfs4Status.BADXDR, reply.status());
        assertEquals(5, reply.results().size());
        assertEquals(Opcode.LOOKUP, reply.results().getLast().opcode());
        assertTrue(exists("made"));
    }

    @Test
    void aCallThatEndsBeforeItsLastOperationIsMalformed() throws Exception {
        for (int count : new int[] {2, 64}) {
            var sequence = client.next(false);
            var reply =
                    CompoundClient.decode(
                            client.bytes(
                                    out -> {
                                        TAG.encode(out).uint32(2).uint32(count);
                                        sequence.encode(out);
                                    }));
            client.advance();
            assertEquals(Nfs4Status.BADXDR, reply.status());
            assertEquals(2, reply.results().size());
        }
    }

    private CompoundClient limited(String name, ChannelAttributes channel) throws Exception {
        return CompoundClient.of(server, CompoundClient.ROOT, 2, name, channel);
    }

    @Test
    void aSessionTakesItsNumberOfOperationsAndNotOneMore() throws Exception {
        var few = limited("few", channel(4096, 4096, 4096, 8));
        assertEquals(Nfs4Status.OK, few.status(roots(7)));
        var more = few.compound(roots(8));
        assertEquals(Nfs4Status.TOO_MANY_OPS, more.status());
        assertEquals(1, more.results().size());
    }

    private static Arguments[] roots(int count) {
        return Collections.nCopies(count, new HandleArguments.PutRootFh())
                .toArray(Arguments[]::new);
    }

    @Test
    void aSessionTakesCallsOfItsLengthAndNotLonger() throws Exception {
        var write = at("", create("file"), write(StateId.CURRENT, 0, "x".repeat(300)));
        int bytes = callBytes(client, write);
        var shorter = limited("shorter", channel(bytes - 1, 4096, 0, 64));
        assertEquals(Nfs4Status.REQ_TOO_BIG, shorter.status(write));
        assertFalse(exists("file"));
        var fitting = limited("fitting", channel(bytes, 4096, 0, 64));
        assertEquals(Nfs4Status.OK, fitting.status(write));
    }

    /** Returns the length of a call message with AUTH_SYS of this client, in bytes. */
    private int callBytes(CompoundClient of, Arguments... operations) {
        try (var out = new XdrWriter(server.pool)) {
            of.nextCall(false, operations).encode(out);
            int header = 10 * Integer.BYTES;
            int authSys = 6 * Integer.BYTES;
            return header + authSys + (int) out.position();
        }
    }

    /** Returns the length of a reply message, in bytes. */
    private int replyBytes(Arguments... operations) throws Exception {
        byte[] reply = client.bytes(client.nextCall(false, operations)::encode);
        client.advance();
        assertEquals(Nfs4Status.OK, CompoundClient.decode(reply).status());
        return REPLY_HEADER + reply.length;
    }

    private void endsExactlyAtItsLength(Arguments... operations) throws Exception {
        int bytes = replyBytes(operations);
        var fitting = limited("fits" + bytes, channel(4096, bytes, 0, 64));
        assertEquals(Nfs4Status.OK, fitting.status(operations));
        var shorter = limited("short" + bytes, channel(4096, bytes - 4, 0, 64));
        var failed = shorter.compound(operations);
        assertEquals(Nfs4Status.REP_TOO_BIG, failed.status());
        assertEquals(operations.length + 1, failed.results().size(), "the last one did not fit");
        var kept = limited("kept" + bytes, channel(4096, 4096, bytes, 64));
        assertEquals(Nfs4Status.OK, kept.compound(true, operations).status());
        var unkept = limited("unkept" + bytes, channel(4096, 4096, bytes - 4, 64));
        assertEquals(Nfs4Status.REP_TOO_BIG_TO_CACHE, unkept.compound(true, operations).status());
        assertEquals(Nfs4Status.OK, unkept.status(operations));
    }

    @Test
    void resultsEndExactlyAtTheLengthsOfTheSession() throws Exception {
        Files.writeString(testDirectory.root().resolve("file"), "x".repeat(301));
        endsExactlyAtItsLength(
                at("", getAttr(Attribute.SUPPORTED_ATTRS, Attribute.FSID, Attribute.FILEHANDLE)));
        endsExactlyAtItsLength(at("file", read(StateId.ANONYMOUS, 0, 301)));
        endsExactlyAtItsLength(at("file", new DataArguments.ReadPlus(StateId.ANONYMOUS, 0, 99)));
        endsExactlyAtItsLength(at("", getFh()));
    }

    @Test
    void aChangeWhoseResultMayNotFitIsNotCarriedOut() throws Exception {
        var small = limited("small", channel(4096, 650, 0, 64));
        var names = at("", getFh(), getFh(), getFh(), makeDirectory("made"));
        assertEquals(Nfs4Status.REP_TOO_BIG, small.status(names));
        assertFalse(exists("made"));
        assertEquals(Nfs4Status.OK, small.status(at("", makeDirectory("made"))));
    }

    /** A lock owner of another client may have a long name, which the reply tells. */
    @Test
    void aConflictWithALongOwnerDoesNotPassTheLengthOfTheSession() throws Exception {
        var open = client.open(at("", create("file")));
        var longName = "o".repeat(OpaqueName.BYTES_MAX);
        client.last(at("file", lock(open, longName, LockType.WRITE, 0, 10)));
        var small = limited("small", channel(4096, 1000, 0, 64));
        var ours = small.open(at("", create("file")));
        var ask = at("file", lock(ours, "mine", LockType.WRITE, 0, 10));
        byte[] reply = small.bytes(small.nextCall(false, ask)::encode);
        small.advance();
        assertEquals(Nfs4Status.REP_TOO_BIG, CompoundClient.decode(reply).status());
        assertTrue(reply.length + REPLY_HEADER <= 1000);
        var denied = client.compound(at("file", lock(open, "mine", LockType.WRITE, 0, 10)));
        assertInstanceOf(LockResult.Denied.class, denied.results().getLast());
    }

    @Test
    void aListingIsAsLongAsTheReplyHasRoom() throws Exception {
        for (int i = 0; i < 50; i++) {
            Files.createFile(testDirectory.root().resolve("file" + i));
        }
        var small = limited("small", channel(4096, 1000, 0, 64));
        byte[] reply =
                small.bytes(
                        small.nextCall(false, at("", readDir(0, 1 << 20, Attribute.FILEID)))
                                ::encode);
        assertEquals(Nfs4Status.OK, CompoundClient.decode(reply).status());
        assertTrue(reply.length + REPLY_HEADER <= 1000);
    }

    @Test
    void dataBehindAShortReadIsWhole() throws Exception {
        Files.writeString(testDirectory.root().resolve("file"), "abcde");
        var reply =
                client.compound(
                        at(
                                "file",
                                read(StateId.ANONYMOUS, 0, 3),
                                read(StateId.ANONYMOUS, 3, 100),
                                read(StateId.ANONYMOUS, 5, 1)));
        var texts =
                reply.results().stream()
                        .filter(DataResult.Read.class::isInstance)
                        .map(each -> new String(bytes((DataResult.Read) each)))
                        .toList();
        assertEquals(List.of("abc", "de", ""), texts);
        assertArrayEquals(new byte[0], bytes((DataResult.Read) reply.results().getLast()));
    }

    private static byte[] bytes(DataResult.Read read) {
        return read.data().toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void operationsWithoutAFilehandleAreRefused() throws Exception {
        assertEquals(Nfs4Status.NOFILEHANDLE, client.status(getFh()));
        assertEquals(Nfs4Status.NOFILEHANDLE, client.status(read(StateId.ANONYMOUS, 0, 1)));
        assertEquals(
                Nfs4Status.NOFILEHANDLE, client.status(join(new Arguments[0], Nfs4Calls.saveFh())));
        assertEquals(Nfs4Status.NOFILEHANDLE, client.status(at("", Nfs4Calls.rename("a", "b"))));
        assertEquals(Nfs4Status.RESTOREFH, client.status(at("", Nfs4Calls.restoreFh())));
    }
}
