package io.github.rpcrdma4j.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.verbs.Completion.Status;
import org.junit.jupiter.api.Test;

/** The numbers are those of {@code enum ibv_wc_status} and {@code enum ibv_event_type}. */
class ErrorsTest {
    private static final int STATUSES = 24;

    @Test
    void everyLossIsOneLineThatNamesTheStatus() {
        for (int status = 1; status < STATUSES; status++) {
            for (boolean isReceive : new boolean[] {false, true}) {
                var line = Errors.loss(status, isReceive);
                assertFalse(line.contains("\n"), line);
                assertTrue(line.matches(".*\\((\\w+_ERR|status \\d+)\\)"), line);
            }
        }
    }

    @Test
    void onlyStatusZeroIsSuccess() {
        for (int status = 0; status < STATUSES; status++) {
            assertEquals(status == 0, Errors.ofSend(status) == Status.SUCCESS);
            assertEquals(status == 0, Errors.ofReceive(status) == Status.SUCCESS);
        }
        assertEquals(Status.REMOTE_ACCESS_ERROR, Errors.ofSend(10));
        assertEquals(Status.FLUSHED, Errors.ofReceive(10));
        assertEquals(Status.LOCAL_LENGTH_ERROR, Errors.ofReceive(1));
    }

    @Test
    void theEventsOfAQueuePairEndItAndThoseOfTheDeviceEndAll() {
        for (int event = 0; event < 20; event++) {
            var scope = Errors.asynchronous(event, "siw0").map(Errors.Loss::scope).orElse(null);
            var expected =
                    switch (event) {
                        case 0, 1, 2, 3 -> Errors.Scope.QUEUE_PAIR;
                        case 8, 10 -> Errors.Scope.DEVICE;
                        default -> null;
                    };
            assertEquals(expected, scope, "event " + event);
        }
    }

    @Test
    void theLossOfADeviceNamesIt() {
        assertTrue(Errors.asynchronous(8, "siw0").orElseThrow().reason().contains("siw0"));
        assertTrue(Errors.asynchronous(10, "siw0").orElseThrow().reason().contains("siw0"));
    }

    @Test
    void aLackOfLockedMemoryNamesTheLimit() {
        assertTrue(Errno.text(12).contains("ulimit -l"));
    }
}
