package io.github.rpcrdma4j.nfs.v2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.ProgramVector;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call.Place;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.ReplyFormat;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: messages of version 2 are those of its definition. Method: messages that {@code
 * program_vectors.py} made from the {@code nfs_prot.x} of another project, and some by hand.
 */
class Nfs2CodecTest {
    private static final String HANDLE =
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    private static final FileHandle FILE = FileHandle.of(HexFormat.of().parseHex(HANDLE));

    private static List<ProgramVector> vectors() {
        return ProgramVector.of(Nfs2Binding.PROGRAM, Nfs2Binding.VERSION).stream()
                .filter(each -> has(Procedure.of(each.procedure())))
                .toList();
    }

    private static boolean has(Procedure procedure) {
        return switch (procedure) {
            case NULL, ROOT, WRITECACHE -> false;
            default -> true;
        };
    }

    /** Returns the bytes of a call with zeros in the words that no implementation uses. */
    private static byte[] withoutUnused(ProgramVector call) {
        byte[] bytes = call.bytes().clone();
        switch (Procedure.of(call.procedure())) {
            case READ -> Arrays.fill(bytes, 40, 44, (byte) 0);
            case WRITE -> {
                Arrays.fill(bytes, 32, 36, (byte) 0);
                Arrays.fill(bytes, 40, 44, (byte) 0);
            }
            default -> {}
        }
        return bytes;
    }

    private static ReplyFormat<?> format(int procedure) {
        var call =
                vectors().stream()
                        .filter(each -> each.isCall() && each.procedure() == procedure)
                        .findFirst()
                        .orElseThrow();
        try {
            return Nfs2Call.decode(Procedure.of(procedure), call.reader()).replyFormat();
        } catch (XdrException malformed) {
            throw new AssertionError(malformed);
        }
    }

    private static <T> byte[] again(ReplyFormat<T> format, byte[] bytes) throws XdrException {
        var reply = format.decode(Golden.reader(bytes));
        return Golden.flat(out -> format.encode(out, reply));
    }

    @Test
    void readsAndWritesTheCallsOfAnotherPacker() throws Exception {
        var seen = EnumSet.noneOf(Procedure.class);
        for (var vector : vectors()) {
            if (vector.isCall()) {
                var procedure = Procedure.of(vector.procedure());
                var call = Nfs2Call.decode(procedure, vector.reader());
                assertEquals(procedure, call.procedure());
                assertArrayEquals(withoutUnused(vector), Golden.flat(call::encode), vector::line);
                seen.add(procedure);
            }
        }
        assertEquals(15, seen.size());
    }

    @Test
    void readsAndWritesTheRepliesOfAnotherPacker() throws Exception {
        int replies = 0;
        for (var vector : vectors()) {
            if (!vector.isCall()) {
                byte[] again = again(format(vector.procedure()), vector.bytes());
                assertArrayEquals(vector.bytes(), again, vector::line);
                replies++;
            }
        }
        assertTrue(replies >= 75, "replies: " + replies);
    }

    @Test
    void writesTheCallsOfTheRfc() {
        assertEquals(
                HANDLE + "00000000" + "00002000" + "00000000" + "00000005" + "0102030405000000",
                hex(
                        new Nfs2Call.Write(
                                FILE, 8192, MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5}))));
        assertEquals(
                HANDLE + "00002000" + "00001000" + "00000000",
                hex(new Nfs2Call.Read(FILE, 8192, 4096)));
        assertEquals(
                HANDLE
                        + "0000000161000000"
                        + "0000000362632f00"
                        + "ffffffffffffffffffffffffffffffff"
                        + "ffffffffffffffffffffffffffffffff",
                hex(
                        new Nfs2Call.MakeSymbolicLink(
                                new Place(FILE, FileName.of("a")),
                                PathName.of("bc/"),
                                SetAttributes.NONE)));
    }

    private static String hex(Nfs2Call<?> call) {
        return HexFormat.of().formatHex(Golden.flat(call::encode));
    }

    @Test
    void takesNoTruncationForAWholeMessage() {
        for (var vector : vectors()) {
            for (int length = 0; length < vector.bytes().length; length++) {
                byte[] cut = Arrays.copyOf(vector.bytes(), length);
                assertThrows(XdrException.class, () -> decode(vector, cut), vector::line);
            }
            byte[] longer = Arrays.copyOf(vector.bytes(), vector.bytes().length + 4);
            assertThrows(XdrException.class, () -> decode(vector, longer), vector::line);
        }
    }

    private static void decode(ProgramVector vector, byte[] bytes) throws XdrException {
        var in = Golden.reader(bytes);
        if (vector.isCall()) {
            Nfs2Call.decode(Procedure.of(vector.procedure()), in);
        } else {
            format(vector.procedure()).decode(in);
        }
    }

    /** Goal: any damaged byte gives a message or {@link XdrException}, and nothing else. */
    @Test
    void everyDamagedMessageHasAValue() {
        int malformed = 0;
        for (var vector : vectors()) {
            byte[] bytes = vector.bytes().clone();
            for (int at = 0; at < bytes.length; at++) {
                byte right = bytes[at];
                for (int wrong : new int[] {0, 1, 0x7f, 0x80, 0xff}) {
                    bytes[at] = (byte) wrong;
                    try {
                        decode(vector, bytes);
                    } catch (XdrException _) {
                        malformed++;
                    }
                }
                bytes[at] = right;
            }
        }
        assertTrue(malformed > 1000, "malformed: " + malformed);
    }

    @Test
    void refusesMoreDataThanAllowed() {
        var most = new Nfs2Call.Write(FILE, 0, MemorySegment.ofArray(new byte[Nfs2.DATA_MAX]));
        var more = new Nfs2Call.Write(FILE, 0, MemorySegment.ofArray(new byte[Nfs2.DATA_MAX + 1]));
        assertEquals(
                Nfs2.DATA_MAX, ((Nfs2Call.Write) decoded(Procedure.WRITE, most)).data().byteSize());
        assertThrows(
                XdrException.class,
                () -> Nfs2Call.decode(Procedure.WRITE, Golden.reader(Golden.flat(more::encode))));
    }

    private static Nfs2Call<?> decoded(Procedure procedure, Nfs2Call<?> call) {
        try {
            return Nfs2Call.decode(procedure, Golden.reader(Golden.flat(call::encode)));
        } catch (XdrException malformed) {
            throw new AssertionError(malformed);
        }
    }

    @Test
    void handlesHave32Bytes() {
        assertThrows(IllegalArgumentException.class, () -> FileHandle.of(new byte[31]));
        assertThrows(IllegalArgumentException.class, () -> FileHandle.of(new byte[33]));
        assertEquals(HANDLE, FILE.toString());
        assertEquals(FILE, FileHandle.of(FILE.bytes()));
    }

    @Test
    void aStatusWithoutANameIsAnErrorOfTheServer() {
        assertEquals(Status.IO, Status.of(12345));
        for (var status : Status.values()) {
            assertEquals(status, Status.of(status.number()));
        }
    }
}
