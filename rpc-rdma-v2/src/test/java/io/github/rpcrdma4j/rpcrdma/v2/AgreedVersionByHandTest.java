package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: endpoints of both versions send what the limits of the agreed version allow: in version 1
 * 1024 bytes, and in version 2 the lengths that the peer announces. Method: the test plays the
 * other end, over iWARP, which sends no private data.
 */
class AgreedVersionByHandTest {
    private static final int VERSION_1 = 1024;
    private static final int DEFAULT = 4096;
    private static final int OWN = 16 << 10;
    private static final int CREDITS = 4;
    private static final Version2 BOTH = Version2.DEFAULT.withoutTransmissions();

    private static RpcRdmaOptions options(int receive) {
        return RpcRdmaOptions.DEFAULT.toBuilder()
                .inlineSend(OWN)
                .inlineReceive(receive)
                .build()
                .withProfile(new Version2Profile(BOTH.withoutFetchedReplies()));
    }

    private static RpcCall tell(int length) {
        return EchoProgram.tell(MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    /** Makes a call in version 1, answers it, and returns what the server received. */
    private static ManualPeer.ReceivedMessage callInVersion1(ClientUnderTest test, RpcCall call)
            throws Exception {
        var calling = test.start(call);
        var heard = test.server.receive();
        int xid = heard.header().xid();
        var header = new Version1Header.Msg(xid, CREDITS, ChunkLists.EMPTY);
        test.server.send(ManualConnection.message(header, test.success(xid, out -> out.uint64(0))));
        calling.get().close();
        return heard;
    }

    @Test
    @Tag("V2-5.2-4")
    void aClientKeepsToTheLimitOfVersion1AfterTheServerAskedForIt() throws Exception {
        try (var test = new ClientUnderTest(options(OWN), OWN)) {
            int xid = header(test.hello).xid();
            test.say(new Version2Header.VersionError(xid, 2, CREDITS, 1, 1), new byte[0]);
            int beside = callInVersion1(test, tell(0)).bytes().length;
            var longest = callInVersion1(test, tell(VERSION_1 - beside));
            assertInstanceOf(Version1Header.Msg.class, longest.header());
            assertEquals(VERSION_1, longest.bytes().length);
            var longer = callInVersion1(test, tell(VERSION_1 - beside + 4));
            assertInstanceOf(Version1Header.NoMsg.class, longer.header());
        }
    }

    @Test
    @Tag("V2-5.2-4")
    void aServerKeepsToTheLimitOfTheVersionOfItsClient() throws Exception {
        try (var test = new ServerUnderTest(options(OWN), OWN)) {
            test.client.send(
                    ManualConnection.call(1, CREDITS, EchoProgram.list(0, 1), ChunkLists.EMPTY));
            int beside = test.client.receive().bytes().length;
            test.client.send(
                    ManualConnection.call(
                            2, CREDITS, EchoProgram.list(VERSION_1 - beside, 1), ChunkLists.EMPTY));
            assertEquals(VERSION_1, test.client.receive().bytes().length);
            test.client.send(
                    ManualConnection.call(
                            3,
                            CREDITS,
                            EchoProgram.list(VERSION_1 - beside + 4, 1),
                            ChunkLists.EMPTY));
            assertInstanceOf(Version1Header.ChunkError.class, test.client.receive().header());
        }
    }

    /**
     * Method: the server takes longer calls than the client takes replies. By its private data it
     * would send replies that are longer than those.
     */
    @Test
    @Tag("V2-2.1-1")
    @Tag("V2-5.2-4")
    @Tag("V2-4.2.1-1")
    @Tag("V2-4.2.1-4")
    void theLongestCallAndTheLongestReplyOfAClientDiffer() throws Exception {
        byte[] longSends = new PrivateData(false, OWN, OWN).encode();
        try (var test = new ClientUnderTest(options(DEFAULT), OWN, longSends)) {
            int announced = 9000;
            test.introduce(new ReceiveSize(announced));
            int beside = test.call(tell(0)).getFirst().bytes().length;
            var longest = test.call(tell(announced - beside)).getFirst();
            assertEquals(announced, longest.bytes().length);
            assertInstanceOf(Version2Header.Msg.class, header(longest));
            var message = Version2ByHand.payload(longest);
            assertEquals(header(longest).xid(), message.getInt());
            assertEquals(0, message.getInt(), "a call");
            var longer = test.call(tell(announced - beside + 4)).getFirst();
            var whole = assertInstanceOf(Version2Header.NoMsg.class, header(longer));
            assertEquals(whole.encodedLength(), longer.bytes().length);
            for (int results : new int[] {DEFAULT - 100, DEFAULT}) {
                var call = test.call(EchoProgram.list(results, 1)).getFirst();
                var lists = assertInstanceOf(Version2Header.Msg.class, header(call)).chunks();
                assertEquals(results == DEFAULT, lists.replyChunk().isPresent());
            }
        }
    }

    /** Method: the client takes longer replies than the server takes calls. */
    @Test
    @Tag("V2-2.1-1")
    void theLongestReplyOfAServerIsThatWhichTheClientTakes() throws Exception {
        try (var test = new ServerUnderTest(options(DEFAULT), OWN)) {
            int announced = 9000;
            test.introduce(new ReceiveSize(announced));
            test.client.send(test.call(2, EchoProgram.list(0, 1)));
            int beside = test.client.receive().bytes().length;
            test.client.send(test.call(3, EchoProgram.list(announced - beside, 1)));
            assertEquals(announced, test.client.receive().bytes().length);
            test.client.send(test.call(4, EchoProgram.list(announced - beside + 4, 1)));
            assertEquals(4, assertInstanceOf(Version2Header.BadHeader.class, test.hear()).xid());
        }
    }

    @Test
    @Tag("V2-4.2.1-4")
    void aServerIgnoresWhatFollowsTheHeaderOfALongCall() throws Exception {
        try (var test = new ServerUnderTest(options(DEFAULT), OWN)) {
            test.introduce(new ReceiveSize(OWN));
            byte[] call = test.rpc(2, tell(100));
            var memory = test.client.offer(call.length, Access.REMOTE_READ);
            memory.segment().copyFrom(MemorySegment.ofArray(call));
            var segment = new Segment(memory.handle(), call.length, memory.address());
            var lists =
                    new ChunkLists(
                            List.of(new ReadSegment(0, segment)), List.of(), Optional.empty());
            test.say(new Version2Header.NoMsg(2, CREDITS, Direction.CALL, lists), new byte[40]);
            var reply = Version2ByHand.payload(test.client.receive());
            var told = MemorySegment.ofArray(EchoProgram.pattern(100, 1));
            assertEquals(EchoProgram.sum(told), reply.getLong(24));
        }
    }
}
