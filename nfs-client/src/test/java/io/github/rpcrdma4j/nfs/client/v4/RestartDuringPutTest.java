package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import java.io.ByteArrayInputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a copy is whole although the server restarts while it is made, whether or not the server
 * takes claims then. Method: over RDMA, with a restart after each of some calls.
 */
@Timeout(120)
class RestartDuringPutTest {
    /** A client of version 4.0 waits for its end: it cannot say that it has made all claims. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    @TempDir private Path directory;
    @TempDir private Path records;

    /** Counts calls, and tells of one. */
    private static final class Countdown implements WatchedServer.Event {
        private final WatchedServer server;
        private final CountDownLatch reached = new CountDownLatch(1);
        private int left;

        Countdown(WatchedServer server, int calls) {
            this.server = server;
            this.left = calls;
            server.after(this);
        }

        @Override
        public void run() {
            if (--left > 0) {
                server.after(this);
            } else {
                server.relay().cutAndHold();
                reached.countDown();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VERSION_4_0,true,2",
        "VERSION_4_0,true,5",
        "VERSION_4_0,false,3",
        "VERSION_4_0,false,4",
        "VERSION_4_0,false,7",
        "VERSION_4_2,true,5",
        "VERSION_4_2,false,5"
    })
    void aCopyIsWhole(NfsVersion version, boolean hasRecords, int calls) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        var bytes = new byte[20_000_003];
        new Random(calls).nextBytes(bytes);
        var options = WatchedServer.OPTIONS.withVersion(version);
        try (var server =
                        new WatchedServer(
                                directory,
                                hasRecords ? Optional.of(records) : Optional.empty(),
                                GRACE);
                var mount = NfsMount.of(server.connect(version), "/data")) {
            var place = mount.place("/data/file");
            var copying =
                    new FutureTask<Void>(
                            () -> {
                                new Copier(mount, options, new CopyListener() {})
                                        .put(
                                                Channels.newChannel(
                                                        new ByteArrayInputStream(bytes)),
                                                place,
                                                "/data/file");
                                return null;
                            });
            var countdown = new Countdown(server, calls);
            Thread.startVirtualThread(copying);
            countdown.reached.await();
            server.restart();
            server.relay().release();
            copying.get();
            assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("file")));
            assertEquals(0, server.administration().opens(9).size());
            try (var names = Files.list(directory)) {
                assertEquals(1, names.count());
            }
        }
    }
}
