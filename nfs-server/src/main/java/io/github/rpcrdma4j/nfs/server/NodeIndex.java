package io.github.rpcrdma4j.nfs.server;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where files are: from identity to path. It is filled by lookups and listings, and kept up by
 * changes made through the server. What it does not know, after a restart say, it finds by walking
 * the tree. Bounded: beyond its size it forgets what was not used for long, and walks again if that
 * is asked for. Thread-safe.
 */
final class NodeIndex {
    private static final int NODES_MAX = 500_000;

    /** A file by its name in its folder; the root has no folder. */
    private static final class Node {
        final FileId id;
        Node parent;
        String name;
        int children;

        Node(FileId id, Node parent, String name) {
            this.id = id;
            this.parent = parent;
            this.name = name;
        }
    }

    private final Path root;
    private final AttributeReader reader;
    private final Node rootNode;
    private final Map<FileId, Node> nodes = new LinkedHashMap<>(16, 0.75f, true);

    /** Whether every file that a handle was given for is known, or is gone. */
    private boolean complete;

    NodeIndex(Path root, AttributeReader reader) throws IOException {
        this.root = root;
        this.reader = reader;
        this.rootNode = new Node(reader.read(root).id(), null, "");
        nodes.put(rootNode.id, rootNode);
    }

    FileId rootId() {
        return rootNode.id;
    }

    /** Where the file is; empty if it is nowhere in the tree. */
    synchronized Optional<Path> path(FileId id) throws IOException {
        var node = nodes.get(id);
        if (node == null && !complete) {
            walk();
            node = nodes.get(id);
        }
        return node == null ? Optional.empty() : Optional.of(path(node));
    }

    private Path path(Node node) {
        var names = new ArrayDeque<String>();
        for (var each = node; each.parent != null; each = each.parent) {
            names.addFirst(each.name);
        }
        var path = root;
        for (var name : names) {
            path = path.resolve(name);
        }
        return path;
    }

    /** Learns that a folder has a file of that name. */
    synchronized void learn(FileId folder, String name, FileId file) {
        var parent = nodes.get(folder);
        if (parent == null || file.equals(rootNode.id)) {
            return;
        }
        var node = nodes.get(file);
        if (node == null) {
            node = new Node(file, parent, name);
            parent.children++;
            nodes.put(file, node);
            forgetEldest();
        } else if (!isBelow(parent, node)) {
            move(node, parent, name);
        }
    }

    private static boolean isBelow(Node node, Node other) {
        for (var each = node; each != null; each = each.parent) {
            if (each == other) {
                return true;
            }
        }
        return false;
    }

    private static void move(Node node, Node parent, String name) {
        node.parent.children--;
        node.parent = parent;
        node.name = name;
        parent.children++;
    }

    /** Forgets that a folder has a file of that name; it may have others. */
    synchronized void forget(FileId folder, String name, FileId file) {
        var node = nodes.get(file);
        if (node != null
                && node.parent != null
                && node.parent.id.equals(folder)
                && node.name.equals(name)
                && node.children == 0) {
            node.parent.children--;
            nodes.remove(file);
            // A file with other names is found under one of them, if it is asked for.
            complete = false;
        }
    }

    private void forgetEldest() {
        if (nodes.size() <= NODES_MAX) {
            return;
        }
        var eldest = nodes.values().iterator();
        while (eldest.hasNext() && nodes.size() > NODES_MAX) {
            var node = eldest.next();
            if (node.children == 0 && node.parent != null) {
                node.parent.children--;
                eldest.remove();
                complete = false;
            }
        }
    }

    private void walk() throws IOException {
        var folders = new ArrayDeque<Map.Entry<FileId, Path>>();
        folders.add(Map.entry(rootNode.id, root));
        complete = true;
        while (!folders.isEmpty()) {
            var folder = folders.removeFirst();
            for (var child : children(folder.getValue()).entrySet()) {
                learn(folder.getKey(), child.getKey(), child.getValue().id());
                if (child.getValue().isDirectory()) {
                    folders.add(
                            Map.entry(
                                    child.getValue().id(),
                                    folder.getValue().resolve(child.getKey())));
                }
            }
        }
    }

    private Map<String, Attributes> children(Path folder) {
        var children = new HashMap<String, Attributes>();
        try (var stream = Files.newDirectoryStream(folder)) {
            for (var path : stream) {
                try {
                    children.put(path.getFileName().toString(), reader.read(path));
                } catch (IOException _) {
                    // It vanished in between, or is nobody's business.
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            // A folder that cannot be read hides what is in it.
        }
        return children;
    }
}
