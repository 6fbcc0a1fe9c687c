package io.github.rpcrdma4j.nfs.v4.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Operation;
import io.github.rpcrdma4j.nfs.v4.Vectors;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Goal: the records have the layouts of the RFCs. Method: decode each operation that the packer of
 * another project wrote ({@code vectors.txt}), encode it again, and compare the bytes.
 */
class VectorOperationsTest {
    /** The operations that no server here carries out. */
    private static final Set<Opcode> NOT_SUPPORTED =
            EnumSet.of(
                    Opcode.DELEGPURGE,
                    Opcode.GET_DIR_DELEGATION,
                    Opcode.GETDEVICEINFO,
                    Opcode.GETDEVICELIST,
                    Opcode.LAYOUTCOMMIT,
                    Opcode.LAYOUTGET,
                    Opcode.LAYOUTRETURN,
                    Opcode.WANT_DELEGATION,
                    Opcode.LAYOUTERROR,
                    Opcode.LAYOUTSTATS,
                    Opcode.WRITE_SAME);

    private static final ValueLayout.OfInt WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final SegmentPool pool = new SegmentPool(1 << 20);

    /** One operation of a message, on its own. */
    private record Part(CompoundKind kind, boolean isCall, int number, byte[] bytes) {
        XdrReader reader() {
            return new XdrReader(MemorySegment.ofArray(bytes));
        }

        int word(int index) {
            return MemorySegment.ofArray(bytes)
                    .get(
                            ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN),
                            index * 4L);
        }

        @Override
        public String toString() {
            var name = Operation.of(kind, number).orElseThrow().name();
            return (isCall ? "call " : "reply ") + name;
        }
    }

    private static List<Part> parts(CompoundKind kind, boolean isCall) {
        var parts = new ArrayList<Part>();
        for (var vector : Vectors.ALL) {
            if (vector.kind() != kind || vector.isCall() != isCall) {
                continue;
            }
            var operations = vector.operations();
            for (int i = 0; i < operations.size(); i++) {
                int from = (int) operations.get(i).position();
                int to =
                        i + 1 < operations.size()
                                ? (int) operations.get(i + 1).position()
                                : vector.bytes().length;
                byte[] bytes = Arrays.copyOfRange(vector.bytes(), from, to);
                parts.add(new Part(kind, isCall, operations.get(i).number(), bytes));
            }
        }
        return parts;
    }

    private byte[] encoded(Consumer<XdrWriter> encode) {
        try (var out = new XdrWriter(pool)) {
            encode.accept(out);
            out.inlineBulkItems();
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Requires equal bytes. Only a bitmap may lose words of 0 at its end. */
    private static void requireSame(Part part, byte[] encoded) {
        if (encoded.length == part.bytes().length) {
            assertArrayEquals(part.bytes(), encoded, part::toString);
            return;
        }
        int at = Arrays.mismatch(part.bytes(), encoded);
        int count = part.word(at / 4);
        int shorter = new Part(part.kind(), part.isCall(), part.number(), encoded).word(at / 4);
        int lost = (part.bytes().length - encoded.length) / 4;
        assertEquals(count - shorter, lost, part::toString);
        for (int i = 1; i <= count; i++) {
            assertTrue(i <= shorter || part.word(at / 4 + i) == 0, part::toString);
        }
    }

    @Test
    void everyCallIsDecodedAndEncodedAgain() throws XdrException {
        var seen = EnumSet.noneOf(Opcode.class);
        var skipped = EnumSet.noneOf(Opcode.class);
        for (var part : parts(CompoundKind.COMPOUND, true)) {
            var in = part.reader();
            boolean isOld = Opcode.of(part.number()).orElseThrow().endsWithVersion0();
            var arguments = Arguments.decode(isOld ? 0 : 2, in);
            in.finish();
            assertEquals(part.number(), arguments.opcode().number());
            switch (arguments) {
                case Arguments.NotSupported(var opcode) -> skipped.add(opcode);
                case Arguments.Illegal _ -> assertEquals(Opcode.ILLEGAL.number(), part.number());
                default -> requireSame(part, encoded(arguments::encode));
            }
            seen.add(arguments.opcode());
        }
        assertEquals(EnumSet.allOf(Opcode.class), seen);
        assertEquals(NOT_SUPPORTED, skipped);
    }

    @Test
    void everyReplyIsDecodedAndEncodedAgain() throws XdrException {
        var seen = EnumSet.noneOf(Opcode.class);
        for (var part : parts(CompoundKind.COMPOUND, false)) {
            var opcode = Opcode.of(part.number()).orElseThrow();
            if (isUnknownToRecords(opcode, part)) {
                assertThrows(XdrException.class, () -> Result.decode(part.reader()));
                continue;
            }
            var in = part.reader();
            var result = Result.decode(in);
            in.finish();
            assertEquals(opcode, result.opcode());
            requireSame(part, encoded(result::encode));
            if (result.status().number() == 0) {
                seen.add(opcode);
            }
        }
        var expected = EnumSet.allOf(Opcode.class);
        expected.removeIf(each -> NOT_SUPPORTED.contains(each) && each.operation().hasValues(0));
        assertEquals(expected, seen);
    }

    /** Returns whether a result has values without a record. */
    private static boolean isUnknownToRecords(Opcode opcode, Part part) {
        if (NOT_SUPPORTED.contains(opcode)) {
            return opcode.operation().hasValues(part.word(1));
        }
        boolean isSuccess = part.word(1) == 0;
        return switch (opcode) {
            case EXCHANGE_ID -> isSuccess && part.word(6) == 2;
            case READ_PLUS -> isSuccess && hasUnknownContent(part);
            default -> false;
        };
    }

    private static boolean hasUnknownContent(Part part) {
        int at = 4;
        for (int i = 0; i < part.word(3); i++) {
            switch (part.word(at)) {
                case 0 -> at += 4 + (part.word(at + 3) + 3) / 4;
                case 1 -> at += 5;
                default -> {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void everyCallbackIsDecodedAndEncodedAgain() throws XdrException {
        var seen = EnumSet.noneOf(CallbackOpcode.class);
        for (var part : parts(CompoundKind.CB_COMPOUND, true)) {
            var opcode = opcode(part);
            if (opcode.isEmpty()) {
                assertThrows(XdrException.class, () -> CallbackArguments.decode(part.reader()));
                continue;
            }
            var in = part.reader();
            var arguments = CallbackArguments.decode(in);
            in.finish();
            requireSame(part, encoded(arguments::encode));
            seen.add(arguments.opcode());
        }
        assertEquals(EnumSet.allOf(CallbackOpcode.class), seen);
    }

    @Test
    void everyResultOfACallbackIsDecodedAndEncodedAgain() throws XdrException {
        int seen = 0;
        for (var part : parts(CompoundKind.CB_COMPOUND, false)) {
            if (opcode(part).isEmpty() && part.number() != CallbackResult.ILLEGAL) {
                assertThrows(XdrException.class, () -> CallbackResult.decode(part.reader()));
                continue;
            }
            var in = part.reader();
            var result = CallbackResult.decode(in);
            in.finish();
            assertEquals(part.number(), result.number());
            requireSame(part, encoded(result::encode));
            seen++;
        }
        assertTrue(seen > CallbackOpcode.values().length, "results: " + seen);
    }

    private static Optional<CallbackOpcode> opcode(Part part) {
        return Arrays.stream(CallbackOpcode.values())
                .filter(each -> each.number() == part.number())
                .findFirst();
    }
}
