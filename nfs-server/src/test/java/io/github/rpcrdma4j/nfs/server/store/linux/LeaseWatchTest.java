package io.github.rpcrdma4j.nfs.server.store.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.linux.FileLeases;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.store.KernelLease;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: an OPEN gets an answer, even if no thread receives what the kernel tells. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseWatchTest {
    private static final KernelLease.Listener LISTENER =
            new KernelLease.Listener() {
                @Override
                public void conflict() {}

                @Override
                public void changed() {}
            };

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
}
