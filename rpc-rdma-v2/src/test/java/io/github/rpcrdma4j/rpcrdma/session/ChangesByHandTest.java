package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Version2Heard.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: whole endpoints keep to what was told and asked. Method: one is worked by hand, over iWARP.
 */
class ChangesByHandTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final byte[] SAYS_NOTHING = {};
    private static final int CREDITS = 3;
    private static final int REVERSE_PROGRAM = 0x4000_0000;

    /** Receives without places for bulk data, so that they may grow. */
    private static final Version2 PLAIN =
            Version2.DEFAULT.withSpeaks1(false).withoutTransmissions();

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 16);

    private static <T extends Operation> T operation(Class<T> kind, Header header) {
        return assertInstanceOf(kind, assertInstanceOf(Header.Option.class, header).operation());
    }

    private static byte[] option(int xid, Direction direction, Operation operation) {
        return ByHand.message(new Header.Option(xid, CREDITS, direction, operation), new byte[0]);
    }

    private byte[] nullCall(int xid) {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, 0, RawAuth.NONE);
            return ByHand.message(
                    new Header.Msg(xid, CREDITS, Direction.CALL, ChunkLists.EMPTY),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private RpcRdmaServer serve() throws Exception {
        return serve(new EchoProgram());
    }

    private RpcRdmaServer serve(RpcProgram program) throws Exception {
        return RpcRdmaServer.listen(
                provider,
                HandPeer.LOOPBACK,
                List.of(program),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT
                        .withCredits(CREDITS)
                        .withProfile(new Version2Profile(PLAIN)));
    }

    /** A client that the server knows; what else it says of itself. */
    private HandPeer known(RpcRdmaServer server, Characteristic... more) throws Exception {
        var client = HandPeer.connect(provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES);
        var all = new ArrayList<Characteristic>(List.of(more));
        all.addFirst(new ReceiveSize(RECEIVE_BYTES));
        client.say(option(1, Direction.CALL, new InitialExchange(all, Subset.of())));
        operation(InitialExchange.class, header(client.hear()));
        return client;
    }

    @Test
    @Tag("XCH-4.2-1")
    @Tag("XCH-4.3-1")
    @Tag("XCH-4.3-3")
    @Tag("XCH-4.3-5")
    void aServerAnswersEveryWishAndTurnsDownWhatItCannotChange() throws Exception {
        try (var server = serve();
                var client = known(server)) {
            List<Characteristic> wishes =
                    List.of(
                            new Characteristic.RemoteInvalidation(false),
                            new Characteristic.ReverseSupport(Reverse.NONE),
                            new Characteristic.Transmissions(0),
                            new Characteristic.RequestTransmissions(9),
                            new ReadChunks(0));
            for (int i = 0; i < wishes.size(); i++) {
                int xid = 100 + i;
                client.say(
                        option(xid, Direction.CALL, new ChangeRequest(wishes.subList(i, i + 1))));
                var answer = header(client.hear());
                assertEquals(xid, answer.xid());
                assertEquals(Direction.REPLY, ((Header.Option) answer).direction());
                var said = operation(ChangeResponse.class, answer);
                assertEquals(
                        new ChangeResponse(Subset.of(), Subset.of(0), Subset.of()),
                        said,
                        wishes.get(i)::toString);
            }
            client.say(option(200, Direction.CALL, new ChangeRequest(List.copyOf(wishes))));
            var all = operation(ChangeResponse.class, header(client.hear()));
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(0, 1, 2, 3, 4), Subset.of()), all);
            // Of several answers each wish has one.
            var mixed = List.of(wishes.get(0), new ReceiveSize(16 << 10), wishes.get(1));
            client.say(option(300, Direction.CALL, new ChangeRequest(mixed)));
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(0, 2), Subset.of(1)),
                    operation(ChangeResponse.class, header(client.hear())));
        }
    }

    @Test
    @Tag("XCH-3.1-4")
    @Tag("XCH-4.3-4")
    void aLargerSizeIsToldOnceWhenAllReceivesHaveIt() throws Exception {
        long wanted = 16 << 10;
        try (var server = serve();
                var client = known(server)) {
            client.say(
                    option(2, Direction.CALL, new ChangeRequest(List.of(new ReceiveSize(wanted)))));
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(), Subset.of(0)),
                    operation(ChangeResponse.class, header(client.hear())));
            var updates = new ArrayList<Operation.Update>();
            for (int xid = 10; xid < 60; xid++) {
                client.say(nullCall(xid));
                for (boolean answered = false; !answered; ) {
                    var heard = header(client.hear());
                    answered = heard instanceof Header.Msg && heard.xid() == xid;
                    if (!answered) {
                        updates.add(operation(Operation.Update.class, heard));
                    }
                }
            }
            assertEquals(List.of(new Operation.Update(new ReceiveSize(wanted), true)), updates);
        }
    }

    /** Keeps the ways back to its callers. */
    private static final class Enlisting extends OneVersion {
        private final BlockingQueue<ReverseDirection> enlisted = new LinkedBlockingQueue<>();

        Enlisting() {
            super(EchoProgram.PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            enlisted.add(request.reverse().orElseThrow());
            return AcceptStatus.SUCCESS;
        }
    }

    /** Has a server call a client back that says this of itself. */
    private void callsBack(boolean goes, Characteristic... told) throws Exception {
        var program = new Enlisting();
        try (var server = serve(program);
                var client = known(server, told)) {
            client.say(nullCall(2));
            assertInstanceOf(Header.Msg.class, header(client.hear()));
            callsBack(client, program.enlisted.take(), goes);
        }
    }

    private void callsBack(HandPeer client, ReverseDirection way, boolean goes) throws Exception {
        var call = new RpcCall(REVERSE_PROGRAM, 1, 0, _ -> {}, 0);
        try (var back = way.client(new Credential.None());
                var threads = Executors.newSingleThreadExecutor()) {
            if (!goes) {
                var refused =
                        assertThrows(
                                RpcException.TransportRefused.class,
                                () -> back.call(call, DEADLINE));
                assertTrue(refused.getMessage().contains("serves no calls"));
                // What is heard next is the answer to this, so nothing was sent.
                client.say(nullCall(77));
                assertEquals(77, header(client.hear()).xid());
                return;
            }
            var calling = threads.submit(() -> back.call(call, DEADLINE));
            var called = assertInstanceOf(Header.Msg.class, header(client.hear()));
            assertEquals(Direction.CALL, called.direction());
            client.say(
                    ByHand.message(
                            new Header.Msg(called.xid(), 1, Direction.REPLY, ChunkLists.EMPTY),
                            success(called.xid())));
            calling.get().close();
        }
    }

    @Test
    @Tag("XCH-3.3-1")
    void aServerCallsNoClientBackThatSaysThatItTakesNoCalls() throws Exception {
        callsBack(false, new Characteristic.ReverseSupport(Reverse.NONE));
        callsBack(true, new Characteristic.ReverseSupport(Reverse.SIZE_LIMITED));
        callsBack(true, new Characteristic.ReverseSupport(Reverse.GENERAL));
        callsBack(true, new Characteristic.ReverseSupport(Reverse.UNKNOWN));
        callsBack(true);
    }

    @Test
    @Tag("XCH-3.3-1")
    @Tag("XCH-4.4-2")
    void whatAClientTakesMayChangeWhileItIsConnected() throws Exception {
        var program = new Enlisting();
        try (var server = serve(program);
                var client = known(server, new Characteristic.ReverseSupport(Reverse.NONE))) {
            client.say(nullCall(2));
            assertInstanceOf(Header.Msg.class, header(client.hear()));
            var way = program.enlisted.take();
            int xid = 50;
            for (var now : List.of(Reverse.NONE, Reverse.GENERAL, Reverse.NONE)) {
                var update = new Operation.Update(new Characteristic.ReverseSupport(now), false);
                client.say(option(xid++, Direction.CALL, update));
                // The update has been looked at when the call behind it is answered.
                client.say(nullCall(xid));
                assertEquals(xid++, header(client.hear()).xid());
                program.enlisted.take();
                callsBack(client, way, now != Reverse.NONE);
                program.enlisted.clear();
            }
        }
    }

    /**
     * Whether what tells a hand-worked server that its reply was fetched invalidates the handle.
     */
    private boolean invalidates(int readChunks) throws Exception {
        var options =
                RpcRdmaOptions.DEFAULT.withProfile(
                        new Version2Profile(
                                PLAIN.withFetchedReplies(
                                        FetchedReplies.DEFAULT.withReplyChunks(
                                                ReplyChunks.NEVER))));
        try (var threads = Executors.newSingleThreadExecutor();
                var listener = provider.listen(HandPeer.LOOPBACK)) {
            var calling =
                    threads.submit(
                            () -> {
                                try (var client =
                                        RpcRdmaClient.connect(
                                                provider,
                                                listener.address(),
                                                new Credential.None(),
                                                List.of(EchoProgram.BINDING),
                                                options)) {
                                    client.call(EchoProgram.list(9000, 1), DEADLINE).close();
                                    client.call(EchoProgram.nullCall(), DEADLINE).close();
                                }
                                return null;
                            });
            try (var server = HandPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES)) {
                var hello = header(server.hear());
                var told =
                        new InitialExchange(
                                List.of(new ReceiveSize(RECEIVE_BYTES), new ReadChunks(readChunks)),
                                Subset.of());
                server.say(option(hello.xid(), Direction.REPLY, told));
                int handle = expose(server, header(server.hear()).xid());
                var done = server.hear();
                operation(Operation.PullDone.class, header(done));
                server.say(option(header(done).xid(), Direction.REPLY, new Operation.PullAck(1)));
                int next = header(server.hear()).xid();
                server.say(
                        ByHand.message(
                                new Header.Msg(next, 8, Direction.REPLY, ChunkLists.EMPTY),
                                success(next)));
                calling.get();
                if (done.completion().invalidated()) {
                    assertEquals(handle, done.completion().invalidatedHandle());
                }
                return done.completion().invalidated();
            }
        }
    }

    private byte[] success(int xid) {
        try (var out = new XdrWriter(pool)) {
            new ReplyHeader.Success(xid).encode(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Lets a reply be fetched; returns the handle of its memory. */
    private int expose(HandPeer server, int xid) {
        byte[] reply = success(xid);
        var memory = server.offer(reply.length, Access.REMOTE_READ);
        MemorySegment.copy(MemorySegment.ofArray(reply), 0, memory.segment(), 0, reply.length);
        var read = new ReadSegment(0, memory.part(0, reply.length));
        var lists = new ChunkLists(List.of(read), List.of(), Optional.empty());
        server.say(ByHand.message(new Header.NoMsg(xid, 8, Direction.REPLY, lists), new byte[0]));
        return memory.handle();
    }

    @Test
    @Tag("RPR-4.1.4-1")
    @Tag("RPR-4.1.4-2")
    void aClientInvalidatesAHandleForAServerThatTakesThatAndForNoOther() throws Exception {
        int always = ReadChunks.SENDS | ReadChunks.ACKNOWLEDGES;
        assertTrue(invalidates(always | ReadChunks.TAKES_INVALIDATION));
        assertEquals(false, invalidates(always));
    }
}
