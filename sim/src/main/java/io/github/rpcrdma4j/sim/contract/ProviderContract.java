package io.github.rpcrdma4j.sim.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a provider keeps. A provider's own test extends this class and says how two sides connect.
 *
 * <p>Both ends are polled by the one thread of the test, as a provider may make progress only
 * there.
 */
public abstract class ProviderContract {
    /** How long a connection may take. */
    protected static final Duration SETUP = Duration.ofSeconds(10);

    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final byte[] NOTHING = {};
    private static final int READS = 4;

    private RdmaProvider provider;
    private Listener listener;
    private End active;
    private End passive;

    /** For the test of a provider. */
    protected ProviderContract() {}

    /** What is done with a request on the passive side. */
    public interface Passive {
        void answer(ConnectRequest request) throws RdmaException;
    }

    /** The provider under test; a fresh one for each test if it has state. */
    protected abstract RdmaProvider provider();

    /**
     * Connects, while the passive side takes one request from the listener and answers it.
     *
     * @return the private data that the active side got
     */
    protected abstract byte[] connect(
            QueuePair queuePair,
            InetSocketAddress address,
            byte[] privateData,
            Listener passiveListener,
            Passive passiveSide)
            throws RdmaException, InterruptedException;

    @BeforeEach
    void connectTwoEnds() throws Exception {
        provider = provider();
        listener = provider.listen(loopback());
        active = new End(provider, READS, READS);
        passive = new End(provider, READS, READS);
    }

