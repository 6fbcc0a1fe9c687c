package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.rpcrdma.v2.characteristics.ChangeVerdict;
import io.github.rpcrdma4j.rpcrdma.v2.characteristics.PeerCharacteristics;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.BufferLayout;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseCheck;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;

/**
 * The receiver of the Sends of one version 2 connection. The input for each Send:
 *
 * <pre>
 *   of each: length in words | that many words
 * </pre>
 */
final class Transmissions {
    private static final EnumSet<Extension> ALL = EnumSet.allOf(Extension.class);
    private static final OptionalLong LIMIT = OptionalLong.of(3);
    private static final int WORD = 4;

    /** A buffer with room for headers, and then for placement items. */
    private static final BufferLayout BUFFER =
            BufferLayout.of(
                            new BufferStructure(
                                    512,
                                    List.of(
                                            new BufferStructure.Group(1, 256, 0, 0),
                                            new BufferStructure.Group(
                                                    4, 64, 8, BufferStructure.Group.PLACEMENT))))
                    .orElseThrow();

    private GroupAssembly.State state = new GroupAssembly.State.Idle();
    private PeerCharacteristics peer = PeerCharacteristics.UNKNOWN;

    void take(byte[] bytes) {
        var all = MemorySegment.ofArray(bytes);
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(WORD * (bytes[at] & 0xff), bytes.length - at - 1);
            arrived(all.asSlice(at + 1, length));
            at += 1 + length;
        }
        on(new GroupAssembly.Event.TimedOut());
        on(new GroupAssembly.Event.ConnectionLost());
        if (!(state instanceof GroupAssembly.State.Idle)) {
            throw new AssertionError("a group outlived its connection");
        }
    }

    private void arrived(MemorySegment message) {
        FirstMessage.of(message);
        switch (Received.of(message, ALL)) {
            case Received.Transmission transmission ->
                    on(new GroupAssembly.Event.Arrived(transmission, LIMIT));
            case Received.Control(var header) -> {
                var id = new TransmissionId(header.xid(), header.direction(), 0);
                on(new GroupAssembly.Event.Intruder(5, 0, id));
                if (header.operation() instanceof Operation.Exchange exchange) {
                    exchanged(exchange);
                }
            }
            case Received.Call(var header, _, _, _) ->
                    on(
                            new GroupAssembly.Event.Intruder(
                                    0, 0, new TransmissionId(header.xid(), Direction.CALL, 0)));
            case Received.Reply _,
                    Received.Failure _,
                    Received.OweVersionError _,
                    Received.OweBadHeader _,
                    Received.OweBadOption _,
                    Received.OweDoneNotice _,
                    Received.Discard _ ->
                    on(new GroupAssembly.Event.Malformed());
        }
    }

    private void on(GroupAssembly.Event event) {
        var step = GroupAssembly.step(state, event);
        state = step.next();
        for (var action : step.actions()) {
            if (action instanceof GroupAssembly.Action.Deliver(var group)) {
                delivered(group);
            }
        }
    }

    private void delivered(Group group) {
        if (PlacedMessage.check(group, BUFFER) instanceof PlacedMessage.Checked.Good(var message)) {
            message.stream(Transmissions::memory);
            message.items().forEach(item -> item.data(Transmissions::memory));
        }
        if (group.initial() instanceof Operation.TransmitRequest request) {
            ResponseCheck.faultOfDirections(request.directions());
            ResponseCheck.faultOfItems(request.directions(), request.moved());
        }
    }

    private static MemorySegment memory(long bytes) {
        return MemorySegment.ofArray(new byte[(int) bytes]);
    }

    private void exchanged(Operation.Exchange exchange) {
        switch (exchange) {
            case Operation.InitialExchange first -> peer = peer.with(first);
            case Operation.Update update -> peer = peer.with(update);
            case Operation.ChangeRequest wishes ->
                    ChangeVerdict.answer(wishes, _ -> ChangeVerdict.PENDING);
            case Operation.ChangeResponse answer -> ChangeVerdict.of(answer, 1);
        }
        if (peer.sendMax() < 0 || peer.requestTransmissionsMax() < 1) {
            throw new AssertionError("nothing could be sent to " + peer);
        }
        peer.responseTransmissionsMax();
        peer.reverse();
        peer.readChunkHoldMillis();
    }
}
