package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.testing.Eventually;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a server calls the hosts that wait for locks, and those that had some when it restarts. */
class WaitingHostsTest {
    private static final String OTHER = "192.0.2.1";

    @TempDir private Path parent;
    private final CalledHost called;
    private TestDirectory testDirectory;
    private TestServer server;
    private LockingHost host;
    private LockingHost other;

    WaitingHostsTest() throws Exception {
        called = new CalledHost();
    }

    private Nfs4Options options() {
        return new Nfs4Options(
                Duration.ofSeconds(10),
                Duration.ofHours(1),
                Optional.of(parent.resolve("clients")),
                "20049");
    }

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        server = TestServer.of(testDirectory, options(), called.port());
        var file = server.create(server.root(), "file");
        host = LockingHost.of(server, CalledHost.ADDRESS, file.bytes());
        other = LockingHost.of(server, OTHER, file.bytes());
    }

    @AfterEach
    void stop() throws Exception {
        called.close();
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    @Test
    void aHostThatWaitsIsCalledWhenTheLockIsFree() throws Exception {
        other.lock(true, 0, 10);
        assertEquals(NlmStatus.BLOCKED, host.await(true, 5, 0));
        assertEquals(NlmStatus.BLOCKED, host.await(true, 5, 0), "it may ask again meanwhile");
        assertNull(called.granted.poll());
        other.unlock(0, 0);
        var call = CalledHost.next(called.granted);
        assertTrue(call.isExclusive());
        assertEquals(host.range(5, 0), call.lock());
        assertEquals(NlmStatus.DENIED, other.lock(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 5));
    }

    @Test
    void aHostThatCancelsIsNotCalled() throws Exception {
        other.lock(true, 0, 10);
        host.await(true, 0, 10);
        assertEquals(NlmStatus.DENIED, other.cancel(true, 0, 10), "the wait is of another host");
        assertEquals(NlmStatus.GRANTED, host.cancel(true, 0, 10));
        other.unlock(0, 0);
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
        assertNull(called.granted.poll());
    }

    @Test
    void aLockThatItsHostDoesNotWantGoesToTheNext() throws Exception {
        called.answer = NlmStatus.DENIED;
        other.lock(true, 0, 10);
        host.await(true, 0, 10);
        host.withProcess(8).await(true, 0, 10);
        other.unlock(0, 0);
        assertEquals(host.range(0, 10), CalledHost.next(called.granted).lock());
        called.answer = NlmStatus.GRANTED;
        assertEquals(host.withProcess(8).range(0, 10), CalledHost.next(called.granted).lock());
        assertEquals(NlmStatus.GRANTED, host.withProcess(8).lock(true, 0, 10));
    }

    /** Each of them is called again and again, with long pauses. */
    @Test
    void locksThatAreNotTakenYetKeepNoOthersBack() throws Exception {
        int count = 20;
        called.answer = NlmStatus.DENIED_GRACE_PERIOD;
        other.lock(true, 0, count);
        for (int i = 0; i < count; i++) {
            assertEquals(NlmStatus.BLOCKED, host.withProcess(i + 1).await(true, i, 1));
        }
        other.unlock(0, 0);
        var first = new HashSet<Long>();
        for (int i = 0; i < count; i++) {
            first.add(CalledHost.next(called.granted).lock().offset());
        }
        assertEquals(count, first.size(), "some were called twice before others");
    }

    /** The host has asked again by itself. Then it does not know the call, but has the lock. */
    @Test
    void aLockThatItsHostKnowsOfIsNotTakenBack() throws Exception {
        called.answer = NlmStatus.DENIED_GRACE_PERIOD;
        other.lock(true, 0, 10);
        host.await(true, 0, 10);
        other.unlock(0, 0);
        CalledHost.next(called.granted);
        called.answer = NlmStatus.DENIED;
        assertEquals(NlmStatus.GRANTED, host.await(true, 0, 10));
        assertEquals(NlmStatus.DENIED, other.lock(true, 0, 10));
    }

    /** The host is to be called again when it gives the lock up, which it does not know it has. */
    @Test
    void aHostThatCancelsBetweenTwoCallsDoesNotKeepTheLock() throws Exception {
        called.answer = NlmStatus.DENIED_GRACE_PERIOD;
        other.lock(true, 0, 10);
        host.await(true, 0, 10);
        other.unlock(0, 0);
        CalledHost.next(called.granted);
        assertEquals(NlmStatus.GRANTED, host.cancel(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
    }

    @Test
    void aHostThatRefusesAStrongerLockKeepsWhatItHad() throws Exception {
        called.answer = NlmStatus.DENIED;
        other.lock(false, 0, 10);
        host.lock(false, 0, 10);
        assertEquals(NlmStatus.BLOCKED, host.await(true, 0, 10));
        other.unlock(0, 0);
        CalledHost.next(called.granted);
        Eventually.await(() -> other.lock(false, 0, 10) != NlmStatus.DENIED);
        other.unlock(0, 0);
        assertEquals(NlmStatus.DENIED, other.lock(true, 0, 10));
    }

    /** Otherwise the call may come after the next LOCK, and look like an answer to it. */
    @Test
    void aReplyToACancelWaitsForTheCallInProgress() throws Exception {
        called.mayAnswer = new CountDownLatch(1);
        other.lock(true, 0, 10);
        host.await(true, 0, 10);
        other.unlock(0, 0);
        CalledHost.next(called.granted);
        var isAnswered = new CompletableFuture<Boolean>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                assertEquals(NlmStatus.GRANTED, host.cancel(true, 0, 10));
                                isAnswered.complete(called.mayAnswer.getCount() == 0);
                            } catch (Exception | AssertionError failed) {
                                isAnswered.completeExceptionally(failed);
                            }
                        });
        var administration = server.nfs.administration();
        Eventually.await(
                () -> administration.clients(9).stream().allMatch(each -> each.held() == 0));
        // Others get the lock meanwhile. The call ends by itself after five seconds.
        for (int i = 0; i < 5; i++) {
            assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
            other.unlock(0, 0);
        }
        called.mayAnswer.countDown();
        assertTrue(isAnswered.get(), "the reply came before the call had ended");
    }

    @Test
    void theThreadsThatCallHostsEndWithTheServer() throws Exception {
        called.mayAnswer = new CountDownLatch(1);
        other.lock(true, 0, 10);
        host.await(true, 0, 10);
        other.unlock(0, 0);
        CalledHost.next(called.granted);
        server.nfs.close();
        var threads = parent.resolve("threads");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(threads.toString(), ThreadDumpFormat.TEXT_PLAIN);
        assertFalse(Files.readString(threads).contains("nlm-grant"));
        called.mayAnswer.countDown();
    }

    @Test
    void resultsOfMessagesAreSentToTheirCaller() throws Exception {
        host.tell(NlmProcedure.LOCK_MSG, host.locking(true, 0, 10));
        assertEquals(
                new NlmReply.Plain(LockingHost.COOKIE, NlmStatus.GRANTED),
                CalledHost.next(called.results));
        assertEquals(NlmStatus.DENIED, other.lock(true, 0, 10));
        host.tell(
                NlmProcedure.TEST_MSG,
                new NlmCall.Test(LockingHost.COOKIE, true, host.withProcess(8).range(0, 1)));
        assertEquals(NlmStatus.DENIED, CalledHost.next(called.results).status());
        host.tell(
                NlmProcedure.UNLOCK_MSG, new NlmCall.Unlock(LockingHost.COOKIE, host.range(0, 10)));
        assertEquals(NlmStatus.GRANTED, CalledHost.next(called.results).status());
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
    }

    private void restart() throws Exception {
        server.close();
        server = TestServer.of(testDirectory, options(), called.port());
        host = host.on(server);
        other = other.on(server);
        server.nfs.tellHosts();
    }

    @Test
    void hostsWithLocksAreToldOfARestartAndReclaim() throws Exception {
        host.lock(true, 0, 10);
        restart();
        var first = CalledHost.next(called.notices);
        assertEquals(LockingHost.name(CalledHost.ADDRESS), first.host());
        assertEquals(1, first.state() & 1, "the server is up");
        assertEquals(first.state(), CalledHost.next(called.notices).state());
        assertEquals(NlmStatus.DENIED_GRACE_PERIOD, other.lock(true, 20, 1));
        assertEquals(NlmStatus.DENIED_GRACE_PERIOD, other.test(true, 20, 1).status());
        assertEquals(NlmStatus.DENIED, other.reclaim(true, 0, 10), "it had nothing");
        assertEquals(NlmStatus.GRANTED, host.reclaim(true, 0, 10));
        restart();
        assertTrue(CalledHost.next(called.notices).state() > first.state());
        assertEquals(NlmStatus.GRANTED, host.reclaim(true, 0, 10));
        host.restarted("host", 3);
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10), "no host is left to wait for");
    }

    @Test
    void aHostThatIsNotThereYetIsToldAgain() throws Exception {
        host.lock(true, 0, 10);
        called.isRegistered = false;
        restart();
        CalledHost.next(called.unanswered);
        assertNull(called.notices.poll());
        called.isRegistered = true;
        CalledHost.next(called.notices);
    }
}
