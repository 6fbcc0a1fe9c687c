package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Status;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client of version 2 that makes up cookies cannot keep the server busy with listings, and
 * costs no other client its listing.
 */
class FalseCookiesTest {
    private static final int NAMES = 4_000;
    private static final int CALLS = 150;

    /** The names that a client may have listed for its cookies, and those that come each second. */
    private static final int ALLOWED = 1 << 18;

    private static final int PER_SECOND = 1 << 14;

    private TestDirectory testDirectory;
    private final CountedListings stores = new CountedListings();
    private TestServer server;
    private Nfs2Client client;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(TestDirectory.kinds().contains(TestDirectory.Kind.LOCAL));
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        for (int i = 0; i < NAMES; i++) {
            Files.createFile(testDirectory.root().resolve("name" + i));
        }
        start();
    }

    private void start() throws Exception {
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export), stores);
        client = Nfs2Client.of(server);
        root = client.root();
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
            testDirectory.close();
        }
    }

    private static Nfs2Call.ReadDirectory list(FileHandle directory, int cookie) {
        return new Nfs2Call.ReadDirectory(directory, cookie, 400);
    }

    @Test
    void madeUpCookiesCostABoundedNumberOfNames() throws Exception {
        long start = System.nanoTime();
        long before = stores.names.get();
        for (int i = 0; i < CALLS; i++) {
            assertEquals(Status.IO, client.status(list(root, Integer.MIN_VALUE | 1 + i)));
        }
        long listed = stores.names.get() - before;
        long seconds = 1 + Duration.ofNanos(System.nanoTime() - start).toSeconds();
        assertTrue(listed <= ALLOWED + NAMES + seconds * PER_SECOND, "names listed: " + listed);
        assertTrue(listed >= ALLOWED, "true cookies are still searched: " + listed);
    }

    /** The cookies of a client are unknown to a server that was restarted. */
    @Test
    void anotherClientGoesOnWithItsListing() throws Exception {
        var page = client.ok(list(root, 0));
        int cookie = page.entries().getLast().cookie();
        assumeTrue(cookie < 0, "the cookies of this file system have 31 bits");
        server.close();
        start();
        server.moveTo("192.0.2.66");
        for (int i = 0; i < CALLS; i++) {
            client.status(list(root, Integer.MIN_VALUE | 1 + i));
        }
        assertEquals(Status.IO, client.status(list(root, cookie)));
        server.moveTo("192.0.2.1");
        assertTrue(client.ok(list(root, cookie)).entries().size() > 1);
    }
}