    @AfterEach
    void closeAll() {
        active.close();
        passive.close();
        assertEquals(0, active.domain.registeredRegions());
        assertEquals(0, passive.domain.registeredRegions());
        listener.close();
        active.completionQueue.close();
        passive.completionQueue.close();
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private void connect() throws Exception {
        connect(active, passive, NOTHING, NOTHING);
    }

    private byte[] connect(End one, End other, byte[] out, byte[] back) throws Exception {
        return connect(
                one.queuePair,
                listener.address(),
                out,
                listener,
                request -> request.accept(other.queuePair, back));
    }

    private void await(BooleanSupplier wanted) throws Exception {
        await(wanted, active, passive);
    }

    private static void await(BooleanSupplier wanted, End... ends) throws Exception {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            for (var end : ends) {
                end.poll(TURN_NANOS);
            }
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                var seen = new StringBuilder();
                for (var end : ends) {
                    seen.append(end.queuePair.state()).append(' ').append(end.completed);
                }
                fail("it never came about; seen: " + seen);
            }
        }
    }

    private void awaitLoss() throws Exception {
        await(
                () ->
                        active.queuePair.state() == QueuePair.State.ERROR
                                && passive.queuePair.state() == QueuePair.State.ERROR);
        active.poll(0);
        passive.poll(0);
    }

    private static byte[] octets(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    private static List<Long> ids(List<Completion> completions) {
        return completions.stream().map(each -> each.workRequestId()).toList();
    }

    @Test
    void deliversSendsInOrder() throws Exception {
        var buffers = new ArrayList<MemorySegment>();
        for (int i = 0; i < 50; i++) {
            buffers.add(passive.receive(i, 100));
        }
        connect();
        for (int i = 0; i < 50; i++) {
            active.send(100 + i, End.pattern(i, i));
        }
        await(() -> passive.count(Operation.RECEIVE) == 50 && active.count(Operation.SEND) == 50);
        for (int i = 0; i < 50; i++) {
            var received = passive.of(Operation.RECEIVE).get(i);
            assertEquals(i, received.workRequestId());
            assertEquals(i, received.length());
            assertEquals(Status.SUCCESS, received.status());
            assertArrayEquals(octets(End.pattern(i, i)), octets(buffers.get(i).asSlice(0, i)));
            assertEquals(100 + i, active.of(Operation.SEND).get(i).workRequestId());
        }
    }

    @Test
    void carriesMessagesBothWaysAtOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            passive.receive(i, 5000);
            active.receive(i, 5000);
        }
        connect();
        active.send(0, End.pattern(1, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        for (int i = 1; i < 20; i++) {
            active.send(i, End.pattern(5000, i));
            passive.send(i, End.pattern(5000, i));
        }
        await(
                () ->
                        passive.count(Operation.RECEIVE) == 20
                                && active.count(Operation.RECEIVE) == 19);
    }

    @Test
    void gathersAMessageFromManyPieces() throws Exception {
        var buffer = passive.receive(1, 10_000);
        connect();
        var whole = End.pattern(9_973, 5);
        var pieces = new ArrayList<MemorySegment>();
        for (long at = 0, size = 0; at < whole.byteSize(); at += size, size = size % 97 + 1) {
            size = Math.max(size, 1);
            long count = Math.min(size, whole.byteSize() - at);
            pieces.add(whole.asSlice(at, count));
        }
        active.send(7, pieces.toArray(MemorySegment[]::new));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertEquals(whole.byteSize(), passive.of(Operation.RECEIVE).getFirst().length());
        assertArrayEquals(octets(whole), octets(buffer.asSlice(0, whole.byteSize())));
    }

    @Test
    void placesWritesBeforeALaterSendCompletes() throws Exception {
        var target = End.memory(1 << 20);
        var region = passive.register(target, Access.REMOTE_WRITE);
        passive.receive(1, 16);
        connect();
        var data = End.pattern(1 << 20, 3);
        active.queuePair.post(
                List.of(
                        new WorkRequest.Write(
                                1,
                                List.of(data.asSlice(0, 100_001)),
                                region.handle(),
                                region.address()),
                        new WorkRequest.Write(
                                2,
                                List.of(data.asSlice(100_001)),
                                region.handle(),
                                region.address() + 100_001),
                        new WorkRequest.Send(3, List.of(End.pattern(4, 4)))));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertEquals(-1, data.mismatch(target));
        await(() -> active.count(Operation.WRITE) == 2 && active.count(Operation.SEND) == 1);
        assertEquals(List.of(1L, 2L, 3L), ids(active.completed));
    }

    @Test
    void readsWhatThePeerOffers() throws Exception {
        var source = End.pattern(8 << 20, 9);
        var offered = passive.register(source, Access.REMOTE_READ);
        var sinkMemory = End.memory(8 << 20);
        var sink = active.register(sinkMemory, Access.LOCAL_WRITE);
        connect();
        active.read(5, sink, 8 << 20, offered.handle(), offered.address());
        await(() -> active.count(Operation.READ) == 1);
        assertEquals(Status.SUCCESS, active.of(Operation.READ).getFirst().status());
        assertEquals(-1, source.mismatch(sinkMemory));
        assertEquals(0, passive.completed.size());
    }

    @Test
    void queuesMoreReadsThanMayBeOutstanding() throws Exception {
        var source = End.pattern(60_000, 9);
        var offered = passive.register(source, Access.REMOTE_READ);
        var sinkMemory = End.memory(60_000);
        var sink = active.register(sinkMemory, Access.LOCAL_WRITE);
        connect();
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i < 60; i++) {
            requests.add(
                    new WorkRequest.Read(
                            i,
                            sink,
                            i * 1000L,
                            1000,
                            offered.handle(),
                            offered.address() + i * 1000L));
        }
        active.queuePair.post(requests);
        await(() -> active.count(Operation.READ) == 60);
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
        assertEquals(-1, source.mismatch(sinkMemory));
    }

    @Test
    void doesNothingInZeroOctets() throws Exception {
        passive.receive(1, 0);
        passive.receive(2, 8);
        var sink = active.register(End.memory(0), Access.LOCAL_WRITE);
        connect();
        active.send(1);
        active.queuePair.post(List.of(new WorkRequest.Write(2, List.of(), 12345, 67)));
        active.queuePair.post(List.of(new WorkRequest.Read(3, sink, 0, 0, 54321, 76)));
        active.send(4, End.memory(0));
        await(() -> passive.count(Operation.RECEIVE) == 2 && active.completed.size() == 4);
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
        assertEquals(List.of(1L, 2L, 3L, 4L), ids(active.completed));
    }

    @Test
    void refusesAWriteWithAnUnknownHandle() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle() ^ 0x5555, region.address());
    }

    @Test
    void refusesAWriteOutOfBounds() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address() + 57);
    }

    @Test
    void refusesAWriteBeforeTheStart() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address() - 1);
    }

    @Test
    void refusesAWriteThatWrapsAround() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), -4);
    }

    @Test
    void refusesAWriteToWhatMayOnlyBeRead() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address());
    }

    @Test
    void refusesAWriteToARegionOfAnotherDomain() throws Exception {
        try (var stranger = new End(provider, READS, READS)) {
            var region = stranger.register(End.memory(64), Access.REMOTE_WRITE);
            refusesWrite(End.pattern(8, 1), region.handle(), region.address());
            stranger.completionQueue.close();
        }
    }

    @Test
    void refusesAWriteWithTheHandleOfAnEarlierRegistration() throws Exception {
        var memory = End.memory(64);
        var earlier = passive.register(memory, Access.REMOTE_WRITE);
        earlier.invalidate();
        var region = passive.register(memory, Access.REMOTE_WRITE);
        assertFalse(earlier.isValid());
        assertTrue(region.handle() != earlier.handle());
        refusesWrite(End.pattern(8, 1), earlier.handle(), region.address());
    }

    private void refusesWrite(MemorySegment data, int handle, long address) throws Exception {
        var guard = passive.register(End.memory(64), Access.REMOTE_WRITE);
        passive.receive(1, 16);
        active.receive(1, 16);
        connect();
        active.write(1, data, handle, address);
        active.send(2, End.pattern(4, 4));
        awaitLoss();
        assertEquals(Status.FLUSHED, passive.of(Operation.RECEIVE).getFirst().status());
        assertEquals(Status.FLUSHED, active.of(Operation.RECEIVE).getFirst().status());
        assertArrayEquals(new byte[64], octets(guard.segment()));
        assertTrue(passive.queuePair.failure().isPresent());
    }

    @Test
    void refusesAReadWithAnUnknownHandle() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        refusesRead(16, region.handle() ^ 0x5555, region.address());
    }

    @Test
    void refusesAReadOutOfBounds() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        refusesRead(16, region.handle(), region.address() + 49);
    }

    @Test
    void refusesAReadOfWhatMayOnlyBeWritten() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesRead(16, region.handle(), region.address());
    }

    private void refusesRead(int length, int handle, long address) throws Exception {
        var sink = active.register(End.memory(64), Access.LOCAL_WRITE);
        connect();
        active.read(1, sink, length, handle, address);
        awaitLoss();
        var read = active.of(Operation.READ).getFirst();
        assertEquals(Status.REMOTE_ACCESS_ERROR, read.status());
        assertEquals(1, active.count(Operation.READ));
    }

    @Test
    void refusesAReadOfFourGibibytesLessOneFromASmallRegion() throws Exception {
        try (var arena = Arena.ofShared()) {
            // Only named, never touched: the pages are not there until somebody writes to them.
            var sink = active.register(huge(arena), Access.LOCAL_WRITE);
            var region = passive.register(End.memory(64), Access.REMOTE_READ);
            connect();
            active.read(1, sink, 0xffff_ffff, region.handle(), region.address());
            awaitLoss();
            assertEquals(Status.REMOTE_ACCESS_ERROR, active.of(Operation.READ).getFirst().status());
            sink.invalidate();
        }
    }

    private static MemorySegment huge(Arena arena) throws Exception {
        var file = Files.createTempFile("sparse", ".bin");
        try (var channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, 0xffff_ffffL, arena);
        }
    }

    @Test
    void reachesTheLastOctetOfALargeRegion() throws Exception {
        try (var arena = Arena.ofShared()) {
            var region = passive.register(huge(arena), Access.REMOTE_WRITE);
            assertEquals(0xffff_ffffL, region.length());
            passive.receive(1, 16);
            connect();
            long last = 0xffff_ffffL - 3;
            active.write(1, End.pattern(3, 8), region.handle(), region.address() + last);
            active.send(2, End.pattern(1, 1));
            await(() -> passive.count(Operation.RECEIVE) == 1);
            assertArrayEquals(octets(End.pattern(3, 8)), octets(region.segment().asSlice(last, 3)));
            region.invalidate();
        }
    }

    @Test
    void refusesAMessageLongerThanItsReceive() throws Exception {
        passive.receive(1, 10);
        passive.receive(2, 10);
        connect();
        active.send(1, End.pattern(11, 1));
        awaitLoss();
        var receives = passive.of(Operation.RECEIVE);
        assertEquals(Status.LOCAL_LENGTH_ERROR, receives.get(0).status());
        assertEquals(Status.FLUSHED, receives.get(1).status());
        assertEquals(2, receives.size());
    }

    @Test
    void refusesAMessageThatMeetsNoReceive() throws Exception {
        connect();
        active.send(1, End.pattern(11, 1));
        awaitLoss();
        assertTrue(passive.queuePair.failure().isPresent());
    }

    @Test
    void invalidatesAHandleBeforeTheReceiveCompletes() throws Exception {
        var region = active.register(End.memory(64), Access.REMOTE_WRITE);
        passive.receive(1, 16);
        active.receive(9, 16);
        active.receive(10, 16);
        connect();
        active.send(1, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.write(1, End.pattern(64, 2), region.handle(), region.address());
        passive.sendInvalidating(2, region.handle(), End.pattern(5, 5));
        await(() -> active.count(Operation.RECEIVE) == 1);
        var received = active.of(Operation.RECEIVE).getFirst();
        assertTrue(received.invalidated());
        assertEquals(region.handle(), received.invalidatedHandle());
        assertFalse(region.isValid());
        assertEquals(0, active.domain.registeredRegions());
        assertArrayEquals(octets(End.pattern(64, 2)), octets(region.segment()));
        region.invalidate();
        passive.write(3, End.pattern(64, 3), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(octets(End.pattern(64, 2)), octets(region.segment()));
    }

    @Test
    void toleratesTheInvalidationOfAHandleThatHasJustDied() throws Exception {
        var region = active.register(End.memory(64), Access.REMOTE_WRITE);
        passive.receive(1, 16);
        active.receive(9, 16);
        connect();
        active.send(1, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        region.invalidate();
        passive.sendInvalidating(2, region.handle(), End.pattern(5, 5));
        await(() -> active.count(Operation.RECEIVE) == 1);
        assertEquals(Status.SUCCESS, active.of(Operation.RECEIVE).getFirst().status());
    }

    @Test
    void refusesTheInvalidationOfAHandleThatNeverWas() throws Exception {
        var region = active.register(End.memory(64), Access.REMOTE_WRITE);
        passive.receive(1, 16);
        active.receive(9, 16);
        connect();
        active.send(1, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.sendInvalidating(2, region.handle() ^ 0x5555, End.pattern(5, 5));
        awaitLoss();
        assertTrue(region.isValid());
    }

    @Test
    void keepsLateWritesOutOfMemoryThatWasInvalidated() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        connect();
        region.invalidate();
        assertEquals(0, passive.domain.registeredRegions());
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(new byte[64], octets(region.segment()));
    }

    @Test
    void flushesEverythingWhenThePeerCloses() throws Exception {
        for (int i = 0; i < 5; i++) {
            active.receive(i, 64);
        }
        passive.receive(0, 64);
        connect();
        active.send(1, End.pattern(4, 4));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.queuePair.close();
        await(() -> active.queuePair.state() == QueuePair.State.ERROR, active);
        active.poll(0);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), ids(active.of(Operation.RECEIVE)));
        assertTrue(
                active.of(Operation.RECEIVE).stream()
                        .allMatch(each -> each.status() == Status.FLUSHED));
        active.send(8, End.pattern(4, 4));
        active.poll(0);
        assertEquals(Status.FLUSHED, active.of(Operation.SEND).getLast().status());
        assertThrows(
                IllegalStateException.class, () -> active.queuePair.postReceive(9, End.memory(8)));
    }

    @Test
    void completesEveryWorkRequestExactlyOnceWhenClosedInTheMiddle() throws Exception {
        var target = passive.register(End.memory(1 << 20), Access.REMOTE_WRITE);
        for (int i = 0; i < 10; i++) {
            active.receive(1000 + i, 64);
        }
        connect();
        for (int i = 0; i < 40; i++) {
            active.write(i, End.pattern(1 << 20, i), target.handle(), target.address());
        }
        active.queuePair.close();
        active.poll(0);
        active.poll(0);
        var writes = ids(active.of(Operation.WRITE));
        assertEquals(40, writes.size());
        assertEquals(40, new HashSet<>(writes).size());
        assertEquals(10, active.count(Operation.RECEIVE));
        active.queuePair.close();
        assertEquals(QueuePair.State.ERROR, active.queuePair.state());
        assertTrue(active.queuePair.failure().isEmpty());
        await(() -> passive.queuePair.state() == QueuePair.State.ERROR, passive);
    }

    @Test
    void deliversWhatWasSentBeforeTheClose() throws Exception {
        var buffer = passive.receive(1, 100_000);
        connect();
        var data = End.pattern(100_000, 6);
        active.send(1, data);
        active.queuePair.close();
        await(() -> passive.queuePair.state() == QueuePair.State.ERROR, passive);
        passive.poll(0);
        assertEquals(Status.SUCCESS, passive.of(Operation.RECEIVE).getFirst().status());
        assertEquals(-1, data.mismatch(buffer));
    }

    @Test
    void exchangesPrivateData() throws Exception {
        byte[] out = octets(End.pattern(500, 1));
        byte[] back = octets(End.pattern(508, 2));
        var seen = new ArrayList<byte[]>();
        byte[] got =
                connect(
                        active.queuePair,
                        listener.address(),
                        out,
                        listener,
                        request -> {
                            seen.add(request.privateData());
                            request.accept(passive.queuePair, back);
                        });
        assertArrayEquals(out, seen.getFirst());
        assertArrayEquals(back, got);
        assertEquals(QueuePair.State.READY, active.queuePair.state());
        assertEquals(QueuePair.State.READY, passive.queuePair.state());
    }

    @Test
    void rejectsWithPrivateData() {
        byte[] why = octets(End.pattern(20, 2));
        var rejected =
                assertThrows(
                        RdmaException.Rejected.class,
                        () ->
                                connect(
                                        active.queuePair,
                                        listener.address(),
                                        NOTHING,
                                        listener,
                                        request -> request.reject(why)));
        assertArrayEquals(why, rejected.privateData());
    }

    @Test
    void failsToConnectToNobody() throws Exception {
        var nobody = provider.listen(loopback());
        var address = nobody.address();
        nobody.close();
        assertThrows(
                RdmaException.Unreachable.class,
                () -> active.queuePair.connect(address, NOTHING, SETUP));
    }

    @Test
    void givesUpAcceptingWhenTheTimeIsUp() throws Exception {
        assertTrue(listener.accept(Duration.ZERO).isEmpty());
        assertTrue(listener.accept(Duration.ofMillis(20)).isEmpty());
    }

    @Test
    void refusesWorkBeforeItIsConnectedAndBeyondItsQueues() throws Exception {
        assertThrows(IllegalStateException.class, () -> active.send(1, End.pattern(1, 1)));
        for (int i = 0; i < End.RECEIVE_QUEUE; i++) {
            active.receive(i, 8);
        }
        assertThrows(IllegalStateException.class, () -> active.receive(99, 8));
        connect();
        var sink = active.register(End.memory(8), Access.LOCAL_WRITE);
        var source = passive.register(End.memory(8), Access.REMOTE_READ);
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i <= End.SEND_QUEUE; i++) {
            requests.add(new WorkRequest.Read(i, sink, 0, 8, source.handle(), source.address()));
        }
        assertThrows(IllegalStateException.class, () -> active.queuePair.post(requests));
    }

    @Test
    void refusesMemoryThatThePollingThreadCannotTouch() throws Exception {
        connect();
        var heap = MemorySegment.ofArray(new byte[8]);
        try (var arena = Arena.ofConfined()) {
            var confined = arena.allocate(8);
            for (var memory : List.of(heap, confined)) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> active.register(memory, Access.REMOTE_READ));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> active.queuePair.postReceive(1, memory));
                assertThrows(IllegalArgumentException.class, () -> active.send(1, memory));
            }
        }
    }

    @Test
    void connectsOnlyOnce() throws Exception {
        connect();
        assertThrows(
                IllegalStateException.class,
                () -> active.queuePair.connect(listener.address(), NOTHING, SETUP));
    }

    @Test
    void returnsFromAPollWhenWokenAndWhenTheTimeIsUp() throws Exception {
        connect();
        assertEquals(0, active.completionQueue.poll(active.completed, TURN_NANOS));
        active.completionQueue.wakeup();
        assertEquals(0, active.completionQueue.poll(active.completed, CompletionQueue.FOREVER));
    }

    @Test
    void servesManyConnectionsOnOneCompletionQueue() throws Exception {
        var queue = provider.createCompletionQueue();
        var ones = new ArrayList<End>();
        var others = new ArrayList<End>();
        for (int i = 0; i < 100; i++) {
            var one = new End(provider, READS, READS);
            var other = new End(provider, queue, READS, READS);
            other.receive(i, 64);
            one.receive(i, 64);
            connect(one, other, NOTHING, NOTHING);
            ones.add(one);
            others.add(other);
        }
        for (int i = 0; i < 100; i++) {
            ones.get(i).send(i, End.pattern(i % 64, i));
        }
        var first = others.getFirst();
        await(
                () ->
                        first.completed.stream()
                                        .filter(each -> each.operation() == Operation.RECEIVE)
                                        .count()
                                == 100,
                first);
        for (var received : List.copyOf(first.completed)) {
            int number = (int) received.workRequestId();
            assertEquals(number % 64, received.length());
            assertEquals(others.get(number).queuePair, received.queuePair());
            others.get(number).send(1, End.pattern(8, number));
        }
        for (int i = 0; i < 100; i++) {
            var one = ones.get(i);
            await(() -> one.count(Operation.RECEIVE) == 1, one);
            one.close();
            others.get(i).close();
            one.completionQueue.close();
        }
        queue.close();
    }
}
