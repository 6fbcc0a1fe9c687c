package io.github.rpcrdma4j.nfs.server.served;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.served.HandleSeal.CheckedHandle;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Goal: handles of 32 bytes name one file each, and nobody can make others. */
class ShortSealTest {
    private static final byte[] KEY = "a key for this test".getBytes();
    private static final FileId ROOT = id("0102030405060708" + "01" + "0200000099887766");
    private static final IntFunction<FileId> ROOTS = export -> export == 7 ? ROOT : null;

    private final ShortSeal seal = new ShortSeal(new HandleSeal(KEY));

    private static FileId id(String hex) {
        return new FileId(HexFormat.of().parseHex(hex));
    }

    /** The ids that Linux gives on its file systems, and which bytes of theirs are usual. */
    @Test
    void fitsTheFilesOfUsualFileSystems() {
        // ext4: inode and generation.
        fits(ROOT, id("0102030405060708" + "01" + "1234567812345678"));
        // The same on a file system mounted below.
        fits(ROOT, id("f1f2f3f4f5f6f7f8" + "01" + "1234567812345678"));
        // xfs: inode of 64 bits and generation.
        fits(
                id("0102030405060708" + "81" + "8000000000000000" + "00000000"),
                id("0102030405060708" + "81" + "1234567812345678" + "12345678"));
        // btrfs: inode, subvolume and generation.
        fits(
                id(
                        "0102030405060708"
                                + "4d"
                                + "0001000000000000"
                                + "0500000000000000"
                                + "00000000"),
                id(
                        "0102030405060708"
                                + "4d"
                                + "1234567800000000"
                                + "1401000000000000"
                                + "12345678"));
        // No handles of the kernel: inode and time of birth.
        fits(
                id(
                        "0102030405060708"
                                + "ff"
                                + "0000000000000002"
                                + "0000000066554433"
                                + "11223344"),
                id(
                        "0102030405060708"
                                + "ff"
                                + "0000000012345678"
                                + "0000000012345678"
                                + "12345678"));
    }

    private void fits(FileId root, FileId file) {
        byte[] handle = seal.seal(7, root, file).orElseThrow();
        assertEquals(32, handle.length);
        assertEquals(new CheckedHandle.Ours(7, file), seal.open(handle, _ -> root));
    }

    @Test
    void refusesIdsThatLeaveNoRoomForTheSeal() {
        assertEquals(
                Optional.empty(), seal.seal(7, ROOT, new FileId(new byte[ShortSeal.ID_MAX + 1])));
        byte[] other = new byte[ShortSeal.ID_MAX];
        Arrays.fill(other, (byte) 0x5a);
        assertEquals(Optional.empty(), seal.seal(7, ROOT, new FileId(other)));
    }

    @Test
    void handlesStayAfterARestart() {
        byte[] handle = seal.seal(7, ROOT, ROOT).orElseThrow();
        var again = new ShortSeal(new HandleSeal(KEY));
        assertEquals(new CheckedHandle.Ours(7, ROOT), again.open(handle, ROOTS));
        assertArrayEquals(handle, again.seal(7, ROOT, ROOT).orElseThrow());
        var other = new ShortSeal(new HandleSeal("another key for it".getBytes()));
        assertEquals(new CheckedHandle.Forged(), other.open(handle, ROOTS));
    }

    @Test
    void refusesHandlesOfOtherExports() {
        byte[] handle = seal.seal(7, ROOT, ROOT).orElseThrow();
        assertEquals(new CheckedHandle.Forged(), seal.open(handle, _ -> null));
        // The root was replaced by another directory.
        var moved = id("0102030405060708" + "01" + "0300000099887766");
        assertEquals(
                new CheckedHandle.Forged(),
                new ShortSeal(new HandleSeal(KEY)).open(handle, _ -> moved));
    }

    /** Method: flip each bit of handles of random files, with the files known or not. */
    @Test
    void refusesForgedHandles() {
        var random = new Random(Seeds.one());
        for (int i = 0; i < 100; i++) {
            byte[] file = Arrays.copyOf(ROOT.bytes(), random.nextInt(22));
            for (int j = random.nextInt(9); j > 0 && file.length > 0; j--) {
                file[random.nextInt(file.length)] = (byte) random.nextInt();
            }
            byte[] good =
                    new ShortSeal(new HandleSeal(KEY))
                            .seal(7, ROOT, new FileId(file))
                            .orElseThrow();
            for (boolean known : new boolean[] {false, true}) {
                for (int bit = 0; bit < good.length * 8; bit++) {
                    byte[] bad = good.clone();
                    bad[bit / 8] ^= (byte) (1 << bit % 8);
                    assertEquals(
                            new CheckedHandle.Forged(),
                            seal.open(bad, _ -> ROOT),
                            "known: " + known);
                }
                assertEquals(new CheckedHandle.Ours(7, new FileId(file)), seal.open(good, ROOTS));
            }
        }
    }

    @Test
    void anyBytesHaveAValue() {
        var random = new Random(Seeds.one());
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[32];
            random.nextBytes(bytes);
            bytes[0] = (byte) (64 + random.nextInt(40));
            assertTrue(seal.open(bytes, _ -> ROOT) instanceof CheckedHandle.Forged);
        }
    }
}
