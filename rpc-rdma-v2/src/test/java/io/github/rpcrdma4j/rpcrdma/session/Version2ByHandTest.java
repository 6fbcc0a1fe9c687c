package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Version2Heard.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Carriage;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: one end speaks version 2 to the octet. Method: the other is worked by hand, over iWARP. */
class Version2ByHandTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final byte[] SAYS_NOTHING = {};
    private static final int XID = 0x0a0b0c0d;

    private final RdmaProvider provider = new IwarpProvider();

    private static RpcRdmaOptions options(Transmissions transmissions) {
        return RpcRdmaOptions.DEFAULT.withProfile(
                new Version2Profile(
                        Version2.DEFAULT.withSpeaks1(false).withTransmissions(transmissions)));
    }

    private static <T extends Operation> T operation(Class<T> kind, Header header) {
        return assertInstanceOf(kind, assertInstanceOf(Header.Option.class, header).operation());
    }

    private static byte[] message(Header header, byte[] payload) {
        int length = header.encodedLength();
        byte[] message = new byte[length + payload.length];
        header.encode(MemorySegment.ofArray(message));
        System.arraycopy(payload, 0, message, length, payload.length);
        return message;
    }

    private static byte[] option(int xid, Direction direction, Operation operation) {
        return message(new Header.Option(xid, 8, direction, operation), new byte[0]);
    }

    private static InitialExchange introduction() {
        return new InitialExchange(
                List.of(
                        new Characteristic.ReceiveSize(12_288),
                        new Characteristic.Transmissions(7),
                        new Characteristic.ReceiveStructure(
                                new BufferStructure(
                                        12_288,
                                        List.of(
                                                new BufferStructure.Group(1, 4096, 0, 0),
                                                new BufferStructure.Group(1, 8192, 0, 1)))),
                        new Characteristic.RequestTransmissions(4),
                        new Characteristic.ResponseTransmissions(4)),
                Subset.of());
    }

    /** Says something to a server that knows its client, and gives what comes back. */
    private Header answerTo(byte[] message) throws Exception {
        return header(heardOn(introduction(), _ -> message));
    }

    /** The same of a client that tells something else, and offers memory. */
    private HandPeer.Heard heardOn(InitialExchange introduction, Function<HandPeer, byte[]> message)
            throws Exception {
        try (var server =
                        RpcRdmaServer.listen(
                                provider,
                                HandPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                options(Transmissions.DEFAULT));
                var client =
                        HandPeer.connect(provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            client.say(option(1, Direction.CALL, introduction));
            var told = header(client.hear());
            assertEquals(1, told.xid());
            operation(InitialExchange.class, told);
            client.say(message.apply(client));
            return client.hear();
        }
    }

    @Test
    @Tag("V2-4.2.2-6")
    @Tag("V2-4.2.2-5")
    @Tag("RTR-9.5-3")
    @Tag("V2-5.1-1")
    void complainsAboutAContinuationOfNothing() throws Exception {
        var answer =
                answerTo(
                        option(
                                XID,
                                Direction.CALL,
                                new Operation.Continuation(1, HeaderCodec.XMTREQ, 0)));
        assertEquals(XID, answer.xid());
        assertEquals(Direction.REPLY, ((Header.Option) answer).direction());
        var error = operation(TransmitError.class, answer);
        assertEquals(new Fault.NoGroup(), error.fault());
        assertEquals(new TransmissionId(XID, Direction.CALL, 1), error.bad());
    }

    @Test
    @Tag("RTR-X-3")
    void answersAComplaintAboutAResponseByAnError() throws Exception {
        var complaint =
                new TransmitError(
                        new TransmissionId(XID, Direction.REPLY, 0),
                        Optional.empty(),
                        new Fault.NoGroup());
        var answer = answerTo(option(XID, Direction.CALL, complaint));
        assertEquals(XID, assertInstanceOf(Header.BadHeader.class, answer).xid());
    }

    @Test
    @Tag("V2-4.2.3-2")
    void answersAMessageWithoutItsCallByAnError() throws Exception {
        var header = new Header.Msg(XID, 1, Direction.CALL, ChunkLists.EMPTY);
        var answer = answerTo(message(header, new byte[4]));
        assertEquals(XID, assertInstanceOf(Header.BadHeader.class, answer).xid());
    }

    private static byte[] call(int procedure, ChunkLists chunks, int... words) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            CallHeader.encode(out, XID, EchoProgram.PROGRAM, 1, procedure, RawAuth.NONE);
            for (int word : words) {
                out.uint32(word);
            }
            return message(
                    new Header.Msg(XID, 1, Direction.CALL, chunks),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    @Tag("V2-4.2.3-9")
    void answersArgumentsThatMakeNoSenseAsRpcDoes() throws Exception {
        var store = call(EchoProgram.STORE, ChunkLists.EMPTY, 1, 4000);
        var heard = heardOn(introduction(), _ -> store);
        assertInstanceOf(Header.Msg.class, header(heard));
        var words = ByteBuffer.wrap(heard.octets());
        // GARBAGE_ARGS is the last word (RFC 5531, Section 9).
        assertEquals(4, words.getInt(heard.octets().length - Integer.BYTES));
    }

    private HandPeer.Heard fetched(boolean takesInvalidation) throws Exception {
        var introduction =
                new InitialExchange(
                        List.of(new Characteristic.RemoteInvalidation(takesInvalidation)),
                        Subset.of());
        return heardOn(
                introduction,
                client -> {
                    var region = client.offer(6000, Access.REMOTE_WRITE);
                    var chunk =
                            new WriteChunk(
                                    List.of(new Segment(region.handle(), 6000, region.address())));
                    var lists = new ChunkLists(List.of(), List.of(chunk), Optional.empty());
                    return call(EchoProgram.FETCH, lists, 6000, 1);
                });
    }

    @Test
    @Tag("XCH-3.2-1")
    @Tag("XCH-3.2-2")
    @Tag("XCH-3.2-3")
    @Tag("V2-6-1")
    void invalidatesAHandleOfTheCallForWhoeverTakesThat() throws Exception {
        var taken = fetched(true);
        var reply = assertInstanceOf(Header.Msg.class, header(taken));
        var segment = reply.chunks().writeList().getFirst().segments().getFirst();
        assertTrue(taken.completion().invalidated());
        assertEquals(segment.handle(), taken.completion().invalidatedHandle());
        assertFalse(fetched(false).completion().invalidated());
    }

    private static byte[] stored(int number, MemorySegment data) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new ReplyHeader.Success(XID).encode(out);
            out.uint32(number).uint64(EchoProgram.sum(data));
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Goal: what was not taken in several Sends goes out once more, as the base has it. */
    @Test
    @Tag("RTR-5.4-4")
    @Tag("RTR-4.3-3")
    void sendsARequestAgainThatWasNotTaken() throws Exception {
        var data = Arena.ofShared().allocate(8000);
        EchoProgram.fill(data, 3);
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                var listener = provider.listen(HandPeer.LOOPBACK)) {
            Future<Integer> number =
                    thread.submit(
                            (Callable<Integer>)
                                    () -> {
                                        try (var client =
                                                        RpcRdmaClient.connect(
                                                                provider,
                                                                listener.address(),
                                                                new Credential.None(),
                                                                List.of(EchoProgram.BINDING),
                                                                options(
                                                                        Transmissions.DEFAULT
                                                                                .withCarriage(
                                                                                        Carriage
                                                                                                .PLACED)));
                                                var reply =
                                                        client.call(
                                                                EchoProgram.store(7, data)
                                                                        .withXid(XID),
                                                                DEADLINE)) {
                                            return reply.results().uint32();
                                        }
                                    });
            try (var server = HandPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES)) {
                var hello = header(server.hear());
                operation(InitialExchange.class, hello);
                server.say(option(hello.xid(), Direction.REPLY, introduction()));
                var request = header(server.hear());
                assertEquals(1, operation(TransmitRequest.class, request).moved().size());
                var complaint =
                        new TransmitError(
                                new TransmissionId(XID, Direction.CALL, 0),
                                Optional.empty(),
                                new Fault.OutOfRange(Fault.Measure.OFFSET, 0, 4, 8));
                server.say(option(XID, Direction.REPLY, complaint));
                var again = assertInstanceOf(Header.Msg.class, header(server.hear()));
                assertEquals(XID, again.xid());
                assertEquals(1, again.chunks().readList().size());
                server.say(
                        message(
                                new Header.Msg(XID, 8, Direction.REPLY, ChunkLists.EMPTY),
                                stored(7, data)));
                assertEquals(7, number.get());
            }
        }
    }
}
