package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: callers get the reason if their connection ended because this side gave up a call. That
 * reason blames this side for its given-up calls only, and the peer for its own mistakes only.
 */
class GivenUpCallsTest {
    private static final int CREDITS = 8;
    private static final int LENGTH = 4096;
    private static final int MANY = 5000;
    private static final RpcException LATE = new RpcException.TimedOut("no reply within 5 s");

    private final ManualConnection manual = new ManualConnection(4096);
    private final Requester requester =
            new Requester(manual.endpoint, new Counters(), new CreditWindow(CREDITS));

    @BeforeEach
    void connect() throws Exception {
        manual.connect(manual.endpoint::completed);
        // The first reply grants more than one credit.
        start(1, call(_ -> {}));
        answer(1);
    }

    private PendingCall start(int xid, RpcCall call) {
        var parameters = new ConnectionParameters(1024, 1024, true);
        var memory = manual.endpoint.memory();
        var pending =
                PlannedCalls.plan(xid, call, new Eligibility(1, 1), parameters, memory, 1 << 20);
        requester.start(pending);
        manual.world.settle();
        return pending;
    }

    private static RpcCall call(Consumer<XdrWriter> arguments, MemorySegment... targets) {
        return new RpcCall(7, 1, 3, arguments, 8, List.of(targets));
    }

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate(LENGTH);
    }

    private void answer(int xid) {
        byte[] accepted = ByteBuffer.allocate(24).putInt(xid).putInt(1).array();
        manual.send(new Version1Header.Msg(xid, CREDITS, ChunkLists.EMPTY), accepted);
    }

    private PendingCall fetch(int xid) {
        return start(xid, call(_ -> {}, memory()));
    }

    private PendingCall store(int xid) {
        return start(xid, call(out -> out.bulk(memory())));
    }

    private ChunkLists chunks() {
        return ((Version1Header.Msg) manual.received.getLast().header()).chunks();
    }

    private Segment target() {
        return chunks().writeList().getFirst().segments().getFirst();
    }

    private static RpcException reason(PendingCall call) {
        return assertInstanceOf(PendingCall.Answer.Failure.class, call.answer()).reason();
    }

    private static void assertBlamesThisSide(String message, PendingCall call) {
        assertEquals(
                message,
                assertInstanceOf(RpcException.CallGivenUp.class, reason(call)).getMessage());
    }

    @Test
    void blamesThisSideForALateWrite() {
        var late = fetch(2);
        var target = target();
        var other = start(3, call(_ -> {}));
        requester.cancel(late, LATE);
        assertEquals(LATE, reason(late));
        assertNull(other.answer());
        manual.write(new byte[LENGTH], target);
        var message =
                "this side gave up a call (no reply within 5 s), and the peer wrote to the memory"
                        + " of that call afterwards, which ended the connection";
        assertBlamesThisSide(message, other);
        assertBlamesThisSide(message, start(4, call(_ -> {})));
    }

    @Test
    void blamesThisSideForALateRead() {
        var late = store(2);
        var source = chunks().readList().getFirst().target();
        var other = start(3, call(_ -> {}));
        requester.cancel(late, new RpcException.TimedOut("its pipeline was closed"));
        manual.read(source);
        assertBlamesThisSide(
                "this side gave up a call (its pipeline was closed), and the peer read from the"
                        + " memory of that call afterwards, which ended the connection",
                other);
    }

    /** Method: the provider has forgotten the handle by then, but the given-up call has not. */
    @Test
    void blamesThisSideForALateInvalidation() {
        var late = store(2);
        int handle = chunks().readList().getFirst().target().handle();
        requester.cancel(late, LATE);
        for (int i = 0; i < MANY; i++) {
            var gone = new ExposedMemory(manual.endpoint.memory(), 1 << 20);
            gone.expose(memory(), Access.REMOTE_READ);
            gone.fence();
        }
        var other = start(3, call(_ -> {}));
        var header = new Version1Header.Msg(2, CREDITS, ChunkLists.EMPTY);
        manual.send(ManualConnection.message(header, new byte[24]), OptionalInt.of(handle));
        assertBlamesThisSide(
                "this side gave up a call (no reply within 5 s), and the peer invalidated the"
                        + " memory of that call afterwards, which ended the connection",
                other);
    }

    private static void assertBlamesThePeer(PendingCall call) {
        assertEquals(RpcException.ConnectionLost.class, reason(call).getClass());
        assertEquals("the peer wrote where it must not", reason(call).getMessage());
    }

    @Test
    void blamesThePeerForAHandleThatNeverWas() {
        requester.cancel(fetch(2), LATE);
        var target = target();
        var other = start(3, call(_ -> {}));
        manual.write(
                new byte[LENGTH], new Segment(target.handle() ^ 0x5555, LENGTH, target.offset()));
        assertBlamesThePeer(other);
    }

    /** A responder must not write after its reply, even if the caller has given up the call. */
    @Test
    void blamesThePeerForAWriteBehindItsReply() {
        var late = fetch(2);
        var target = target();
        requester.cancel(late, LATE);
        answer(2);
        var other = start(3, call(_ -> {}));
        manual.write(new byte[LENGTH], target);
        assertBlamesThePeer(other);
    }

    @Test
    void blamesThePeerForAWriteBehindTheReplyThatWasWaitedFor() {
        fetch(2);
        var target = target();
        answer(2);
        var other = start(3, call(_ -> {}));
        manual.write(new byte[LENGTH], target);
        assertBlamesThePeer(other);
    }
}
