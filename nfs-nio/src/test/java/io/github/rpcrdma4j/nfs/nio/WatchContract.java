package io.github.rpcrdma4j.nfs.nio;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardCopyOption;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a watch service of a server tells what happens in its directories, as {@link WatchService}
 * says. Method: this machine changes files that the server serves.
 */
abstract class WatchContract extends ChannelUser {
    private FileSystem watching;
    private WatchService service;
    private Path data;

    WatchContract(Transport transport) {
        super(transport);
    }

    @BeforeEach
    void watch() throws Exception {
        files.close();
        watching = served.open(NfsOptions.DEFAULT.withWatch(Duration.ofMillis(20)));
        service = watching.newWatchService();
        data = watching.getPath("/data");
    }

    @AfterEach
    void end() throws Exception {
        watching.close();
    }

    /** Waits for a key, and returns its events in words. */
    private List<String> events(WatchKey key) throws InterruptedException {
        assertSame(key, service.poll(30, TimeUnit.SECONDS));
        return key.pollEvents().stream().map(each -> each.kind() + " " + each.context()).toList();
    }

    /** Waits for an event. A change of several steps may show as several events. */
    private void awaitEvent(WatchKey key, String event) throws InterruptedException {
        while (!events(key).contains(event)) {
            assertTrue(key.reset());
        }
        assertTrue(key.reset());
    }

    @Test
    void namesThatComeChangeAndGoAreTold() throws Exception {
        var key = data.register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
        assertNull(service.poll());
        Files.createFile(local);
        assertEquals(List.of("ENTRY_CREATE file"), events(key));
        assertTrue(key.reset());
        Files.writeString(local, "content");
        awaitEvent(key, "ENTRY_MODIFY file");
        var made = Files.writeString(directory.resolve("made"), "another");
        awaitEvent(key, "ENTRY_CREATE made");
        Files.move(made, local, StandardCopyOption.REPLACE_EXISTING);
        awaitEvent(key, "ENTRY_DELETE made");
        Files.delete(local);
        awaitEvent(key, "ENTRY_DELETE file");
    }

    @Test
    void onlyTheKindsThatAreWantedAreTold() throws Exception {
        var key = data.register(service, ENTRY_CREATE);
        assertSame(key, data.register(service, ENTRY_DELETE));
        Files.createFile(local);
        var second = Files.createDirectory(directory.resolve("second"));
        var below = data.resolve("second").register(service, ENTRY_CREATE);
        Files.createFile(second.resolve("x"));
        assertEquals(List.of("ENTRY_CREATE x"), events(below));
        Files.delete(local);
        assertEquals(List.of("ENTRY_DELETE file"), events(key));
        assertEquals(data, key.watchable());
    }

    @Test
    void aFileThatIsMadeAndChangedBetweenTwoLooksIsToldAsChanged() throws Exception {
        var key = data.register(service, ENTRY_MODIFY);
        Files.writeString(local, "content");
        assertEquals("ENTRY_MODIFY file", events(key).getFirst());
    }

    @Test
    void howOftenAProgramWouldLikeTheJdkToLookHasNoEffect() throws Exception {
        var often =
                Class.forName("com.sun.nio.file.SensitivityWatchEventModifier")
                        .getEnumConstants()[0];
        var kinds = new WatchEvent.Kind<?>[] {ENTRY_CREATE};
        var key = data.register(service, kinds, (WatchEvent.Modifier) often);
        Files.createFile(local);
        assertEquals(List.of("ENTRY_CREATE file"), events(key));
        WatchEvent.Modifier other = () -> "other";
        assertThrows(
                UnsupportedOperationException.class, () -> data.register(service, kinds, other));
    }

    @Test
    void manyEventsAreOneOverflow() throws Exception {
        var key = data.register(service, ENTRY_CREATE);
        for (int i = 0; i < 600; i++) {
            Files.createFile(directory.resolve("file" + i));
        }
        int count = 0;
        boolean hasOverflown = false;
        while (count < 600 && !hasOverflown) {
            assertSame(key, service.poll(30, TimeUnit.SECONDS));
            var events = key.pollEvents();
            hasOverflown = events.stream().anyMatch(each -> each.kind() == OVERFLOW);
            count += events.size();
            assertTrue(events.size() <= 512);
            key.reset();
        }
    }

    @Test
    void aDirectoryThatIsGoneIsNotWatchedAnyMore() throws Exception {
        var gone = Files.createDirectory(directory.resolve("gone"));
        var key = data.resolve("gone").register(service, ENTRY_CREATE);
        Files.delete(gone);
        assertEquals(List.of(), events(key));
        assertFalse(key.isValid());
        assertFalse(key.reset());
        var cancelled = data.register(service, ENTRY_CREATE);
        cancelled.cancel();
        assertFalse(cancelled.isValid());
        Files.createFile(local);
        assertThrows(
                NotDirectoryException.class,
                () -> data.resolve("file").register(service, ENTRY_CREATE));
    }

    @Test
    void aServerThatRestartsLosesNoEvent() throws Exception {
        var key = data.register(service, ENTRY_CREATE);
        served.restart();
        Files.createFile(local);
        assertEquals(List.of("ENTRY_CREATE file"), events(key));
    }

    @Test
    void whoWaitsIsToldThatTheServiceIsClosed() throws Exception {
        data.register(service, ENTRY_CREATE);
        var waits = new CountDownLatch(2);
        var first = new FutureTask<>(() -> taken(waits));
        var second = new FutureTask<>(() -> taken(waits));
        Thread.ofVirtual().start(first);
        Thread.ofVirtual().start(second);
        waits.await();
        watching.close();
        assertNotNull(first.get());
        assertNotNull(second.get());
        assertThrows(ClosedWatchServiceException.class, service::poll);
    }

    private ClosedWatchServiceException taken(CountDownLatch waits) {
        waits.countDown();
        return assertThrows(ClosedWatchServiceException.class, service::take);
    }

    @Test
    void aServiceOfAnotherFileSystemIsRefused() throws IOException {
        try (var other = FileSystems.getDefault().newWatchService()) {
            assertThrows(ProviderMismatchException.class, () -> data.register(other, ENTRY_CREATE));
        }
    }
}
