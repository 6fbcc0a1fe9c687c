package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerReceiveSize.State;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Examples;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Update;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PeerCharacteristicsTest {
    private static PeerCharacteristics peer(Characteristic... announced) {
        return PeerCharacteristics.UNKNOWN.with(
                new InitialExchange(List.of(announced), Subset.NONE));
    }

    @Test
    @Tag("XCH-3-1")
    @Tag("V2-2.3-1")
    @Tag("V2-2.3-3")
    @Tag("XCH-3.2-1")
    @Tag("XCH-3.3-1")
    @Tag("RTR-5.1-1")
    @Tag("RTR-5.2-1")
    @Tag("RTR-8.3-2")
    void hasADefaultForEverything() {
        var peer = PeerCharacteristics.UNKNOWN;
        assertEquals(4096, peer.sendMax());
        assertEquals(BufferLayout.plain(4096), peer.buffer());
        assertEquals(false, peer.acceptsRemoteInvalidation());
        assertEquals(Reverse.UNKNOWN, peer.reverse());
        assertEquals(0, peer.transmissions().mask());
        assertEquals(1, peer.requestTransmissionsMax());
        assertEquals(1, peer.responseTransmissionsMax());
        assertEquals(0, peer.readChunks().mask());
        assertEquals(0, peer.readChunkHoldMillis());
    }

    @Test
    @Tag("RTR-8.3-2")
    @Tag("RTR-8.3-3")
    @Tag("RTR-8.3-4")
    @Tag("V2-2.3-2")
    void findsTheReceiveSizeInSizeAndStructure() {
        var structure = new ReceiveStructure(Examples.STRUCTURE);
        assertEquals(8192, peer(new ReceiveSize(8192)).sendMax());
        assertEquals(BufferLayout.plain(8192), peer(new ReceiveSize(8192)).buffer());
        assertEquals(4608, peer(structure).sendMax());
        assertEquals(4608, peer(structure, new ReceiveSize(8192)).sendMax());
        assertEquals(4500, peer(structure, new ReceiveSize(4500)).sendMax());
        var impossible = new ReceiveStructure(new BufferStructure(5, List.of()));
        assertEquals(4096, peer(impossible).sendMax());
        assertEquals(8192, peer(impossible, new ReceiveSize(8192)).sendMax());
    }

    @Test
    @Tag("RTR-9.4-2")
    @Tag("RTR-5.2-1")
    void continuesOnlyWhereThePeerSupportsIt() {
        var limit = new Characteristic.RequestTransmissions(4);
        var made = new Characteristic.ResponseTransmissions(9);
        assertEquals(1, peer(limit, made).requestTransmissionsMax());
        var continues = peer(limit, made, new Transmissions(-1));
        assertEquals(4, continues.requestTransmissionsMax());
        assertEquals(9, continues.responseTransmissionsMax());
        var zero = peer(new Characteristic.RequestTransmissions(0), new Transmissions(7));
        assertEquals(1, zero.requestTransmissionsMax());
        assertEquals(true, zero.transmissions().has(Transmissions.RESPONSES));
        assertEquals(false, zero.transmissions().has(Transmissions.TRAILER));
    }

    @Test
    @Tag("XCH-2.1-5")
    @Tag("XCH-2.1-7")
    @Tag("XCH-4.1-3")
    @Tag("XCH-4.1-5")
    @Tag("XCH-4.1-6")
    @Tag("XCH-4.4-2")
    void ignoresChangesOfFixedCharacteristics() {
        var first =
                new InitialExchange(
                        List.of(
                                new ReceiveSize(100),
                                new Characteristic.Unknown(4711),
                                new ReceiveSize(5000),
                                new Characteristic.RemoteInvalidation(true)),
                        Subset.of(1, 3, 77));
        var peer = PeerCharacteristics.UNKNOWN.with(first);
        assertEquals(5000, peer.sendMax());
        var changed =
                peer.with(new Update(new ReceiveSize(6000), false))
                        .with(new Update(new Characteristic.RemoteInvalidation(false), false))
                        .with(new Update(new Characteristic.Unknown(4711), true));
        assertEquals(6000, changed.sendMax());
        assertEquals(true, changed.acceptsRemoteInvalidation());
        var again =
                changed.with(
                        new InitialExchange(
                                List.of(
                                        new ReceiveSize(7000),
                                        new Characteristic.RemoteInvalidation(false)),
                                Subset.NONE));
        assertEquals(7000, again.sendMax());
        assertEquals(true, again.acceptsRemoteInvalidation());
        assertEquals(5000, peer.sendMax());
    }

    @Test
    @Tag("XCH-3-2")
    @Tag("XCH-4.2-1")
    @Tag("XCH-4.3-3")
    @Tag("XCH-4.3-4")
    @Tag("XCH-4.3-5")
    void answersEveryRequestedChangeOnce() {
        var request =
                new ChangeRequest(
                        List.of(
                                new Characteristic.Unknown(4711),
                                new Characteristic.RemoteInvalidation(true),
                                new ReceiveSize(1),
                                new Characteristic.ReverseSupport(Reverse.NONE)));
        var answer =
                ChangeVerdict.answer(
                        request,
                        wish ->
                                switch (wish) {
                                    case ReceiveSize _ -> ChangeVerdict.PENDING;
                                    case Characteristic.ReverseSupport _ -> ChangeVerdict.DONE;
                                    default -> ChangeVerdict.REJECTED;
                                });
        assertEquals(new ChangeResponse(Subset.of(3), Subset.of(0, 1), Subset.of(2)), answer);
        var none = ChangeVerdict.answer(new ChangeRequest(List.of()), _ -> ChangeVerdict.DONE);
        assertEquals(new ChangeResponse(Subset.NONE, Subset.NONE, Subset.NONE), none);
        assertEquals(ChangeVerdict.DONE, ChangeVerdict.of(answer, 3));
        assertEquals(ChangeVerdict.PENDING, ChangeVerdict.of(answer, 2));
        assertEquals(ChangeVerdict.REJECTED, ChangeVerdict.of(answer, 0));
        // No verdict, and two verdicts.
        assertEquals(ChangeVerdict.REJECTED, ChangeVerdict.of(answer, 9));
        var twice = new ChangeResponse(Subset.of(0), Subset.NONE, Subset.of(0));
        assertEquals(ChangeVerdict.REJECTED, ChangeVerdict.of(twice, 0));
    }

    @Test
    @Tag("XCH-3.1-6")
    @Tag("XCH-4-3")
    @Tag("XCH-4.3-2")
    @Tag("XCH-4.4-2")
    @Tag("XCH-4.4-3")
    void sendsNoMoreThanItAskedFor() {
        State stable = new State.Stable(4096);
        var less = PeerReceiveSize.ask(stable, 2048);
        assertEquals(2048, less.sendMax());
        assertEquals(new State.Stable(2048), PeerReceiveSize.answered(less, ChangeVerdict.DONE));
        assertEquals(stable, PeerReceiveSize.answered(less, ChangeVerdict.REJECTED));
        var pending = PeerReceiveSize.answered(less, ChangeVerdict.PENDING);
        assertEquals(2048, pending.sendMax());
        assertEquals(pending, PeerReceiveSize.answered(pending, ChangeVerdict.DONE));
        assertEquals(2048, PeerReceiveSize.updated(pending, 8192, false).sendMax());
        assertEquals(new State.Stable(8192), PeerReceiveSize.updated(pending, 8192, true));
        assertEquals(stable, PeerReceiveSize.updated(pending, 4096, true));
        assertEquals(4096, PeerReceiveSize.ask(stable, 16384).sendMax());
        assertEquals(2048, PeerReceiveSize.updated(less, 8192, true).sendMax());
        assertEquals(new State.Stable(512), PeerReceiveSize.updated(stable, 512, false));
        assertEquals(stable, PeerReceiveSize.answered(stable, ChangeVerdict.DONE));
        assertThrows(IllegalStateException.class, () -> PeerReceiveSize.ask(less, 1));
        assertThrows(IllegalStateException.class, () -> PeerReceiveSize.ask(pending, 1));
    }
}
