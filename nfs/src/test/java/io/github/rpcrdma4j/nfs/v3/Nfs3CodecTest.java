package io.github.rpcrdma4j.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.Golden;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.ReplyFormat;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class Nfs3CodecTest {
    private static Nfs3Call<?, ?> decode(Procedure procedure, byte[] bytes) throws XdrException {
        return Nfs3CallDecoder.decode(procedure, Golden.reader(bytes));
    }

    @SuppressWarnings("unchecked")
    private static byte[] reply(Nfs3Call<?, ?> call, Status status) {
        var format = (ReplyFormat<Object, Object>) call.replyFormat();
        Nfs3Reply<Object, Object> reply =
                status == Status.OK
                        ? new Nfs3Reply.Ok<>(Samples.attributes(call), Samples.value(call))
                        : new Nfs3Reply.Failed<>(status, Samples.attributes(call));
        return Golden.flat(out -> format.encode(out, reply));
    }

    @SuppressWarnings("unchecked")
    private static byte[] decodedAndEncoded(Nfs3Call<?, ?> call, byte[] bytes) throws XdrException {
        var format = (ReplyFormat<Object, Object>) call.replyFormat();
        var reply = format.decode(Golden.reader(bytes));
        return Golden.flat(out -> format.encode(out, reply));
    }

    @Test
    void encodesAWriteLikeTheGoldenExample() {
        byte[] handle = new byte[32];
        for (int i = 0; i < handle.length; i++) {
            handle[i] = (byte) i;
        }
        var data = MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5});
        var call = new Nfs3Call.Write(new FileHandle(handle), 0, Stability.FILE_SYNC, data);
        assertEquals(
                "00000020"
                        + "000102030405060708090a0b0c0d0e0f"
                        + "101112131415161718191a1b1c1d1e1f"
                        + "0000000000000000"
                        + "00000005"
                        + "00000002"
                        + "00000005"
                        + "0102030405000000",
                HexFormat.of().formatHex(Golden.flat(call::encode)));
    }

    @Test
    void bringsEveryCallBack() throws Exception {
        for (var call : Samples.calls()) {
            byte[] bytes = Golden.flat(call::encode);
            var back = decode(call.procedure(), bytes);
            assertEquals(call.procedure(), back.procedure());
            assertArrayEquals(bytes, Golden.flat(back::encode), call::toString);
            if (!(call instanceof Nfs3Call.Write)) {
                assertEquals(call, back);
            }
        }
    }

    @Test
    void bringsEveryReplyBack() throws Exception {
        for (var call : Samples.calls()) {
            for (var status : Status.values()) {
                byte[] bytes = reply(call, status);
                assertArrayEquals(bytes, decodedAndEncoded(call, bytes), call::toString);
            }
        }
    }

    @Test
    void takesNoTruncationForAWholeMessage() {
        for (var call : Samples.calls()) {
            byte[] bytes = Golden.flat(call::encode);
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThrows(XdrException.class, () -> decode(call.procedure(), cut));
            }
            byte[] reply = reply(call, Status.OK);
            for (int length = 0; length < reply.length; length++) {
                byte[] cut = Arrays.copyOf(reply, length);
                assertThrows(XdrException.class, () -> decodedAndEncoded(call, cut));
            }
        }
    }

    /** Goal: corrupt bytes decode to a value or cause an XdrException, nothing else. */
    @Test
    void survivesEveryCorruptByte() {
        for (var call : Samples.calls()) {
            byte[] bytes = Golden.flat(call::encode);
            corrupt(bytes, () -> decode(call.procedure(), bytes));
            byte[] reply = reply(call, Status.OK);
            corrupt(reply, () -> decodedAndEncoded(call, reply));
        }
    }

    private interface Decoding {
        Object decode() throws XdrException;
    }

    private static void corrupt(byte[] bytes, Decoding decoding) {
        for (int at = 0; at < bytes.length; at++) {
            byte right = bytes[at];
            for (int value = 0; value < 256; value++) {
                bytes[at] = (byte) value;
                try {
                    decoding.decode();
                } catch (XdrException expected) {
                    assertEquals(false, expected.getMessage().isEmpty());
                }
            }
            bytes[at] = right;
        }
    }

    /**
     * Goal: the result bytes in the binding are right. Method: encode the longest results of every
     * procedure.
     */
    @Test
    @Tag("8166-6.2-1")
    @Tag("8267-3-2")
    void countsTheBytesOfTheLongestResultsInTheBinding() {
        for (var call : Samples.calls()) {
            var row = Nfs3Binding.row(call.procedure());
            long longest = withoutBulk(call, Status.STALE);
            if (row.bytesBesideCount().isEmpty()) {
                longest = Math.max(longest, withoutBulk(call, Status.OK));
            }
            // The bound of a listing includes an empty list.
            long bound =
                    row.bytesBesideCount().isEmpty()
                            ? row.resultsBytes()
                            : row.bytesBesideCount().getAsInt() - Long.BYTES;
            assertEquals(bound, longest, call.procedure()::toString);
        }
    }

    @SuppressWarnings("unchecked")
    private static long withoutBulk(Nfs3Call<?, ?> call, Status status) {
        var format = (ReplyFormat<Object, Object>) call.replyFormat();
        try (var out = new XdrWriter(Golden.POOL)) {
            format.encode(
                    out,
                    status == Status.OK
                            ? new Nfs3Reply.Ok<>(Samples.attributes(call), Samples.value(call))
                            : new Nfs3Reply.Failed<>(status, Samples.attributes(call)));
            return out.reducedStream().byteSize();
        }
    }

    /** RFC 8267, Section 4: exactly these items are eligible. */
    @Test
    @Tag("8267-4-1")
    @Tag("8166-3.4.4.3-1")
    void marksTheEligibleItemsOfRfc8267() {
        for (var procedure : Procedure.values()) {
            var eligible = Nfs3Binding.BINDING.eligibility(procedure.number());
            int arguments =
                    switch (procedure) {
                        case WRITE, SYMLINK -> 1;
                        default -> 0;
                    };
            int results =
                    switch (procedure) {
                        case READ, READLINK -> 1;
                        default -> 0;
                    };
            assertEquals(arguments, eligible.arguments(), procedure::toString);
            assertEquals(results, eligible.results(), procedure::toString);
        }
        assertEquals(0, Nfs3Binding.BINDING.eligibility(22).arguments());
        assertEquals(0, Nfs3Binding.BINDING.eligibility(-1).results());
    }

    @Test
    void countsTheBytesOfDirectoryEntries() {
        for (var procedure : new Procedure[] {Procedure.READDIR, Procedure.READDIRPLUS}) {
            var call =
                    Samples.calls().stream()
                            .filter(each -> each.procedure() == procedure)
                            .findFirst()
                            .orElseThrow();
            var page = (DirectoryPage) Samples.value(call);
            var entry = page.entries().getFirst();
            int status = 4;
            int counted =
                    status
                            + DirectoryPage.EMPTY_BYTES
                            + (procedure == Procedure.READDIR
                                    ? entry.plainBytes()
                                    : entry.fullBytes());
            assertEquals(reply(call, Status.OK).length, counted);
        }
    }
}
