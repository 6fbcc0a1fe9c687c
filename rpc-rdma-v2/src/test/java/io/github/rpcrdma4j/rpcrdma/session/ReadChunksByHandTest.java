package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Version2Heard.header;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.fetched.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.fetched.Lateness;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server lets replies be fetched, and bears whatever its client makes of that. Method: the
 * client is worked by hand, over iWARP.
 */
class ReadChunksByHandTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int RECEIVE_BYTES = 8192;
    private static final byte[] SAYS_NOTHING = {};
    private static final int CREDITS = 3;
    private static final int SIZE = 20_001;

    /** Where the data of a STORE belongs. */
    private static final int STORED_AT = 48;

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 20);
    private RpcRdmaServer server;
    private HandPeer client;

    @BeforeEach
    void begin() throws Exception {
        begin(FetchedReplies.DEFAULT);
    }

    private void begin(FetchedReplies fetched) throws Exception {
        begin(fetched, RpcRdmaOptions.DEFAULT.withCredits(CREDITS));
    }

    private void begin(FetchedReplies fetched, RpcRdmaOptions options) throws Exception {
        server =
                RpcRdmaServer.listen(
                        provider,
                        HandPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        options.withProfile(
                                new Version2Profile(
                                        Version2.DEFAULT
                                                .withoutTransmissions()
                                                .withFetchedReplies(fetched))));
        client = HandPeer.connect(provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES);
        var told =
                new InitialExchange(
                        List.of(
                                new Characteristic.ReadChunks(
                                        ReadChunks.RECEIVES | ReadChunks.INVALIDATES)),
                        Subset.of());
        client.say(option(1, told));
        var answer = assertInstanceOf(InitialExchange.class, operation(hear()));
        assertTrue(
                answer.start()
                        .contains(new Characteristic.ReadChunkHold(fetched.hold().toMillis())));
    }

    /** Another server, which keeps replies for a moment. */
    private void beginAnew(Lateness lateness) throws Exception {
        end();
        begin(FetchedReplies.DEFAULT.withHold(Duration.ofMillis(300), lateness));
    }

    @AfterEach
    void end() {
        client.close();
        await(() -> server.openConnections() == 0 && server.clients() == 0);
        await(() -> server.leasedMemory() == 0);
        assertEquals(0, server.registeredRegions());
        server.close();
    }

    private static void await(BooleanSupplier wanted) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (!wanted.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it never happened");
            LockSupport.parkNanos(TURN_NANOS);
        }
    }

    private static byte[] message(Header header, byte[] payload) {
        int length = header.encodedLength();
        byte[] message = new byte[length + payload.length];
        header.encode(MemorySegment.ofArray(message));
        System.arraycopy(payload, 0, message, length, payload.length);
        return message;
    }

    private static byte[] option(int xid, Operation operation) {
        return message(new Header.Option(xid, CREDITS, Direction.CALL, operation), new byte[0]);
    }

    private static byte[] done(int xid, Integer... more) {
        return option(xid, new Operation.PullDone(List.of(more)));
    }

    private byte[] list(int xid) {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, EchoProgram.LIST, RawAuth.NONE);
            out.uint32(SIZE).uint32(xid);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private byte[] call(int xid, ChunkLists chunks) {
        return message(new Header.Msg(xid, CREDITS, Direction.CALL, chunks), list(xid));
    }

    private byte[] call(int xid) {
        return call(xid, ChunkLists.EMPTY);
    }

    private Header hear() throws Exception {
        return header(client.hear());
    }

    private static Operation operation(Header header) {
        return assertInstanceOf(Header.Option.class, header).operation();
    }

    /** The chunks of a reply that is to be fetched. */
    private ChunkLists hearExposed(int xid) throws Exception {
        var reply = assertInstanceOf(Header.NoMsg.class, hear());
        assertEquals(xid, reply.xid());
        assertEquals(Direction.REPLY, reply.direction());
        assertEquals(1, reply.chunks().readList().size());
        assertEquals(0, reply.chunks().readList().getFirst().position());
        assertEquals(0, reply.chunks().readList().getFirst().target().length() % 4);
        return reply.chunks();
    }

    private Segment expose(int xid) throws Exception {
        client.say(call(xid));
        return hearExposed(xid).readList().getFirst().target();
    }

    private void acknowledged(int xid, int count) throws Exception {
        var answer = hear();
        assertEquals(xid, answer.xid());
        assertEquals(new Operation.PullAck(count), operation(answer));
    }

    private boolean isLost() throws Exception {
        return client.hearUnlessLost().isEmpty();
    }

    @Test
    @Tag("RPR-4.1-2")
    @Tag("RPR-4.1-6")
    @Tag("RPR-4.1.1-3")
    @Tag("RPR-5.2.1-1")
    @Tag("RPR-5.2.3-2")
    void replyCanBeReadUntilItIsToldThatItWas() throws Exception {
        var first = expose(7);
        var second = expose(8);
        assertNotEquals(first.handle(), second.handle());
        assertEquals(2, server.registeredRegions());
        var read = client.read(first);
        client.say(done(8, 7));
        acknowledged(8, 2);
        assertArrayEquals(
                EchoProgram.pattern(SIZE, 7),
                read.asSlice(28, SIZE).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(0, server.registeredRegions());
    }

    @Test
    @Tag("RPR-4.1-5")
    void replyChunkThatIsTooShortComesBackUnused() throws Exception {
        var memory = client.offer(1000, Access.REMOTE_WRITE);
        var offered = new WriteChunk(List.of(new Segment(memory.handle(), 1000, memory.address())));
        client.say(call(7, new ChunkLists(List.of(), List.of(), Optional.of(offered))));
        assertEquals(Optional.of(offered.unused()), hearExposed(7).replyChunk());
        client.say(done(7));
        acknowledged(7, 1);
    }

    @Test
    @Tag("RPR-4.1.3-3")
    void whatDoesNotWaitMeansNothing() throws Exception {
        client.say(done(99));
        acknowledged(99, 1);
        expose(7);
        client.say(done(7));
        acknowledged(7, 1);
        client.say(done(7));
        acknowledged(7, 1);
        expose(8);
        client.say(done(8));
        acknowledged(8, 1);
    }

    @Test
    @Tag("RPR-4.1.4-3")
    @Tag("RPR-4.1.4-6")
    void nextCallTellsAndInvalidates() throws Exception {
        var exposed = expose(7);
        var riding =
                new Header.Option(
                        8,
                        CREDITS,
                        Direction.CALL,
                        new Operation.PiggybackCall(List.of(7), ChunkLists.EMPTY));
        client.say(message(riding, list(8)), OptionalInt.of(exposed.handle()));
        hearExposed(8);
        assertEquals(1, server.registeredRegions());
        assertEquals(1, server.statistics().value(Counter.REMOTE_INVALIDATIONS));
        client.say(done(8));
        acknowledged(8, 1);
    }

    @Test
    @Tag("RPR-4.1.4-5")
    void handleOfAnotherReplyCostsTheConnection() throws Exception {
        var other = expose(7);
        expose(8);
        client.say(done(8), OptionalInt.of(other.handle()));
        assertTrue(isLost());
    }

    @Test
    @Tag("RPR-X-2")
    void callThatComesAgainGetsTheSameReply() throws Exception {
        var first = expose(7);
        assertEquals(first, expose(7));
        assertEquals(1, server.statistics().value(Counter.CALLS));
        client.say(done(7));
        acknowledged(7, 1);
        assertNotEquals(first.handle(), expose(7).handle());
    }

    @Test
    @Tag("RPR-7-1")
    void replyCannotBeWritten() throws Exception {
        client.write(new byte[16], expose(7));
        assertTrue(isLost());
    }

    @Test
    @Tag("RPR-4.1.3-5")
    @Tag("RPR-4.1.3-6")
    @Tag("RPR-5.4.3-1")
    @Tag("RPR-X-6")
    void whoNeverTellsCostsAWhileAndNoMore() throws Exception {
        beginAnew(Lateness.INVALIDATES);
        var exposed = expose(1);
        expose(2);
        expose(3);
        // No more may be exposed, so this one waits for the time of the others.
        client.say(call(4));
        hearExposed(4);
        await(() -> server.registeredRegions() == 0);
        assertEquals(4, server.statistics().value(FetchedCounter.UNFETCHED_REPLIES));
        // The connection lives, until it is read what is not there any more.
        expose(5);
        client.read(exposed);
        assertTrue(isLost());
    }

    @Test
    @Tag("RPR-4.1.3-5")
    @Tag("RPR-X-4")
    void whoNeverTellsCanCostItsConnection() throws Exception {
        beginAnew(Lateness.CLOSES);
        expose(1);
        assertTrue(isLost());
        await(() -> server.statistics().value(Counter.PEERS_STALLED) == 1);
    }

    /** Goal: whoever lets replies wait can make fewer calls that hold something. */
    @Test
    @Tag("RPR-X-6")
    void whatWaitsIsHeldAgainstItsClient() throws Exception {
        end();
        var options = RpcRdmaOptions.DEFAULT.withCredits(CREDITS);
        var usual = PeerLimits.DEFAULT;
        long bytesMax = options.sizes().largestCall() + options.sizes().receiveBytes();
        begin(
                FetchedReplies.DEFAULT,
                options.withPeerLimits(
                        new PeerLimits(
                                usual.connectionsMax(),
                                usual.callsMax(),
                                bytesMax,
                                usual.takeTimeout(),
                                usual.giveTimeout())));
        expose(7);
        client.say(largestCall(8, (int) options.callBytesMax()));
        await(() -> server.statistics().value(Counter.CALLS_DELAYED) > 0);
        client.say(done(7));
        acknowledged(7, 1);
        assertEquals(8, assertInstanceOf(Header.Msg.class, hear()).xid());
    }

    /** A call that holds as many octets of arguments and of room for results as one may. */
    private byte[] largestCall(int xid, int size) {
        var data = client.offer(size, Access.REMOTE_READ);
        var read = new ReadSegment(STORED_AT, new Segment(data.handle(), size, data.address()));
        var room = new WriteChunk(List.of(new Segment(0, size, 0)));
        var lists = new ChunkLists(List.of(read), List.of(), Optional.of(room));
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, EchoProgram.STORE, RawAuth.NONE);
            out.uint32(1).uint32(size);
            return message(
                    new Header.Msg(xid, CREDITS, Direction.CALL, lists),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
