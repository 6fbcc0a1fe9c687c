package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.server.export.Export;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: locks that hosts wait for are right even if the file system hangs when they are free. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HangingGrantsTest {
    private final HangingStores stores =
            new HangingStores(TestServer.EXPORT, Set.of("KernelLocks.set"));
    private CalledHost called;
    private TestDirectory testDirectory;
    private TestServer server;
    private LockingHost host;
    private LockingHost other;

    @BeforeEach
    void serve() throws Exception {
        called = new CalledHost();
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export), stores, Nfs4Options.DEFAULT, called.port());
        var file = server.create(server.root(), "file");
        host = LockingHost.of(server, CalledHost.ADDRESS, file.bytes());
        other = LockingHost.of(server, "192.0.2.1", file.bytes());
    }

    @AfterEach
    void stop() throws Exception {
        stores.goOn();
        called.close();
        server.close();
        testDirectory.close();
    }

    /** The lock of the host is free, and the kernel is asked for it. */
    private void ask() throws Exception {
        other.lock(true, 0, 10);
        assertEquals(NlmStatus.BLOCKED, host.await(true, 0, 10));
        stores.hang();
        other.unlock(0, 0);
        stores.awaitBlocked();
    }

    @Test
    void aHostThatCancelsWhileTheKernelIsAskedGetsNothing() throws Exception {
        ask();
        assertEquals(NlmStatus.GRANTED, host.cancel(true, 0, 10));
        stores.goOn();
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
        assertNull(called.granted.poll());
    }
}
