package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
@MethodSource("io.github.rpcrdma4j.nfs.server.Ground#kinds")
class HandlesTest {
    @Parameter Ground.Kind kind;
    private Ground ground;

    @BeforeEach
    void make() throws Exception {
        ground = Ground.of(kind);
    }

    @AfterEach
    void remove() throws Exception {
        ground.close();
    }

    @Test
    void outliveARestart() throws Exception {
        FileHandle root;
        FileHandle directory;
        FileHandle file;
        long verifier;
        try (var served = Served.of(ground)) {
            root = served.root();
            directory = served.makeDirectory(root, "directory");
            file = served.create(directory, "file");
            verifier = served.write(file, 0, "hello").verifier();
        }
        try (var served = Served.of(ground)) {
            assertEquals("hello", served.read(file, 0, 9));
            assertEquals(root, served.root());
            assertEquals(root, served.lookup(directory, ".."));
            assertEquals(file, served.lookup(directory, "file"));
            // The new verifier makes clients resend uncommitted data.
            assertNotEquals(verifier, served.write(file, 0, "hello").verifier());
            served.ok(
                    new Nfs3Call.Rename(
                            new DirOpArgs(root, "directory"), new DirOpArgs(root, "moved")));
            served.ok(
                    new Nfs3Call.Rename(
                            new DirOpArgs(directory, "file"), new DirOpArgs(root, "up")));
        }
        try (var served = Served.of(ground)) {
            assertEquals("hello", served.read(file, 0, 9));
            assertEquals(List.of(".", ".."), served.names(directory));
            served.ok(new Nfs3Call.Remove(new DirOpArgs(root, "up")));
        }
        try (var served = Served.of(ground)) {
            assertEquals(Status.STALE, served.status(new Nfs3Call.GetAttributes(file)));
            assertEquals(Status.STALE, served.status(new Nfs3Call.GetAttributes(file)));
        }
    }

    /** Goal: no variation of a handle is valid. Method: flip each bit, try each length. */
    @Test
    void areRefusedWhenAnyBitOfThemDiffers() throws Exception {
        try (var served = Served.of(ground)) {
            byte[] good = served.create(served.root(), "file").bytes();
            for (int bit = 0; bit < good.length * 8; bit++) {
                byte[] bad = good.clone();
                bad[bit / 8] ^= (byte) (1 << bit % 8);
                refuses(served, bad);
            }
            for (int length = 0; length <= 64; length++) {
                if (length != good.length) {
                    refuses(served, Arrays.copyOf(good, length));
                }
            }
        }
    }

    private static void refuses(Served served, byte[] handle) throws Exception {
        var file = new FileHandle(handle);
        assertEquals(Status.BADHANDLE, served.status(new Nfs3Call.GetAttributes(file)));
        var lookup = new Nfs3Call.Lookup(new DirOpArgs(file, "x"));
        assertEquals(Status.BADHANDLE, served.status(lookup));
        assertEquals(Status.BADHANDLE, served.status(new Nfs3Call.Read(file, 0, 1)));
    }

    @Test
    void areRefusedByAServerWithAnotherKey() throws Exception {
        FileHandle root;
        try (var served = Served.of(ground)) {
            root = served.root();
        }
        try (var served = Served.of(ground, new byte[32])) {
            assertEquals(Status.BADHANDLE, served.status(new Nfs3Call.GetAttributes(root)));
        }
        assertThrows(IllegalArgumentException.class, () -> Served.of(ground, new byte[15]));
    }

    @Test
    void ofAnExportThatIsServedNoMoreAreStale() throws Exception {
        FileHandle root;
        try (var served = Served.of(ground)) {
            root = served.root();
        }
        try (var served = Served.of(List.of(new Export("/other", ground.root(), false)))) {
            assertEquals(Status.STALE, served.status(new Nfs3Call.GetAttributes(root)));
        }
    }

    @Test
    void joinNothingAcrossExports() throws Exception {
        try (var other = Ground.of(kind);
                var served =
                        Served.of(
                                List.of(
                                        new Export("/one", ground.root(), false),
                                        new Export("/two", other.root(), false)))) {
            var one = served.root("/one");
            var two = served.root("/two");
            var file = served.create(one, "file");
            assertEquals(
                    Status.XDEV,
                    served.status(new Nfs3Call.Link(file, new DirOpArgs(two, "file"))));
            assertEquals(
                    Status.XDEV,
                    served.status(
                            new Nfs3Call.Rename(
                                    new DirOpArgs(one, "file"), new DirOpArgs(two, "file"))));
            assertNotEquals(
                    served.attributes(one).fileSystemId(), served.attributes(two).fileSystemId());
        }
    }
}
