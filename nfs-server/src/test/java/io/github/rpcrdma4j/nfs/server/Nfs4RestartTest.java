package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.reclaim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.reclaimComplete;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.admin.AwaitedClient;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: opens and locks outlive the server. Method: whole calls to servers in turn. */
class Nfs4RestartTest {
    private static final String FILE = "file";
    private static final int USER = 1000;

    @TempDir private Path parent;
    private TestDirectory files;

    @BeforeEach
    void makeAFile() throws Exception {
        files = TestDirectory.of(TestDirectory.Kind.BASIC);
        try (var server = TestServer.of(files)) {
            server.create(server.root(), FILE);
        }
    }

    @AfterEach
    void removeFiles() throws Exception {
        files.close();
    }

    private Nfs4Options options() {
        return new Nfs4Options(
                Duration.ofSeconds(10),
                Duration.ofHours(1),
                Optional.of(parent.resolve("clients")),
                "20049");
    }

    private TestServer start() throws IOException {
        return TestServer.of(files, options());
    }

    private static Arguments[] opening(String name) {
        return at("", open(name, Open.BOTH, 0));
    }

    private static Arguments[] locking(StateId open, boolean isReclaim) {
        return at(FILE, lock(open, "locker", LockType.WRITE, 5, 10, isReclaim));
    }

    /** Serves a client that opens and locks the file. */
    private void serveA() throws Exception {
        try (var server = start()) {
            var a = CompoundClient.recovering(server, "a");
            a.last(reclaimComplete());
            a.last(locking(a.open(opening(FILE)), false));
        }
    }

    @Test
    void letsAClientReclaimWhatItHadAndNobodyElseAnything() throws Exception {
        serveA();
        try (var server = start()) {
            var b = CompoundClient.recovering(server, "b");
            b.last(reclaimComplete());
            assertEquals(Nfs4Status.GRACE, b.status(opening(FILE)));
            assertEquals(Nfs4Status.NO_GRACE, b.status(at(FILE, reclaim())));
            var other = CompoundClient.recovering(server, "c");
            assertEquals(Nfs4Status.RECLAIM_BAD, other.status(at(FILE, reclaim())));
            var a = CompoundClient.recovering(server, "a");
            a.last(locking(a.open(at(FILE, reclaim())), true));
            assertEquals(Nfs4Status.GRACE, b.status(opening(FILE)));
            // All are back, so the grace period ends at once.
            assertEquals(Nfs4Status.OK, a.status(reclaimComplete()));
            assertEquals(Nfs4Status.OK, b.status(opening(FILE)));
        }
    }

    @Test
    void letsAClientOfVersion40ReclaimUntilItsTimeIsOver() throws Exception {
        try (var server = start()) {
            var a = LeasedClient.of(server, "a");
            a.lock(FILE, a.open(FILE, Open.BOTH, 0), "locker", 5, 10);
        }
        try (var server = start()) {
            var b = LeasedClient.of(server, "b");
            assertEquals(Nfs4Status.GRACE, b.status(at("", b.opening(FILE, Open.READ, 0))));
            assertEquals(Nfs4Status.RECLAIM_BAD, b.status(at(FILE, b.reclaiming())));
            var a = LeasedClient.of(server, "a");
            var reply = (StateResult.Open) a.last(at(FILE, a.reclaiming()));
            assertEquals(0, reply.flags() & StateResult.Open.CONFIRM);
            var locks = a.locking(reply.open(), "locker", 5, 10, true);
            a.last(at(FILE, locks));
            // It never says that it has reclaimed all.
            assertEquals(Nfs4Status.GRACE, b.status(at("", b.opening(FILE, Open.READ, 0))));
        }
        // What it has reclaimed, it may reclaim once more.
        try (var server = start()) {
            var a = LeasedClient.of(server, "a");
            a.last(at(FILE, a.reclaiming()));
        }
    }

    @Test
    void showsWhichClientsAreNotBackYet() throws Exception {
        serveA();
        try (var server = start()) {
            var seen = server.nfs.administration();
            assertEquals(List.of(new AwaitedClient("a", "sys:0")), seen.awaited(10));
            assertEquals(List.of(), seen.awaited(0));
            CompoundClient.recovering(server, "a");
            assertEquals(List.of(), seen.awaited(10));
        }
    }

    @Test
    void saysWhereTheRecordOfAnEndedClientIsLeft() throws Exception {
        try (var server = start()) {
            var a = CompoundClient.recovering(server, "a");
            a.last(reclaimComplete());
            a.open(opening(FILE));
            Path record;
            try (var names = Files.newDirectoryStream(parent.resolve("clients"), "client-*")) {
                record = names.iterator().next();
            }
            Files.delete(record);
            Files.createDirectories(record.resolve("not empty"));
            var seen = server.nfs.administration();
            var failure = assertThrows(IOException.class, () -> seen.end(a.clientId()));
            assertTrue(
                    failure.getMessage()
                            .startsWith(
                                    "the client has lost its opens and locks, but its record in "
                                            + parent.resolve("clients")),
                    failure::getMessage);
            assertEquals(List.of(), seen.opens(10));
        }
    }

