package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: handles are valid as long as their files, and clients cannot make any. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class HandlesTest {
    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;

    @BeforeEach
    void make() throws Exception {
        testDirectory = TestDirectory.of(kind);
    }

    @AfterEach
    void remove() throws Exception {
        testDirectory.close();
    }

    @Test
    void outliveARestart() throws Exception {
        FileHandle root;
        FileHandle directory;
        FileHandle file;
        long verifier;
        try (var server = TestServer.of(testDirectory)) {
            root = server.root();
            directory = server.makeDirectory(root, "directory");
            file = server.create(directory, "file");
            verifier = server.write(file, 0, "hello").verifier();
        }
        try (var server = TestServer.of(testDirectory)) {
            assertEquals("hello", server.read(file, 0, 9));
            assertEquals(root, server.root());
            assertEquals(root, server.lookup(directory, ".."));
            assertEquals(file, server.lookup(directory, "file"));
            // The new verifier makes clients resend uncommitted data.
            assertNotEquals(verifier, server.write(file, 0, "hello").verifier());
            server.ok(
                    new Nfs3Call.Rename(
                            new DirOpArgs(root, "directory"), new DirOpArgs(root, "moved")));
            server.ok(
                    new Nfs3Call.Rename(
                            new DirOpArgs(directory, "file"), new DirOpArgs(root, "up")));
        }
        try (var server = TestServer.of(testDirectory)) {
            assertEquals("hello", server.read(file, 0, 9));
            assertEquals(List.of(".", ".."), server.names(directory));
            server.ok(new Nfs3Call.Remove(new DirOpArgs(root, "up")));
        }
        try (var server = TestServer.of(testDirectory)) {
            assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(file)));
            assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(file)));
        }
    }

    /** Goal: no variation of a handle is valid. Method: flip each bit, try each length. */
    @Test
    void areRefusedWhenAnyBitOfThemDiffers() throws Exception {
        try (var server = TestServer.of(testDirectory)) {
            byte[] good = server.create(server.root(), "file").bytes();
            for (int bit = 0; bit < good.length * 8; bit++) {
                byte[] bad = good.clone();
                bad[bit / 8] ^= (byte) (1 << bit % 8);
                refuses(server, bad);
            }
            for (int length = 0; length <= 64; length++) {
                if (length != good.length) {
                    refuses(server, Arrays.copyOf(good, length));
                }
            }
        }
    }

    private static void refuses(TestServer server, byte[] handle) throws Exception {
        var file = new FileHandle(handle);
        assertEquals(Status.BADHANDLE, server.status(new Nfs3Call.GetAttributes(file)));
        var lookup = new Nfs3Call.Lookup(new DirOpArgs(file, "x"));
        assertEquals(Status.BADHANDLE, server.status(lookup));
        assertEquals(Status.BADHANDLE, server.status(new Nfs3Call.Read(file, 0, 1)));
    }

    @Test
    void areRefusedByAServerWithAnotherKey() throws Exception {
        FileHandle root;
        try (var server = TestServer.of(testDirectory)) {
            root = server.root();
        }
        try (var server = TestServer.of(testDirectory, new byte[32])) {
            assertEquals(Status.BADHANDLE, server.status(new Nfs3Call.GetAttributes(root)));
        }
        assertThrows(
                IllegalArgumentException.class, () -> TestServer.of(testDirectory, new byte[15]));
    }

    @Test
    void ofAnExportThatIsServedNoMoreAreStale() throws Exception {
        FileHandle root;
        try (var server = TestServer.of(testDirectory)) {
            root = server.root();
        }
        try (var server =
                TestServer.of(List.of(new Export("/other", testDirectory.root(), false)))) {
            assertEquals(Status.STALE, server.status(new Nfs3Call.GetAttributes(root)));
        }
    }

    @Test
    void joinNothingAcrossExports() throws Exception {
        try (var other = TestDirectory.of(kind);
                var server =
                        TestServer.of(
                                List.of(
                                        new Export("/one", testDirectory.root(), false),
                                        new Export("/two", other.root(), false)))) {
            var one = server.root("/one");
            var two = server.root("/two");
            var file = server.create(one, "file");
            assertEquals(
                    Status.XDEV,
                    server.status(new Nfs3Call.Link(file, new DirOpArgs(two, "file"))));
            assertEquals(
                    Status.XDEV,
                    server.status(
                            new Nfs3Call.Rename(
                                    new DirOpArgs(one, "file"), new DirOpArgs(two, "file"))));
            assertNotEquals(
                    server.attributes(one).fileSystemId(), server.attributes(two).fileSystemId());
        }
    }
}
