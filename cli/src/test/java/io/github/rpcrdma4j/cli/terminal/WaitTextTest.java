package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.Waits;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a progress line says for what a command waits, as long as it does, and fits a terminal. */
@Timeout(60)
class WaitTextTest {
    private static final int COLUMNS = 79;

    private final BlockingQueue<String> drawn = new LinkedBlockingQueue<>();
    private final PrintWriter terminal =
            new PrintWriter(
                    new Writer() {
                        @Override
                        public void write(char[] characters, int from, int count) {
                            drawn.add(new String(characters, from, count));
                        }

                        @Override
                        public void flush() {}

                        @Override
                        public void close() {}
                    });

    private void await(Predicate<String> wanted) throws InterruptedException {
        while (true) {
            var line = drawn.poll(20, TimeUnit.SECONDS);
            assertTrue(line != null, "nothing is drawn any more");
            if (wanted.test(line)) {
                return;
            }
        }
    }

    private static boolean tellsOfGrace(String line) {
        return line.matches("(?s).*put: waiting for \\d+ s: the server restarted.*");
    }

    @Test
    void theBarMakesRoomForAWaitAndComesBack() throws Exception {
        var waits = new Waits();
        try (var progress = Progress.withBar("put", Progress.Unit.BYTES, terminal)) {
            assertTrue(progress.shows(waits));
            progress.expect(1 << 20);
            await(line -> line.contains("put") && line.contains("MiB"));
            try (var _ = waits.begin(Waits.Reason.GRACE)) {
                await(WaitTextTest::tellsOfGrace);
                // It goes on counting.
                await(line -> line.contains("waiting for 2 s"));
            }
            await(line -> line.contains("MiB") && !line.contains("waiting"));
        }
    }

    @Test
    void eachWaitFitsALine() {
        for (var each : Waits.Reason.values()) {
            var line = WaitText.of("rpcrdma", new Waits.Wait(each, Duration.ofSeconds(9999)));
            assertTrue(line.length() <= COLUMNS, line);
        }
        assertEquals(
                "get: waiting for 12 s: the server is busy",
                WaitText.of("get", new Waits.Wait(Waits.Reason.BUSY, Duration.ofMillis(12_999))));
    }
}
