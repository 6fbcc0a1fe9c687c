package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a COMPOUND that the transport refuses ends at once, and is not sent again; its slot is
 * usable again; and a COMPOUND whose connection is lost is sent again as the rules of sessions say.
 * Method: at a server that the test operates by hand.
 */
@Timeout(120)
class RefusedCompoundsTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);
    private static final RemotePlace ONE = new RemotePlace(FILE, "one");
    private static final RemotePlace TWO = new RemotePlace(FILE, "two");
    private static final int MIB = 1 << 20;

    /** Shorter than the timeout of a call. */
    private static final int AT_ONCE_SECONDS = 10;

    /** One slot for calls, and one for the keeper of the session. */
    private static final int SLOTS = 2;

    private ServerByHand server;
    private Nfs4Service service;

    @BeforeEach
    void connect() throws Exception {
        server = new ServerByHand(Integer.MAX_VALUE, SLOTS);
        service = server.connect();
    }

    @AfterEach
    void close() {
        server.handNoMore();
        service.close();
        server.close();
    }

    /** A refusal below the COMPOUND: by the transport or by RPC. */
    enum Refusal {
        CHUNKS(HandedCall::refuseChunks),
        VERSION(HandedCall::refuseVersion),
        ARGUMENTS(call -> call.refuse(AcceptStatus.GARBAGE_ARGS)),
        FAILURE(call -> call.refuse(AcceptStatus.SYSTEM_ERR));

        private final Consumer<HandedCall> answer;

        Refusal(Consumer<HandedCall> answer) {
            this.answer = answer;
        }
    }

    /** Begins with a call that fails. */
    private <T extends Throwable> Future<T> failing(Class<T> type, Executable call) {
        return server.calling(() -> assertThrows(type, call));
    }

    private static <T> T atOnce(Future<T> call) throws Exception {
        return call.get(AT_ONCE_SECONDS, TimeUnit.SECONDS);
    }

    private void rename() throws Exception {
        service.rename(ONE, TWO, "cannot rename one");
    }

    /**
     * Requires that a call is made in the slot, with the next number, or the one behind it if the
     * session has used that one to find out whether the call has ended.
     */
    private void requireAlive(SessionArguments.Sequence last) throws Exception {
        var asking =
                failing(NfsException.class, () -> service.attributes(FILE, "cannot stat a file"));
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR);
        assertEquals(last.slot(), call.sequence().slot());
        int further = call.sequence().sequence() - last.sequence();
        assertTrue(further == 1 || further == 2, "the number is further by " + further);
        server.requireInOrder(call);
        call.fail(Nfs4Status.STALE);
        atOnce(asking);
    }

    private OpenFile opened() throws Exception {
        var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
        server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).answerAsServer();
        return atOnce(opening);
    }

    /** Calls with chunks, and calls that must not be repeated. */
    private Map<String, Executable> calls(OpenFile file) {
        var memory = Arena.ofAuto().allocate(MIB);
        return Map.of(
                "read", () -> service.read(file, 0, memory, "cannot read"),
                "write", () -> service.write(file, 0, Stability.UNSTABLE, memory, "cannot write"),
                "list", () -> service.list(FILE, 0, 0, DirectoryPage.Wanted.ALL, "cannot list"),
                "rename", this::rename);
    }

    /** The probe of the slot is not answered before the call has ended. */
    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.2-4")
    @Tag("8267-6.4.2-6")
    @Tag("8267-6.6-2")
    @Tag("8267-3.1-2")
    @Tag("8267-3.1-3")
    @Tag("8267-3.1-4")
    void aRefusedCallEndsAtOnceAndIsNotSentAgain(Refusal refusal) throws Exception {
        var calls = calls(opened());
        server.hand(Opcode.SEQUENCE);
        for (var each : calls.entrySet()) {
            var ending = failing(IOException.class, each.getValue());
            var call = server.next();
            refusal.answer.accept(call);
            atOnce(ending);
            var probe = server.next(Opcode.SEQUENCE);
            assertEquals(call.sequence().session(), probe.sequence().session());
            assertEquals(call.sequence().slot(), probe.sequence().slot());
            assertEquals(call.sequence().sequence(), probe.sequence().sequence());
            probe.answerAsServer();
            requireAlive(call.sequence());
            assertEquals(0, server.waiting(), each::getKey);
        }
    }

    /** Nothing tells the client whether the number is used up, so it may be either. */
    @ParameterizedTest
    @CsvSource({"false,OK", "true,RETRY_UNCACHED_REP", "true,SEQ_FALSE_RETRY"})
    @Tag("8267-6.6-2")
    @Tag("8267-6.6-5")
    void theSlotIsUsableWhetherOrNotItsNumberIsUsedUp(boolean isUsed, Nfs4Status onRepetition)
            throws Exception {
        server.onRepetition(onRepetition);
        for (int i = 0; i < 5; i++) {
            var ending = failing(OutcomeUnknownException.class, this::rename);
            var call = server.next();
            if (isUsed) {
                call.carryOut();
            }
            call.refuseChunks();
            atOnce(ending);
            requireAlive(call.sequence());
        }
    }

    /** The server has carried the call out, and replays its reply without comparing. */
    @Test
    @Tag("8267-6.6-2")
    void theSlotIsUsableIfTheProbeIsAnsweredByTheReplyOfTheCall() throws Exception {
        server.hand(Opcode.SEQUENCE);
        var ending = failing(OutcomeUnknownException.class, this::rename);
        var call = server.next();
        call.refuseChunks();
        atOnce(ending);
        var probe = server.next(Opcode.SEQUENCE);
        probe.answer(
                Result.done(Opcode.PUTFH),
                Result.done(Opcode.SAVEFH),
                Result.done(Opcode.PUTFH),
                Result.failed(Opcode.RENAME, Nfs4Status.NOENT));
        server.handNoMore();
        requireAlive(call.sequence());
    }

    @ParameterizedTest
    @EnumSource(names = {"CHUNKS", "VERSION", "FAILURE"})
    @Tag("8267-6.6-5")
    void whatMustNotBeRepeatedHasAnUnknownOutcome(Refusal refusal) throws Exception {
        var ending = failing(OutcomeUnknownException.class, this::rename);
        refusal.answer.accept(server.next());
        var told = atOnce(ending).getMessage();
        var begin = "cannot rename one: it is not known whether the server has done it: ";
        assertTrue(told.startsWith(begin) && told.length() > begin.length(), told);
    }

    @Test
    @Tag("8267-6.6-5")
    void aLateCallOfAPipelineHasAnUnknownOutcomeToo() throws Exception {
        try (var pipeline = service.pipeline()) {
            pipeline.rename(ONE, TWO, "cannot rename one");
            var ending =
                    failing(
                            OutcomeUnknownException.class,
                            () -> {
                                while (pipeline.poll()) {
                                    // Until the call has ended.
                                }
                            });
            var call = server.next();
            call.refuseChunks();
            atOnce(ending);
            requireAlive(call.sequence());
        }
    }

    /** A server that cannot decode the arguments has done nothing. */
    @Test
    void whatTheServerHasNotDecodedWasNotDone() throws Exception {
        var ending = failing(RpcException.Refused.class, this::rename);
        server.next().refuse(AcceptStatus.GARBAGE_ARGS);
        assertEquals(AcceptStatus.GARBAGE_ARGS, atOnce(ending).status());
    }

    @Test
    void aCallThatMayBeRepeatedFailsAsTheTransportSays() throws Exception {
        var ending =
                failing(
                        RpcException.TransportRefused.class,
                        () -> service.list(FILE, 0, 0, DirectoryPage.Wanted.ALL, "cannot list"));
        server.next().refuseChunks();
        atOnce(ending);
    }

    /** The error ends the call, so the loss of the connection does not send it again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("8267-6.7.2-2")
    void anErrorBeforeTheLossOfTheConnectionEndsTheCall(boolean isProbeLost) throws Exception {
        var calls = calls(opened());
        server.hand(Opcode.SEQUENCE);
        for (var refused : calls.entrySet()) {
            var ending = failing(IOException.class, refused.getValue());
            var call = server.next();
            call.refuseChunks();
            if (!isProbeLost) {
                call.cut();
            }
            atOnce(ending);
            var probe = server.next(Opcode.SEQUENCE);
            if (probe.end() == call.end()) {
                probe.cut();
                probe = server.next(Opcode.SEQUENCE);
            }
            assertNotSame(call.end(), probe.end());
            assertEquals(call.sequence().slot(), probe.sequence().slot());
            assertEquals(call.sequence().sequence(), probe.sequence().sequence());
            probe.answerAsServer();
            requireAlive(call.sequence());
            assertEquals(0, server.waiting(), refused::getKey);
        }
    }

    /** It has the same slot and number, so a server that has carried it out knows it again. */
    @Test
    @Tag("8267-6.7.2-3")
    void aCallWhoseConnectionIsLostIsSentOnceOnEachConnection() throws Exception {
        var calls = calls(opened());
        server.hand(Opcode.SEQUENCE);
        for (var each : calls.entrySet()) {
            var calling = failing(NfsException.class, each.getValue());
            var first = server.next();
            first.cut();
            var second = server.next();
            requireSame(first, second);
            second.carryOut().cut();
            var third = server.next();
            requireSame(second, third);
            assertEquals(0, server.waiting(), each::getKey);
            third.fail(Nfs4Status.STALE);
            atOnce(calling);
            requireAlive(first.sequence());
        }
    }

    private static void requireSame(HandedCall lost, HandedCall again) {
        assertNotSame(lost.end(), again.end());
        assertEquals(lost.opcodes(), again.opcodes());
        assertEquals(lost.sequence(), again.sequence());
    }

    /** An answer to a call that must not be repeated, which the server does not keep, is lost. */
    @Test
    @Tag("8267-6.7.2-3")
    void aLostAnswerLeavesTheOutcomeUnknown() throws Exception {
        var ending = failing(OutcomeUnknownException.class, this::rename);
        var first = server.next();
        first.carryOut().cut();
        server.next().failSequence(Nfs4Status.RETRY_UNCACHED_REP);
        assertEquals(
                "cannot rename one: it is not known whether the server has done it: its answer is"
                        + " lost",
                atOnce(ending).getMessage());
        requireAlive(first.sequence());
    }

    /** The server has carried out the first copy, and refuses the second one. */
    @ParameterizedTest
    @EnumSource(
            value = Nfs4Status.class,
            names = {"SEQ_MISORDERED", "BADSLOT", "REQ_TOO_BIG", "SERVERFAULT"})
    @Tag("8267-6.7.2-3")
    void aSecondCopyThatIsRefusedLeavesTheOutcomeUnknown(Nfs4Status status) throws Exception {
        var ending = failing(OutcomeUnknownException.class, this::rename);
        server.next().carryOut().cut();
        server.next().failSequence(status);
        atOnce(ending);
        assertEquals(0, server.waiting());
    }

    /**
     * CREATE_SESSION has no session. A server that has made one answers a call of the same number
     * with that one (RFC 8881, Section 18.36.4).
     */
    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.6-3")
    void aSessionThatMayHaveBeenMadeIsAskedForWithTheSameNumber(Refusal refusal) throws Exception {
        server.hand(Opcode.CREATE_SESSION);
        var before = server.received(SessionArguments.CreateSession.class).getLast();
        var losing = server.calling(this::attributesOrNothing);
        server.next().failSequence(Nfs4Status.BADSESSION);
        for (int i = 0; i < 3; i++) {
            var call = server.next(Opcode.CREATE_SESSION);
            assertEquals(before.sequence() + 1, created(call).sequence());
            refusal.answer.accept(call);
        }
        var last = server.next(Opcode.CREATE_SESSION);
        assertEquals(before.sequence() + 1, created(last).sequence());
        server.handNoMore();
        last.answerAsServer();
        losing.cancel(true);
        // The call waits for the session, or failed without it.
        server.calling(this::attributesOrNothing);
        var next = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.GETATTR);
        server.requireInOrder(next);
        next.fail(Nfs4Status.STALE);
    }

    private Void attributesOrNothing() throws InterruptedException {
        try {
            service.attributes(FILE, "cannot stat a file");
        } catch (IOException failure) {
            assertInstanceOf(IOException.class, failure);
        }
        return null;
    }

    private static SessionArguments.CreateSession created(HandedCall call) {
        assertEquals(List.of(Opcode.CREATE_SESSION), call.opcodes());
        return (SessionArguments.CreateSession) call.operations().getFirst();
    }
}
