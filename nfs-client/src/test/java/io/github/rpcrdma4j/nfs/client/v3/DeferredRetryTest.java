package io.github.rpcrdma4j.nfs.client.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.ScriptedServer;
import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a call that the server defers (NFS3ERR_JUKEBOX) is repeated within its deadline. */
@Timeout(60)
class DeferredRetryTest {
    private static final ClientOptions OVER_VERSION_3 =
            ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3);

    private static final long MILLI = 1_000_000L;
    private static final Nfs3Call.GetAttributes CALL =
            new Nfs3Call.GetAttributes(new FileHandle(new byte[] {1}));

    /** The deadline comes before the end of the first pause, however slow the machine is. */
    private static final ClientOptions HASTY =
            ClientOptions.DEFAULT
                    .withVersion(NfsVersion.VERSION_3)
                    .withTimeout(Duration.ofMillis(1));

    private final AtomicInteger calls = new AtomicInteger();

    /** Returns a client whose server defers the first calls, as many as given. */
    private Nfs3Client client(ClientOptions options, int times)
            throws IOException, InterruptedException {
        return ScriptedServer.client(
                options,
                _ ->
                        calls.incrementAndGet() <= times
                                ? new Nfs3Reply.Failed<>(Status.JUKEBOX, Nothing.NOTHING)
                                : new Nfs3Reply.Ok<>(
                                        Nothing.NOTHING,
                                        ScriptedServer.attributes(FileType.REGULAR)));
    }

    @Test
    void pausesGrowAndEndWithTheDeadline() {
        // Near the end of the clock's range, so that sums overflow.
        long now = Long.MAX_VALUE - 500 * MILLI;
        var retry = new DeferredRetry(Duration.ofSeconds(12), now);
        var pauses = new ArrayList<Long>();
        for (var due = retry.next(now); due.isPresent(); due = retry.next(now)) {
            pauses.add((due.getAsLong() - now) / MILLI);
            now = due.getAsLong();
        }
        assertEquals(List.of(100L, 200L, 400L, 800L, 1600L, 3000L, 3000L), pauses);
        assertTrue(new DeferredRetry(Duration.ofMillis(50), now).next(now).isEmpty());
        assertTrue(
                new DeferredRetry(Duration.ofSeconds(Long.MAX_VALUE), now).next(now).isPresent());
    }

    @Test
    void aCallIsMadeAgain() throws Exception {
        try (var client = client(OVER_VERSION_3, 2)) {
            assertEquals(FileType.REGULAR, client.call(CALL, "cannot stat").type());
            assertEquals(3, calls.get());
        }
    }

    @Test
    void aCallFailsWhenItsDeadlineIsNear() throws Exception {
        try (var client = client(HASTY, Integer.MAX_VALUE)) {
            var failure = assertThrows(NfsException.class, () -> client.call(CALL, "cannot stat"));
            assertEquals(io.github.rpcrdma4j.nfs.client.service.Status.JUKEBOX, failure.status());
            assertEquals(1, calls.get());
        }
    }

    @Test
    void aCallIsInterruptedWhileItWaits() throws Exception {
        try (var client = client(OVER_VERSION_3, Integer.MAX_VALUE)) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> client.call(CALL, "cannot stat"));
        }
    }

    @Test
    void aPipelineMakesItsCallsAgain() throws Exception {
        var done = new AtomicInteger();
        try (var client = client(OVER_VERSION_3, 5);
                var pipeline = client.pipeline()) {
            for (int i = 0; i < 3; i++) {
                pipeline.submit(CALL, "cannot stat", List.of(), (_, _) -> done.incrementAndGet());
            }
            while (pipeline.poll()) {
                // Wait until all calls have ended.
            }
        }
        assertEquals(3, done.get());
        assertEquals(8, calls.get());
    }

    @Test
    void aPipelineReportsACallWhoseDeadlineIsNear() throws Exception {
        try (var client = client(HASTY, Integer.MAX_VALUE);
                var pipeline = client.pipeline()) {
            pipeline.submit(CALL, "cannot stat", List.of(), (_, _) -> {});
            var failure =
                    assertThrows(
                            NfsException.class,
                            () -> {
                                while (pipeline.poll()) {
                                    // Wait until the failure is thrown.
                                }
                            });
            assertEquals(io.github.rpcrdma4j.nfs.client.service.Status.JUKEBOX, failure.status());
            assertEquals(1, calls.get());
        }
    }
}
