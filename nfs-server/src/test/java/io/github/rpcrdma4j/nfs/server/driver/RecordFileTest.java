package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Goal: a damaged file is recognized. Method: golden bytes, and every damage of one byte. */
class RecordFileTest {
    private static final RecordFile START = new RecordFile(7, null);
    private static final RecordFile RECORD = record(7, "Linux NFSv4.2 a", "sys:0");

    private static RecordFile record(int epoch, String owner, String principal) {
        return record(epoch, owner, principal, "192.0.2.7");
    }

    private static RecordFile record(int epoch, String owner, String principal, String place) {
        return new RecordFile(
                epoch,
                new ClientRecord(
                        OpaqueName.of(owner.getBytes(StandardCharsets.UTF_8)),
                        new Principal(principal),
                        place,
                        0x0123456789abcdefL));
    }

    private static ClientName name(String owner, String place) {
        return new ClientName(OpaqueName.of(owner.getBytes(StandardCharsets.US_ASCII)), place);
    }

    /** The checksums were computed by another CRC32C, bit by bit. */
    @Test
    void encodesTheGoldenFiles() {
        assertEquals(
                "52344a450000000100000007" + "7bdea9a9", HexFormat.of().formatHex(START.encode()));
        assertEquals(
                "52344a430000000200000007"
                        + "0000000f"
                        + "4c696e7578204e465376342e322061"
                        + "00000005"
                        + "7379733a30"
                        + "00000009"
                        + "3139322e302e322e37"
                        + "0123456789abcdef"
                        + "43c5e439",
                HexFormat.of().formatHex(RECORD.encode()));
    }

    @Test
    void decodesWhatItEncodes() {
        var longest = record(Integer.MAX_VALUE, "o".repeat(1024), "p".repeat(8192), "a".repeat(64));
        for (var each : List.of(START, RECORD, longest, record(1, "", ""))) {
            assertTrue(each.isStorable());
            assertEquals(Optional.of(each), RecordFile.decode(each.encode()));
        }
        assertEquals(RecordFile.BYTES_MAX, longest.encode().length);
        assertFalse(record(1, "o", "p".repeat(8193)).isStorable());
    }

    @Test
    void recognizesEveryDamage() {
        for (var each : List.of(START, RECORD)) {
            byte[] whole = each.encode();
            for (int length = 0; length < whole.length; length++) {
                assertEquals(Optional.empty(), RecordFile.decode(Arrays.copyOf(whole, length)));
            }
            assertEquals(
                    Optional.empty(), RecordFile.decode(Arrays.copyOf(whole, whole.length + 1)));
            for (int at = 0; at < whole.length; at++) {
                for (int flip = 1; flip < 256; flip++) {
                    byte[] damaged = whole.clone();
                    damaged[at] ^= (byte) flip;
                    assertEquals(Optional.empty(), RecordFile.decode(damaged));
                }
            }
        }
    }

    /** Goal: lengths are bounded even if the checksum is right. */
    @Test
    void decodesAnyBytesWithAChecksumToAValue() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] whole = RECORD.encode();
            int at = 8 + random.nextInt(whole.length - 12);
            whole[at] = (byte) random.nextInt();
            var crc = new CRC32C();
            crc.update(whole, 0, whole.length - 4);
            ByteBuffer.wrap(whole).putInt(whole.length - 4, (int) crc.getValue());
            var decoded = RecordFile.decode(whole);
            assertTrue(
                    decoded.isEmpty()
                            || Arrays.equals(whole, decoded.get().encode())
                            || !isUtf8(whole),
                    () -> "seed " + seed + ": " + HexFormat.of().formatHex(whole));
        }
    }

    private static boolean isUtf8(byte[] bytes) {
        var principal = Arrays.copyOfRange(bytes, bytes.length - 9, bytes.length - 4);
        var text = new String(principal, StandardCharsets.UTF_8);
        return Arrays.equals(principal, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void namesFilesByTheHashOfTheOwner() {
        // The SHA-256 of "abc" is in FIPS 180-2, Appendix B.1.
        assertEquals(
                "client-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                RecordFile.name(name("abc", "")));
        assertTrue(RecordFile.isName(RecordFile.name(name("", "192.0.2.7"))));
        assertFalse(RecordFile.isName("client-1"));
        assertFalse(RecordFile.isName("../client-" + "0".repeat(64)));
    }
}
