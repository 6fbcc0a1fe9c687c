package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a requester finds results at their targets, and always gets its memory back. Method: the
 * test plays the server of a client of ours, over iWARP.
 */
class TargetsByHandTest {
    private static final int RECEIVE_BYTES = 12_288;
    private static final int PAYLOAD_BYTES = 4096;

    /** The bytes of the argument, and of its result. */
    private static final int LENGTH = 3001;

    private static final int PADDED_LENGTH = 3004;

    /** Longer than what the receives of the client have segments for. */
    private static final int TARGET = 20_000;

    /** The bytes of a reply before the data of its result. */
    private static final int BEFORE_DATA = 24 + 4;

    private final MemorySegment data = Arena.ofShared().allocate(LENGTH);
    private final MemorySegment target = Arena.ofShared().allocate(TARGET);
    private ClientUnderTest test;
    private Future<RpcReply> calling;
    private int xid;

    /** The target of the result. */
    private Segment wanted;

    @BeforeEach
    void begin() throws Exception {
        EchoProgram.fill(data, 3);
        var placing = Transmissions.DEFAULT.withTransferPolicy(TransferPolicy.PLACED);
        var version2 =
                Version2.DEFAULT
                        .withSpeaks1(false)
                        .withTransmissions(placing)
                        .withoutFetchedReplies();
        test =
                new ClientUnderTest(
                        RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2)),
                        RECEIVE_BYTES);
        // The server makes responses of one Send.
        test.introduce(
                new Characteristic.ReceiveSize(RECEIVE_BYTES),
                new Characteristic.Transmissions(7),
                new Characteristic.ReceiveStructure(
                        new BufferStructure(
                                RECEIVE_BYTES,
                                List.of(
                                        new Group(1, PAYLOAD_BYTES, 0, 0),
                                        new Group(1, 8192, 0, Group.PLACEMENT)))));
        test.call(EchoProgram.nullCall());
    }

    @AfterEach
    void end() {
        test.close();
    }

    private void call() throws Exception {
        calling = test.start(EchoProgram.swap(data, target));
        var call = test.hear();
        xid = call.xid();
        var request = operation(TransmitRequest.class, call);
        assertEquals(1, request.moved().size());
        assertEquals(1, request.responseMax());
        var items = request.directions().getFirst().results();
        long end = request.payloadLength() + PADDED_LENGTH;
        assertEquals(List.of(new ResponseSet(0, end, items)), request.directions());
        assertEquals(1, items.size());
        var explicit = assertInstanceOf(Target.Explicit.class, items.getFirst().target());
        wanted = explicit.segments().getFirst();
        assertEquals(TARGET, wanted.size());
    }

    /** Sends the header and the length of the result, and its data if it is inline. */
    private void answer(boolean isInline, PlacementItem... moved) {
        answer(isInline, 0, moved);
    }

    private void answer(boolean isInline, int length, PlacementItem... moved) {
        byte[] payload =
                test.success(
                        xid,
                        out -> {
                            if (isInline) {
                                out.opaque(data);
                            } else {
                                out.uint32(LENGTH);
                            }
                        });
        var response = new TransmitResponse(List.of(moved), 1, payload.length);
        byte[] message =
                ManualConnection.message(
                        new Version2Header.Option(xid, CREDITS, Direction.REPLY, response),
                        payload);
        test.server.send(Arrays.copyOf(message, Math.max(length, message.length)));
    }

    private static PlacementItem item(Location place) {
        return new PlacementItem(BEFORE_DATA, LENGTH, place);
    }

    /** Returns the result of the call, and checks that no memory is exposed any more. */
    private MemorySegment result() throws Exception {
        try (var reply = calling.get()) {
            assertEquals(0, test.client().openWindows());
            var result = reply.results().bulk(LENGTH);
            assertEquals(-1, result.mismatch(data));
            return result;
        }
    }

    private void isFenced() throws Exception {
        test.server.write(new byte[16], wanted);
        var next = test.start(EchoProgram.nullCall());
        assertThrows(ExecutionException.class, next::get);
    }

    @Test
    @Tag("RTR-7.3-3")
    @Tag("RTR-7.4-2")
    @Tag("RTR-7.4-3")
    @Tag("RTR-9.2-2")
    @Tag("RTR-7.4-6")
    void writtenResultsLieInTheirTargets() throws Exception {
        call();
        byte[] written = data.toArray(ValueLayout.JAVA_BYTE);
        test.server.write(written, wanted.withLength(LENGTH));
        answer(false, item(new Location.Explicit(List.of(wanted.withLength(LENGTH)))));
        assertEquals(target.address(), result().address());
        isFenced();
    }

    @Test
    @Tag("RTR-7.4-2")
    @Tag("RTR-7.4-3")
    @Tag("RTR-7.4-5")
    void unusedMemoryIsFencedToo() throws Exception {
        call();
        answer(true, item(new Location.TooShort()));
        result();
        call();
        answer(true, new PlacementItem(0, 0, new Location.NoItem()));
        result();
        isFenced();
    }

    private void isRefused(Fault fault, PlacementItem... moved) throws Exception {
        // The Send fills the first segment for bulk data.
        answer(false, RpcRdmaOptions.DEFAULT.inlineReceive() + LENGTH, moved);
        var complaint = operation(TransmitError.class, test.hear());
        assertEquals(xid, complaint.bad().xid());
        assertEquals(fault, complaint.fault());
    }

    private static Fault offset(long value, long min, long max) {
        return new Fault.OutOfRange(Fault.Measure.OFFSET, value, min, max);
    }

    @Test
    @Tag("RTR-7.4-2")
    @Tag("RTR-5.4-1")
    void complainsAboutItemsThatDoNotMatchTheirTargets() throws Exception {
        call();
        isRefused(offset(2, 1, 1), item(new Location.Numbered(0, List.of(0L))));
        isRefused(offset(0, 1, 1));
        var other = new Segment(wanted.handle() + 1, LENGTH, wanted.offset());
        isRefused(offset(LENGTH, 0, TARGET), item(new Location.Explicit(List.of(other))));
        // The call still waits for a valid response.
        answer(true, item(new Location.TooShort()));
        result();
    }
}
