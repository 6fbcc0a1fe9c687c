package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.Golden;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader.AuthError;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader.ProgramMismatch;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader.Refused;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader.RpcMismatch;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader.Success;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RpcDispatcherTest {
    private static final int XID = 77;
    private static final InetSocketAddress PEER =
            InetSocketAddress.createUnresolved("peer.example", 1);
    private static final RawAuth GSS = new RawAuth(6, MemorySegment.ofArray(new byte[4]));
    private static final RawAuth BROKEN_SYS = new RawAuth(1, MemorySegment.ofArray(new byte[4]));
    private static final RawAuth SYS =
            RawAuth.of(new Credential.Sys(0, "box", 1, 2, List.of(3, 4)));

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final RpcDispatcher dispatcher =
            new RpcDispatcher(
                    List.of(
                            new PatternProgram(2, 3),
                            new PatternProgram(5, 5),
                            new PatternProgram(0x8000_0000, 0xffff_fffe, 0x8000_0001)));

    private final LogRecords log = new LogRecords(RpcDispatcher.class);

    @AfterEach
    void everythingIsGivenBack() {
        log.close();
        assertEquals(0, pool.leased());
    }

    /** Goal: show every outcome of a call on one screen. */
    @Test
    void owesEachCallerItsAnswer() throws Exception {
        int program = PatternProgram.PROGRAM;
        Consumer<XdrWriter> none = _ -> {};
        Consumer<XdrWriter> word = out -> out.uint32(8);
        record Row(ReplyHeader owed, Consumer<XdrWriter> call) {}
        var table =
                List.of(
                        new Row(new Success(XID), call(program, 2, 0, RawAuth.NONE, none)),
                        new Row(new Success(XID), call(program, 3, 0, SYS, none)),
                        new Row(
                                new Success(XID),
                                call(program, 3, PatternProgram.FETCH, SYS, word)),
                        new Row(
                                new RpcMismatch(XID, 2, 2),
                                out -> out.uint32(XID).uint32(0).uint32(3)),
                        new Row(
                                new RpcMismatch(XID, 2, 2),
                                out -> out.uint32(XID).uint32(0).uint32(-1)),
                        new Row(
                                new AuthError(XID, ReplyHeader.AUTH_REJECTEDCRED),
                                call(program, 2, 0, GSS, none)),
                        new Row(
                                new AuthError(XID, ReplyHeader.AUTH_BADCRED),
                                call(program, 2, 0, BROKEN_SYS, none)),
                        new Row(
                                new AuthError(XID, ReplyHeader.AUTH_BADCRED),
                                out -> header(out, program).uint32(1).opaque(new byte[401])),
                        new Row(
                                new AuthError(XID, ReplyHeader.AUTH_BADCRED),
                                out -> header(out, program).uint32(1).uint32(-1)),
                        new Row(
                                new AuthError(XID, ReplyHeader.AUTH_BADVERF),
                                out ->
                                        header(out, program)
                                                .uint64(0)
                                                .uint32(1)
                                                .opaque(new byte[401])),
                        new Row(
                                new Refused(XID, AcceptStatus.PROG_UNAVAIL),
                                call(program + 1, 2, 0, SYS, none)),
                        new Row(new ProgramMismatch(XID, 2, 5), call(program, 1, 0, SYS, none)),
                        new Row(new ProgramMismatch(XID, 2, 5), call(program, 4, 0, SYS, none)),
                        new Row(new ProgramMismatch(XID, 2, 5), call(program, -1, 0, SYS, none)),
                        new Row(
                                new ProgramMismatch(XID, 0x8000_0000, 0xffff_fffe),
                                call(0x8000_0001, -1, 0, SYS, none)),
                        new Row(new Success(XID), call(0x8000_0001, 0xffff_fffe, 0, SYS, none)),
                        new Row(
                                new Refused(XID, AcceptStatus.PROC_UNAVAIL),
                                call(program, 2, 99, SYS, none)),
                        new Row(
                                new Refused(XID, AcceptStatus.GARBAGE_ARGS),
                                call(program, 2, 0, SYS, word)),
                        new Row(
                                new Refused(XID, AcceptStatus.GARBAGE_ARGS),
                                call(program, 2, PatternProgram.FETCH, SYS, none)),
                        new Row(
                                new Refused(XID, AcceptStatus.SYSTEM_ERR),
                                call(program, 2, PatternProgram.FAIL, SYS, none)),
                        new Row(
                                new Refused(XID, AcceptStatus.SYSTEM_ERR),
                                call(program, 2, PatternProgram.BREAK, SYS, none)),
                        new Row(
                                new Refused(XID, AcceptStatus.SYSTEM_ERR),
                                call(program, 2, PatternProgram.FORGET, SYS, none)),
                        new Row(
                                new ProgramMismatch(XID, 2, 5),
                                call(program, 2, PatternProgram.LEAVE, SYS, word)));
        for (var row : table) {
            try (var message = new XdrWriter(pool);
                    var reply = new XdrWriter(pool)) {
                row.call().accept(message);
                assertTrue(dispatch(message, reply), row.owed().toString());
                assertEquals(row.owed(), ReplyHeader.decode(new XdrReader(reply.reducedStream())));
                if (!(row.owed() instanceof Success)) {
                    assertEquals(List.of(), reply.bulkItems());
                }
            }
        }
        // Each row counts by what it is owed.
        var ends = new EnumMap<CallStatistics.End, Long>(CallStatistics.End.class);
        table.forEach(
                row ->
                        ends.merge(
                                row.owed()
                                        .acceptStatus()
                                        .map(CallStatistics.End::of)
                                        .orElse(CallStatistics.End.DENIED),
                                1L,
                                Long::sum));
        for (var end : CallStatistics.End.values()) {
            assertEquals(
                    ends.getOrDefault(end, 0L), dispatcher.statistics().ended(end), end.name());
        }
    }

    @Test
    void countsCallsByProgramAndProcedure() throws Exception {
        int program = PatternProgram.PROGRAM;
        Consumer<XdrWriter> none = _ -> {};
        var calls =
                List.of(
                        call(program, 2, 0, SYS, none),
                        call(program, 3, 0, SYS, none),
                        call(program, 5, PatternProgram.FETCH, SYS, none),
                        call(program, 5, 31, SYS, none),
                        // Nothing counts these apart: an attacker chooses the numbers.
                        call(program, 5, 32, SYS, none),
                        call(program, 5, -1, SYS, none),
                        call(program, 4, 0, SYS, none),
                        call(program + 1, 2, 0, SYS, none));
        for (var each : calls) {
            try (var message = new XdrWriter(pool);
                    var reply = new XdrWriter(pool)) {
                each.accept(message);
                assertTrue(dispatch(message, reply));
            }
        }
        var both = new ProgramId(program, 2, 3);
        var third = new ProgramId(program, 5, 5);
        assertEquals(
                List.of(
                        new CallStatistics.Calls(both, 0, 2),
                        new CallStatistics.Calls(third, PatternProgram.FETCH, 1),
                        new CallStatistics.Calls(third, 31, 1)),
                dispatcher.statistics().calls());
        assertEquals(4, dispatcher.statistics().otherCalls());
    }

    @Test
    void owesNothingToWhatIsNotACall() throws Exception {
        var call = Golden.bytes("null-call");
        try (var reply = new XdrWriter(pool)) {
            for (long length = 0; length < 24; length++) {
                var in = new XdrReader(call.asSlice(0, length));
                assertFalse(dispatcher.dispatch(in, PEER, pool, reply));
            }
            var in = new XdrReader(Golden.bytes("null-reply"));
            assertFalse(dispatcher.dispatch(in, PEER, pool, reply));
            assertEquals(0, reply.position());
        }
    }

    @Test
    void answersACallThatEndsInsideItsCredential() throws Exception {
        var call = Golden.bytes("null-call");
        for (long length = 24; length < call.byteSize(); length++) {
            try (var reply = new XdrWriter(pool)) {
                var in = new XdrReader(call.asSlice(0, length));
                assertTrue(dispatcher.dispatch(in, PEER, pool, reply));
                int owed = length < 32 ? ReplyHeader.AUTH_BADCRED : ReplyHeader.AUTH_BADVERF;
                assertEquals(
                        new AuthError(0x0a0b0c0d, owed),
                        ReplyHeader.decode(new XdrReader(reply.reducedStream())));
            }
        }
    }

    /** Goal: any bytes give a valid reply or none. Method: every value of every byte of a call. */
    @Test
    void survivesEveryCorruptionOfACall() throws Exception {
        var bytes = Golden.bytes("sys-call");
        for (long at = 0; at < bytes.byteSize(); at++) {
            byte good = bytes.get(ValueLayout.JAVA_BYTE, at);
            for (int value = 0; value < 256; value++) {
                bytes.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                try (var reply = new XdrWriter(pool)) {
                    if (dispatcher.dispatch(new XdrReader(bytes), PEER, pool, reply)) {
                        var in = new XdrReader(reply.reducedStream());
                        assertEquals(
                                bytes.get(
                                        ValueLayout.JAVA_INT_UNALIGNED.withOrder(
                                                ByteOrder.BIG_ENDIAN),
                                        0),
                                ReplyHeader.decode(in).xid());
                        in.finish();
                    }
                }
            }
            bytes.set(ValueLayout.JAVA_BYTE, at, good);
        }
    }

    @Test
    void leavesNothingOfPartialResults() throws Exception {
        try (var message = new XdrWriter(pool);
                var reply = new XdrWriter(pool)) {
            call(PatternProgram.PROGRAM, 2, PatternProgram.LEAVE, SYS, out -> out.uint32(0))
                    .accept(message);
            int before = pool.leased();
            assertTrue(dispatch(message, reply));
            assertEquals(before, pool.leased());
            assertEquals(32, reply.position());
        }
    }

    @Test
    void logsTheFailureOfAProgramOnce() throws Exception {
        try (var message = new XdrWriter(pool);
                var reply = new XdrWriter(pool)) {
            call(PatternProgram.PROGRAM, 2, PatternProgram.FAIL, SYS, _ -> {}).accept(message);
            assertTrue(dispatch(message, reply));
        }
        assertEquals(
                List.of("program 536871065 (0x20000099) failed in procedure 3"), log.messages());
    }

    @Test
    void passesAnInterruptOn() {
        try (var message = new XdrWriter(pool);
                var reply = new XdrWriter(pool)) {
            call(PatternProgram.PROGRAM, 2, PatternProgram.STOP, SYS, _ -> {}).accept(message);
            assertThrows(InterruptedException.class, () -> dispatch(message, reply));
        }
    }

    @Test
    void looksAtACallBeforeItRuns() {
        var header = RpcDispatcher.peek(Golden.bytes("sys-call")).orElseThrow();
        assertEquals(0x01020304, header.xid());
        assertEquals(100003, header.program());
        assertTrue(RpcDispatcher.peek(Golden.bytes("null-reply")).isEmpty());
        assertTrue(RpcDispatcher.peek(MemorySegment.NULL).isEmpty());
    }

    @Test
    void asksTheProgramOfThatVersionWhetherACallIsCheap() {
        int program = PatternProgram.PROGRAM;
        assertTrue(dispatcher.runsOnReader(header(program, 2, 0)));
        assertFalse(dispatcher.runsOnReader(header(program, 5, PatternProgram.FETCH)));
        assertTrue(dispatcher.runsOnReader(header(program, 4, PatternProgram.FETCH)));
        assertTrue(dispatcher.runsOnReader(header(program + 1, 2, PatternProgram.FETCH)));
    }

    private boolean isUsuallyQuick(CallHeader call) {
        return dispatcher.isUsuallyQuick(call, new XdrReader(MemorySegment.NULL));
    }

    @Test
    void asksTheProgramOfThatVersionWhetherACallIsUsuallyQuick() {
        int program = PatternProgram.PROGRAM;
        assertTrue(isUsuallyQuick(header(program, 2, PatternProgram.FETCH)));
        assertFalse(isUsuallyQuick(header(program, 2, 99)));
        assertFalse(isUsuallyQuick(header(program, 4, PatternProgram.FETCH)));
        assertFalse(isUsuallyQuick(header(program + 1, 2, PatternProgram.FETCH)));
    }

    private static CallHeader header(int program, int version, int procedure) {
        return new CallHeader(
                XID,
                CallHeader.RPC_VERSION,
                program,
                version,
                procedure,
                RawAuth.NONE,
                RawAuth.NONE);
    }

    private static XdrWriter header(XdrWriter out, int program) {
        return out.uint32(XID).uint32(0).uint32(2).uint32(program).uint32(2).uint32(0);
    }

    private static Consumer<XdrWriter> call(
            int program,
            int version,
            int procedure,
            RawAuth credential,
            Consumer<XdrWriter> arguments) {
        return out -> {
            CallHeader.encode(out, XID, program, version, procedure, credential);
            arguments.accept(out);
        };
    }

    /** Admits all peers to procedure 0, and those with a low port to all procedures. */
    private static final class LowPorts implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PatternProgram.PROGRAM, 2);
        }

        @Override
        public boolean admits(InetSocketAddress peer, int procedure) {
            return procedure == 0 || peer.getPort() < 1024;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    void deniesPeersThatTheProgramDoesNotAdmit() throws Exception {
        var guarded = new RpcDispatcher(List.of(new LowPorts()));
        for (int port : new int[] {1023, 1024}) {
            for (int procedure = 0; procedure < 2; procedure++) {
                try (var message = new XdrWriter(pool);
                        var reply = new XdrWriter(pool)) {
                    call(PatternProgram.PROGRAM, 2, procedure, SYS, _ -> {}).accept(message);
                    var in = new XdrReader(message.reducedStream());
                    var peer = InetSocketAddress.createUnresolved("peer.example", port);
                    assertTrue(guarded.dispatch(in, peer, pool, reply));
                    assertEquals(
                            port == 1024 && procedure == 1
                                    ? new AuthError(XID, ReplyHeader.AUTH_TOOWEAK)
                                    : new Success(XID),
                            ReplyHeader.decode(new XdrReader(reply.reducedStream())));
                }
            }
        }
    }

    private boolean dispatch(XdrWriter message, XdrWriter reply) throws InterruptedException {
        return dispatcher.dispatch(new XdrReader(message.reducedStream()), PEER, pool, reply);
    }

    private static String refused(RpcProgram... programs) {
        return assertThrows(
                        IllegalArgumentException.class, () -> new RpcDispatcher(List.of(programs)))
                .getMessage();
    }

    /** The order of the two programs would decide which one is called. */
    @Test
    void refusesTwoProgramsThatServeTheSameVersion() {
        var name = PatternProgram.class.getName();
        var twice = "program 536871065 (0x20000099) is served twice in the same version: ";
        assertEquals(
                twice + "versions 1 to 3 by " + name + ", and versions 3 to 4 by " + name,
                refused(new PatternProgram(1, 3), new PatternProgram(3, 4)));
        assertEquals(
                twice + "version 2 by " + name + ", and versions 0 to 4294967295 by " + name,
                refused(new PatternProgram(2, 2), new PatternProgram(0, -1)));
        var one = new PatternProgram(1, 1);
        refused(one, new PatternProgram(5, 5), one);
        var dispatcher = new RpcDispatcher(List.of(new PatternProgram(1, 3)));
        assertThrows(
                IllegalArgumentException.class, () -> dispatcher.with(new PatternProgram(2, 2)));
        dispatcher.with(new PatternProgram(4, -1)).with(new PatternProgram(0, 0));
    }
}
