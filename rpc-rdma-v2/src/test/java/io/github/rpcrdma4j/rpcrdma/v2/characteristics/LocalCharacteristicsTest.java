package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.State;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.LocalReceiveSize.Step;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Examples;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LocalCharacteristicsTest {
    private static LocalCharacteristics local(BufferStructure receives) {
        return new LocalCharacteristics(
                receives,
                true,
                Reverse.SIZE_LIMITED,
                7,
                4,
                4,
                ReadChunks.FETCHES | ReadChunks.INVALIDATES,
                0);
    }

    private static int length(InitialExchange exchange) {
        return Version2HeaderCodec.encodedLength(
                new Version2Header.Option(1, 1, Direction.CALL, exchange));
    }

    @Test
    @Tag("XCH-4.1-1")
    @Tag("XCH-4.1-4")
    @Tag("RTR-5.3-3")
    @Tag("RTR-8.3-1")
    void announcesAllThatMattersInAShortMessage() {
        var local = local(Examples.STRUCTURE);
        var messages = CharacteristicsMessages.of(local, FirstMessage.BYTES_MAX);
        assertEquals(List.of(), messages.later());
        // Except for the fixed elements this is the example.
        assertEquals(172, length(messages.first()));
        var peer = PeerCharacteristics.UNKNOWN.with(messages.first());
        assertEquals(4608, peer.sendMax());
        assertEquals(true, peer.buffer().takesPlacement());
        assertEquals(4, peer.requestTransmissionsMax());
        var groups = Collections.nCopies(60, new BufferStructure.Group(1, 512, 4, 1));
        var long60 = local(new BufferStructure(60 * 512, groups));
        var parted = CharacteristicsMessages.of(long60, FirstMessage.BYTES_MAX);
        assertEquals(1, parted.later().size());
        assertTrue(length(parted.first()) <= FirstMessage.BYTES_MAX);
        var known = PeerCharacteristics.UNKNOWN.with(parted.first());
        assertEquals(false, known.buffer().takesPlacement());
        assertEquals(true, known.with(parted.later().getFirst()).buffer().takesPlacement());
        assertEquals(60 * 512, known.sendMax());
    }

    @Test
    void omitsCharacteristicsThatItDoesNotHave() {
        var plain =
                new LocalCharacteristics(
                        new BufferStructure(
                                4096, List.of(new BufferStructure.Group(1, 4096, 0, 0))),
                        false,
                        Reverse.NONE,
                        0,
                        1,
                        1,
                        0,
                        10_000);
        var first = CharacteristicsMessages.of(plain, FirstMessage.BYTES_MAX).first();
        assertEquals(4, first.start().size());
        assertEquals(10_000, PeerCharacteristics.UNKNOWN.with(first).readChunkHoldMillis());
    }

    @Test
    @Tag("XCH-3-3")
    @Tag("XCH-3.1-1")
    @Tag("XCH-3.1-4")
    @Tag("XCH-3.1-5")
    void neverAnnouncesMoreThanItsReceivesHold() {
        State steady = new State.Steady(4096);
        var growing = LocalReceiveSize.asked(steady, 8192, 16384).next();
        assertEquals(4096, growing.announced());
        assertEquals(
                new Step(new State.Steady(8192), Optional.empty(), Optional.of(8192L)),
                LocalReceiveSize.drained(growing));
        assertEquals(
                new Step(steady, Optional.empty(), Optional.empty()),
                LocalReceiveSize.drained(steady));
    }

    @Test
    @Tag("XCH-3.1-5")
    @Tag("XCH-3-2")
    @Tag("XCH-4.3-4")
    void answersRequestsForAnotherSize() {
        State steady = new State.Steady(4096);
        assertEquals("DONE 2048", asked(steady, 2048));
        assertEquals("DONE 4096", asked(steady, 4096));
        assertEquals("PENDING 4096", asked(steady, 16384));
        assertEquals("REJECTED 4096", asked(steady, 16385));
        assertEquals("REJECTED 4096", asked(steady, 1023));
        var growing = LocalReceiveSize.asked(steady, 16384, 16384).next();
        assertEquals("REJECTED 4096", asked(growing, 2048));
        var drained = LocalReceiveSize.drained(growing);
        assertEquals(Optional.of(16384L), drained.update());
    }

    private static String asked(State state, long size) {
        var step = LocalReceiveSize.asked(state, size, 16384);
        return step.verdict().orElseThrow() + " " + step.next().announced();
    }
}