    @Test
    void letsAClientReclaimAfterASecondRestartWithinTheGracePeriod() throws Exception {
        serveA();
        try (var server = start()) {
            var b = CompoundClient.recovering(server, "b");
            assertEquals(Nfs4Status.OK, b.status(reclaimComplete()));
        }
        try (var server = start()) {
            var b = CompoundClient.recovering(server, "b");
            b.last(reclaimComplete());
            assertEquals(Nfs4Status.GRACE, b.status(opening(FILE)));
            var a = CompoundClient.recovering(server, "a");
            assertEquals(Nfs4Status.OK, a.status(at(FILE, reclaim())));
            assertEquals(Nfs4Status.OK, a.status(reclaimComplete()));
            assertEquals(Nfs4Status.OK, b.status(opening(FILE)));
        }
    }

    @Test
    void hasNoGracePeriodWithoutRecords() throws Exception {
        try (var server = TestServer.of(files)) {
            var a = CompoundClient.recovering(server, "a");
            a.last(reclaimComplete());
            assertEquals(Nfs4Status.OK, a.status(opening(FILE)));
        }
        try (var server = TestServer.of(files)) {
            var a = CompoundClient.recovering(server, "a");
            assertEquals(Nfs4Status.NO_GRACE, a.status(at(FILE, reclaim())));
            a.last(reclaimComplete());
            assertEquals(Nfs4Status.OK, a.status(opening(FILE)));
        }
    }

    @Test
    void isRecognizedAfterARestartByTheInstanceOfItsOptions() throws Exception {
        CompoundClient first;
        try (var server = start()) {
            first = CompoundClient.recovering(server, "a");
        }
        try (var server = start()) {
            var second = CompoundClient.recovering(server, "a");
            assertEquals(first.identity().serverMajor(), second.identity().serverMajor());
            assertEquals(first.identity().scope(), second.identity().scope());
            assertNotEquals(first.clientId(), second.clientId());
        }
        try (var server = TestServer.of(files)) {
            var other = CompoundClient.recovering(server, "a");
            assertNotEquals(first.identity().serverMajor(), other.identity().serverMajor());
        }
    }

    /** Linux too lets the owner of a file reclaim against its mode. */
    @Test
    void letsOnlyTheOwnerReclaimWhatTheModeForbidsByNow() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root can act for users");
        try (var local = TestDirectory.of(TestDirectory.Kind.LOCAL)) {
            for (var name : List.of("own", "foreign")) {
                Files.writeString(local.root().resolve(name), name);
                Files.setAttribute(local.root().resolve(name), "unix:mode", 0666);
            }
            Files.setAttribute(local.root().resolve("own"), "unix:uid", USER);
            Files.setAttribute(local.root(), "unix:mode", 0755);
            try (var server = TestServer.of(local, options())) {
                var a = CompoundClient.recovering(server, "a", CompoundClient.user(USER));
                a.last(reclaimComplete());
                a.open(opening("own"));
                a.open(opening("foreign"));
            }
            Files.setAttribute(local.root().resolve("own"), "unix:mode", 0444);
            Files.setAttribute(local.root().resolve("foreign"), "unix:mode", 0444);
            try (var server = TestServer.of(local, options())) {
                var a = CompoundClient.recovering(server, "a", CompoundClient.user(USER));
                assertEquals(Nfs4Status.ACCESS, a.status(at("foreign", reclaim())));
                var open = a.open(at("own", reclaim()));
                a.last(reclaimComplete());
                assertEquals(Nfs4Status.OK, a.status(at("own", write(open, 0, "OWN"))));
                assertEquals(Nfs4Status.ACCESS, a.status(opening("own")));
            }
            assertEquals("OWN", Files.readString(local.root().resolve("own")));
        }
    }

    @Test
    void refusesToServeTwiceWithOneDirectoryOfRecords() throws Exception {
        try (var _ = start()) {
            assertThrows(IOException.class, this::start);
        }
        start().close();
    }

    @Test
    void refusesTimesThatAreOutOfRange() {
        var none = Optional.<Path>empty();
        var usual = Duration.ofSeconds(90);
        for (var wrong : new long[] {-1, 0, 9, 3601}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new Nfs4Options(Duration.ofSeconds(wrong), usual, none, "1"));
        }
        for (var wrong : new long[] {-1, 0, 3601}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new Nfs4Options(usual, Duration.ofSeconds(wrong), none, "1"));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new Nfs4Options(Duration.ofMillis(10_500), usual, none, "1"));
    }
}
