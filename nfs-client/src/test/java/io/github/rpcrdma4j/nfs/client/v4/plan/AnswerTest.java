package io.github.rpcrdma4j.nfs.client.v4.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: what a client cannot understand costs an operation, and not the slot. */
class AnswerTest {
    private static final SessionResult.Sequence SEQUENCE =
            new SessionResult.Sequence(new SessionId(1, 2), 3, 4, 5, 6, 0);
    private static final Result HANDLE =
            new HandleResult.GetFh(FileHandle.of(new byte[] {1, 2, 3, 4}));
    private static final List<Opcode> SENT =
            List.of(Opcode.SEQUENCE, Opcode.PUTROOTFH, Opcode.GETFH);

    /** Where the second result begins, behind the envelope and SEQUENCE, in bytes. */
    private static final int SECOND = 12 + 44;

    private static byte[] bytes(Nfs4Status status, Result... results) {
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new CompoundResult(status, OpaqueName.of(new byte[0]), List.of(results)).encode(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static Answer answer(byte[] bytes) {
        return Answer.decode(new XdrReader(MemorySegment.ofArray(bytes)), SENT);
    }

    private static byte[] whole() {
        return bytes(Nfs4Status.OK, SEQUENCE, Result.done(Opcode.PUTROOTFH), HANDLE);
    }

    @Test
    void takesAllResults() {
        var answer = answer(whole());
        assertEquals(List.of(SEQUENCE, Result.done(Opcode.PUTROOTFH), HANDLE), answer.results());
        assertEquals(Nfs4Status.OK, answer.status());
        assertTrue(answer.malformed().isEmpty());
    }

    @Test
    void keepsWhatStandsInFrontOfATruncation() {
        var whole = whole();
        for (int length = 0; length < whole.length; length++) {
            var answer = answer(Arrays.copyOf(whole, length));
            assertTrue(answer.malformed().isPresent(), "length " + length);
            assertEquals(length >= SECOND, answer.results().contains(SEQUENCE), "length " + length);
        }
    }

    @Test
    void aStatusThatNoRfcDefinesIsAFailureOfItsOperation() {
        var bytes =
                bytes(
                        Nfs4Status.SERVERFAULT,
                        SEQUENCE,
                        Result.failed(Opcode.PUTROOTFH, Nfs4Status.IO));
        ByteBuffer.wrap(bytes).putInt(0, 20_000).putInt(SECOND + 4, 20_000);
        var answer = answer(bytes);
        assertEquals(Nfs4Status.SERVERFAULT, answer.status());
        assertEquals(
                List.of(SEQUENCE, Result.failed(Opcode.PUTROOTFH, Nfs4Status.SERVERFAULT)),
                answer.results());
        assertTrue(answer.malformed().isEmpty());
    }

    /** Servers replay from a slot without comparing (RFC 8881, Section 2.10.6.1.3.1). */
    @Test
    void refusesTheResultsOfAnotherCall() {
        var answer = answer(bytes(Nfs4Status.OK, SEQUENCE, HANDLE));
        assertEquals(List.of(SEQUENCE), answer.results());
        assertEquals("a result of GETFH answers PUTROOTFH", answer.malformed().orElseThrow());
    }

    /** It shows that the number of the slot is used up. */
    @Test
    void keepsTheFirstResultOfTheReplyOfALongerCall() {
        var answer =
                Answer.decode(
                        new XdrReader(MemorySegment.ofArray(whole())), List.of(Opcode.SEQUENCE));
        assertEquals(List.of(SEQUENCE), answer.results());
        assertTrue(answer.malformed().isPresent());
    }

    @Test
    void refusesMoreResultsThanOperations() {
        var bytes = whole();
        ByteBuffer.wrap(bytes).putInt(8, 4);
        assertTrue(answer(bytes).malformed().isPresent());
        ByteBuffer.wrap(bytes).putInt(8, -1);
        assertTrue(answer(bytes).malformed().isPresent());
    }

    @Test
    void everyCorruptionIsAnAnswer() {
        var whole = whole();
        for (int at = 0; at < whole.length; at++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                var bent = whole.clone();
                bent[at] ^= (byte) (1 << bit);
                assertInstanceOf(Answer.class, answer(bent));
            }
        }
    }
}
