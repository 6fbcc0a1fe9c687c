package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a repeated call gets its reply again, and is not carried out again. */
@Timeout(30)
class DuplicateRequestsTest {
    private static final int COUNT = 1;
    private static final int WAIT = 2;
    private static final int BULK = 3;
    private static final int BREAK = 4;
    private static final int LONG = 5;
    private static final int STOP = 6;
    private static final int READ = 7;

    /** Repeatable if its argument is 1. */
    private static final int MIXED = 8;

    /**
     * A program whose procedures count their calls. Most return the count. It says nothing about
     * them, so only procedure 0 is repeatable.
     */
    private static final class CountingProgram implements RpcProgram {
        private final AtomicInteger count = new AtomicInteger();
        private final CountDownLatch running = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private String carriedOutFor = "";

        @Override
        public String carriedOutFor(RpcRequest request) {
            return carriedOutFor;
        }

        @Override
        public ProgramId id() {
            return new ProgramId(0x2000_0098, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return procedure == READ
                    ? ProcedureDescriptor.ORDINARY.withRepeatable(true)
                    : RpcProgram.super.procedure(version, procedure);
        }

        @Override
        public boolean isRepeatable(RpcRequest request) {
            try {
                return request.procedure() == MIXED && request.arguments().peek().uint32() == 1;
            } catch (XdrException malformed) {
                throw new AssertionError(malformed);
            }
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            var in = request.arguments();
            switch (request.procedure()) {
                case MIXED -> {
                    in.uint32();
                    in.finish();
                    results.uint32(count.incrementAndGet());
                }
                case 0, COUNT, READ -> results.uint32(count.incrementAndGet());
                case WAIT -> {
                    running.countDown();
                    letGo.await();
                    results.uint32(count.incrementAndGet());
                }
                case BULK -> {
                    in.bulk(100);
                    in.finish();
                    results.uint32(count.incrementAndGet());
                    results.bulk(MemorySegment.ofArray(new byte[] {1, 2, 3})).uint32(9);
                }
                case LONG -> {
                    count.incrementAndGet();
                    int bulk = in.uint32();
                    results.opaque(new byte[(int) CachedReply.BYTES_MAX - 8 - bulk]);
                    results.bulk(MemorySegment.ofArray(new byte[bulk]));
                }
                case STOP -> {
                    if (count.incrementAndGet() == 1) {
                        throw new InterruptedException();
                    }
                }
                default -> {
                    count.incrementAndGet();
                    throw new IllegalStateException("the program fails on purpose");
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    /** Arguments with one item outside the stream. */
    private static final class Placed implements Placements {
        private final MemorySegment data;
        private long position;

        Placed(MemorySegment data) {
            this.data = data;
        }

        @Override
        public MemorySegment take(long at, long count) {
            return data;
        }

        @Override
        public List<BulkItem> remaining() {
            return List.of(new BulkItem(position, data));
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() {}
    }

    /**
     * Arguments without items outside the stream, and with padding before an item of five bytes.
     */
    private record Padded(long bytes) implements Placements {
        @Override
        public boolean isPadded() {
            return true;
        }

        @Override
        public long padding(long at, long count) {
            return count == 5 ? bytes : 0;
        }

        @Override
        public MemorySegment take(long at, long count) {
            return null;
        }

        @Override
        public void skipAbsent() {}

        @Override
        public void finish() {}
    }

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final CountingProgram program = new CountingProgram();
    private final AtomicLong clock = new AtomicLong();
    private final RpcDispatcher dispatcher =
            new RpcDispatcher(List.of(program), List.of(), clock::get);
    private final LogRecords log = new LogRecords(RpcDispatcher.class);

    @AfterEach
    void everythingIsGivenBack() {
        log.close();
        assertEquals(0, pool.leased());
    }

    private static InetSocketAddress connection(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }

    private static Credential user(int stamp) {
        return new Credential.Sys(stamp, "box", 1, 2, List.of(3));
    }

    private XdrReader call(
            int xid, int procedure, Credential caller, Placements placed, Consumer<XdrWriter> in) {
        try (var message = new XdrWriter(pool)) {
            CallHeader.encode(
                    message, xid, program.id().number(), 1, procedure, RawAuth.of(caller));
            in.accept(message);
            return new XdrReader(flat(message), placed);
        }
    }

    private static MemorySegment flat(XdrWriter message) {
        var pieces = PayloadStream.of(message);
        var whole = MemorySegment.ofArray(new byte[(int) pieces.length()]);
        pieces.copyTo(whole);
        return whole;
    }

    /** Returns the bytes of the reply, or null if there is none. */
    private byte[] dispatch(XdrReader call, int port) throws InterruptedException {
        try (var reply = new XdrWriter(pool)) {
            return dispatcher.dispatch(call, connection(port), pool, reply)
                    ? flat(reply).toArray(ValueLayout.JAVA_BYTE)
                    : null;
        }
    }

    private byte[] dispatch(int xid, int procedure, int port) throws InterruptedException {
        return dispatch(call(xid, procedure, user(0), Placements.NONE, _ -> {}), port);
    }

    @Test
    void answersADuplicateWithTheReplyOfTheFirst() throws Exception {
        byte[] first = dispatch(1, COUNT, 1001);
        assertArrayEquals(first, dispatch(1, COUNT, 1002));
        assertArrayEquals(first, dispatch(1, COUNT, 1001));
        assertEquals(1, program.count.get());
        dispatch(2, COUNT, 1001);
        assertEquals(2, program.count.get());
    }

    /** Goal: unless a program says otherwise, no procedure but NULL is repeatable. */
    @Test
    void carriesOutWhatIsRepeatableEachTime() throws Exception {
        dispatch(1, 0, 1001);
        dispatch(1, 0, 1001);
        assertEquals(2, program.count.get());
        dispatch(1, READ, 1001);
        dispatch(1, READ, 1001);
        assertEquals(4, program.count.get());
    }

    /** Goal: the arguments of a call may tell that it is repeatable. */
    @Test
    void carriesOutWhatTheProgramFindsRepeatableEachTime() throws Exception {
        for (int i = 0; i < 2; i++) {
            dispatch(call(1, MIXED, user(0), Placements.NONE, out -> out.uint32(1)), 1001);
        }
        assertEquals(2, program.count.get());
        for (int i = 0; i < 2; i++) {
            dispatch(call(2, MIXED, user(0), Placements.NONE, out -> out.uint32(2)), 1001);
        }
        assertEquals(3, program.count.get());
    }

    @Test
    void doesNotTakeTheTimeInAStampForAnotherCaller() throws Exception {
        dispatch(call(1, COUNT, user(0), Placements.NONE, _ -> {}), 1001);
        dispatch(call(1, COUNT, user(5), Placements.NONE, _ -> {}), 1001);
        assertEquals(1, program.count.get());
    }

    /** Goal: who only claims to be the caller neither gets the reply, nor leaves one. */
    @Test
    void keepsRepliesForThoseForWhomTheProgramCarriesOutTheCall() throws Exception {
        dispatch(1, COUNT, 1001);
        program.carriedOutFor = "another one";
        dispatch(1, COUNT, 1001);
        dispatch(1, COUNT, 1001);
        assertEquals(2, program.count.get());
        program.carriedOutFor = "";
        dispatch(1, COUNT, 1001);
        assertEquals(2, program.count.get());
    }

    @Test
    void carriesOutACallWithOtherArgumentsThatReusesAnXid() throws Exception {
        dispatch(call(1, COUNT, user(0), Placements.NONE, out -> out.uint32(1)), 1001);
        dispatch(call(1, COUNT, user(0), Placements.NONE, out -> out.uint32(2)), 1001);
        dispatch(call(1, COUNT, user(0), Placements.NONE, out -> out.uint32(1)), 1001);
        assertEquals(2, program.count.get());
    }

    @Test
    void forgetsWithTime() throws Exception {
        dispatch(1, COUNT, 1001);
        clock.addAndGet(DuplicateRequestCache.AGE_NANOS);
        dispatch(1, COUNT, 1001);
        assertEquals(2, program.count.get());
    }

    /**
     * Goal: it makes no difference how the arguments travelled, and results are kept completely.
     */
    @Test
    void recognizesACallWhoseArgumentsTravelOtherwise() throws Exception {
        var data = MemorySegment.ofArray(new byte[] {5, 6, 7, 8, 9});
        byte[] first =
                dispatch(call(1, BULK, user(0), Placements.NONE, out -> out.bulk(data)), 1001);
        var placed = new Placed(data);
        var reduced = call(1, BULK, user(0), placed, out -> out.uint32(5));
        placed.position = call(1, 0, user(0), placed, out -> out.uint32(5)).remaining();
        assertArrayEquals(first, dispatch(reduced, 1002));
        assertEquals(1, program.count.get());
    }

    /**
     * Method: send the call with padding as in RDMA_MSGP, then with other padding, then without.
     */
    @Test
    void recognizesACallWhoseArgumentsArePaddedOtherwise() throws Exception {
        var data = MemorySegment.ofArray(new byte[] {5, 0, 7, 8, 9});
        byte[] first = dispatch(padded(data, 8), 1001);
        assertArrayEquals(first, dispatch(padded(data, 60), 1002));
        var plain = call(1, BULK, user(0), Placements.NONE, out -> out.bulk(data));
        assertArrayEquals(first, dispatch(plain, 1002));
        assertEquals(1, program.count.get());
        var others = MemorySegment.ofArray(new byte[] {5, 0, 7, 8, 10});
        dispatch(padded(others, 8), 1002);
        assertEquals(2, program.count.get());
    }

    private XdrReader padded(MemorySegment data, int padding) {
        return call(
                1,
                BULK,
                user(0),
                new Padded(padding),
                out -> out.uint32((int) data.byteSize()).fixedOpaque(padding(padding, data)));
    }

    private static MemorySegment padding(int padding, MemorySegment data) {
        var both = MemorySegment.ofArray(new byte[padding + (int) data.byteSize()]);
        both.asSlice(padding).copyFrom(data);
        return both;
    }

    @Test
    void repeatsBulkResultsAsBulk() throws Exception {
        var data = MemorySegment.ofArray(new byte[5]);
        for (int i = 0; i < 2; i++) {
            try (var reply = new XdrWriter(pool)) {
                var call = call(1, BULK, user(0), Placements.NONE, out -> out.bulk(data));
                assertTrue(dispatcher.dispatch(call, connection(i), pool, reply));
                assertEquals(1, reply.bulkItems().size());
                assertEquals(3, reply.bulkItems().getFirst().data().byteSize());
            }
        }
    }

    @Test
    void keepsTheFailureOfAProgram() throws Exception {
        byte[] first = dispatch(1, BREAK, 1001);
        assertArrayEquals(first, dispatch(1, BREAK, 1002));
        assertEquals(1, program.count.get());
    }

    /** Goal: results are kept up to their limit, and bulk items count in it. */
    @Test
    void carriesOutACallWithTooLongResultsAgain() throws Exception {
        for (int bulk : new int[] {0, 8, 60_000}) {
            int before = program.count.get();
            longResults(bulk, bulk);
            longResults(bulk, bulk);
            assertEquals(before + 1, program.count.get());
            longResults(bulk + 1, bulk + 1);
            longResults(bulk + 1, bulk + 1);
            assertEquals(before + 3, program.count.get());
        }
    }

    private void longResults(int xid, int bulk) throws InterruptedException {
        dispatch(call(xid, LONG, user(0), Placements.NONE, out -> out.uint32(bulk)), 1001);
    }

    @Test
    void remembersNothingOfACallThatWasInterrupted() throws Exception {
        assertThrows(InterruptedException.class, () -> dispatch(1, STOP, 1001));
        dispatch(1, STOP, 1001);
        assertEquals(2, program.count.get());
    }

    /**
     * Goal: thousands of calls of one client do not cause repeated execution of another client's
     * call.
     */
    @Test
    void knowsACallAgainAfterVeryManyOfAnotherClient() throws Exception {
        byte[] first = dispatch(1, COUNT, 1001);
        var other = new InetSocketAddress("127.0.0.2", 1001);
        for (int xid = 0; xid < 20_000; xid++) {
            try (var reply = new XdrWriter(pool)) {
                var call = call(xid, COUNT, user(0), Placements.NONE, _ -> {});
                assertTrue(dispatcher.dispatch(call, other, pool, reply));
            }
        }
        assertArrayEquals(first, dispatch(1, COUNT, 1002));
    }

    @Test
    void answersADuplicateByTheNewestConnectionWhenTheFirstIsDone() throws Exception {
        var original = start(connection(1001));
        program.running.await();
        assertEquals(null, start(original.connection).task.get());
        var old = start(connection(1002));
        awaitParked(old);
        var newest = start(connection(1003));
        assertEquals(null, old.task.get());
        awaitParked(newest);
        assertFalse(original.task.isDone());
        program.letGo.countDown();
        assertArrayEquals(original.task.get(), newest.task.get());
        assertEquals(1, program.count.get());
    }

    private record Dispatching(
            InetSocketAddress connection, Thread thread, FutureTask<byte[]> task) {}

    private Dispatching start(InetSocketAddress connection) {
        var task =
                new FutureTask<>(
                        () -> {
                            var call = call(1, WAIT, user(0), Placements.NONE, _ -> {});
                            try (var reply = new XdrWriter(pool)) {
                                return dispatcher.dispatch(call, connection, pool, reply)
                                        ? flat(reply).toArray(ValueLayout.JAVA_BYTE)
                                        : null;
                            }
                        });
        return new Dispatching(connection, Thread.ofPlatform().daemon().start(task), task);
    }

    private static void awaitParked(Dispatching call) {
        Eventually.await(() -> call.thread.getState() == Thread.State.WAITING);
    }
}
