package io.github.rpcrdma4j.nfs.server;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where files are: from identity to path. It is filled by lookups and listings, and kept up by
 * changes made through the server. What it does not know, after a restart say, it finds by walking
 * the tree; whoever asks meanwhile waits. Bounded: beyond its size it forgets what was not used for
 * long, and walks again if that is asked for. Thread-safe.
 */
final class NodeIndex {
    static final int NODES_MAX = 500_000;

    /** Files that are known to be nowhere, so that asking again costs no walk. */
    private static final int GONE_MAX = 65_536;

    /** A file by its name in its folder; the root has no folder. */
    private static final class Node {
        final FileId id;
        Node parent;
        String name;
        int children;

        /** Of a folder that was asked for, as long as no folder has moved since. */
        Path path;

        int moves;

        Node(FileId id, Node parent, String name) {
            this.id = id;
            this.parent = parent;
            this.name = name;
        }
    }

    private final Path root;
    private final AttributeReader reader;
    private final int nodesMax;
    private final Node rootNode;
    private final LinkedHashMap<FileId, Node> nodes = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<FileId, Boolean> gone = new LinkedHashMap<>();

    /** Whether every file that a handle was given for is known, or is gone. */
    private boolean complete;

    private int walks;

    /** How often a folder has moved; paths that were made before may be wrong. */
    private int moves;

    /**
     * @param nodesMax how many files it knows at most
     */
    NodeIndex(Path root, AttributeReader reader, int nodesMax) throws IOException {
        this.root = root;
        this.reader = reader;
        this.nodesMax = nodesMax;
        this.rootNode = new Node(reader.read(root).id(), null, "");
        nodes.put(rootNode.id, rootNode);
    }

    FileId rootId() {
        return rootNode.id;
    }

    /** How many files are known. */
    synchronized int size() {
        return nodes.size();
    }

    /** How often the tree was walked. */
    synchronized int walks() {
        return walks;
    }

    /** Where the file is; empty if it is nowhere in the tree. */
    synchronized Optional<Path> path(FileId id) {
        var node = nodes.get(id);
        if (node == null && !complete && !gone.containsKey(id)) {
            walk(id);
            node = nodes.get(id);
            if (node == null) {
                markGone(id);
            }
        }
        return node == null ? Optional.empty() : Optional.of(path(node));
    }

    private Path path(Node node) {
        return node.parent == null ? root : folderPath(node.parent).resolve(node.name);
    }

    /** Many files are asked for in few folders: their paths are kept. */
    private Path folderPath(Node folder) {
        if (folder.path == null || folder.moves != moves) {
            folder.path = path(folder);
            folder.moves = moves;
        }
        return folder.path;
    }

    /** Learns that a folder has a file of that name. */
    synchronized void learn(FileId folder, String name, FileId file) {
        gone.remove(file);
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

    private void move(Node node, Node parent, String name) {
        if (node.parent == parent && node.name.equals(name)) {
            return;
        }
        if (node.children > 0) {
            moves++;
        }
        node.path = null;
        node.parent.children--;
        node.parent = parent;
        node.name = name;
        parent.children++;
    }

    /**
     * Forgets that a folder has a file of that name.
     *
     * @param wasLast whether it was the only name of the file
     */
    synchronized void forget(FileId folder, String name, FileId file, boolean wasLast) {
        if (wasLast) {
            markGone(file);
        }
        var node = nodes.get(file);
        if (node != null
                && node.parent != null
                && node.parent.id.equals(folder)
                && node.name.equals(name)
                && node.children == 0) {
            node.parent.children--;
            nodes.remove(file);
            // A file with other names is found under one of them, if it is asked for.
            complete &= wasLast;
        }
    }

    private void markGone(FileId file) {
        gone.put(file, true);
        if (gone.size() > GONE_MAX) {
            gone.pollFirstEntry();
        }
    }

    /** Folders stay as long as something in them is known, or paths would have gaps. */
    private void forgetEldest() {
        while (nodes.size() > nodesMax) {
            var node = nodes.pollFirstEntry().getValue();
            if (node.children > 0 || node.parent == null) {
                nodes.put(node.id, node);
            } else {
                node.parent.children--;
                complete = false;
            }
        }
    }

    private record Folder(Folder parent, String name, FileId id, Path path) {}

    /** Knows the folder, and those it lies in, even if they were forgotten on the walk. */
    private void learn(Folder folder) {
        if (folder.parent != null && !nodes.containsKey(folder.id)) {
            learn(folder.parent);
            learn(folder.parent.id, folder.name, folder.id);
        }
    }

    /** Learns all files; if it cannot know all, the wanted one is among those that it knows. */
    private void walk(FileId wanted) {
        walks++;
        complete = true;
        boolean found = false;
        // A folder that is mounted below itself is seen once.
        var seen = new HashSet<FileId>();
        var folders = new ArrayDeque<Folder>();
        folders.push(new Folder(null, "", rootNode.id, root));
        while (!folders.isEmpty()) {
            var folder = folders.pop();
            if (!seen.add(folder.id)) {
                continue;
            }
            for (var child : children(folder.path).entrySet()) {
                var id = child.getValue().id();
                learn(folder);
                learn(folder.id, child.getKey(), id);
                found |= id.equals(wanted);
                // One more, and what was found could be forgotten again.
                if (found && nodes.size() >= nodesMax) {
                    complete = false;
                    return;
                }
                if (child.getValue().isDirectory()) {
                    folders.push(
                            new Folder(
                                    folder,
                                    child.getKey(),
                                    id,
                                    folder.path.resolve(child.getKey())));
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
