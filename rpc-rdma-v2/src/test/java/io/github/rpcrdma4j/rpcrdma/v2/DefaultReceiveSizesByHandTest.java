package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: endpoints of version 2 whose peer sends no characteristics keep to 4096 bytes in both
 * directions, although they support more. Method: the test plays the peer, over iWARP.
 */
class DefaultReceiveSizesByHandTest {
    private static final int DEFAULT = 4096;
    private static final int OWN = 16 << 10;
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder()
                    .inlineSend(OWN)
                    .inlineReceive(OWN)
                    .build()
                    .withProfile(
                            new Version2Profile(
                                    Version2.DEFAULT.withSpeaks1(false).withoutTransmissions()));

    private static RpcCall tell(int length) {
        return EchoProgram.tell(MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    /** The client begins with a call, and never sends its characteristics. */
    @Test
    @Tag("V2-5.1-1")
    @Tag("V2-2.3-1")
    @Tag("V2-2.3-3")
    @Tag("V2-4.2-1")
    @Tag("V2-5.3-1")
    @Tag("XCH-3-1")
    @Tag("RTR-8.3-2")
    void aServerAcceptsAndMakesTheDefault() throws Exception {
        try (var test = new ServerUnderTest(OPTIONS, OWN)) {
            test.client.send(test.call(7, EchoProgram.nullCall()));
            var first = assertInstanceOf(Version2Header.Msg.class, test.hear());
            assertEquals(7, first.xid());
            assertEquals(Direction.REPLY, first.direction());

            byte[] longest = test.call(8, tell(DEFAULT - test.call(8, tell(0)).length));
            assertEquals(DEFAULT, longest.length);
            test.client.send(longest);
            assertEquals(8, assertInstanceOf(Version2Header.Msg.class, test.hear()).xid());

            test.client.send(test.call(9, EchoProgram.list(0, 1)));
            int beside = test.client.receive().bytes().length;
            test.client.send(test.call(10, EchoProgram.list(DEFAULT - beside, 1)));
            var reply = test.client.receive();
            assertEquals(DEFAULT, reply.bytes().length);
            assertEquals(10, assertInstanceOf(Version2Header.Msg.class, header(reply)).xid());
            test.client.send(test.call(11, EchoProgram.list(DEFAULT - beside + 4, 1)));
            assertEquals(11, assertInstanceOf(Version2Header.BadHeader.class, test.hear()).xid());
        }
    }

    /** The server speaks version 2 without characteristics. */
    @Test
    @Tag("V2-5.1-1")
    @Tag("V2-2.3-1")
    @Tag("V2-2.3-3")
    @Tag("XCH-4.1-2")
    void aClientMakesAndAcceptsTheDefault() throws Exception {
        try (var test = new ClientUnderTest(OPTIONS, OWN)) {
            test.say(new Version2Header.BadOption(header(test.hello).xid(), 4), new byte[0]);
            int beside = test.call(tell(0)).getFirst().bytes().length;
            for (int length : new int[] {DEFAULT - beside, DEFAULT - beside + 4}) {
                var calling = test.start(tell(length));
                var call = test.server.receive();
                if (length == DEFAULT - beside) {
                    assertEquals(DEFAULT, call.bytes().length);
                    assertInstanceOf(Version2Header.Msg.class, header(call));
                } else {
                    assertInstanceOf(Version2Header.NoMsg.class, header(call));
                }
                // This reply fills the receive of a peer without known characteristics.
                int xid = header(call).xid();
                byte[] longest =
                        Arrays.copyOf(test.success(xid, out -> out.uint64(7)), DEFAULT - 32);
                var message = new Version2Header.Msg(xid, 4, Direction.REPLY, ChunkLists.EMPTY);
                assertEquals(DEFAULT, message.encodedLength() + longest.length);
                test.say(message, longest);
                try (var reply = calling.get()) {
                    assertEquals(7, reply.results().uint64());
                }
            }
        }
    }

    /** Goal: a client that announces less than it must accept is sent replies of that length. */
    @Test
    @Tag("V2-5-1")
    void aServerMakesWhatFitsAnyFirstMessageThoughLessIsAnnounced() throws Exception {
        int least = FirstMessage.BYTES_MAX;
        try (var test = new ServerUnderTest(OPTIONS, OWN)) {
            test.introduce(new ReceiveSize(100));
            test.client.send(test.call(9, EchoProgram.list(0, 1)));
            int beside = test.client.receive().bytes().length;
            test.client.send(test.call(10, EchoProgram.list(least - beside, 1)));
            var reply = test.client.receive();
            assertEquals(least, reply.bytes().length);
            assertInstanceOf(Version2Header.Msg.class, header(reply));
            test.client.send(test.call(11, EchoProgram.list(least - beside + 4, 1)));
            assertEquals(11, assertInstanceOf(Version2Header.BadHeader.class, test.hear()).xid());
        }
    }

    /** Goal: a server that announces less than it must accept is sent calls of that length. */
    @Test
    @Tag("V2-5-1")
    void aClientMakesWhatFitsAnyFirstMessageThoughLessIsAnnounced() throws Exception {
        int least = FirstMessage.BYTES_MAX;
        try (var test = new ClientUnderTest(OPTIONS, OWN)) {
            test.introduce(new ReceiveSize(100));
            int beside = test.call(tell(0)).getFirst().bytes().length;
            var longest = test.call(tell(least - beside)).getFirst();
            assertEquals(least, longest.bytes().length);
            assertInstanceOf(Version2Header.Msg.class, header(longest));
            var longer = test.call(tell(least - beside + 4)).getFirst();
            assertInstanceOf(Version2Header.NoMsg.class, header(longer));
        }
    }
}
