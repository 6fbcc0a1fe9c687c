package io.github.rpcrdma4j.nfs.server.served;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.server.served.HandleSeal.CheckedHandle;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Goal: the cache of a seal does not change its results. */
class HandleSealTest {
    private static final byte[] KEY = "a key that outlives the server".getBytes();
    private final HandleSeal seal = new HandleSeal(KEY);

    private static FileId file(int number) {
        return new FileId(ByteBuffer.allocate(12).putLong(number).putInt(-number).array());
    }

    @Test
    void sealsAlikeBeforeAndAfterItHasForgotten() {
        var handles = new ArrayList<FileHandle>();
        int many = 2 * HandleSeal.KNOWN_MAX;
        for (int i = 0; i < many; i++) {
            handles.add(seal.seal(1, file(i)));
        }
        for (int i = 0; i < many; i += 101) {
            assertEquals(handles.get(i), seal.seal(1, file(i)));
            assertEquals(new CheckedHandle.Ours(1, file(i)), seal.open(handles.get(i)));
        }
    }

    /**
     * Goal: no forged handle of a cached file is accepted. Method: flip each bit, with the file
     * cached or not.
     */
    @Test
    void refusesForgedHandlesOfFilesThatItKnows() {
        byte[] good = new HandleSeal(KEY).seal(1, file(1)).bytes();
        for (boolean known : new boolean[] {false, true}) {
            for (int bit = 0; bit < good.length * 8; bit++) {
                byte[] bad = good.clone();
                bad[bit / 8] ^= (byte) (1 << bit % 8);
                assertEquals(
                        new CheckedHandle.Forged(),
                        seal.open(new FileHandle(bad)),
                        "known: " + known);
            }
            assertEquals(
                    new CheckedHandle.Ours(1, file(1)), seal.open(new FileHandle(good.clone())));
        }
    }

    @Test
    void keepsFilesOfAllLengthsApart() {
        for (int length = 0; length <= FileId.BYTES_MAX; length++) {
            var file = new FileId(new byte[length]);
            var handle = seal.seal(7, file);
            assertEquals(21 + length, handle.bytes().length);
            assertEquals(new CheckedHandle.Ours(7, file), seal.open(handle));
            byte[] longer = Arrays.copyOf(handle.bytes(), handle.bytes().length + 1);
            assertEquals(new CheckedHandle.Forged(), seal.open(new FileHandle(longer)));
        }
    }

    /** Goal: an old handle counts as outdated, not as forged. */
    @Test
    void knowsHandlesThatAreNotMadeAnyMore() {
        byte[] old = new byte[33];
        old[0] = 1;
        assertEquals(new CheckedHandle.Outdated(), seal.open(new FileHandle(old)));
        assertEquals(new CheckedHandle.Forged(), seal.open(new FileHandle(Arrays.copyOf(old, 32))));
    }

    @Test
    void servesManyThreads() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 32; i++) {
                all.add(this::sealAndOpen);
            }
            for (var each : threads.invokeAll(all)) {
                each.get();
            }
        }
    }

    private Void sealAndOpen() {
        for (int i = 0; i < 500; i++) {
            var handle = seal.seal(i % 3, file(i));
            assertEquals(new CheckedHandle.Ours(i % 3, file(i)), seal.open(handle));
        }
        return null;
    }
}
