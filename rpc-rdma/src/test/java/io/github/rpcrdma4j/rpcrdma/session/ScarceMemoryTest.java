package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a call for which a responder has no memory is refused, and its connection goes on. */
class ScarceMemoryTest {
    private static final int CREDITS = 4;
    private static final int BUDGET = 256 << 10;
    private static final int SIZE = 1 << 20;

    private final SegmentPool plenty = new SegmentPool(1 << 16);
    private final ManualConnection manual =
            new ManualConnection(
                    4096, SimOptions.CALM, new SegmentPool(BUDGET, new MemoryBudget(BUDGET)));
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new EchoProgram()));
    private final Bindings bindings = new Bindings(List.of(EchoProgram.BINDING));
    private Responder responder;

    @BeforeEach
    void connect() throws Exception {
        responder =
                new Responder(
                        manual.endpoint,
                        new Counters(),
                        new ConnectionParameters(1024, 1024, false),
                        RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build().bounds(),
                        ConnectionQuota.UNLIMITED,
                        Guard.NONE);
        manual.endpoint.afterEach(() -> SimulatedEnd.run(responder, this::serve));
        manual.connect(manual.endpoint::completed);
    }

    /** The call was refused, the next one is answered, and no memory stays leased. */
    @AfterEach
    void onlyThatCallIsRefused() {
        assertInstanceOf(Version1Header.ChunkError.class, manual.onlyMessage().header());
        assertEquals(CREDITS, manual.endpoint.postedReceives());
        assertFalse(manual.endpoint.isClosed());
        responder.useProfile(
                (message, buffer, _) -> responder.received(Received.byResponder(message), buffer));
        say(2, EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertEquals(2, manual.received.size());
        assertInstanceOf(Version1Header.Msg.class, manual.received.getLast().header());
        manual.endpoint.close("the test is over");
        assertEquals(0, manual.pool.leased());
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

    private void say(int xid, RpcCall call, ChunkLists chunks) {
        try (var message = new XdrWriter(plenty)) {
            CallHeader.encode(
                    message, xid, call.program(), call.version(), call.procedure(), RawAuth.NONE);
            call.arguments().accept(message);
            manual.send(
                    new Version1Header.Msg(xid, CREDITS, chunks),
                    message.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void refusesACallWithoutMemoryForItsReadChunks() {
        var offer = manual.offer(SIZE, Access.REMOTE_READ);
        var target = new Segment(offer.handle(), SIZE, offer.address());
        // The data follows the RPC header, the number and the length word.
        var read = new ReadSegment(40 + 4 + 4, target);
        say(
                1,
                EchoProgram.store(1, MemorySegment.ofArray(new byte[SIZE])),
                new ChunkLists(List.of(read), List.of(), Optional.empty()));
    }

    @Test
    void refusesACallWithoutMemoryForItsForm() {
        responder.useProfile(
                (_, buffer, _) -> {
                    responder.mayUse(List.of(buffer));
                    responder.called(
                            1,
                            ChunkLists.EMPTY,
                            call -> call.lease(SIZE).segment(),
                            _ -> ServedCall.Arrival.ONE_SEND,
                            List.of(buffer));
                });
        // Only a call with chunks is passed to the profile.
        var read = new ReadSegment(4, new Segment(1, 4, 0));
        say(1, EchoProgram.nullCall(), new ChunkLists(List.of(read), List.of(), Optional.empty()));
    }

    @Test
    void refusesACallWithoutMemoryForItsReply() {
        responder.useProfile(
                new ResponderProfile() {
                    @Override
                    public void received(
                            MemorySegment message,
                            SegmentPool.Lease buffer,
                            Completion completion) {
                        responder.received(Received.byResponder(message), buffer);
                    }

                    @Override
                    public Optional<Outgoing> reply(
                            ServedCall call,
                            Optional<ReplyPlan> plan,
                            ConnectionParameters parameters) {
                        manual.pool.lease(SIZE);
                        return Optional.empty();
                    }
                });
        say(1, EchoProgram.list(5000, 1), ChunkLists.EMPTY);
    }
}
