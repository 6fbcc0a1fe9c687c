package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: the single credit of a new connection delays calls by a known time, and a NULL call before
 * them avoids that. Method: in the simulated world a message takes one millisecond, and a call
 * takes as many milliseconds as its procedure number.
 */
class FirstCallsTest {
    private static final long MILLISECOND = Duration.ofMillis(1).toNanos();
    private static final int CREDITS = 8;

    private long start;
    private final ManualConnection manual =
            new ManualConnection(4096, SimOptions.distant(MILLISECOND));
    private final List<Long> answeredAt = new ArrayList<>();
    private final Counters counters = new Counters();
    private final Requester requester =
            new Requester(manual.endpoint, counters, new CreditWindow(CREDITS));

    @BeforeEach
    void connect() throws Exception {
        manual.connect(
                completion -> {
                    manual.endpoint.completed(completion);
                    while (requester.takeAnswered() != null) {
                        answeredAt.add((manual.world.nanoTime() - start) / MILLISECOND);
                    }
                });
        start = manual.world.nanoTime();
        manual.onReceive =
                heard -> {
                    try {
                        var call = CallHeader.decode(new XdrReader(heard.payload()));
                        manual.world.after(
                                call.procedure() * MILLISECOND, () -> answer(call.xid()));
                    } catch (XdrException broken) {
                        throw new AssertionError(broken);
                    }
                };
    }

    private void answer(int xid) {
        byte[] accepted = ByteBuffer.allocate(24).putInt(xid).putInt(1).array();
        var header = new Version1Header.Msg(xid, CREDITS, ChunkLists.EMPTY);
        manual.post(ManualConnection.message(header, accepted), OptionalInt.empty());
    }

    /** Starts calls at the same time; returns when each is answered, in milliseconds. */
    private List<Long> answers(int... milliseconds) {
        for (int each : milliseconds) {
            start(each);
        }
        manual.world.settle();
        return answeredAt;
    }

    private void start(int milliseconds) {
        int xid = 100 + requester.unanswered() + answeredAt.size();
        var call = new RpcCall(7, 1, milliseconds, _ -> {}, 0);
        var parameters = new ConnectionParameters(1024, 1024, true);
        var memory = manual.endpoint.memory();
        requester.start(
                PlannedCalls.plan(xid, call, Eligibility.NONE, parameters, memory, 1 << 20));
    }

    /** Makes a NULL call and waits for its reply. */
    private void ping() {
        start(0);
        manual.world.settle();
    }

    @Test
    void allCallsWaitForTheFirst() {
        assertEquals(List.of(102L, 104L, 104L, 104L), answers(100, 0, 0, 0));
    }

    @Test
    void noneWaitsForAnotherBehindANullCall() {
        ping();
        assertEquals(List.of(2L, 4L, 4L, 4L, 104L), answers(100, 0, 0, 0));
    }

    /** Two round trips with and without a NULL call: before several calls it costs no time. */
    @Test
    void aNullCallTakesNoLongerThanTheFirstCallWould() {
        assertEquals(List.of(2L, 4L, 4L, 4L), answers(0, 0, 0, 0));
    }

    @Test
    void quickCallsBehindANullCallEndAtTheSameTimeAsWithout() {
        ping();
        assertEquals(List.of(2L, 4L, 4L, 4L, 4L), answers(0, 0, 0, 0));
    }

    @Test
    void equallyLongCallsEndAfterOneDurationNotTwo() {
        ping();
        assertEquals(List.of(2L, 54L, 54L, 54L, 54L), answers(50, 50, 50, 50));
    }

    @Test
    void withoutANullCallTheyEndAfterTwo() {
        assertEquals(List.of(52L, 104L, 104L, 104L), answers(50, 50, 50, 50));
    }

    /** Goal: a reply with a guessed XID grants no credits and answers no call. */
    @Test
    void aReplyToACallThatWasNotSentIsDiscarded() {
        manual.onReceive = _ -> answer(101);
        start(0);
        start(0);
        manual.world.settle();
        assertEquals(List.of(), answeredAt);
        assertEquals(1, counters.value(Counter.CALLS));
        assertEquals(1, counters.value(Counter.DISCARDED));
        assertEquals(0, counters.value(Counter.REPLIES));
    }
}
