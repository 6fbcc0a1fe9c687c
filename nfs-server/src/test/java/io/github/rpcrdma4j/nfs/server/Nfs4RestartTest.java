package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
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

    /** Serves a client that opens and locks the file. */
    private void serveA() throws Exception {
        try (var server = start()) {
            var a = new Nfs4Client(server, "a", 0);
            a.reclaimComplete();
            a.lock(FILE, Nfs4Client.opened(a.open(FILE)), false);
        }
    }

    @Test
    void letsAClientReclaimWhatItHadAndNobodyElseAnything() throws Exception {
        serveA();
        try (var server = start()) {
            var b = new Nfs4Client(server, "b", 0);
            b.reclaimComplete();
            assertEquals(Nfs4Status.GRACE, b.open(FILE).status());
            assertEquals(Nfs4Status.NO_GRACE, b.reclaim(FILE).status());
            var other = new Nfs4Client(server, "c", 0);
            assertEquals(Nfs4Status.RECLAIM_BAD, other.reclaim(FILE).status());
            var a = new Nfs4Client(server, "a", 0);
            a.lock(FILE, Nfs4Client.opened(a.reclaim(FILE)), true);
            assertEquals(Nfs4Status.GRACE, b.open(FILE).status());
            // All are back, so the grace period ends at once.
            assertEquals(Nfs4Status.OK, a.reclaimComplete().status());
            assertEquals(Nfs4Status.OK, b.open(FILE).status());
        }
    }

    @Test
    void letsAClientReclaimAfterASecondRestartWithinTheGracePeriod() throws Exception {
        serveA();
        try (var server = start()) {
            var b = new Nfs4Client(server, "b", 0);
            assertEquals(Nfs4Status.OK, b.reclaimComplete().status());
        }
        try (var server = start()) {
            var b = new Nfs4Client(server, "b", 0);
            b.reclaimComplete();
            assertEquals(Nfs4Status.GRACE, b.open(FILE).status());
            var a = new Nfs4Client(server, "a", 0);
            assertEquals(Nfs4Status.OK, a.reclaim(FILE).status());
            assertEquals(Nfs4Status.OK, a.reclaimComplete().status());
            assertEquals(Nfs4Status.OK, b.open(FILE).status());
        }
    }

    @Test
    void hasNoGracePeriodWithoutRecords() throws Exception {
        try (var server = TestServer.of(files)) {
            var a = new Nfs4Client(server, "a", 0);
            a.reclaimComplete();
            assertEquals(Nfs4Status.OK, a.open(FILE).status());
        }
        try (var server = TestServer.of(files)) {
            var a = new Nfs4Client(server, "a", 0);
            assertEquals(Nfs4Status.NO_GRACE, a.reclaim(FILE).status());
            a.reclaimComplete();
            assertEquals(Nfs4Status.OK, a.open(FILE).status());
        }
    }

    @Test
    void isRecognizedAfterARestartByTheInstanceOfItsOptions() throws Exception {
        Nfs4Client first;
        try (var server = start()) {
            first = new Nfs4Client(server, "a", 0);
        }
        try (var server = start()) {
            var second = new Nfs4Client(server, "a", 0);
            assertEquals(first.identity.serverMajor(), second.identity.serverMajor());
            assertEquals(first.identity.scope(), second.identity.scope());
            assertNotEquals(first.id(), second.id());
        }
        try (var server = TestServer.of(files)) {
            var other = new Nfs4Client(server, "a", 0);
            assertNotEquals(first.identity.serverMajor(), other.identity.serverMajor());
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
                var a = new Nfs4Client(server, "a", USER);
                a.reclaimComplete();
                Nfs4Client.opened(a.open("own"));
                Nfs4Client.opened(a.open("foreign"));
            }
            Files.setAttribute(local.root().resolve("own"), "unix:mode", 0444);
            Files.setAttribute(local.root().resolve("foreign"), "unix:mode", 0444);
            try (var server = TestServer.of(local, options())) {
                var a = new Nfs4Client(server, "a", USER);
                assertEquals(Nfs4Status.ACCESS, a.reclaim("foreign").status());
                var open = Nfs4Client.opened(a.reclaim("own"));
                a.reclaimComplete();
                assertEquals(Nfs4Status.OK, a.call(at("own", write(open, 0, "OWN"))).status());
                assertEquals(Nfs4Status.ACCESS, a.open("own").status());
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
