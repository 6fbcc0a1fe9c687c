package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: work that fails, or cannot begin, takes no thread from its host. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostThreadsTest {
    private static final int OF_HOST = 4;

    private final HostPlace host = new HostPlace(new Host() {}, "place");
    private final List<Thread> made = new ArrayList<>();

    private HostThreads threads(ThreadFactory factory) {
        var failures = new FailureLog(System.getLogger(HostThreadsTest.class.getName()));
        return new HostThreads(64, OF_HOST, factory, failures, "nothing was done");
    }

    private Thread later(Runnable work) {
        var thread = Thread.ofVirtual().unstarted(work);
        made.add(thread);
        return new Thread() {
            @Override
            public void start() {}
        };
    }

    /** Whole table: work that returns, that throws, and that ends by an error. */
    @Test
    void itsThreadIsFreeAgainWhenTheWorkEnds() throws Exception {
        var works =
                List.<Runnable>of(
                        () -> {},
                        () -> {
                            throw new IllegalStateException("test");
                        },
                        () -> {
                            throw new StackOverflowError("test");
                        });
        for (var each : works) {
            made.clear();
            var threads = threads(this::later);
            for (int i = 0; i < OF_HOST; i++) {
                assertTrue(threads.start(host, each));
            }
            assertFalse(threads.start(host, each));
            made.getFirst().start();
            made.getFirst().join();
            assertTrue(threads.start(host, each));
            assertEquals(OF_HOST + 1, made.size());
        }
    }

    /** There is no memory for a thread. */
    @Test
    void aThreadThatCannotBeStartedIsNotCounted() {
        var threads =
                threads(
                        _ -> {
                            throw new OutOfMemoryError("test");
                        });
        for (int i = 0; i < 3 * OF_HOST; i++) {
            assertThrows(OutOfMemoryError.class, () -> threads.start(host, () -> {}));
        }
    }

    @Test
    void aThreadThatPausesLeavesItsPermitToOthers() throws Exception {
        var threads = threads(this::later);
        var taken = new ArrayList<Boolean>();
        assertTrue(
                threads.start(
                        host,
                        permit -> {
                            permit.giveBack();
                            permit.giveBack();
                            assertTrue(threads.start(host, () -> {}));
                            assertFalse(threads.start(host, () -> {}));
                            taken.add(permit.take());
                        }));
        for (int i = 1; i < OF_HOST; i++) {
            assertTrue(threads.start(host, () -> {}));
        }
        assertFalse(threads.start(host, () -> {}));
        made.getFirst().start();
        made.getFirst().join();
        assertEquals(List.of(false), taken);
        assertFalse(threads.start(host, () -> {}), "it gave back no permit of others");
    }
}
