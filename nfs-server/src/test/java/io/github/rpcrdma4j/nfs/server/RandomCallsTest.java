package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the server behaves like a file system. Method: random calls on few names, and restarts,
 * compared with a model that predicts every status, content and handle.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class RandomCallsTest {
    private static final int CALLS = 3000;
    private static final String[] NAMES = {"a", "b", "c", "d", "ü"};

    /** A file or a directory of the model. */
    private static final class Node {
        final FileHandle handle;
        final Map<String, Node> children;
        byte[] content = new byte[0];

        Node(FileHandle handle, boolean isDirectory) {
            this.handle = handle;
            this.children = isDirectory ? new TreeMap<>() : null;
        }

        boolean isDirectory() {
            return children != null;
        }
    }

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private Random random;
    private Node root;

    /** All files so far, except those whose handles were reused. */
    private final Set<Node> nodes = new LinkedHashSet<>();

    @BeforeEach
    void serve() throws Exception {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        random = new Random(seed);
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        root = new Node(server.root(), true);
        nodes.add(root);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    @Test
    void doesWhatAFileSystemDoes() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            switch (random.nextInt(12)) {
                case 0, 1 -> create(false);
                case 2, 3 -> create(true);
                case 4 -> remove(false);
                case 5 -> remove(true);
                case 6, 7 -> rename();
                case 8 -> link();
                case 9 -> write();
                case 10 -> checkOne();
                default -> {
                    if (random.nextInt(40) == 0) {
                        restart();
                    }
                }
            }
        }
        checkAll();
        restart();
        checkAll();
        checkGone();
    }

    private void restart() throws Exception {
        server.close();
        server = TestServer.of(testDirectory);
    }

    private Node any(boolean directory) {
        var all = reachable().stream().filter(n -> n.isDirectory() == directory).toList();
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    /** Returns the files that the root leads to. */
    private Set<Node> reachable() {
        var found = new LinkedHashSet<Node>();
        var open = new ArrayList<>(List.of(root));
        while (!open.isEmpty()) {
            var node = open.removeLast();
            if (found.add(node) && node.isDirectory()) {
                open.addAll(node.children.values());
            }
        }
        return found;
    }

    private String name() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    private void create(boolean isDirectory) throws Exception {
        var directory = any(true);
        var name = name();
        var entry = new DirOpArgs(directory.handle, name);
        if (directory.children.containsKey(name)) {
            var mode = new CreateMode.Guarded(SetAttributes.NONE);
            assertEquals(
                    Status.EXIST,
                    isDirectory
                            ? server.status(new Nfs3Call.MakeDirectory(entry, SetAttributes.NONE))
                            : server.status(new Nfs3Call.Create(entry, mode)));
            return;
        }
        var handle =
                isDirectory
                        ? server.makeDirectory(directory.handle, name)
                        : server.create(directory.handle, name);
        // If an inode number is reused within one clock tick, the old handle leads to the new file.
        nodes.removeIf(gone -> gone.handle.equals(handle));
        var node = new Node(handle, isDirectory);
        nodes.add(node);
        directory.children.put(name, node);
    }

    private void remove(boolean asDirectory) throws Exception {
        var directory = any(true);
        var name = name();
        var entry = new DirOpArgs(directory.handle, name);
        var there = directory.children.get(name);
        var status =
                asDirectory
                        ? server.status(new Nfs3Call.RemoveDirectory(entry))
                        : server.status(new Nfs3Call.Remove(entry));
        if (there == null) {
            assertEquals(Status.NOENT, status);
        } else if (there.isDirectory() != asDirectory) {
            assertEquals(asDirectory ? Status.NOTDIR : Status.ISDIR, status);
        } else if (asDirectory && !there.children.isEmpty()) {
            assertEquals(Status.NOTEMPTY, status);
        } else {
            assertEquals(Status.OK, status);
            directory.children.remove(name);
        }
    }

    private void rename() throws Exception {
        var from = any(true);
        var to = any(true);
        var oldName = name();
        var newName = name();
        var moved = from.children.get(oldName);
        var replaced = to.children.get(newName);
        var expected = renameStatus(moved, from, to, replaced);
        assertEquals(
                expected,
                server.status(
                        new Nfs3Call.Rename(
                                new DirOpArgs(from.handle, oldName),
                                new DirOpArgs(to.handle, newName))));
        if (expected == Status.OK && moved != replaced) {
            from.children.remove(oldName);
            to.children.put(newName, moved);
        }
    }

    private Status renameStatus(Node moved, Node from, Node to, Node replaced) {
        if (moved == null) {
            return Status.NOENT;
        }
        if (isBelow(to, moved)) {
            return Status.INVAL;
        }
        if (replaced == null || replaced == moved) {
            return Status.OK;
        }
        if (kind == TestDirectory.Kind.LOCAL && isBelow(from, replaced)) {
            // Linux checks whether one contains the other before it checks the types.
            return Status.NOTEMPTY;
        }
        if (moved.isDirectory() != replaced.isDirectory()) {
            return moved.isDirectory() ? Status.NOTDIR : Status.ISDIR;
        }
        return replaced.isDirectory() && !replaced.children.isEmpty() ? Status.NOTEMPTY : Status.OK;
    }

    private static boolean isBelow(Node node, Node directory) {
        return node == directory
                || directory.isDirectory()
                        && directory.children.values().stream().anyMatch(c -> isBelow(node, c));
    }

    private void link() throws Exception {
        var file = any(false);
        if (file == null) {
            return;
        }
        var directory = any(true);
        var name = name();
        var expected =
                directory.children.putIfAbsent(name, file) == null ? Status.OK : Status.EXIST;
        assertEquals(
                expected,
                server.status(
                        new Nfs3Call.Link(file.handle, new DirOpArgs(directory.handle, name))));
    }

    private void write() throws Exception {
        var file = any(false);
        if (file == null) {
            return;
        }
        int offset = random.nextInt(20);
        var text = Integer.toString(random.nextInt());
        server.write(file.handle, offset, text);
        int end = Math.max(offset + text.length(), file.content.length);
        file.content = Arrays.copyOf(file.content, end);
        System.arraycopy(text.getBytes(), 0, file.content, offset, text.length());
    }

    private void checkOne() throws Exception {
        check(any(random.nextBoolean()));
    }

    private void check(Node node) throws Exception {
        if (node == null) {
            return;
        }
        if (!node.isDirectory()) {
            assertEquals(new String(node.content), server.read(node.handle, 0, 1000));
            assertEquals(node.content.length, server.attributes(node.handle).size());
            return;
        }
        var listed =
                server.list(node.handle, 600, () -> {}).stream()
                        .filter(entry -> !entry.name().isDots())
                        .collect(
                                Collectors.toMap(
                                        entry -> entry.name().toString(),
                                        entry -> entry.handle().orElseThrow()));
        var expected = new HashMap<String, FileHandle>();
        node.children.forEach((name, child) -> expected.put(name, child.handle));
        assertEquals(expected, listed);
        for (var child : expected.entrySet()) {
            assertEquals(child.getValue(), server.lookup(node.handle, child.getKey()));
        }
    }

    private void checkAll() throws Exception {
        for (var node : reachable()) {
            check(node);
        }
    }

    private void checkGone() throws Exception {
        nodes.removeAll(reachable());
        for (var node : nodes) {
            var call = new Nfs3Call.GetAttributes(node.handle);
            assertEquals(Status.STALE, server.status(call));
        }
    }
}
