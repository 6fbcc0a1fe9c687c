package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.option;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server exposes replies, and survives any use of them by its client. Method: the test
 * plays the client, over iWARP.
 */
class ReadChunksByHandTest {
    private static final int RECEIVE_BYTES = 8192;
    private static final int CREDITS = 3;
    private static final int SIZE = 20_001;

    /** The position of the data of a STORE. */
    private static final int STORED_AT = 48;

    private ServerUnderTest test;

    @BeforeEach
    void begin() throws Exception {
        begin(FetchedReplies.DEFAULT);
    }

    private static Version2Profile profile(FetchedReplies fetched) {
        return new Version2Profile(
                Version2.DEFAULT.withoutTransmissions().withFetchedReplies(fetched));
    }

    private void begin(FetchedReplies fetched) throws Exception {
        begin(fetched, RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build());
    }

    private void begin(FetchedReplies fetched, RpcRdmaOptions options) throws Exception {
        test = new ServerUnderTest(options.withProfile(profile(fetched)), RECEIVE_BYTES);
        var answer =
                test.introduce(
                        new Characteristic.ReadChunks(ReadChunks.FETCHES | ReadChunks.INVALIDATES));
        assertTrue(
                answer.start()
                        .contains(new Characteristic.ReadChunkHold(fetched.hold().toMillis())));
    }

    /** Begins with another server, which keeps replies only briefly. */
    private void restart(LateFetch lateness) throws Exception {
        end();
        begin(FetchedReplies.DEFAULT.withHold(Duration.ofMillis(300), lateness));
    }

    @AfterEach
    void end() {
        test.close();
    }

    private void done(int xid, Integer... more) {
        test.say(xid, new Operation.DoneNotice(List.of(more)));
    }

    private byte[] list(int xid) {
        return test.rpc(xid, EchoProgram.list(SIZE, xid));
    }

    private void call(int xid) {
        call(xid, ChunkLists.EMPTY);
    }

    private void call(int xid, ChunkLists chunks) {
        test.say(new Version2Header.Msg(xid, CREDITS, Direction.CALL, chunks), list(xid));
    }

    /** Returns the chunks of an exposed reply. */
    private ChunkLists hearExposed(int xid) throws Exception {
        var reply = assertInstanceOf(Version2Header.NoMsg.class, test.hear());
        assertEquals(xid, reply.xid());
        assertEquals(Direction.REPLY, reply.direction());
        assertEquals(1, reply.chunks().readList().size());
        assertEquals(0, reply.chunks().readList().getFirst().position());
        assertEquals(0, reply.chunks().readList().getFirst().target().length() % 4);
        return reply.chunks();
    }

    private Segment expose(int xid) throws Exception {
        call(xid);
        return hearExposed(xid).readList().getFirst().target();
    }

    private void acknowledged(int xid, int count) throws Exception {
        var answer = test.hear();
        assertEquals(xid, answer.xid());
        assertEquals(new Operation.DoneAck(count), operation(Operation.DoneAck.class, answer));
    }

    private boolean isLost() throws Exception {
        return test.client.receiveUnlessLost().isEmpty();
    }

