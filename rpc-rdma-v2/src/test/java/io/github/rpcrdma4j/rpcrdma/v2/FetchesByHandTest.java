package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.Offer;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
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
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a requester sends one done notice for each fetched reply, once it has all of it. Method:
 * the test plays the server of a client of ours, over iWARP.
 */
class FetchesByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int RECEIVE_BYTES = 8192;
    private static final int SIZE = 300_000;
    private static final int PIECE = 100_000;
    private static final int REQUESTS = 100;

    private final List<Offer> exposed = new ArrayList<>();
    private ClientUnderTest test;

    @BeforeEach
    void begin() throws Exception {
        var fetched = FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.NEVER);
        var version2 =
                Version2.DEFAULT
                        .withSpeaks1(false)
                        .withoutTransmissions()
                        .withFetchedReplies(fetched);
        test =
                new ClientUnderTest(
                        RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES);
        test.introduce(new ReadChunks(ReadChunks.EXPOSES | ReadChunks.ACKNOWLEDGES));
        test.call(EchoProgram.nullCall());
    }

    @AfterEach
    void end() {
        test.close();
    }

    private Future<RpcReply> start() {
        return test.start(EchoProgram.list(SIZE, 1));
    }

    /** Returns the Read chunk of a reply, in several segments. */
    private List<ReadSegment> expose(int xid) {
        byte[] reply = test.success(xid, out -> out.opaque(EchoProgram.pattern(SIZE, 1)));
        var reads = new ArrayList<ReadSegment>();
        for (int at = 0; at < reply.length; at += PIECE) {
            int length = Math.min(PIECE, reply.length - at);
            var memory = test.server.offer(length, Access.REMOTE_READ);
            MemorySegment.copy(MemorySegment.ofArray(reply), at, memory.segment(), 0, length);
            exposed.add(memory);
            reads.add(new ReadSegment(0, memory.part(0, length)));
        }
        return reads;
    }

    private void reply(int xid, List<ReadSegment> reads, Optional<WriteChunk> chunk) {
        var lists = new ChunkLists(reads, List.of(), chunk);
        test.say(new Version2Header.NoMsg(xid, CREDITS, Direction.REPLY, lists), new byte[0]);
    }

    private void hearDone(int xid) throws Exception {
        var done = test.hear();
        assertEquals(xid, done.xid());
        assertEquals(List.of(), operation(Operation.DoneNotice.class, done).more());
        test.say(xid, new Operation.DoneAck(1));
    }

    private void isWhole(RpcReply reply) throws Exception {
        try (reply) {
            var data = reply.results().opaque(SIZE);
            assertEquals(-1, MemorySegment.ofArray(EchoProgram.pattern(SIZE, 1)).mismatch(data));
        }
    }

    /** The server may reuse its memory after the notice. */
    @Test
    @Tag("RPR-4.1.2-2")
    @Tag("RPR-4.1.3-7")
    void sendsOneDoneNoticeWhenAllReadsAreOver() throws Exception {
        for (int i = 0; i < 5; i++) {
            var calling = start();
            int xid = test.hear().xid();
            reply(xid, expose(xid), Optional.empty());
            var done = test.hear();
            exposed.forEach(memory -> memory.segment().fill((byte) 0xff));
            assertEquals(xid, done.xid());
            operation(Operation.DoneNotice.class, done);
            test.say(xid, new Operation.DoneAck(1));
            isWhole(calling.get());
            // The next message is the next call.
            assertInstanceOf(
                    Version2Header.Msg.class,
                    Version2ByHand.header(test.call(EchoProgram.nullCall()).getFirst()));
        }
    }

    @Test
    @Tag("RPR-4.1.2-2")
    void sendsNoDoneNoticeAfterAFailedRead() throws Exception {
        var calling = start();
        int xid = test.hear().xid();
        var reads = expose(xid);
        var last = reads.removeLast().target();
        reads.add(
                new ReadSegment(
                        0, new Segment(last.handle() + 77, (int) last.size(), last.offset())));
        reply(xid, reads, Optional.empty());
        assertTrue(test.server.receiveUnlessLost().isEmpty());
        var failure = assertThrows(ExecutionException.class, calling::get);
        assertInstanceOf(RpcException.ConnectionLost.class, failure.getCause());
    }

    /** A call is complete although its server has not yet answered the notice. */
    @Test
    @Tag("RPR-5.1.4-1")
    void aCallIsCompleteBeforeItsServerAcknowledges() throws Exception {
        var calling = start();
        int xid = test.hear().xid();
        reply(xid, expose(xid), Optional.empty());
        assertEquals(xid, test.hear().xid());
        isWhole(calling.get());
        test.say(xid, new Operation.DoneAck(1));
    }

    @Test
    @Tag("RPR-X-5")
    void releasesAReplyInTwoChunksWithoutFetchingIt() throws Exception {
        var calling = start();
        int xid = test.hear().xid();
        // A reply in no chunk causes no notice.
        reply(xid, List.of(), Optional.empty());
        var chunk = new WriteChunk(List.of(new Segment(1, 100, 0)));
        reply(xid, expose(xid), Optional.of(chunk));
        hearDone(xid);
        assertFalse(calling.isDone());
        reply(xid, expose(xid), Optional.empty());
        hearDone(xid);
        isWhole(calling.get());
    }

    private Thread calling() {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                test.client().call(EchoProgram.nullCall(), TIMEOUT).close();
                            } catch (Exception ended) {
                                // The test counts the calls that arrive.
                            }
                        });
    }

    /** Goal: a done notice takes a credit until the server has acknowledged it. */
    @Test
    @Tag("RPR-5.2.3-1")
    void aDoneNoticeTakesACreditUntilItIsAcknowledged() throws Exception {
        // One more credit is kept for the calls that test the connection.
        int grant = 3;
        var first = start();
        int xid = test.hear().xid();
        var lists = new ChunkLists(expose(xid), List.of(), Optional.empty());
        test.say(new Version2Header.NoMsg(xid, grant, Direction.REPLY, lists), new byte[0]);
        operation(Operation.DoneNotice.class, test.hear());
        isWhole(first.get());

        var answered = calling();
        var call = test.hear();
        var waiting = calling();
        // Each message is the answer to such a request, and no other call.
        var request =
                new Operation.ChangeRequest(List.of(new Characteristic.RemoteInvalidation(false)));
        for (int i = 0; i < REQUESTS; i++) {
            test.server.send(Version2ByHand.option(900 + i, Direction.CALL, request));
            operation(Operation.ChangeResponse.class, test.hear());
        }
        // The acknowledgment alone lets the second call start.
        test.say(xid, new Operation.DoneAck(1));
        var started = test.hear();
        test.succeed(call.xid(), grant, _ -> {});
        test.succeed(started.xid(), grant, _ -> {});
        answered.join();
        waiting.join();
    }

    /** Method: the server answers the RDMA Reads of the client after the call has timed out. */
    @Test
    @Tag("RPR-5.1.3-1")
    void aCallThatEndsWhileItsReplyIsFetchedCostsNothing() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var list = EchoProgram.list(SIZE, 1);
            var late =
                    threads.submit(
                            () ->
                                    assertThrows(
                                            RpcException.TimedOut.class,
                                            () -> test.client().call(list, SHORT)));
            int xid = test.hear().xid();
            reply(xid, expose(xid), Optional.empty());
            late.get();
            var next = test.start(EchoProgram.nullCall());
            int calls = 0;
            for (int i = 0; i < 2; i++) {
                var heard = test.hear();
                if (heard instanceof Version2Header.Msg call) {
                    calls++;
                    test.succeed(call.xid(), CREDITS, _ -> {});
                } else {
                    assertEquals(xid, heard.xid());
                    operation(Operation.DoneNotice.class, heard);
                    test.say(xid, new Operation.DoneAck(1));
                }
            }
            assertEquals(1, calls);
            next.get().close();
            test.call(EchoProgram.nullCall());
        }
    }
}
