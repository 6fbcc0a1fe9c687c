package io.github.rpcrdma4j.sim.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.UnknownHandle.Use;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What no peer can do: reach memory that is not, or no longer, offered to it. */
abstract class ProtectionRules extends TransferRules {
    @Test
    @Tag("5041-7.1-1")
    void refusesAWriteWithAnUnknownHandle() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle() ^ 0x5555, region.address());
    }

    @Test
    @Tag("5041-7.1-3")
    @Tag("5041-7.1-11")
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
    @Tag("5041-7.1-4")
    void refusesAWriteThatWrapsAround() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        refusesWrite(End.pattern(8, 1), region.handle(), -4);
    }

    @Test
    @Tag("5040-5.1-1")
    @Tag("5040-8.1-2")
    void refusesAWriteToWhatMayOnlyBeRead() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        refusesWrite(End.pattern(8, 1), region.handle(), region.address());
    }

    @Test
    @Tag("8166-8.1.1-1")
    @Tag("5666-11-3")
    @Tag("5041-7.1-2")
    @Tag("5041-8.2-1")
    @Tag("5040-8.1-2")
    void refusesAWriteToARegionOfAnotherDomain() throws Exception {
        try (var stranger = new End(provider, READS, READS)) {
            var region = stranger.register(End.memory(64), Access.REMOTE_WRITE);
            refusesWrite(End.pattern(8, 1), region.handle(), region.address());
            stranger.completionQueue.close();
        }
    }

    @Test
    @Tag("8166-8.1.2-1")
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
        assertTrue(guard.isValid());
        for (var region : passive.registered) {
            assertArrayEquals(new byte[64], octets(region.segment()));
        }
        assertTrue(passive.queuePair.failure().isPresent());
    }

    @Test
    @Tag("5040-5.2.1-2")
    @Tag("8166-4.5.3-1")
    void refusesAReadWithAnUnknownHandle() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        refusesRead(16, region.handle() ^ 0x5555, region.address());
    }

    @Test
    @Tag("5040-5.2.1-2")
    void refusesAReadOutOfBounds() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        refusesRead(16, region.handle(), region.address() + 49);
    }

    @Test
    @Tag("5040-5.2.1-2")
    @Tag("5040-8.1-2")
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
        assertArrayEquals(new byte[64], octets(sink.segment()));
        assertTrue(passive.queuePair.failure().isPresent());
    }

    @Test
    void refusesAReadBeforeTheStart() throws Exception {
        var region = passive.register(End.pattern(64, 1), Access.REMOTE_READ);
        refusesRead(16, region.handle(), region.address() - 1);
    }

    @Test
    void refusesAReadThatWrapsAround() throws Exception {
        var region = passive.register(End.pattern(64, 1), Access.REMOTE_READ);
        refusesRead(16, region.handle(), -8);
    }

    @Test
    @Tag("8166-8.1.1-1")
    @Tag("5666-11-3")
    @Tag("5041-8.2-1")
    void refusesAReadOfARegionOfAnotherDomain() throws Exception {
        try (var stranger = new End(provider, READS, READS)) {
            var region = stranger.register(End.pattern(64, 1), Access.REMOTE_READ);
            refusesRead(16, region.handle(), region.address());
            stranger.completionQueue.close();
        }
    }

    @Test
    void refusesAReadWithTheHandleOfAnEarlierRegistration() throws Exception {
        var memory = End.pattern(64, 1);
        var earlier = passive.register(memory, Access.REMOTE_READ);
        earlier.invalidate();
        var region = passive.register(memory, Access.REMOTE_READ);
        refusesRead(16, earlier.handle(), region.address());
    }

    @Test
    @Tag("5040-5.2.1-3")
    void refusesAReadIntoWhatIsNotItsSink() throws Exception {
        var source = passive.register(End.pattern(64, 1), Access.REMOTE_READ);
        var readOnly = active.register(End.memory(64), Access.REMOTE_READ);
        var sink = active.register(End.memory(64), Access.LOCAL_WRITE);
        var foreign = passive.register(End.memory(64), Access.LOCAL_WRITE);
        connect();
        for (var request :
                List.of(
                        read(readOnly, 0, 16, source),
                        read(foreign, 0, 16, source),
                        read(sink, 49, 16, source),
                        read(sink, -1, 16, source),
                        read(sink, 0, 0xffff_ffff, source))) {
            assertThrows(
                    IllegalArgumentException.class, () -> active.queuePair.post(List.of(request)));
        }
        assertEquals(QueuePair.State.READY, active.queuePair.state());
    }

    private static WorkRequest read(MemoryRegion sink, long at, int length, MemoryRegion source) {
        return new WorkRequest.Read(1, sink, at, length, source.handle(), source.address());
    }

    @Test
    void losesTheConnectionWhenASinkIsInvalidatedWhileItIsRead() throws Exception {
        var source = passive.register(End.pattern(64, 1), Access.REMOTE_READ);
        var sink = active.register(End.memory(64), Access.LOCAL_WRITE);
        connect();
        active.read(1, sink, 64, source.handle(), source.address());
        sink.invalidate();
        awaitLoss();
        assertEquals(Status.LOCAL_ACCESS_ERROR, active.of(Operation.READ).getFirst().status());
        assertArrayEquals(new byte[64], octets(sink.segment()));
    }

    @Test
    @Tag("5666-11-3")
    void closesADomainWithAllItsRegions() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        connect();
        passive.domain.close();
        assertFalse(region.isValid());
        assertThrows(
                IllegalStateException.class,
                () -> passive.register(End.memory(64), Access.REMOTE_WRITE));
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(new byte[64], octets(region.segment()));
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
    @Tag("5666-2-1")
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
    @Tag("8797-3.1-1")
    @Tag("5041-7.1-10")
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
    @Tag("5041-7.1-7")
    @Tag("5666-3.3-5")
    void refusesAMessageThatMeetsNoReceive() throws Exception {
        connect();
        active.send(1, End.pattern(11, 1));
        awaitLoss();
        assertTrue(passive.queuePair.failure().isPresent());
    }

    @Test
    @Tag("5040-5.3-2")
    @Tag("8797-4.1-4")
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
    @Tag("5040-5.3-3")
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
        assertEquals(
                unknown(Use.INVALIDATE, region.handle() ^ 0x5555),
                active.queuePair.unknownHandle());
    }

    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-8.1-1")
    @Tag("5666-11-2")
    @Tag("5040-8.1-1")
    void keepsLateWritesOutOfMemoryThatWasInvalidated() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_WRITE);
        connect();
        region.invalidate();
        assertEquals(0, passive.domain.registeredRegions());
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertArrayEquals(new byte[64], octets(region.segment()));
        assertEquals(unknown(Use.WRITE, region.handle()), passive.queuePair.unknownHandle());
        assertEquals(Optional.empty(), active.queuePair.unknownHandle());
    }

    private static Optional<UnknownHandle> unknown(Use use, int handle) {
        return Optional.of(new UnknownHandle(use, handle));
    }

    @Test
    void tellsTheHandleOfALateRead() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        var sink = active.register(End.memory(64), Access.LOCAL_WRITE);
        connect();
        region.invalidate();
        active.read(1, sink, 64, region.handle(), region.address());
        awaitLoss();
        assertEquals(unknown(Use.READ, region.handle()), passive.queuePair.unknownHandle());
    }

    @Test
    void tellsNoHandleWhenTheConnectionEndsForAnotherReason() throws Exception {
        var region = passive.register(End.memory(64), Access.REMOTE_READ);
        connect();
        active.write(1, End.pattern(64, 2), region.handle(), region.address());
        awaitLoss();
        assertEquals(Optional.empty(), passive.queuePair.unknownHandle());
    }
}
