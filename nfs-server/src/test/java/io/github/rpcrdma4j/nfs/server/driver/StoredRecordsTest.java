package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Goal: clients reclaim after restarts, beside damaged and foreign files. */
class StoredRecordsTest extends RecordDirectory {
    @Test
    void saysThatTheDirectoryWasRemoved() throws Exception {
        var path = parent.resolve("gone");
        try (var records = StoredRecords.open(path)) {
            Files.delete(path.resolve("epoch"));
            Files.delete(path.resolve("lock"));
            Files.delete(path);
            for (Executable change :
                    List.<Executable>of(
                            () -> records.persist(List.of(A)),
                            () -> records.forget(List.of(A.name())))) {
                assertEquals(
                        path + " was removed while a server uses it",
                        assertThrows(IOException.class, change).getMessage());
            }
        }
    }

    @Test
    void keepsRecordsThatTheirOwnerAloneReads() throws Exception {
        startWith(A);
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())));
        assertEquals(Set.of("lock", "epoch", RecordFile.name(A.name())), names());
        for (var each : names()) {
            var file = directory().resolve(each);
            assertEquals(
                    "rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
    }

    @Test
    void countsStartsUpwardWhateverTheClockSays() throws Exception {
        for (int i = 1; i <= 3; i++) {
            try (var records = open()) {
                assertEquals(i, records.bootEpoch());
            }
        }
        var late = InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));
        try (var records = StoredRecords.open(directory(), late, 1, _ -> {})) {
            assertEquals(365 * 24 * 3600, records.bootEpoch());
        }
        try (var records = open()) {
            assertEquals(365 * 24 * 3600 + 1, records.bootEpoch());
        }
        var never = InstantSource.fixed(Instant.parse("9999-01-01T00:00:00Z"));
        try (var records = StoredRecords.open(directory(), never, 1, _ -> {})) {
            assertEquals(1 << 30, records.bootEpoch());
        }
    }

    @Test
    void letsTheClientsOfEarlierStartsReclaim() throws Exception {
        startWith(A, B);
        try (var records = open()) {
            assertEquals(Set.of(A, B), new HashSet<>(records.earlier()));
            records.forget(List.of(B.name()));
            records.persist(List.of(C));
            records.forgetEarlier();
            assertEquals(List.of(), records.earlier());
        }
        assertEquals(Set.of(C), whoMayReclaim());
    }

    @Test
    void replacesTheRecordOfAnotherPrincipal() throws Exception {
        var other = new ClientRecord(A.owner(), new Principal("krb5:nfs/host@REALM"), "", 0);
        startWith(A);
        startWith(other);
        assertEquals(Set.of(other), whoMayReclaim());
    }

    /** Goal: RFC 8881, Section 8.4.3: grace that a second crash cuts short begins again. */
    @Test
    void aCrashWithinTheGracePeriodTakesNoClientItsRight() throws Exception {
        startWith(A, B);
        startWith(A);
        startWith(C);
        try (var records = open()) {
            assertEquals(Set.of(A, B, C), new HashSet<>(records.earlier()));
            records.persist(List.of(B));
            records.forgetEarlier();
        }
        assertEquals(Set.of(B), whoMayReclaim());
    }

    @Test
    void forgetsAnOwnerThatHasNoRecord() throws Exception {
        startWith(A);
        try (var records = open()) {
            records.forget(List.of(C.name()));
        }
        assertEquals(Set.of(A), whoMayReclaim());
    }

    @Test
    void forcesTheDirectoryOnceForMany() throws Exception {
        var steps = new ArrayList<Step>();
        try (var records = StoredRecords.open(directory(), STOPPED, 10, steps::add)) {
            steps.clear();
            records.persist(List.of(A, B, C));
            assertEquals(3, Collections.frequency(steps, Step.FORCE));
            assertTrue(steps.lastIndexOf(Step.FORCE) < steps.indexOf(Step.RENAME));
            records.forget(List.of(A.name(), B.name(), C.name()));
            assertEquals(2, Collections.frequency(steps, Step.FORCE_DIRECTORY));
        }
    }

    @Test
    void forcesTheDirectoryLast() throws Exception {
        var steps = new ArrayList<Step>();
        try (var records = StoredRecords.open(directory(), STOPPED, 10, steps::add)) {
            var written =
                    List.of(
                            Step.REMOVE_LEFTOVER,
                            Step.CREATE,
                            Step.WRITE,
                            Step.FORCE,
                            Step.RENAME,
                            Step.FORCE_DIRECTORY);
            assertEquals(List.of(Step.CREATE_DIRECTORY, Step.LOCK), steps.subList(0, 2));
            assertEquals(written, steps.subList(2, steps.size()));
            steps.clear();
            records.persist(List.of(A));
            assertEquals(written, steps);
            steps.clear();
            records.forget(List.of(A.name()));
            assertEquals(List.of(Step.REMOVE, Step.FORCE_DIRECTORY), steps);
        }
    }

    @Test
    void skipsWhatIsDamagedOrForeign() throws Exception {
        startWith(A, B, C);
        Files.write(directory().resolve(RecordFile.name(B.name())), new byte[100_000]);
        // A whole record under the name of another.
        Files.copy(
                directory().resolve(RecordFile.name(A.name())),
                directory().resolve("client-" + "0".repeat(64)));
        Files.createDirectory(directory().resolve("client-" + "1".repeat(64)));
        Files.createSymbolicLink(
                directory().resolve("client-" + "2".repeat(64)), Path.of("/dev/zero"));
        Files.writeString(directory().resolve("notes.txt"), "mine");
        Files.write(directory().resolve(RecordFile.name(C.name()) + ".new"), new byte[3]);
        try (var records = open()) {
            assertEquals(Set.of(A, C), new HashSet<>(records.earlier()));
            assertEquals(5, records.skipped());
            records.persist(List.of(C));
            records.forgetEarlier();
        }
        assertEquals(
                Set.of(
                        "lock",
                        "epoch",
                        "notes.txt",
                        "client-" + "1".repeat(64),
                        RecordFile.name(C.name())),
                names());
        assertEquals("mine", Files.readString(directory().resolve("notes.txt")));
    }

    @Test
    void startsWithADamagedNumberToo() throws Exception {
        startWith(A);
        startWith();
        startWith(B);
        var file = directory().resolve("epoch");
        byte[] whole = Files.readAllBytes(file);
        for (byte[] damaged : List.of(new byte[0], Arrays.copyOf(whole, 11), new byte[99])) {
            Files.write(file, damaged);
            try (var records = open()) {
                assertEquals(1, records.skipped());
                assertTrue(records.bootEpoch() > 3, "the newest record was written by start 3");
                assertEquals(Set.of(A, B), new HashSet<>(records.earlier()));
            }
        }
    }

    @Test
    void readsAndWritesABoundedNumber() throws Exception {
        startWith(A, B, C);
        try (var records = open(2)) {
            assertEquals(2, records.earlier().size());
            assertEquals(1, records.skipped());
            records.persist(List.of(A));
            records.persist(List.of(B));
            records.persist(List.of(A));
            assertThrows(IOException.class, () -> records.persist(List.of(C)));
            records.forget(List.of(A.name()));
            records.persist(List.of(C));
        }
    }

    @Test
    void refusesAPrincipalThatIsTooLong() throws Exception {
        try (var records = open()) {
            var endless = new ClientRecord(A.owner(), new Principal("x".repeat(10_000)), "", 0);
            assertThrows(IOException.class, () -> records.persist(List.of(endless)));
        }
        assertEquals(Set.of(), whoMayReclaim());
    }

    @Test
    void refusesASecondServerInOneDirectory() throws Exception {
        try (var records = open()) {
            records.persist(List.of(A));
            var refused = assertThrows(IOException.class, this::open);
            assertEquals(
                    "another server is running for the same address, and keeps its clients in "
                            + directory()
                            + ": end it, or have this one listen at another address",
                    refused.getMessage());
            assertEquals(1, records.bootEpoch());
        }
        assertEquals(Set.of(A), whoMayReclaim());
    }

    /** Goal: who follows the advice once has a directory that is taken. */
    @Test
    void refusesADirectoryThatOthersCanUse() throws Exception {
        startWith(A);
        for (var mode : List.of("rwxrwx---", "rwx---rwx", "rwxr-x---", "rwx--x---", "rwx-----x")) {
            refuses(directory(), mode, "chmod 700");
            Files.setPosixFilePermissions(
                    directory(), PosixFilePermissions.fromString("rwx------"));
            assertEquals(Set.of(A), whoMayReclaim());
        }
        // Others may read what leads there.
        refuses(directory().getParent(), "rwxr-xrwx", "chmod go-w");
        Files.setPosixFilePermissions(
                directory().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertEquals(Set.of(A), whoMayReclaim());
    }

    private void refuses(Path directory, String mode, String advice) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
        var refused = assertThrows(IOException.class, this::open);
        assertEquals(
                "%s is open to other users: %s %s".formatted(directory, advice, directory),
                refused.getMessage());
    }

    /** Goal: a server stops although its directory hangs, and does not share it before. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aDirectoryThatHangsDoesNotHoldUpTheEnd() throws Exception {
        var hang = new CountDownLatch(1);
        var isHanging = new CountDownLatch(1);
        Consumer<Step> steps =
                step -> {
                    if (step == Step.RENAME && Files.exists(directory().resolve("epoch"))) {
                        isHanging.countDown();
                        await(hang);
                    }
                };
        var records = StoredRecords.open(directory(), STOPPED, 10, steps, Duration.ofNanos(1));
        var change = new FutureTask<Boolean>(() -> persistedA(records));
        Thread.ofPlatform().daemon().start(change);
        isHanging.await();
        var reason = assertThrows(IOException.class, records::close);
        hang.countDown();
        assertEquals(directory() + " hangs", reason.getMessage());
        assertTrue(change.get());
        assertThrows(IOException.class, () -> records.persist(List.of(B)));
        assertEquals(Set.of(A), Eventually.value(this::whoMayReclaimUnlessAnotherServerIsThere));
    }

    private Optional<Set<ClientRecord>> whoMayReclaimUnlessAnotherServerIsThere() {
        try {
            return Optional.of(whoMayReclaim());
        } catch (IOException other) {
            assertTrue(other.getMessage().startsWith("another server"), other::getMessage);
            return Optional.empty();
        }
    }

    private static boolean persistedA(StoredRecords records) throws IOException {
        records.persist(List.of(A));
        return true;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void changesNothingOnceItIsClosed() throws Exception {
        var records = open();
        records.close();
        assertThrows(IOException.class, () -> records.persist(List.of(A)));
        assertThrows(IOException.class, () -> records.forget(List.of(A.name())));
        assertThrows(IOException.class, records::forgetEarlier);
        assertEquals(Set.of(), whoMayReclaim());
    }
}
