package io.github.rpcrdma4j.verbs.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.UnknownHandle.Use;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules of protection: no peer can reach memory that is not, or no longer, open to it. */
abstract class ProtectionRules extends RegistrationRules {
    private static final long READ_BYTES = 100_000;

    /** Memory that every machine can pin, in bytes. */
    private static final long PINNED = (16 << 20) - 1;

    @Test
    @Tag("5041-7.1-1")
    void refusesAWriteWithAnUnknownHandle() throws Exception {
        connectForWrite();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle() ^ 0x5555, region.address());
    }

    @Test
    @Tag("5041-7.1-3")
    @Tag("5041-7.1-11")
    void refusesAWriteOutOfBounds() throws Exception {
        connectForWrite();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address() + 57);
    }

    @Test
    void refusesAWriteBeforeTheStart() throws Exception {
        connectForWrite();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address() - 1);
    }

    @Test
    @Tag("5041-7.1-4")
    void refusesAWriteThatWrapsAround() throws Exception {
        connectForWrite();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), -4);
    }

    @Test
    @Tag("5040-5.1-1")
    @Tag("5040-8.1-2")
    void refusesAWriteToWhatMayOnlyBeRead() throws Exception {
        connectForWrite();
        var region = passive.offer(End.memory(64), Access.REMOTE_READ);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address());
    }

    @Test
    @Tag("8166-8.1.1-1")
    @Tag("5666-11-3")
    @Tag("5041-7.1-2")
    @Tag("5041-8.2-1")
    @Tag("5040-8.1-2")
    void refusesAWriteToAWindowOfAnotherQueuePair() throws Exception {
        try (var stranger = new End(provider, READS, READS);
                var other = new End(provider, READS, READS)) {
            connectForWrite();
            connect(stranger, other, NOTHING, NOTHING);
            var region = stranger.offer(End.memory(64), Access.REMOTE_WRITE);
            refusesWrite(End.pattern(8, 1), region.handle(), region.address());
            assertArrayEquals(new byte[64], bytes(region.memory()));
            stranger.completionQueue.close();
            other.completionQueue.close();
        }
    }

    @Test
    @Tag("8166-8.1.2-1")
    void refusesAWriteWithTheHandleOfAnEarlierRegistration() throws Exception {
        connectForWrite();
        var memory = End.memory(64);
        var earlier = passive.offer(memory, Access.REMOTE_WRITE);
        earlier.window().invalidate();
        var region = passive.offer(memory, Access.REMOTE_WRITE);
        assertFalse(earlier.window().isValid());
        assertTrue(region.handle() != earlier.handle());
        refusesWrite(End.pattern(8, 1), earlier.handle(), region.address());
    }

    private void refusesWrite(MemorySegment data, int handle, long address) throws Exception {
        var guard = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        active.write(1, data, handle, address);
        active.send(2, End.pattern(4, 4));
        awaitLoss();
        assertEquals(Status.FLUSHED, passive.of(Operation.RECEIVE).getFirst().status());
        assertEquals(Status.FLUSHED, active.of(Operation.RECEIVE).getFirst().status());
        assertTrue(guard.window().isValid());
        for (var offer : passive.offers) {
            assertArrayEquals(new byte[64], bytes(offer.memory()));
        }
        knowsWhy(passive);
    }

    @Test
    @Tag("5040-5.2.1-2")
    @Tag("8166-4.5.3-1")
    void refusesAReadWithAnUnknownHandle() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_READ);
        refusesRead(16, region.handle() ^ 0x5555, region.address());
    }

    @Test
    @Tag("5040-5.2.1-2")
    void refusesAReadOutOfBounds() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_READ);
        refusesRead(16, region.handle(), region.address() + 49);
    }

    @Test
    @Tag("5040-5.2.1-2")
    @Tag("5040-8.1-2")
    void refusesAReadOfWhatMayOnlyBeWritten() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        if (differs(Difference.ALLOWS_ALL_READS)) {
            active.read(1, sink(), 16, region.handle(), region.address());
            await(() -> active.count(Operation.READ) == 1);
            assertEquals(Status.SUCCESS, active.of(Operation.READ).getFirst().status());
            return;
        }
        refusesRead(16, region.handle(), region.address());
    }

    private MemoryRegion sink() {
        return active.register(End.memory(64));
    }

    private void refusesRead(int length, int handle, long address) throws Exception {
        var sink = sink();
        active.read(1, sink, length, handle, address);
        awaitLoss();
        var read = active.of(Operation.READ).getFirst();
        assertEquals(refusedRead(), read.status());
        assertEquals(1, active.count(Operation.READ));
        assertArrayEquals(new byte[64], bytes(sink.segment()));
        knowsWhy(passive);
    }

    private Status refusedRead() {
        return expected(Status.REMOTE_ACCESS_ERROR, Difference.FLUSHES_REFUSED_READS);
    }

    @Test
    void refusesAReadBeforeTheStart() throws Exception {
        connect();
        var region = passive.offer(End.pattern(64, 1), Access.REMOTE_READ);
        refusesRead(16, region.handle(), region.address() - 1);
    }

    @Test
    void refusesAReadThatWrapsAround() throws Exception {
        connect();
        var region = passive.offer(End.pattern(64, 1), Access.REMOTE_READ);
        refusesRead(16, region.handle(), -8);
    }

    @Test
    @Tag("8166-8.1.1-1")
    @Tag("5666-11-3")
    @Tag("5041-8.2-1")
    void refusesAReadOfAWindowOfAnotherQueuePair() throws Exception {
        try (var stranger = new End(provider, READS, READS);
                var other = new End(provider, READS, READS)) {
            connect();
            connect(stranger, other, NOTHING, NOTHING);
            var region = stranger.offer(End.pattern(64, 1), Access.REMOTE_READ);
            refusesRead(16, region.handle(), region.address());
            stranger.completionQueue.close();
            other.completionQueue.close();
        }
    }

    @Test
    void refusesAReadWithTheHandleOfAnEarlierRegistration() throws Exception {
        connect();
        var memory = End.pattern(64, 1);
        var earlier = passive.offer(memory, Access.REMOTE_READ);
        earlier.window().invalidate();
        var region = passive.offer(memory, Access.REMOTE_READ);
        refusesRead(16, earlier.handle(), region.address());
    }

    @Test
    void losesTheConnectionWhenASinkIsInvalidatedWhileItIsRead() throws Exception {
        var sink = active.register(End.memory(64));
        connect();
        var source = passive.offer(End.pattern(64, 1), Access.REMOTE_READ);
        active.read(1, sink, 64, source.handle(), source.address());
        sink.close();
        sink.segment().fill((byte) 7);
        await(() -> active.count(Operation.READ) == 1);
        var status = active.of(Operation.READ).getFirst().status();
        if (!differs(Difference.PROGRESSES_ALONE) || status != Status.SUCCESS) {
            assertEquals(Status.LOCAL_ACCESS_ERROR, status);
            awaitLoss();
        }
        assertEquals(-1, filled(64).mismatch(sink.segment()));
    }

    @Test
    @Tag("5666-11-3")
    void closesADomainWithAllItsRegions() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        passive.domain.close();
        assertFalse(region.window().isValid());
        assertThrows(IllegalStateException.class, () -> passive.register(End.memory(64)));
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(new byte[64], bytes(region.memory()));
    }

    @Test
    void endsTheWindowsOfAClosedQueuePairWithTheirDomain() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        passive.queuePair.close();
        passive.domain.close();
        assertFalse(region.window().isValid());
        assertEquals(0, passive.queuePair.boundWindows());
    }

    /**
     * Goal: the provider places nothing in memory of a closed domain. Method: fill the memory after
     * the close, and compare it after the loss.
     */
    @Test
    @Tag("5040-8.1-1")
    void readsNothingIntoADomainThatIsClosed() throws Exception {
        var memory = End.memory(2 * READ_BYTES);
        var sink = active.register(memory);
        connect();
        var source = passive.offer(End.pattern(READ_BYTES, 1), Access.REMOTE_READ);
        active.queuePair.post(
                List.of(
                        new WorkRequest.Read(
                                1, new Sge(sink, 0, READ_BYTES), source.handle(), source.address()),
                        new WorkRequest.Read(
                                2,
                                new Sge(sink, READ_BYTES, READ_BYTES),
                                source.handle(),
                                source.address())));
        active.domain.close();
        assertFalse(sink.isValid());
        memory.fill((byte) 7);
        await(() -> active.count(Operation.READ) == 2);
        var reads = active.of(Operation.READ).stream().map(Completion::status).toList();
        if (differs(Difference.PROGRESSES_ALONE) && reads.contains(Status.SUCCESS)) {
            assertEquals(-1, filled(2 * READ_BYTES).mismatch(memory));
            return;
        }
        awaitLoss();
        // A provider may report either Read as the one that failed.
        assertEquals(Set.of(Status.LOCAL_ACCESS_ERROR, Status.FLUSHED), Set.copyOf(reads));
        assertEquals(-1, filled(2 * READ_BYTES).mismatch(memory));
        assertTrue(active.queuePair.failure().isPresent());
    }

    @Test
    @Tag("5040-8.1-1")
    void receivesNothingIntoADomainThatIsClosed() throws Exception {
        receivesNothingBehind(() -> active.domain.close());
    }

    @Test
    void receivesNothingIntoARegionThatIsClosed() throws Exception {
        receivesNothingBehind(() -> active.closeRegions());
    }

    private void receivesNothingBehind(Runnable close) throws Exception {
        passive.receive(1, 16);
        var memory = active.receive(1, READ_BYTES);
        active.receive(2, READ_BYTES);
        connect();
        active.send(3, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1 && active.count(Operation.SEND) == 1);
        close.run();
        memory.fill((byte) 7);
        passive.send(4, End.pattern(READ_BYTES, 2));
        awaitLoss();
        var receives = active.of(Operation.RECEIVE);
        assertEquals(
                List.of(
                        expected(Status.LOCAL_ACCESS_ERROR, Difference.FLUSHES_CLOSED_RECEIVES),
                        Status.FLUSHED),
                receives.stream().map(Completion::status).toList());
        assertEquals(-1, filled(READ_BYTES).mismatch(memory));
    }

    private Status expected(Status status, Difference unless) {
        return differs(unless) ? Status.FLUSHED : status;
    }

    private static MemorySegment filled(long length) {
        return End.memory(length).fill((byte) 7);
    }

    @Test
    void refusesAReadOfFourGibibytesLessOneFromASmallRegion() throws Exception {
        try (var arena = Arena.ofShared()) {
            // The memory is registered but never accessed, so the system allocates no pages for it.
            var memory = huge(arena);
            if (differs(Difference.PINS_MEMORY)) {
                assertThrows(IllegalStateException.class, () -> active.register(memory));
                return;
            }
            var sink = active.register(memory);
            connect();
            var region = passive.offer(End.memory(64), Access.REMOTE_READ);
            active.read(1, sink, 0xffff_ffffL, region.handle(), region.address());
            awaitLoss();
            assertEquals(refusedRead(), active.of(Operation.READ).getFirst().status());
            sink.close();
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
    @Tag("5666-2-1")
    void reachesTheLastByteOfALargeRegion() throws Exception {
        try (var arena = Arena.ofShared()) {
            passive.receive(1, 16);
            connect();
            var memory = differs(Difference.PINS_MEMORY) ? End.memory(PINNED) : huge(arena);
            var region = passive.offer(memory, Access.REMOTE_WRITE);
            assertEquals(memory.byteSize(), region.window().length());
            long last = memory.byteSize() - 3;
            active.write(1, End.pattern(3, 8), region.handle(), region.address() + last);
            active.send(2, End.pattern(1, 1));
            await(() -> passive.count(Operation.RECEIVE) == 1);
            assertArrayEquals(bytes(End.pattern(3, 8)), bytes(region.memory().asSlice(last, 3)));
            region.window().invalidate();
        }
    }

    @Test
    @Tag("5666-6-3")
    @Tag("8797-3.1-1")
    @Tag("5041-7.1-10")
    void refusesAMessageLongerThanItsReceive() throws Exception {
        passive.receive(1, 10);
        passive.receive(2, 10);
        connect();
        active.send(1, End.pattern(11, 1));
        awaitLoss();
        var receives = passive.of(Operation.RECEIVE);
        assertEquals(
                expected(Status.LOCAL_LENGTH_ERROR, Difference.FLUSHES_SHORT_RECEIVES),
                receives.get(0).status());
        assertEquals(Status.FLUSHED, receives.get(1).status());
        assertEquals(2, receives.size());
    }

    @Test
    @Tag("5041-7.1-7")
    @Tag("5666-3.3-5")
    void refusesAMessageThatMeetsNoReceive() throws Exception {
        connect();
        active.send(1, End.pattern(11, 1));
        awaitLoss();
        knowsWhy(passive);
    }

    @Test
    @Tag("5040-5.3-2")
    @Tag("8797-4.1-4")
    void invalidatesAHandleBeforeTheReceiveCompletes() throws Exception {
        passive.receive(1, 16);
        active.receive(9, 16);
        active.receive(10, 16);
        connect();
        var region = active.offer(End.memory(64), Access.REMOTE_WRITE);
        active.send(1, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.write(1, End.pattern(64, 2), region.handle(), region.address());
        passive.sendInvalidating(2, region.handle(), End.pattern(5, 5));
        await(() -> active.count(Operation.RECEIVE) == 1);
        var received = active.of(Operation.RECEIVE).getFirst();
        boolean isTold = !differs(Difference.HIDES_INVALIDATIONS);
        assertEquals(isTold, received.invalidated());
        assertEquals(isTold ? region.handle() : 0, received.invalidatedHandle());
        assertEquals(isTold, !region.window().isValid());
        assertEquals(isTold ? 0 : 1, active.queuePair.boundWindows());
        assertArrayEquals(bytes(End.pattern(64, 2)), bytes(region.memory()));
        region.window().invalidate();
        passive.write(3, End.pattern(64, 3), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(bytes(End.pattern(64, 2)), bytes(region.memory()));
    }

    @Test
    void toleratesTheInvalidationOfAHandleThatHasJustEnded() throws Exception {
        passive.receive(1, 16);
        active.receive(9, 16);
        connect();
        var region = active.offer(End.memory(64), Access.REMOTE_WRITE);
        active.send(1, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        region.window().invalidate();
        passive.sendInvalidating(2, region.handle(), End.pattern(5, 5));
        await(() -> active.count(Operation.RECEIVE) == 1);
        boolean isLost = differs(Difference.REFUSES_ENDED_HANDLES);
        assertEquals(
                isLost ? Status.FLUSHED : Status.SUCCESS,
                active.of(Operation.RECEIVE).getFirst().status());
    }

    @Test
    @Tag("5040-5.3-3")
    void refusesTheInvalidationOfAHandleThatNeverExisted() throws Exception {
        passive.receive(1, 16);
        active.receive(9, 16);
        connect();
        var region = active.offer(End.memory(64), Access.REMOTE_WRITE);
        active.send(1, End.pattern(4, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.sendInvalidating(2, region.handle() ^ 0x5555, End.pattern(5, 5));
        awaitLoss();
        assertTrue(region.window().isValid());
        reportsHandle(Use.INVALIDATE, region.handle() ^ 0x5555, active);
    }

    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-8.1-1")
    @Tag("5666-11-2")
    @Tag("5040-8.1-1")
    void keepsLateWritesOutOfMemoryThatWasInvalidated() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_WRITE);
        region.window().invalidate();
        assertEquals(0, passive.queuePair.boundWindows());
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(new byte[64], bytes(region.memory()));
        reportsHandle(Use.WRITE, region.handle(), passive);
        assertEquals(Optional.empty(), active.queuePair.unknownHandle());
    }

    @Test
    void reportsTheHandleOfALateRead() throws Exception {
        var sink = active.register(End.memory(64));
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_READ);
        region.window().invalidate();
        active.read(1, sink, 64, region.handle(), region.address());
        awaitLoss();
        reportsHandle(Use.READ, region.handle(), passive);
    }

    @Test
    void reportsNoHandleWhenTheConnectionEndsForAnotherReason() throws Exception {
        connect();
        var region = passive.offer(End.memory(64), Access.REMOTE_READ);
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertEquals(Optional.empty(), passive.queuePair.unknownHandle());
    }
}
