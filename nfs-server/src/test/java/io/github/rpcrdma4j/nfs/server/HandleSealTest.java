package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.server.HandleSeal.Opened;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** What a seal remembers changes nothing of what it says. */
class HandleSealTest {
    private final HandleSeal seal = new HandleSeal(Served.KEY);

    private static FileId file(int number) {
        return new FileId(number, -number);
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
            assertEquals(Optional.of(new Opened(1, file(i))), seal.open(handles.get(i)));
        }
    }

    /** Goal: knowing a file lets no forged handle of it in. Method: every bit, known or not. */
    @Test
    void refusesForgedHandlesOfFilesThatItKnows() {
        byte[] good = new HandleSeal(Served.KEY).seal(1, file(1)).octets();
        for (boolean known : new boolean[] {false, true}) {
            for (int bit = 0; bit < good.length * 8; bit++) {
                byte[] bad = good.clone();
                bad[bit / 8] ^= (byte) (1 << bit % 8);
                assertEquals(Optional.empty(), seal.open(new FileHandle(bad)), "known: " + known);
            }
            assertEquals(
                    Optional.of(new Opened(1, file(1))), seal.open(new FileHandle(good.clone())));
        }
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
            assertEquals(Optional.of(new Opened(i % 3, file(i))), seal.open(handle));
        }
        return null;
    }
}
