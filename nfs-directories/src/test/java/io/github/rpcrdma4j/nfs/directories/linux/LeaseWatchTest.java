package io.github.rpcrdma4j.nfs.directories.linux;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.FileLeases;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.testing.LoggedLines;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: an OPEN gets an answer, even if no thread receives what the kernel tells, and the operator
 * learns of each reason why no file is delegated.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseWatchTest {
    private static final KernelLease.Listener LISTENER =
            new KernelLease.Listener() {
                @Override
                public void conflict() {}

                @Override
                public void changed() {}
            };

    private static final String FILE_OF_ROOT = "/etc/passwd";

    @Test
    void aThreadThatFailsLetsNoLeaseWait() {
        var opened = new AtomicInteger();
        var watch =
                new LeaseWatch(
                        _ -> {
                            opened.incrementAndGet();
                            throw new AssertionError("test");
                        });
        for (int i = 1; i <= 3; i++) {
            var broken =
                    assertThrows(
                            IllegalStateException.class,
                            () -> watch.set(new Scratch(), 1, FileLeases.READ, LISTENER));
            assertEquals("test", broken.getCause().getMessage());
            assertEquals(i, opened.get());
        }
    }

    private static int taken(LeaseWatch watch, Scratch scratch, int descriptor) {
        return watch.set(scratch, descriptor, FileLeases.READ, LISTENER);
    }

    /** Takes two leases without room for watches, then two without the right to them. */
    private static void takeInVain(LeaseWatch watch, AtomicBoolean isFull) {
        var scratch = new Scratch();
        var identity = Identity.ofProcess();
        if (identity.mayAct()) {
            // This thread, which ends, gives its rights up.
            assertEquals(0, identity.keepCapabilities(scratch));
            assertTrue(identity.assume(scratch, new Caller.User(65534, 65534), false));
        }
        int file =
                Kernel.openat(
                        scratch,
                        Kernel.AT_FDCWD,
                        scratch.text(Scratch.TEXT, FILE_OF_ROOT.getBytes(US_ASCII)),
                        Kernel.O_RDONLY,
                        0);
        assertTrue(file >= 0);
        for (int i = 0; i < 2; i++) {
            assertEquals(-Errno.MFILE, taken(watch, scratch, file));
        }
        isFull.set(false);
        for (int i = 0; i < 2; i++) {
            assertEquals(-Errno.ACCES, taken(watch, scratch, file));
        }
        Kernel.close(scratch, file);
    }

    @Test
    void eachReasonIsLoggedOnce() throws Exception {
        var isFull = new AtomicBoolean(true);
        var watch =
                new LeaseWatch(
                        scratch ->
                                isFull.get()
                                        ? new LeaseWatch.Receiver(1, -Errno.MFILE)
                                        : LeaseWatch.Receiver.open(scratch));
        try (var logged = new LoggedLines(LeaseWatch.class)) {
            var taking = new FutureTask<Void>(() -> takeInVain(watch, isFull), null);
            Thread.ofPlatform().start(taking);
            taking.get();
            assertEquals(2, logged.lines.size(), logged.lines::toString);
            assertTrue(logged.lines.get(0).contains("sysctl fs.inotify"));
            assertTrue(logged.lines.get(1).contains("CAP_LEASE"));
        }
    }
}
