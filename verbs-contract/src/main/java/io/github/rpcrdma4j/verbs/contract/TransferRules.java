package io.github.rpcrdma4j.verbs.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules of Sends, Writes and Reads on a connection without failures. */
abstract class TransferRules extends TwoEnds {
    @Test
    @Tag("5666-2-2")
    @Tag("5040-5.5-2")
    @Tag("5040-5.3-1")
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
            assertArrayEquals(bytes(End.pattern(i, i)), bytes(buffers.get(i).asSlice(0, i)));
            assertEquals(100 + i, active.of(Operation.SEND).get(i).workRequestId());
        }
    }

    @Test
    void carriesMessagesInBothDirectionsAtOnce() throws Exception {
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
        assertArrayEquals(bytes(whole), bytes(buffer.asSlice(0, whole.byteSize())));
    }

    @Test
    @Tag("5666-2-3")
    @Tag("5040-5.5-1")
    @Tag("5666-3.8-2")
    void placesWritesBeforeALaterSendCompletes() throws Exception {
        var target = End.memory(1 << 20);
        passive.receive(1, 16);
        connect();
        var region = passive.offer(target, Access.REMOTE_WRITE);
        var data = End.pattern(1 << 20, 3);
        active.queuePair.post(
                List.of(
                        new WorkRequest.Write(
                                1,
                                active.gather(data.asSlice(0, 100_001)),
                                region.handle(),
                                region.address()),
                        new WorkRequest.Write(
                                2,
                                active.gather(data.asSlice(100_001)),
                                region.handle(),
                                region.address() + 100_001),
                        new WorkRequest.Send(3, active.gather(End.pattern(4, 4)))));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertEquals(-1, data.mismatch(target));
        await(() -> active.count(Operation.WRITE) == 2 && active.count(Operation.SEND) == 1);
        assertEquals(List.of(1L, 2L, 3L), ids(active.completed));
    }

    @Test
    @Tag("5666-2-4")
    @Tag("5040-5.5-4")
    void readsWhatThePeerOffers() throws Exception {
        var source = End.pattern(8 << 20, 9);
        var sinkMemory = End.memory(8 << 20);
        var sink = active.register(sinkMemory);
        connect();
        var offered = passive.offer(source, Access.REMOTE_READ);
        active.read(5, sink, 8 << 20, offered.handle(), offered.address());
        await(() -> active.count(Operation.READ) == 1);
        assertEquals(Status.SUCCESS, active.of(Operation.READ).getFirst().status());
        assertEquals(-1, source.mismatch(sinkMemory));
        assertEquals(0, passive.completed.size());
    }

    @Test
    @Tag("5666-3.3-8")
    @Tag("8166-3.3.1-10")
    void queuesMoreReadsThanMayBeOutstanding() throws Exception {
        var source = End.pattern(60_000, 9);
        var sinkMemory = End.memory(60_000);
        var sink = active.register(sinkMemory);
        connect();
        var offered = passive.offer(source, Access.REMOTE_READ);
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i < 60; i++) {
            requests.add(
                    new WorkRequest.Read(
                            i,
                            new Sge(sink, i * 1000L, 1000),
                            offered.handle(),
                            offered.address() + i * 1000L));
        }
        active.queuePair.post(requests);
        await(() -> active.count(Operation.READ) == 60);
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
        assertEquals(-1, source.mismatch(sinkMemory));
    }

    /**
     * Goal: a Read completes when its data is there, and what was posted after it completes later.
     * Method: a Send follows each Read, and leaves long before the data of the Read arrives.
     */
    @Test
    @Tag("5040-5.5-4")
    void completesReadsWithTheirDataAndBeforeLaterWork() throws Exception {
        int count = 4;
        int length = 8 << 20;
        var source = End.memory((long) count * length);
        var sinkMemory = End.memory((long) count * length);
        var sink = active.register(sinkMemory);
        for (int i = 0; i < count; i++) {
            source.asSlice((long) i * length, length).fill((byte) (i + 1));
            passive.receive(i, 8);
        }
        connect();
        var offered = passive.offer(source, Access.REMOTE_READ);
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i < count; i++) {
            long at = (long) i * length;
            var part = new Sge(sink, at, length);
            requests.add(
                    new WorkRequest.Read(2 * i, part, offered.handle(), offered.address() + at));
            requests.add(new WorkRequest.Send(2 * i + 1, active.gather(End.pattern(8, i))));
        }
        active.queuePair.post(requests);
        for (int i = 0; i < count; i++) {
            long end = (i + 1L) * length;
            int done = i + 1;
            await(() -> active.count(Operation.READ) >= done);
            assertEquals(Status.SUCCESS, active.of(Operation.READ).get(i).status());
            assertEquals(-1, source.asSlice(0, end).mismatch(sinkMemory.asSlice(0, end)));
        }
        await(() -> active.completed.size() == requests.size());
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
        assertEquals(requests.stream().map(each -> each.id()).toList(), ids(active.completed));
    }

    @Test
    @Tag("5041-5.1.1-1")
    @Tag("5040-5.2.1-4")
    void doesNothingInZeroBytes() throws Exception {
        passive.receive(1, 0);
        passive.receive(2, 8);
        var sink = active.register(End.memory(0));
        connect();
        active.send(1);
        active.queuePair.post(List.of(new WorkRequest.Write(2, List.of(), 12345, 67)));
        active.queuePair.post(List.of(new WorkRequest.Read(3, Sge.of(sink), 54321, 76)));
        active.send(4, End.memory(0));
        await(() -> passive.count(Operation.RECEIVE) == 2 && active.completed.size() == 4);
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
        assertEquals(List.of(1L, 2L, 3L, 4L), ids(active.completed));
    }

    @Test
    void writesAndReadsManyMebibytes() throws Exception {
        int length = (8 << 20) + 13;
        var target = End.memory(length);
        var back = End.memory(length);
        var sink = active.register(back);
        passive.receive(1, 4);
        connect();
        var region = passive.offer(target, Access.REMOTE_WRITE, Access.REMOTE_READ);
        var data = End.pattern(length, 11);
        List<WorkRequest> requests =
                List.of(
                        new WorkRequest.Write(
                                1,
                                active.gather(
                                        data.asSlice(0, 1),
                                        data.asSlice(1, 4_000_003),
                                        End.memory(0),
                                        data.asSlice(4_000_004)),
                                region.handle(),
                                region.address()),
                        new WorkRequest.Send(2, active.gather(End.pattern(4, 4))));
        active.queuePair.post(requests);
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertEquals(-1, data.mismatch(target));
        active.read(3, sink, length, region.handle(), region.address());
        await(() -> active.count(Operation.READ) == 1);
        assertEquals(-1, data.mismatch(back));
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
    }

    @Test
    @Tag("5040-5.5-3")
    void completesTheSendQueueInOrderAndReportsLengths() throws Exception {
        var sink = active.register(End.memory(200_000));
        passive.receive(1, 10);
        passive.receive(2, 10);
        connect();
        var offered =
                passive.offer(End.pattern(200_000, 3), Access.REMOTE_READ, Access.REMOTE_WRITE);
        int handle = offered.handle();
        long address = offered.address();
        List<WorkRequest> requests =
                List.of(
                        new WorkRequest.Read(1, Sge.of(sink), handle, address),
                        new WorkRequest.Send(
                                2, active.gather(End.pattern(3, 1), End.pattern(4, 2))),
                        new WorkRequest.Read(3, new Sge(sink, 100, 1), handle, address + 199_999),
                        new WorkRequest.Write(4, active.gather(End.pattern(9, 1)), handle, address),
                        new WorkRequest.Send(5, List.of()));
        active.queuePair.post(requests);
        await(() -> active.completed.size() == 5 && passive.count(Operation.RECEIVE) == 2);
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L), ids(active.completed));
        assertEquals(
                List.of(200_000L, 7L, 1L, 9L, 0L),
                active.completed.stream().map(each -> each.length()).toList());
    }

    @Test
    @Tag("8166-3.3.1-10")
    @Tag("5040-5.2.1-5")
    void readsNoMoreAtOnceThanThePeerTakes() throws Exception {
        try (var frugal = new End(provider, 1, 1);
                var greedy = new End(provider, 16, 16)) {
            var source = End.pattern(40_000, 4);
            var sinkMemory = End.memory(40_000);
            var sink = greedy.register(sinkMemory);
            connect(greedy, frugal, NOTHING, NOTHING);
            var offered = frugal.offer(source, Access.REMOTE_READ);
            for (int i = 0; i < 40; i++) {
                greedy.queuePair.post(
                        List.of(
                                new WorkRequest.Read(
                                        i,
                                        new Sge(sink, i * 1000L, 1000),
                                        offered.handle(),
                                        offered.address() + i * 1000L)));
            }
            await(() -> greedy.count(Operation.READ) == 40, greedy, frugal);
            assertTrue(greedy.completed.stream().allMatch(each -> each.succeeded()));
            assertEquals(-1, source.mismatch(sinkMemory));
            greedy.queuePair.close();
            frugal.queuePair.close();
            greedy.completionQueue.close();
            frugal.completionQueue.close();
        }
    }

    /** Goal: a provider does not confuse the reads of the two directions. */
    @Test
    @Tag("8166-3.3.1-10")
    void readsInTheOneDirectionThatWasAgreedOn() throws Exception {
        for (boolean activeReads : new boolean[] {true, false}) {
            try (var reading = new End(provider, 0, READS);
                    var read = new End(provider, READS, 0)) {
                var source = End.pattern(1000, 6);
                var sinkMemory = End.memory(1000);
                var sink = reading.register(sinkMemory);
                reading.receive(1, 8);
                read.receive(1, 8);
                var first = activeReads ? reading : read;
                var second = activeReads ? read : reading;
                connect(first, second, NOTHING, NOTHING);
                first.send(1, End.pattern(4, 4));
                await(() -> second.count(Operation.RECEIVE) == 1, first, second);
                var offered = read.offer(source, Access.REMOTE_READ);
                reading.read(2, sink, 1000, offered.handle(), offered.address());
                await(() -> reading.count(Operation.READ) == 1, first, second);
                var completion = reading.of(Operation.READ).getFirst();
                assertEquals(Status.SUCCESS, completion.status(), "activeReads " + activeReads);
                assertEquals(-1, source.mismatch(sinkMemory));
                reading.queuePair.close();
                read.queuePair.close();
                reading.completionQueue.close();
                read.completionQueue.close();
            }
        }
    }

    @Test
    void readsAndWritesInBothDirectionsAtOnce() throws Exception {
        int length = 300_000;
        var source = End.pattern(length, 1);
        var target = End.memory(length);
        var got = End.memory(length);
        var sink = active.register(got);
        active.receive(1, 4);
        passive.receive(1, 4);
        connect();
        var offered = passive.offer(source, Access.REMOTE_READ);
        var open = active.offer(target, Access.REMOTE_WRITE);
        active.send(1, End.pattern(1, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        active.read(2, sink, length, offered.handle(), offered.address());
        passive.write(2, End.pattern(length, 2), open.handle(), open.address());
        passive.send(3, End.pattern(4, 4));
        await(() -> active.count(Operation.READ) == 1 && active.count(Operation.RECEIVE) == 1);
        assertEquals(-1, source.mismatch(got));
        assertEquals(-1, End.pattern(length, 2).mismatch(target));
    }

    @Test
    void completesAccordingToItsSignal() throws Exception {
        passive.receive(1, 64);
        passive.receive(2, 64);
        connect();
        var open = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        var data = active.gather(End.pattern(8, 1));
        var none = OptionalInt.empty();
        active.queuePair.post(
                List.of(
                        new WorkRequest.Write(
                                1, data, open.handle(), open.address(), Signal.UNSIGNALED),
                        new WorkRequest.Send(2, data, none, Signal.UNSIGNALED),
                        new WorkRequest.Send(3, data, none, Signal.QUIET)));
        await(() -> active.count(Operation.SEND) == 1 && passive.count(Operation.RECEIVE) == 2);
        assertEquals(List.of(3L), ids(active.completed));
    }

    @Test
    void aQuietCompletionIsFoundByAPoll() throws Exception {
        passive.receive(1, 64);
        connect();
        var data = active.gather(End.pattern(8, 1));
        active.queuePair.post(
                List.of(new WorkRequest.Send(1, data, OptionalInt.empty(), Signal.QUIET)));
        await(() -> passive.count(Operation.RECEIVE) == 1, passive);
        active.poll(TURN_NANOS);
        active.poll(0);
        assertEquals(List.of(1L), ids(active.completed));
    }

    /**
     * Goal: a window ends after the work that was posted before it. Method: a Send, an Invalidate,
     * then a late Write of the peer.
     */
    @Test
    void endsAWindowInItsTurn() throws Exception {
        passive.receive(1, 64);
        connect();
        var open = active.offer(End.memory(64), Access.REMOTE_WRITE);
        active.queuePair.post(
                List.of(
                        new WorkRequest.Send(1, active.gather(End.pattern(8, 1))),
                        new WorkRequest.Invalidate(2, open.window())));
        await(() -> active.completed.size() == 2 && passive.count(Operation.RECEIVE) == 1);
        assertEquals(List.of(1L, 2L), ids(active.completed));
        assertEquals(Operation.INVALIDATE, active.completed.getLast().operation());
        assertFalse(open.window().isValid());
        passive.write(3, End.pattern(64, 2), open.handle(), open.address());
        awaitLoss();
        assertArrayEquals(new byte[64], bytes(open.memory()));
    }

    @Test
    void endsAWindowThatThePeerHasEnded() throws Exception {
        passive.receive(1, 64);
        active.receive(2, 64);
        connect();
        var open = active.offer(End.memory(64), Access.REMOTE_READ);
        active.send(3, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.sendInvalidating(4, open.handle(), End.pattern(4, 2));
        await(() -> active.count(Operation.RECEIVE) == 1);
        assertEquals(differs(Difference.HIDES_INVALIDATIONS), open.window().isValid());
        active.queuePair.post(List.of(new WorkRequest.Invalidate(5, open.window())));
        await(() -> active.count(Operation.INVALIDATE) == 1);
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
    }

    @Test
    void endsAWindowTwice() throws Exception {
        connect();
        var open = active.offer(End.memory(64), Access.REMOTE_READ);
        active.queuePair.post(List.of(new WorkRequest.Invalidate(1, open.window())));
        active.queuePair.post(List.of(new WorkRequest.Invalidate(2, open.window())));
        await(() -> active.completed.size() == 2);
        assertTrue(active.completed.stream().allMatch(each -> each.succeeded()));
    }

    @Test
    void gathersNoMoreElementsThanWereAskedFor() throws Exception {
        passive.receive(1, End.GATHER_MAX);
        connect();
        var piece = Sge.of(active.register(End.pattern(1, 1)));
        var most = Collections.nCopies(End.GATHER_MAX, piece);
        var more = Collections.nCopies(End.GATHER_MAX + 1, piece);
        for (var request :
                List.of(new WorkRequest.Send(1, more), new WorkRequest.Write(1, more, 1, 1))) {
            assertThrows(
                    IllegalArgumentException.class, () -> active.queuePair.post(List.of(request)));
        }
        active.queuePair.post(List.of(new WorkRequest.Send(1, most)));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertEquals(End.GATHER_MAX, passive.of(Operation.RECEIVE).getFirst().length());
    }
}
