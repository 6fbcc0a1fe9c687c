package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Makes the calls of one direction of a simulated connection, cancels some, and checks that each
 * has one outcome, the correct one.
 */
public final class SimulatedCaller {
    private static final long TURN_NANOS = 500_000;
    private static final int LOOKS_MAX = 1000;
    private static final int FIRST_XID = 7;
    private static final long CANCEL_NANOS_MAX = 400_000;
    private static final long GATHER_NANOS_MAX = 20_000;
    private static final long LOOK_NANOS_MAX = 30_000;

    private final SimWorld world;
    private final Endpoint endpoint;
    private final Supplier<RandomCall> calls;
    private final CreditWindow window;
    private final Requester requester;
    private final Map<PendingCall, RandomCall> wanted = new IdentityHashMap<>();
    private final Set<PendingCall> cancelled = Collections.newSetFromMap(new IdentityHashMap<>());
    private CallEncoder encoder;
    private int nextXid = FIRST_XID;

    /**
     * @param credits the number of credits that every call requests
     * @param calls returns a random call
     */
    public SimulatedCaller(
            SimWorld world,
            Endpoint endpoint,
            Counters counters,
            int credits,
            Supplier<RandomCall> calls) {
        this.world = world;
        this.endpoint = endpoint;
        this.calls = calls;
        this.window = new CreditWindow(credits);
        this.requester = new Requester(endpoint, counters, window);
    }

    /** Sets the encoder of its calls, before the first call. */
    public void encodeBy(CallEncoder by) {
        encoder = by;
    }

    public Requester requester() {
        return requester;
    }

    public void start() {
        var chosen = calls.get();
        PendingCall pending;
        try {
            pending =
                    encoder.encode(
                            chosen.call(), CallProtection.of(new Credential.None()), nextXid++);
        } catch (RpcException.TransportRefused _) {
            // A hostile peer refuses all calls, so this one is not sent.
            return;
        } catch (RpcException impossible) {
            throw new AssertionError(impossible);
        }
        wanted.put(pending, chosen);
        var random = world.random();
        if (random.nextInt(3) == 0) {
            // The call leaves with the next ones, or a little later.
            endpoint.gather();
            world.after(random.nextLong(GATHER_NANOS_MAX), endpoint::flush);
        }
        requester.start(pending);
        takeAnswered();
        await(pending, LOOKS_MAX);
        if (random.nextInt(6) == 0) {
            world.after(random.nextLong(CANCEL_NANOS_MAX), () -> cancel(pending));
        }
    }

    /** Lets the requester send pending messages at intervals, as a waiting caller does. */
    private void await(PendingCall pending, int looks) {
        if (pending.answer() == null && looks > 0 && !endpoint.isClosed()) {
            requester.sendDue();
            world.after(TURN_NANOS, () -> await(pending, looks - 1));
        }
    }

    private void cancel(PendingCall pending) {
        if (pending.answer() == null) {
            cancelled.add(pending);
            requester.cancel(pending, new RpcException.TimedOut("cancelled by the test"));
            takeAnswered();
        }
    }

    /** Takes all answered calls; their callers check the answers later. */
    public void takeAnswered() {
        for (var call = requester.takeAnswered(); call != null; call = requester.takeAnswered()) {
            answered(call);
        }
    }

    /** Checks an answer a little later, and then releases the call. */
    private void answered(PendingCall pending) {
        var expected = outcome(pending);
        world.after(world.random().nextLong(LOOK_NANOS_MAX), () -> check(pending, expected));
    }

    private RandomCall outcome(PendingCall pending) {
        var expected = wanted.remove(pending);
        assertNotNull(expected, "a call had two outcomes");
        return expected;
    }

    private void check(PendingCall pending, RandomCall expected) {
        switch (pending.answer()) {
            case PendingCall.Answer.Failure(var reason) ->
                    assertTrue(
                            !expected.isTrusted()
                                    || endpoint.isClosed()
                                    || cancelled.contains(pending),
                            reason::getMessage);
            case PendingCall.Answer.Reply(var payload, var placements) ->
                    expected.answered(new XdrReader(payload, placements));
        }
        pending.release();
    }

    /** Checks, once the world is idle, that every call has its outcome. Makes no more calls. */
    public void checkOutcomes() {
        // Calls that were lost because the test closed their connection.
        for (var call = requester.takeAnswered(); call != null; call = requester.takeAnswered()) {
            check(call, outcome(call));
        }
        assertTrue(wanted.isEmpty(), "calls without an outcome");
        if (encoder != null) {
            encoder.close();
        }
    }

    /** Returns whether a call was cancelled. */
    public boolean hasCancelled() {
        return !cancelled.isEmpty();
    }

    public void checkNoThreadWaits() {
        assertEquals(0, requester.unanswered(), "calls that hold an XID");
        assertEquals(0, window.outstanding(), "credits");
    }
}