    @Test
    @Tag("RPR-4.1-2")
    @Tag("RPR-4.1-6")
    @Tag("RPR-4.1.1-3")
    @Tag("RPR-5.2.1-1")
    @Tag("RPR-5.2.3-2")
    @Tag("RPR-5.1.4-1")
    void replyCanBeReadUntilItsDoneNotice() throws Exception {
        var first = expose(7);
        var second = expose(8);
        assertNotEquals(first.handle(), second.handle());
        assertEquals(2, test.server.openWindows());
        var read = test.client.read(first);
        done(8, 7);
        acknowledged(8, 2);
        assertArrayEquals(
                EchoProgram.pattern(SIZE, 7),
                read.asSlice(28, SIZE).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(0, test.server.openWindows());
    }

    @Test
    @Tag("RPR-4.1-5")
    void replyChunkThatIsTooShortComesBackUnused() throws Exception {
        var memory = test.client.offer(1000, Access.REMOTE_WRITE);
        var offered = new WriteChunk(List.of(new Segment(memory.handle(), 1000, memory.address())));
        call(7, new ChunkLists(List.of(), List.of(), Optional.of(offered)));
        assertEquals(Optional.of(offered.unused()), hearExposed(7).replyChunk());
        done(7);
        acknowledged(7, 1);
    }

    @Test
    @Tag("RPR-4.1.3-3")
    void doneNoticesOfOtherXidsAreIgnored() throws Exception {
        done(99);
        acknowledged(99, 1);
        expose(7);
        done(7);
        acknowledged(7, 1);
        done(7);
        acknowledged(7, 1);
        expose(8);
        done(8);
        acknowledged(8, 1);
    }

    @Test
    @Tag("RPR-4.1.3-3")
    @Tag("RPR-5.4.3-1")
    void doneNoticeReleasesTheReplyOfItsXidAlone() throws Exception {
        var first = expose(7);
        var second = expose(8);
        done(99);
        acknowledged(99, 1);
        assertEquals(2, test.server.openWindows());
        done(8);
        acknowledged(8, 1);
        assertEquals(1, test.server.openWindows());
        var read = test.client.read(first);
        done(7);
        acknowledged(7, 1);
        assertArrayEquals(
                EchoProgram.pattern(SIZE, 7),
                read.asSlice(28, SIZE).toArray(ValueLayout.JAVA_BYTE));
        test.client.read(second);
        assertTrue(isLost());
    }

    @Test
    @Tag("RPR-4.1.4-3")
    @Tag("RPR-4.1.4-6")
    void nextCallCarriesTheDoneNoticeAndInvalidates() throws Exception {
        var exposed = expose(7);
        var withNotice =
                new Version2Header.Option(
                        8,
                        CREDITS,
                        Direction.CALL,
                        new Operation.CallWithDoneNotices(List.of(7), ChunkLists.EMPTY));
        test.client.send(
                ManualConnection.message(withNotice, list(8)), OptionalInt.of(exposed.handle()));
        hearExposed(8);
        assertEquals(1, test.server.openWindows());
        assertEquals(1, test.server.statistics().value(Counter.REMOTE_INVALIDATIONS));
        done(8);
        acknowledged(8, 1);
    }

    @Test
    @Tag("RPR-4.1.4-5")
    void handleOfAnotherReplyCostsTheConnection() throws Exception {
        var other = expose(7);
        expose(8);
        test.client.send(
                option(8, Direction.CALL, new Operation.DoneNotice(List.of())),
                OptionalInt.of(other.handle()));
        assertTrue(isLost());
    }

    @Test
    @Tag("RPR-X-2")
    void callThatComesAgainGetsTheSameReply() throws Exception {
        var first = expose(7);
        assertEquals(first, expose(7));
        assertEquals(1, test.server.statistics().value(Counter.CALLS));
        done(7);
        acknowledged(7, 1);
        assertNotEquals(first.handle(), expose(7).handle());
    }

    @Test
    @Tag("RPR-7-1")
    void replyCannotBeWritten() throws Exception {
        test.client.write(new byte[16], expose(7));
        assertTrue(isLost());
    }

    @Test
    @Tag("RPR-4.1.3-5")
    @Tag("RPR-4.1.3-6")
    @Tag("RPR-5.4.3-1")
    @Tag("RPR-X-6")
    void unfetchedRepliesExpire() throws Exception {
        restart(LateFetch.INVALIDATES);
        var exposed = expose(1);
        expose(2);
        expose(3);
        // No more replies may be exposed, so this one waits until the others expire.
        call(4);
        hearExposed(4);
        ServerUnderTest.await(() -> test.server.openWindows() == 0);
        assertEquals(4, test.server.statistics().value(FetchedCounter.UNFETCHED_REPLIES));
        // The connection survives until the client reads memory that is no longer exposed.
        expose(5);
        test.client.read(exposed);
        assertTrue(isLost());
    }

    /** Goal: the bytes of waiting replies are limited, too; the last one may exceed the limit. */
    @Test
    @Tag("RPR-X-6")
    void replyBeyondTheBytesThatMayWaitComesWhenTheOthersHaveExpired() throws Exception {
        end();
        begin(
                FetchedReplies.DEFAULT
                        .withExposedBytesMax(SIZE)
                        .withHold(Duration.ofMillis(300), LateFetch.INVALIDATES));
        expose(1);
        expose(2);
        assertTrue(test.server.openWindows() < 2, "both wait at a time");
    }

    @Test
    @Tag("RPR-4.1.3-5")
    @Tag("RPR-X-4")
    void unfetchedRepliesCanCloseTheConnection() throws Exception {
        restart(LateFetch.CLOSES);
        expose(1);
        assertTrue(isLost());
        ServerUnderTest.await(() -> test.server.statistics().value(Counter.PEERS_STALLED) == 1);
    }

    /** Goal: exposed replies reduce what other calls of their client may hold. */
    @Test
    @Tag("RPR-X-6")
    void waitingRepliesCountAgainstTheQuotaOfTheirClient() throws Exception {
        end();
        var options = RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build();
        var usual = PeerLimits.DEFAULT;
        var sizes = options.withProfile(profile(FetchedReplies.DEFAULT)).sizes();
        long bytesMax = sizes.largestCall() + sizes.receiveMemory();
        begin(
                FetchedReplies.DEFAULT,
                options.withProfile(profile(FetchedReplies.DEFAULT)).toBuilder()
                        .peerLimits(
                                new PeerLimits(
                                        usual.connectionsMax(),
                                        usual.callsMax(),
                                        bytesMax,
                                        usual.sendTimeout(),
                                        usual.readTimeout()))
                        .build());
        expose(7);
        largestCall(8, (int) options.fetchedBytesPerCall());
        ServerUnderTest.await(() -> test.server.statistics().value(Counter.CALLS_DELAYED) > 0);
        done(7);
        acknowledged(7, 1);
        assertEquals(8, assertInstanceOf(Version2Header.Msg.class, test.hear()).xid());
    }

    /** Makes a call that holds the most bytes of arguments and of room for results. */
    private void largestCall(int xid, int size) {
        var data = test.client.offer(size, Access.REMOTE_READ);
        var read = new ReadSegment(STORED_AT, new Segment(data.handle(), size, data.address()));
        var room = new WriteChunk(List.of(new Segment(0, size, 0)));
        var lists = new ChunkLists(List.of(read), List.of(), Optional.of(room));
        test.say(
                new Version2Header.Msg(xid, CREDITS, Direction.CALL, lists),
                test.rpc(xid, EchoProgram.STORE, out -> out.uint32(1).uint32(size)));
    }

    /** The notice invalidates the first segment; the server has to invalidate the others itself. */
    @Test
    @Tag("RPR-4.1-1")
    @Tag("RPR-4.1.4-4")
    void allSegmentsOfAReplyAreClosedWhenItWasFetched() throws Exception {
        end();
        begin(
                FetchedReplies.DEFAULT,
                RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).segmentMax(8192).build());
        call(7);
        var reads = assertInstanceOf(Version2Header.NoMsg.class, test.hear()).chunks().readList();
        assertEquals(3, reads.size());
        assertEquals(28 + SIZE + 3, reads.stream().mapToLong(read -> read.target().size()).sum());
        test.client.send(
                option(7, Direction.CALL, new Operation.DoneNotice(List.of())),
                OptionalInt.of(reads.getFirst().target().handle()));
        acknowledged(7, 1);
        assertEquals(0, test.server.openWindows());
        test.client.read(reads.getLast().target());
        assertTrue(isLost());
    }
}
