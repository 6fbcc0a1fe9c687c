package io.github.rpcrdma4j.nfs.client.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.client.service.Waits.Reason;
import io.github.rpcrdma4j.nfs.client.service.Waits.Wait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a user learns what calls wait for, and since when. */
@Timeout(60)
class WaitsTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final Waits waits = new Waits(now::get);

    private void pass(int seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private static Optional<Wait> wait(Reason reason, int seconds) {
        return Optional.of(new Wait(reason, Duration.ofSeconds(seconds)));
    }

    @Test
    void aWaitLastsFromTheFirstCallToTheLast() {
        assertEquals(Optional.empty(), waits.now());
        var first = waits.begin(Reason.GRACE);
        pass(2);
        var second = waits.begin(Reason.GRACE);
        pass(2);
        first.close();
        first.close();
        assertEquals(wait(Reason.GRACE, 4), waits.now());
        second.close();
        assertEquals(Optional.empty(), waits.now());
        pass(1);
        try (var _ = waits.begin(Reason.GRACE)) {
            assertEquals(wait(Reason.GRACE, 0), waits.now());
        }
    }

    @Test
    void ofSeveralWaitsTheOneThatCausesTheOthersIsTold() {
        for (var each : Reason.values()) {
            for (var other : Reason.values()) {
                try (var _ = waits.begin(each);
                        var _ = waits.begin(other)) {
                    var cause = each.compareTo(other) < 0 ? each : other;
                    assertEquals(wait(cause, 0), waits.now());
                }
            }
        }
    }

    @Test
    void aServerIsSilentSinceItsLastAnswer() throws Exception {
        var first = waits.begin(Reason.SILENT);
        pass(2);
        var second = waits.begin(Reason.SILENT);
        pass(2);
        assertEquals(wait(Reason.SILENT, 4), waits.now());
        first.close();
        pass(1);
        assertEquals(wait(Reason.SILENT, 1), waits.now());
        assertEquals(Reason.SILENT, waits.awaitLasting(Duration.ofSeconds(1)).reason());
        second.close();
        assertEquals(Optional.empty(), waits.now());
        waits.awaitEnd(Reason.SILENT);
    }

    @Test
    void aCallWaitsForOneThingAtATime() {
        var call = waits.ofCall();
        call.on(Reason.RECOVERY);
        pass(3);
        call.on(Reason.GRACE);
        assertEquals(wait(Reason.GRACE, 0), waits.now());
        pass(3);
        call.on(Reason.GRACE);
        assertEquals(wait(Reason.GRACE, 3), waits.now());
        call.close();
        assertEquals(Optional.empty(), waits.now());
        call.on(Reason.BUSY);
        assertEquals(wait(Reason.BUSY, 0), waits.now());
    }

    /** By the clock of the machine. */
    @Test
    void aLongWaitIsHeardOfAndItsEnd() throws Exception {
        var real = new Waits();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var lasting = threads.submit(() -> real.awaitLasting(Duration.ofMillis(50)));
            var begun = real.begin(Reason.LOCK);
            assertEquals(Reason.LOCK, lasting.get().reason());
            var ended =
                    threads.submit(
                            () -> {
                                real.awaitEnd(Reason.LOCK);
                                return real.now();
                            });
            begun.close();
            assertEquals(Optional.empty(), ended.get());
        }
    }
}
