package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.store.contract.StoreUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: operations at the end of a very deep tree work as elsewhere. Method: move chains of
 * directories below each other, until the tree is deeper than any path is long.
 */
class DeepTreesTest extends StoreUser<TestDirectory> {
    private static final int CHAINS = 21;
    private static final int LINKS = 1_000;
    private static final String SHALLOW = "shallow";
    private static final String MARKER = "/marker-of-this-test/";

    /** The most additional system calls of {@link #use} at the end of the tree. */
    private static final int MORE_CALLS = 20;

    private LinuxStores stores;

    @Override
    protected TestDirectory makePlace() throws IOException {
        return LinuxDirectory.make();
    }

    @Override
    protected FileStore open(TestDirectory place, WriteVerifier verifier) throws IOException {
        stores = LinuxStores.ofProcess();
        return stores.open(place.root(), false, 1, verifier);
    }

    @Override
    protected Set<Trait> traits() {
        return Set.of(Trait.values());
    }

    /** Returns the user of the process, who can remove all new files in the end. */
    @Override
    protected Caller caller() {
        int uid = Identity.ofProcess().uid();
        return new Caller.User(uid, uid);
    }

    /**
     * Removes the tree with short paths alone, by moving the content of each directory up first.
     */
    @AfterEach
    void flatten() throws IOException {
        if (place == null) {
            return;
        }
        var root = place.root();
        var pending = new ArrayDeque<>(children(root));
        for (int number = 0; !pending.isEmpty(); ) {
            var next = pending.pop();
            if (Files.isDirectory(next, LinkOption.NOFOLLOW_LINKS)) {
                for (var child : children(next)) {
                    pending.push(Files.move(child, root.resolve("up-" + number++)));
                }
            }
            Files.delete(next);
        }
    }

    private static List<Path> children(Path directory) throws IOException {
        try (var children = Files.list(directory)) {
            return children.toList();
        }
    }

    private FileId make(FileId directory, String name) throws StoreException {
        return made(
                at(
                        directory,
                        node ->
                                node.makeDirectory(
                                        caller(), name(name), ofMode(0755), Storage.ASYNC)));
    }

    private void move(FileId from, String name, FileId to, String newName) throws StoreException {
        at(
                from,
                node ->
                        at(
                                to,
                                target ->
                                        node.rename(
                                                caller(),
                                                name(name),
                                                target,
                                                name(newName),
                                                Storage.ASYNC)));
    }

    /** Makes the tree from its end upwards, and returns its last two directories. */
    private List<FileId> makeTree() throws StoreException {
        List<FileId> last = List.of();
        var top = "";
        for (int chain = 0; chain < CHAINS; chain++) {
            var name = "chain-" + chain;
            var above = root();
            var at = make(above, name);
            for (int link = 1; link < LINKS; link++) {
                above = at;
                at = make(above, "d");
            }
            if (chain == 0) {
                last = List.of(above, at);
            } else {
                move(root(), top, at, "d");
            }
            top = name;
        }
        assertEquals(List.of(top), names(root()));
        return last;
    }

    @Test
    void areUsedAtTheirEndsLikeAnywhereElse() throws Exception {
        var last = makeTree();
        var above = last.get(0);
        var end = last.get(1);
        var top = names(root()).getFirst();
        stores.shrink();
        assertEquals(FileType.DIRECTORY, status(end).type());
        assertEquals(above, lookup(end, "..").id());
        assertEquals(end, lookup(above, "d").id());
        assertEquals(List.of(), names(end));

        var file = create(end, "file");
        write(file, 0, "at the end");
        rename(end, "file", end, "renamed");
        link(file, end, "linked");
        assertEquals(List.of("linked", "renamed"), names(end));
        stores.shrink();
        assertEquals("at the end", read(file, 0, 99));
        rename(end, "linked", root(), "up");
        assertEquals(file, lookup(root(), "up").id());
        remove(end, "renamed");
        var moved = make(root(), "directory");
        rename(root(), "directory", end, "directory");
        assertEquals(end, lookup(moved, "..").id());
        removeDirectory(end, "directory");
        assertEquals(List.of(), names(end));

        renameFails(Failure.INVAL, root(), top, end, "below-itself");
        rename(root(), top, root(), "moved");
        assertEquals(FileType.DIRECTORY, status(end).type());
        removeDirectory(above, "d");
        fails(Failure.STALE, end, Node::status);
        assertEquals(List.of(), names(above));
        remove(root(), "up");
    }

