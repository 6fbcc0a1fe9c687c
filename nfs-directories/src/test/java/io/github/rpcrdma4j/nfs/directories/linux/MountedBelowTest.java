package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the root of a mounted file system tells the number of the directory that it covers. Method:
 * a child process with a mount namespace of its own.
 */
class MountedBelowTest {
    private static final List<String> IN_NAMESPACE =
            List.of("unshare", "--mount", "--propagation", "private");

    private static final Caller SERVER = new Caller.Server();

    @TempDir Path directory;

    @Test
    void theRootOfAMountTellsWhatItCovers() throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(
                Identity.ofProcess().mayAct() && Identity.ofProcess().mayOpenHandles(),
                "this process serves one file system alone");
        ChildProcess.assumeWorks(
                "file systems cannot be mounted here",
                "unshare",
                "--mount",
                "mount",
                "-t",
                "tmpfs",
                "none",
                directory.toString());
        ChildProcess.run(IN_NAMESPACE, Mounted.class, directory.toString());
    }

    /** Mounts two file systems, one inside the other, and looks at all their files. */
    static final class Mounted {
        private Mounted() {}

        private static void mount(Path onto) throws Exception {
            var mount = new ProcessBuilder("mount", "-t", "tmpfs", "none", onto.toString());
            assertEquals(0, mount.inheritIO().start().waitFor());
        }

        private static long number(Path path) throws Exception {
            return (long) Files.getAttribute(path, "unix:ino");
        }

        public static void main(String[] arguments) throws Exception {
            var root = Path.of(arguments[0]);
            var outer = Files.createDirectories(root.resolve("a/outer"));
            long coveredByOuter = number(outer);
            mount(outer);
            // The numbers of tmpfs start anew, so they alone tell nothing.
            Files.createDirectory(outer.resolve("filler"));
            var inner = Files.createDirectory(outer.resolve("inner"));
            long coveredByInner = number(inner);
            mount(inner);
            Files.createFile(inner.resolve("file"));
            assertNotEquals(coveredByInner, number(inner));
            try (var store = LinuxStores.ofProcess().open(root, true, 1, new WriteVerifier())) {
                assertEquals(coveredByOuter, status(store, "a", "outer").mountedOn());
                assertEquals(number(outer), status(store, "a", "outer").number());
                assertEquals(coveredByInner, status(store, "a", "outer", "inner").mountedOn());
                for (var path :
                        List.of(
                                new String[] {},
                                new String[] {"a"},
                                new String[] {"a", "outer", "filler"},
                                new String[] {"a", "outer", "inner", "file"})) {
                    var status = status(store, path);
                    assertEquals(status.number(), status.mountedOn());
                }
                listed(store, coveredByOuter);
            }
        }

        private static FileStatus status(FileStore store, String... names) throws StoreException {
            var id = store.root();
            for (var name : names) {
                try (var node = store.node(id, Mounts.CROSS)) {
                    id = node.lookup(SERVER, FileName.of(name)).id();
                }
            }
            try (var node = store.node(id, Mounts.CROSS)) {
                return node.status();
            }
        }

        /** A listing gives the number that is covered, and the attributes of what is mounted. */
        private static void listed(FileStore store, long covered) throws StoreException {
            try (var root = store.node(store.root(), Mounts.CROSS);
                    var a = store.node(root.lookup(SERVER, FileName.of("a")).id(), Mounts.CROSS)) {
                a.list(
                        SERVER,
                        0,
                        true,
                        new EntrySink() {
                            @Override
                            public boolean add(
                                    FileName name,
                                    long number,
                                    long cookie,
                                    Optional<Made.Entry> entry) {
                                if (!name.isDots()) {
                                    assertEquals(covered, number);
                                    var status = entry.orElseThrow().status();
                                    assertEquals(covered, status.mountedOn());
                                    assertNotEquals(covered, status.number());
                                }
                                return true;
                            }

                            @Override
                            public void end() {}
                        });
            }
        }
    }
}
