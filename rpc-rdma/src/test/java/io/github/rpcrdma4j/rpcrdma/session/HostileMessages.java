package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: no message makes a responder fail, keep memory, or send a wrong answer. Method: connections
 * to a hostile requester, whose random messages depend on a seed.
 */
public abstract class HostileMessages {
    private static final int MESSAGES = 20_000;
    private static final int PER_CONNECTION = 100;
    public static final int CREDITS = 4;

    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder()
                    .credits(CREDITS)
                    .inlineSend(1024)
                    .inlineReceive(4096)
                    .build();

    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final Bindings bindings;
    private final WireProfile profile;
    private final int receives;
    private final Map<Class<?>, Integer> seen = new HashMap<>();
    private Responder responder;
    private int said;
    private int answered;

    /**
     * @param profile the wire profile of the responder
     * @param spareReceives how many receives it posts for its profile beyond its credits
     */
    public HostileMessages(UpperLayerBinding binding, WireProfile profile, int spareReceives) {
        this.bindings = new Bindings(List.of(binding));
        this.profile = profile;
        this.receives = CREDITS + spareReceives;
    }

    /** Decodes a message as the responder does. */
    public abstract Object judged(MemorySegment message);

    /** Checks {@code heard} answers to a message outside RFC 8166; returns how many are replies. */
    public abstract int other(Object judged, int heard);

    /** Returns how many kinds of messages there are. */
    public abstract int kinds();

    /** Returns the next message of the hostile requester. */
    public abstract byte[] next(HostileEnd end, int xid);

    /** Checks that a responder keeps nothing after its answer. */
    public abstract void checkNothingIsKept(HostileEnd end, Responder served);

    /** Returns whether every answer grants {@link #CREDITS}. */
    public abstract boolean grantsAlike();

    @Test
    @Tag("8166-4.5.1-1")
    @Tag("8166-4.5.2-1")
    @Tag("8166-4.5-1")
    public void aResponderOutlivesEveryMessage() {
        int messages = Seeds.rounds(MESSAGES);
        Seeds.many(Integer.MAX_VALUE).takeWhile(_ -> said < messages).forEach(this::meet);
        if (!Seeds.isGiven()) {
            // The messages were of all kinds, and the responder carried out many of them.
            assertEquals(kinds(), seen.size(), seen::toString);
            assertTrue(answered > messages / 20, () -> answered + " answers");
        }
    }

    private void meet(long seed) {
        try (var end = new HostileEnd(seed, receives)) {
            var endpoint =
                    new Endpoint(end.memory(end.queuePair), OPTIONS.inlineReceive(), () -> {});
            byte[] data = end.privateData(OPTIONS.privateData().encode());
            var counters = new Counters();
            var parameters = ConnectionParameters.ofResponder(OPTIONS.privateData(), data);
            responder =
                    new Responder(
                            endpoint,
                            counters,
                            parameters,
                            OPTIONS.bounds(),
                            ConnectionQuota.UNLIMITED,
                            Guard.NONE);
            endpoint.afterEach(() -> SimulatedEnd.run(responder, this::serve));
            var setup = new SimulatedSetup(end.world, endpoint, counters, OPTIONS);
            setup.initial(parameters);
            setup.responder(responder);
            profile.server(setup).begin();
            end.accept(data, OPTIONS.privateData().encode(), endpoint::completed);
            for (int i = 0; i < PER_CONNECTION && end.isUp(); i++) {
                receive(end, next(end, i));
            }
            endpoint.close("the test is over");
            end.leave();
            assertEquals(0, responder.liveCalls());
            assertEquals(0, end.queuePair.boundWindows());
            assertEquals(0, end.pool.leased());
            assertEquals(0, end.world.openQueuePairs());
        } catch (Exception | AssertionError broken) {
            throw new AssertionError("seed=" + seed, broken);
        }
    }

    private void serve(ServedCall call) {
        try {
            responder.ended(
                    call,
                    call.execution()
                            .run(
                                    dispatcher,
                                    bindings,
                                    SimulatedEnd.NOWHERE,
                                    Optional.empty(),
                                    () -> {}));
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Sends a message to the responder, and checks its answer. */
    private void receive(HostileEnd end, byte[] message) {
        said++;
        boolean tooLong = message.length > OPTIONS.inlineReceive();
        boolean invalidates = end.random.nextInt(200) == 0;
        end.send(message, invalidates ? OptionalInt.of(end.random.nextInt()) : OptionalInt.empty());
        if (tooLong || invalidates) {
            assertTrue(!end.isUp(), "a message that the provider refuses");
            return;
        }
        var received = judged(MemorySegment.ofArray(message));
        seen.merge(received.getClass(), 1, Integer::sum);
        switch (received) {
            case Received.Discard _, Received.Reply _, Received.Failure _ ->
                    assertEquals(0, end.received.size());
            case Received.OweVersionError(var xid, var version) ->
                    answered(end, new Version1Header.VersionError(xid, version, CREDITS, 1, 1));
            case Received.OweChunkError(var xid, var version, _) ->
                    answered(end, new Version1Header.ChunkError(xid, version, CREDITS));
            case Received.Call call -> {
                // A bad handle ends the connection (RFC 8166, Section 4.5.3). The responder drops
                // a payload that is not an RPC call.
                boolean chunks = !call.chunks().isEmpty();
                assertTrue(end.isUp() || chunks, "a call without chunks ended the connection");
                assertTrue(end.received.size() <= 1, "more than one answer");
                if (!end.received.isEmpty()) {
                    answered++;
                    assertEquals(call.header().xid(), xid(end.received.getFirst()));
                }
            }
            default -> answered += other(received, end.received.size());
        }
        if (end.isUp()) {
            checkNothingIsKept(end, responder);
        }
        end.received.clear();
    }

    private static int xid(byte[] message) {
        return ByteBuffer.wrap(message).getInt();
    }

    private void answered(HostileEnd end, Version1Header error) {
        assertTrue(end.isUp(), "an error ended the connection");
        assertEquals(1, end.received.size());
        if (!grantsAlike()) {
            assertEquals(error.xid(), xid(end.received.getFirst()));
            return;
        }
        assertArrayEquals(ManualConnection.message(error, new byte[0]), end.received.getFirst());
    }
}
