package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Version2Heard.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: endpoints of version 2 whose peer tells nothing of itself keep to 4096 bytes, both ways,
 * although they could make and take more. Method: the peer is worked by hand, over iWARP.
 */
class UntoldSizesByHandTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int DEFAULT = 4096;
    private static final int OWN = 16 << 10;
    private static final byte[] SAYS_NOTHING = {};
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT
                    .withInline(OWN, OWN)
                    .withProfile(
                            new Version2Profile(
                                    Version2.DEFAULT.withSpeaks1(false).withoutTransmissions()));

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 16);

    /** A call in one Send. */
    private byte[] message(int xid, RpcCall call) {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(
                    out, xid, call.program(), call.version(), call.procedure(), RawAuth.NONE);
            call.arguments().accept(out);
            return ByHand.message(
                    new Header.Msg(xid, 4, Direction.CALL, ChunkLists.EMPTY),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static RpcCall tell(int length) {
        return EchoProgram.tell(MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    /** A client that begins with a call, and never says what it is like. */
    @Test
    @Tag("V2-5.1-1")
    @Tag("V2-2.3-1")
    @Tag("V2-2.3-3")
    @Tag("V2-4.2-1")
    @Tag("V2-5.3-1")
    @Tag("XCH-3-1")
    @Tag("RTR-8.3-2")
    void aServerTakesAndMakesTheDefault() throws Exception {
        try (var server =
                        RpcRdmaServer.listen(
                                provider,
                                HandPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                OPTIONS);
                var client = HandPeer.connect(provider, server.address(), SAYS_NOTHING, OWN)) {
            client.say(message(7, EchoProgram.nullCall()));
            var first = assertInstanceOf(Header.Msg.class, header(client.hear()));
            assertEquals(7, first.xid());
            assertEquals(Direction.REPLY, first.direction());

            byte[] longest = message(8, tell(DEFAULT - message(8, tell(0)).length));
            assertEquals(DEFAULT, longest.length);
            client.say(longest);
            assertEquals(8, assertInstanceOf(Header.Msg.class, header(client.hear())).xid());

            client.say(message(9, EchoProgram.list(0, 1)));
            int beside = client.hear().octets().length;
            client.say(message(10, EchoProgram.list(DEFAULT - beside, 1)));
            var reply = client.hear();
            assertEquals(DEFAULT, reply.octets().length);
            assertEquals(10, assertInstanceOf(Header.Msg.class, header(reply)).xid());
            client.say(message(11, EchoProgram.list(DEFAULT - beside + 4, 1)));
            assertEquals(11, assertInstanceOf(Header.BadHeader.class, header(client.hear())).xid());
        }
    }

    /** A server that speaks version 2, and knows nothing of characteristics. */
    @Test
    @Tag("V2-5.1-1")
    @Tag("V2-2.3-1")
    @Tag("V2-2.3-3")
    @Tag("XCH-4.1-2")
    void aClientMakesAndTakesTheDefault() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var listener = provider.listen(HandPeer.LOOPBACK)) {
            var connecting =
                    threads.submit(
                            () ->
                                    RpcRdmaClient.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(EchoProgram.BINDING),
                                            OPTIONS));
            try (var server = HandPeer.accept(provider, listener, SAYS_NOTHING, OWN)) {
                int opening = header(server.hear()).xid();
                server.say(ByHand.message(new Header.BadOption(opening, 4), new byte[0]));
                try (var client = connecting.get()) {
                    int beside = message(1, tell(0)).length;
                    for (int length : new int[] {DEFAULT - beside, DEFAULT - beside + 4}) {
                        var calling = threads.submit(() -> client.call(tell(length), DEADLINE));
                        var call = server.hear();
                        if (length == DEFAULT - beside) {
                            assertEquals(DEFAULT, call.octets().length);
                            assertInstanceOf(Header.Msg.class, header(call));
                        } else {
                            assertInstanceOf(Header.NoMsg.class, header(call));
                        }
                        server.say(longest(header(call).xid()));
                        try (var reply = calling.get()) {
                            assertEquals(7, reply.results().uint64());
                        }
                    }
                }
            }
        }
    }

    /** A reply that fills the receive of a peer of which nothing is known. */
    private byte[] longest(int xid) {
        try (var out = new XdrWriter(pool)) {
            new ReplyHeader.Success(xid).encode(out);
            out.uint64(7);
            var header = new Header.Msg(xid, 4, Direction.REPLY, ChunkLists.EMPTY);
            byte[] payload = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            var message = ByHand.message(header, payload);
            return Arrays.copyOf(message, DEFAULT);
        }
    }
}