    /** Goal: if the kernel finds files by handle, no name on their path is looked up. */
    @Test
    void costAtTheirEndsWhatTheyCostAtTheTop() throws Exception {
        assumeTrue(Identity.ofProcess().uid() == 0, "only root is sure to trace what it may do");
        assumeTrue(
                store.description().contains("handles of the kernel"),
                "files are found by their names here");
        ChildProcess.assumeWorks(
                "strace cannot be used here", "strace", "-f", "--seccomp-bpf", "true");
        var end = makeTree().get(1);
        var shallow = make(root(), SHALLOW);
        var trace = Files.createTempFile("nfs-server", ".strace");
        try {
            ChildProcess.run(
                    List.of(
                            "strace",
                            "-f",
                            "--seccomp-bpf",
                            "-qq",
                            "-e",
                            "trace=%file,open_by_handle_at,getdents64,fsync,lseek",
                            "-e",
                            "signal=none",
                            "-o",
                            trace.toString()),
                    Child.class,
                    place.root().toString(),
                    shallow.toString(),
                    end.toString());
            int atTop = calls(trace, "top");
            int atEnd = calls(trace, "end");
            assertTrue(atTop > 20, atTop + " system calls at the top");
            assertTrue(
                    atEnd <= atTop + MORE_CALLS,
                    atEnd + " system calls at the end, " + atTop + " at the top");
        } finally {
            Files.delete(trace);
        }
    }

    /** Returns the number of system calls between two markers. */
    private static int calls(Path trace, String section) throws IOException {
        var call = Pattern.compile("^\\d+ +\\w+\\(");
        var lines = Files.readAllLines(trace);
        int calls = 0;
        boolean inside = false;
        for (var line : lines) {
            if (line.contains(MARKER)) {
                inside = line.contains(MARKER + section);
            } else if (inside && call.matcher(line).find()) {
                calls++;
            }
        }
        assertFalse(inside, "the trace has no end");
        return calls;
    }

    /** The child process, which uses three directories in equal ways, knowing only their ids. */
    static final class Child {
        private static final Caller SERVER = new Caller.Server();
        private final FileStore store;

        private Child(FileStore store) {
            this.store = store;
        }

        public static void main(String[] arguments) throws Exception {
            var stores = LinuxStores.ofProcess();
            try (var store = stores.open(Path.of(arguments[0]), false, 1, new WriteVerifier())) {
                var child = new Child(store);
                var ids = new ArrayList<FileId>();
                for (var each : List.of(arguments).subList(1, arguments.length)) {
                    ids.add(new FileId(HexFormat.of().parseHex(each)));
                }
                // The first calls load classes, which should not count.
                child.use(store.root());
                child.use(store.root());
                mark("top");
                child.use(ids.get(0));
                mark("end");
                child.use(ids.get(1));
                mark("over");
            }
        }

        private static void mark(String text) {
            Files.exists(Path.of(MARKER + text));
        }

        /** Looks up, lists, makes, renames and removes. */
        private void use(FileId id) throws StoreException {
            try (var directory = store.node(id, Mounts.STAY)) {
                directory.status();
                directory.list(SERVER, 0, true, new Everything());
                var one = FileName.of("one");
                var other = FileName.of("other");
                directory.makeDirectory(SERVER, one, NONE, Storage.SYNC);
                directory.rename(SERVER, one, directory, other, Storage.SYNC);
                directory.lookup(SERVER, other);
                directory.lookup(SERVER, FileName.PARENT);
                directory.removeDirectory(SERVER, other, Storage.SYNC);
            }
        }
    }

    private static final class Everything implements Node.EntrySink {
        @Override
        public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> entry) {
            return true;
        }

        @Override
        public void end() {
            // The entries do not matter.
        }
    }
}
