package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a mounted file system that does not respond holds up neither the directory around it nor
 * other mounts. Method: a child process with a mount namespace and a silent file system of its own.
 */
class HangingMountsTest {
    private static final List<String> IN_NAMESPACE =
            List.of("unshare", "--mount", "--propagation", "private");

    @TempDir Path directory;

    private void run(Class<?> main) throws Exception {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(
                Identity.ofProcess().mayAct() && Identity.ofProcess().mayOpenHandles(),
                "this process serves one file system alone");
        ChildProcess.assumeWorks(
                "file systems cannot be mounted here",
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount -i -t fuse -o fd=0,rootmode=40000,user_id=0,group_id=0 x \"$1\" 0<>/dev/fuse",
                "sh",
                directory.toString());
        ChildProcess.run(IN_NAMESPACE, main, directory.toString());
    }

    @Test
    void otherMountsAreEnteredWhileOneHangs() throws Exception {
        run(OneEntry.class);
    }

    @Test
    void whatHangsAtAMountCountsThere() throws Exception {
        run(ManyEntries.class);
    }

    @Test
    void handlesOfOtherMountsAreFoundAfterARestart() throws Exception {
        run(Restart.class);
    }

    /** An export with a silent file system and three that respond, none of them entered yet. */
    private static final class Mounted implements AutoCloseable {
        private static final Caller SERVER = new Caller.Server();

        final Path root;
        final SilentFileSystem silent;
        LinuxStore store;

        Mounted(String root) throws Exception {
            this.root = Path.of(root);
            silent = SilentFileSystem.mount(Files.createDirectory(this.root.resolve("dead")));
            for (var name : List.of("first", "second", "third")) {
                var onto = Files.createDirectory(this.root.resolve(name));
                var mount = new ProcessBuilder("mount", "-t", "tmpfs", "none", onto.toString());
                assertEquals(0, mount.inheritIO().start().waitFor());
                Files.createFile(onto.resolve("file"));
            }
            start();
        }

        @Override
        public void close() {
            silent.close();
        }

        /** Starts a store, at which only this test looks for what hangs. */
        void start() throws Exception {
            var stores = LinuxStores.ofProcess();
            store = (LinuxStore) stores.open(root, true, 1, new WriteVerifier());
            HangingWatch.SHARED.remove(store.threads());
        }

        /** What to do with the root of the export. */
        private interface Use<T> {
            T of(Node root) throws StoreException;
        }

        /** Begins a call on a thread of its own. */
        private <T> FutureTask<T> begin(Thread.Builder thread, Use<T> use) {
            Callable<T> call =
                    () -> {
                        try (var node = store.node(store.root(), Mounts.CROSS)) {
                            return use.of(node);
                        }
                    };
            var task = new FutureTask<>(call);
            thread.start(task);
            return task;
        }

        /** Makes a call on a thread of each kind, and returns the result of the last. */
        private <T> T on(Use<T> use) throws Exception {
            begin(Thread.ofVirtual(), use).get(20, TimeUnit.SECONDS);
            return begin(Thread.ofPlatform().daemon(), use).get(20, TimeUnit.SECONDS);
        }

        FileId find(String name) throws Exception {
            return on(root -> root.lookup(SERVER, FileName.of(name)).id());
        }

        /** Enters the silent file system, and returns when that hangs. */
        void hang(int times) throws Exception {
            for (int i = 0; i < times; i++) {
                var thread = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
                begin(thread, root -> root.lookup(SERVER, FileName.of("dead")));
                silent.awaitUnanswered(1);
            }
        }

        /** Looks twice, with so much time between that nothing waits for what hangs. */
        void look() {
            store.threads().look(0);
            store.threads().look(HangingFiles.REFUSED_NANOS);
        }

        Failure failure(Use<?> use) {
            var failed = assertThrows(Exception.class, () -> on(use)).getCause();
            return ((StoreException) failed).failure();
        }

        /** Returns the entries of the root that have attributes. */
        Set<String> described() throws Exception {
            return on(
                    root -> {
                        var names = new HashSet<String>();
                        root.list(
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
                                        entry.ifPresent(_ -> names.add(name.toString()));
                                        return true;
                                    }

                                    @Override
                                    public void end() {}
                                });
                        return names;
                    });
        }
    }

    /** One call hangs in the silent file system. */
    static final class OneEntry {
        private OneEntry() {}

        public static void main(String[] arguments) throws Exception {
            try (var mounted = new Mounted(arguments[0])) {
                mounted.find("first");
                mounted.hang(1);
                mounted.find("first");
                mounted.find("second");
                assertEquals(Set.of(".", "..", "first", "second", "third"), mounted.described());
            }
        }
    }

    /** As many calls hang as may hang at a file. */
    static final class ManyEntries {
        private ManyEntries() {}

        public static void main(String[] arguments) throws Exception {
            try (var mounted = new Mounted(arguments[0])) {
                mounted.hang(HangingFiles.OF_FILE_MAX);
                mounted.look();
                var dead = FileName.of("dead");
                assertEquals(
                        Failure.AGAIN, mounted.failure(root -> root.lookup(Mounted.SERVER, dead)));
                assertFalse(mounted.store.threads().hangsAt(mounted.store.root()));
                mounted.find("first");
                assertEquals(Set.of(".", "..", "first", "second", "third"), mounted.described());
                var how = new Creation.Unchecked(AttributeChanges.NONE);
                mounted.on(
                        root -> root.create(Mounted.SERVER, FileName.of("new"), how, Storage.SYNC));
                assertTrue(Files.exists(mounted.root.resolve("new")));
                // The mount stays, but nothing waits for it.
                assertEquals(
                        Failure.ACCES,
                        mounted.failure(
                                root -> root.removeDirectory(Mounted.SERVER, dead, Storage.SYNC)));
            }
        }
    }

    /** A client comes back with a handle of a file system that the server has not entered. */
    static final class Restart {
        private Restart() {}

        public static void main(String[] arguments) throws Exception {
            try (var mounted = new Mounted(arguments[0])) {
                var third = mounted.find("third");
                byte[] unknown = third.bytes().clone();
                unknown[0]++;
                mounted.start();
                for (int i = 0; i < 2; i++) {
                    mounted.on(_ -> opened(mounted, third));
                    // It may be one of the silent file system.
                    assertEquals(
                            Failure.AGAIN,
                            mounted.failure(_ -> opened(mounted, new FileId(unknown))));
                    mounted.look();
                }
            }
        }

        private static FileId opened(Mounted mounted, FileId id) throws StoreException {
            try (var node = mounted.store.node(id, Mounts.CROSS)) {
                return node.status() == null ? null : node.id();
            }
        }
    }
}
