package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Version2Heard.header;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Carriage;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Trailer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server of version 2 answers by the first of the ways that its client offered and that
 * will do. Method: every offer by hand, over iWARP, for one reply.
 */
class ResponsesByHandTest {
    private static final int RECEIVE_BYTES = 4096;
    private static final byte[] SAYS_NOTHING = {};
    private static final int CREDITS = 8;

    /** A reply that takes three Sends, with 28 octets before the data. */
    private static final int SIZE = 10_000;

    private static final int REPLY_BYTES = 28 + SIZE;
    private static final int OWN_MAX = 3;

    /** Octets of a request in its first Send. */
    private static final int FIRST = 3000;

    private static final long DATA = 6000;

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 16);
    private RpcRdmaServer server;
    private HandPeer client;
    private Offer target;
    private int xid;

    private void begin(boolean canFetch) throws Exception {
        server =
                RpcRdmaServer.listen(
                        provider,
                        HandPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT
                                .withCredits(CREDITS)
                                .withProfile(
                                        new Version2Profile(
                                                Version2.DEFAULT
                                                        .withTransmissions(
                                                                new Transmissions(
                                                                        4,
                                                                        OWN_MAX,
                                                                        0,
                                                                        0,
                                                                        Carriage.CHEAPEST))
                                                        .withFetchedReplies(
                                                                FetchedReplies.DEFAULT))));
        client = HandPeer.connect(provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES);
        var told =
                new InitialExchange(
                        List.of(
                                new Characteristic.ReceiveSize(RECEIVE_BYTES),
                                new Characteristic.Transmissions(
                                        Characteristic.Transmissions.TRAILER | 7),
                                new Characteristic.ReadChunks(canFetch ? ReadChunks.RECEIVES : 0)),
                        Subset.of());
        say(new Header.Option(1, CREDITS, Direction.CALL, told), new byte[0]);
        hear();
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    private void say(Header header, byte[] payload) {
        int length = header.encodedLength();
        byte[] message = new byte[length + payload.length];
        header.encode(MemorySegment.ofArray(message));
        System.arraycopy(payload, 0, message, length, payload.length);
        client.say(message);
    }

    private Header hear() throws Exception {
        return header(client.hear());
    }

    private byte[] list(int size) {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, EchoProgram.LIST, RawAuth.NONE);
            out.uint32(size).uint32(xid);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** A Reply chunk of that length; none for -1. */
    private Optional<List<Segment>> replyChunk(int length) {
        if (length < 0) {
            return Optional.empty();
        }
        var memory = client.offer(length, Access.REMOTE_WRITE);
        return Optional.of(List.of(new Segment(memory.handle(), length, memory.address())));
    }

    /** How the reply to a request comes that is an XMTREQ. */
    private String answer(int size, int sendsAllowed, int chunk) throws Exception {
        xid++;
        byte[] payload = list(size);
        var request =
                new TransmitRequest(
                        List.of(),
                        List.of(),
                        1,
                        sendsAllowed,
                        payload.length,
                        Optional.of(new Trailer(replyChunk(chunk), List.of())));
        say(new Header.Option(xid, CREDITS, Direction.CALL, request), payload);
        return heard();
    }

    /** The same of one that is none. */
    private String plainAnswer(int size, int chunk) throws Exception {
        xid++;
        var lists = new ChunkLists(List.of(), List.of(), replyChunk(chunk).map(WriteChunk::new));
        say(new Header.Msg(xid, CREDITS, Direction.CALL, lists), list(size));
        return heard();
    }

    /** A result that has a target, and as much beside it. */
    private Header repeated(int sendsAllowed, int chunk) throws Exception {
        xid++;
        byte[] data = EchoProgram.pattern((int) DATA, 5);
        target = client.offer(DATA, Access.REMOTE_WRITE);
        var segments = List.of(new Segment(target.handle(), (int) DATA, target.address()));
        var unused = List.of(new Segment(0, 0, 0));
        byte[] payload;
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, EchoProgram.REPEAT, RawAuth.NONE);
            out.opaque(data);
            payload = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
        var items =
                List.of(
                        new ResponseSet.Item(1, new Target.Explicit(segments)),
                        new ResponseSet.Item(1, new Target.Numbered()),
                        new ResponseSet.Item(1, new Target.Explicit(unused)));
        var request =
                new TransmitRequest(
                        List.of(),
                        List.of(new ResponseSet(0, 4, items)),
                        2,
                        sendsAllowed,
                        FIRST,
                        Optional.of(new Trailer(replyChunk(chunk), List.of())));
        say(
                new Header.Option(xid, CREDITS, Direction.CALL, request),
                Arrays.copyOf(payload, FIRST));
        byte[] more = Arrays.copyOfRange(payload, FIRST, payload.length);
        var continuation = new Operation.Continuation(1, HeaderCodec.XMTREQ, more.length);
        say(new Header.Option(xid, CREDITS, Direction.CALL, continuation), more);
        var answer = hear();
        assertArrayEquals(data, target.segment().toArray(ValueLayout.JAVA_BYTE));
        return answer;
    }

    /** What of a reply is not in the target. */
    private static long rest(ChunkLists chunks) {
        assertEquals(List.of(DATA, 0L), chunks.writeList().stream().map(WriteChunk::size).toList());
        long length = chunks.replyChunk().map(WriteChunk::size).orElse(0L);
        for (var read : chunks.readList()) {
            assertEquals(0, read.position());
            length += read.target().size();
        }
        return length;
    }

    @Test
    @Tag("RPR-4.1-1")
    @Tag("RPR-4.1-4")
    @Tag("RTR-4.3-6")
    void putsResultsWhereTheyAreWantedInALongReplyToo() throws Exception {
        begin(true);
        long rest = 24 + 4 + 4 + DATA;
        var inReplyChunk = assertInstanceOf(Header.NoMsg.class, repeated(0, (int) rest));
        assertEquals(rest, rest(inReplyChunk.chunks()));
        var fetched = assertInstanceOf(Header.NoMsg.class, repeated(0, -1));
        assertEquals(1, fetched.chunks().readList().size());
        assertEquals(rest, rest(fetched.chunks()));
        var group = assertInstanceOf(Header.Option.class, repeated(3, -1));
        assertInstanceOf(TransmitResponse.class, group.operation());
    }

    private String heard() throws Exception {
        var first = hear();
        assertEquals(xid, first.xid());
        return switch (first) {
            case Header.Msg _ -> "message";
            case Header.NoMsg(_, _, _, var chunks) when !chunks.readList().isEmpty() -> {
                // Its place is free again for the next.
                var done = new Operation.PullDone(List.of());
                say(new Header.Option(xid, CREDITS, Direction.CALL, done), new byte[0]);
                hear();
                yield "Read chunk";
            }
            case Header.NoMsg(_, _, _, var chunks) -> {
                assertEquals(REPLY_BYTES, chunks.replyChunk().orElseThrow().size());
                yield "Reply chunk";
            }
            case Header.BadHeader _ -> "error";
            case Header.Option(_, _, _, TransmitResponse response) -> {
                for (long i = 1; i < response.count(); i++) {
                    assertEquals(xid, hear().xid());
                }
                yield response.count() + " Sends";
            }
            case Header.Option _, Header.BadOption _, Header.VersionError _ ->
                    throw new AssertionError(first);
        };
    }

    private List<String> answers() throws Exception {
        var answers = new ArrayList<String>();
        for (int chunk : new int[] {REPLY_BYTES, REPLY_BYTES - 4, -1}) {
            answers.add(answer(SIZE, 3, chunk) + ", " + answer(SIZE, 2, chunk));
        }
        return answers;
    }

    @Test
    @Tag("RTR-4.3-6")
    @Tag("XCH-3.1-3")
    @Tag("RPR-3.1-1")
    @Tag("RPR-4.1.1-1")
    @Tag("RPR-5.3.2-1")
    @Tag("RPR-6-1")
    void usesTheFirstThatWillDo() throws Exception {
        begin(true);
        assertEquals(
                List.of("3 Sends, Reply chunk", "3 Sends, Read chunk", "3 Sends, Read chunk"),
                answers());
        assertEquals("message", answer(100, 3, REPLY_BYTES));
    }

    @Test
    @Tag("RPR-4.1.1-2")
    @Tag("RPR-6-2")
    @Tag("RPR-X-1")
    void endsInAnErrorWhereNothingWillDo() throws Exception {
        begin(false);
        assertEquals(
                List.of("3 Sends, Reply chunk", "3 Sends, error", "3 Sends, error"), answers());
    }

    @Test
    @Tag("RTR-5.2-3")
    @Tag("RTR-8.5-1")
    void makesOneSendUnlessItWasAskedForMoreAndNeverMoreThanItTold() throws Exception {
        begin(true);
        assertEquals("message", plainAnswer(100, -1));
        assertEquals("Reply chunk", plainAnswer(SIZE, REPLY_BYTES));
        assertEquals("Read chunk", plainAnswer(SIZE, -1));
        assertEquals("3 Sends", answer(SIZE, 8, -1));
        assertEquals("Read chunk", answer(SIZE + RECEIVE_BYTES, 8, -1));
    }
}
