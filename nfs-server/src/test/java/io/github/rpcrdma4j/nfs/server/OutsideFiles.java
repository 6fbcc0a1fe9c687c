package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Files outside an export that belong to the user of this process alone. No call may change them or
 * reveal anything about them. They have the names of the files inside: {@code a/b/f}, and {@code
 * f}, {@code d} and a FIFO in each directory.
 *
 * @param root the directory that contains them
 * @param before the attributes and content of each file
 * @param numbers the inode numbers of the files
 */
record OutsideFiles(Path root, Map<Path, String> before, Set<Long> numbers) {
    static final String SECRET = "the secret of the user of the server";
    static final String ONLY_HERE = "is-only-outside";

    private static final List<String> KEPT =
            List.of("ino", "mode", "uid", "gid", "nlink", "size", "lastModifiedTime", "ctime");

    static OutsideFiles make(Path root) throws IOException {
        Files.createDirectory(root);
        for (var directory : List.of("", "a", "a/b")) {
            var at = root.resolve(directory);
            Files.createDirectories(at);
            Files.setAttribute(at, "unix:mode", 0755);
            Files.createDirectory(at.resolve(EveryCall.DIRECTORY));
            for (var name : List.of(EveryCall.FILE, ONLY_HERE)) {
                var file = Files.writeString(at.resolve(name), SECRET);
                Files.setAttribute(file, "unix:mode", 0600);
            }
            LocalCalls.makeNode(at.resolve("pipe"), LocalCalls.FIFO | 0600, 0);
        }
        var numbers = new HashSet<Long>();
        try (var all = Files.walk(root)) {
            for (var each : all.toList()) {
                numbers.add((Long) attributes(each).get("ino"));
            }
        }
        return new OutsideFiles(root, snapshot(root), numbers);
    }

    private static Map<String, Object> attributes(Path file) throws IOException {
        return Files.readAttributes(file, "unix:*", LinkOption.NOFOLLOW_LINKS);
    }

    private static Map<Path, String> snapshot(Path root) throws IOException {
        var found = new TreeMap<Path, String>();
        try (var all = Files.walk(root)) {
            for (var each : all.toList()) {
                var attributes = attributes(each);
                var known = new ArrayList<Object>();
                KEPT.forEach(name -> known.add(name + "=" + attributes.get(name)));
                if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                    known.add(Files.readString(each));
                }
                found.put(each, known.toString());
            }
        }
        return found;
    }

    /** Fails if any file has changed. */
    void requireUnchanged(String cause) throws IOException {
        var now = snapshot(root);
        assertEquals(before.keySet(), now.keySet(), cause);
        for (var each : before.entrySet()) {
            assertEquals(each.getValue(), now.get(each.getKey()), cause + ": " + each.getKey());
        }
    }

    /** Fails if a reply contains the content, a name or an inode number of one of these files. */
    void requireNotRevealed(String cause, byte[] reply) {
        var text = new String(reply, StandardCharsets.ISO_8859_1);
        assertFalse(text.contains(SECRET), cause + " reveals the content");
        assertFalse(text.contains(ONLY_HERE), cause + " reveals a name");
        var buffer = ByteBuffer.wrap(reply);
        for (int at = 0; at + Long.BYTES <= reply.length; at += Integer.BYTES) {
            assertFalse(numbers.contains(buffer.getLong(at)), cause + " reveals attributes");
        }
    }
}
