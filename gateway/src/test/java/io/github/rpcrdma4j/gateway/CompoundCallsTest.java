package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.nfs.server.raw.Compound.call;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.filehandleWasPut;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.link;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.reply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasRead;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.raw.Compound;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a gateway calls servers of NFS version 4 over RDMA as RFC 8267, Sections 6.4 to 6.7, says.
 * Method: every word of its transport headers, at a server that the test operates.
 */
class CompoundCallsTest {
    private static final int CHUNKS_SEGMENTS_MAX = 16;
    private static final int CREDITS = 8;
    private static final int RDMA_ERROR = 4;
    private static final int ERR_CHUNK = 2;
    private static final int MIB = 1 << 20;
    private static final Words SYSTEM_ERR = Words.of(1, 0, 0, 0, 5);
    private static final Words GARBAGE_ARGS = Words.of(1, 0, 0, 0, 4);

    private WireToRdma wire;

    @BeforeEach
    void connect() throws Exception {
        wire = new WireToRdma();
    }

    @AfterEach
    void close() throws Exception {
        wire.close();
    }

    @Test
    @Tag("8267-6.4.1-1")
    void withoutAWriteListAllResultsAreInline() throws Exception {
        int number = wire.send(call().read(40).readLink());
        var call = wire.receive(number);
        assertEquals(List.of(), call.writes());
        call().read(40).readLink().message(number).requireSame(call.message());
        var results = reply(0, wasRead(data(40, 1)), link(Compound.ascii("a/b")));
        wire.answer(call, CREDITS, results);
        Words.of(number).and(results).requireSame(wire.client().receive());
    }

    static Stream<Compound.Call> complicated() {
        byte[] large = data(100_001, 1);
        return Stream.of(
                call().write(large),
                call().write(large).write(large).putFileHandle(32).write(large),
                call().read(MIB),
                call().read(MIB).readLink().putFileHandle(8).read(MIB),
                call().write(large).read(MIB).write(large).read(MIB).unknown());
    }

    @ParameterizedTest
    @MethodSource("complicated")
    @Tag("8267-6.4.2-1")
    void sendsNoMoreChunksThanEveryServerAccepts(Compound.Call sent) throws Exception {
        var call = wire.receive(wire.send(sent));
        long apart = call.reads().keySet().stream().filter(position -> position != 0).count();
        assertTrue(apart <= 1, call.reads()::toString);
        assertTrue(call.writes().size() <= 1, call.writes()::toString);
        for (int segments : call.reads().values()) {
            assertTrue(segments <= CHUNKS_SEGMENTS_MAX, call.reads()::toString);
        }
        for (int segments : call.writes()) {
            assertTrue(segments <= CHUNKS_SEGMENTS_MAX, call.writes()::toString);
        }
        if (call.reply().length() > 0) {
            assertTrue(call.reply().at(0) <= CHUNKS_SEGMENTS_MAX, call.reply()::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("complicated")
    @Tag("8267-6.4.2-4")
    @Tag("8267-6.7.2-2")
    @Tag("8267-3.1-2")
    void aCallThatIsTooComplicatedIsNotRepeated(Compound.Call sent) throws Exception {
        int number = wire.send(sent);
        wire.receive(number);
        wire.server().send(Words.of(number, 1, CREDITS, RDMA_ERROR, ERR_CHUNK));
        Words.of(number).and(SYSTEM_ERR).requireSame(wire.client().receive());
        wire.requireAlive();
    }

    @Test
    @Tag("8267-6.4.2-4")
    void aCallWithWrongArgumentsIsNotRepeated() throws Exception {
        int number = wire.send(call().write(data(50_000, 1)));
        wire.answer(wire.receive(number), CREDITS, GARBAGE_ARGS);
        Words.of(number).and(GARBAGE_ARGS).requireSame(wire.client().receive());
        wire.requireAlive();
    }

    /** Goal: the client alone decides what to send again, and knows that it has to decide. */
    @Test
    @Tag("8267-6.7.2-3")
    @Tag("8267-6.6-3")
    void aLostConnectionEndsThatOfTheClientWithoutAnAnswer() throws Exception {
        wire.receive(wire.send(call().write(data(50_000, 1))));
        wire.server().close();
        assertEquals(Optional.empty(), wire.client().receiveUnlessClosed());
        wire.requireNoOtherConnection();
    }

    static Stream<RpcException> unknownEnds() {
        return Stream.of(
                new RpcException.ConnectionLost("test", null),
                new RpcException.CallGivenUp("test"),
                new RpcException.TimedOut("test"),
                new RpcException.BadReply("test"));
    }

    /**
     * Goal: no error stands for a reply that is lost. Method: without the connection of the client,
     * whose end could overtake the error.
     */
    @ParameterizedTest
    @MethodSource("unknownEnds")
    void aCallWhoseReplyIsLostIsNotAnsweredByAnError(RpcException lost) {
        var header =
                new CallHeader(
                        7, CallHeader.RPC_VERSION, 100_003, 4, 1, RawAuth.NONE, RawAuth.NONE);
        var reasons = new ArrayList<String>();
        try (var reply = new XdrWriter(new SegmentPool(0))) {
            assertFalse(PassedCalls.failed(header, lost, reply, reasons::add), "an answer");
            assertEquals(0, reply.reducedLength(), "an answer");
        }
        assertEquals(List.of("test"), reasons, "the connection is closed");
    }

    /**
     * Goal: a session of many slots works with few credits, and one of several credits stays free
     * for a call that shows whether the server is alive.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @Tag("8267-6.6-1")
    @Tag("8267-6.7.2-1")
    void moreCallsThanCreditsWait(int credits) throws Exception {
        int calls = 12;
        var numbers = new ArrayList<Integer>();
        for (int i = 0; i < calls; i++) {
            numbers.add(wire.send(call().putFileHandle(4)));
        }
        var results = reply(0, filehandleWasPut());
        var outstanding = new ArrayDeque<SeenHeader>();
        // Before the first reply, there is one credit (RFC 8166, Section 3.3.1).
        int usable = 1;
        for (int i = 0; i < calls; i++) {
            while (outstanding.size() < Math.min(usable, calls - i)) {
                outstanding.add(SeenHeader.of(wire.server().receive()));
            }
            assertEquals(0, wire.server().arrived(), "more calls than credits");
            var call = outstanding.removeFirst();
            assertTrue(numbers.remove((Integer) call.xid()));
            wire.answer(call, credits, results);
            usable = Math.max(1, credits - 1);
            Words.of(call.xid()).and(results).requireSame(wire.client().receive());
        }
    }

    @Test
    @Tag("8267-6.5.2-1")
    void aCallOfTheServerPassesOnTheSameConnection() throws Exception {
        wire.requireAlive();
        var call = Words.of(0x77, 0, 2, 0x40000000, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0);
        wire.server().send(Words.of(0x77, 1, CREDITS, 0, 0, 0, 0).and(call));
        call.requireSame(wire.client().receive());
        var answer = Words.of(0x77, 1, 0, 0, 0, 0, 0, 0, 0);
        wire.client().send(answer);
        var seen = wire.server().receive();
        assertEquals(0, seen.at(3), "RDMA_MSG");
        Words.of(0, 0, 0).and(answer).requireSame(seen.from(4));
    }
}
