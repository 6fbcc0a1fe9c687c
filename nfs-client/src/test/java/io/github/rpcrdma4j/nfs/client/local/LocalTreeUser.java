package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** A tree in a directory of its own, with helper methods for tests. */
abstract class LocalTreeUser {
    /** The expected start of each message. */
    static final String WHAT = "cannot do it";

    /** Abilities that only some trees have. */
    enum Trait {
        /** Names may hold any bytes. */
        BYTES,
        /** All mode bits are kept. */
        MODES,
        /** The permissions of owner, group and others are kept. */
        PERMISSIONS,
        OWNERS,
        HOLES,
        NODES,
        /** Symbolic links can have hard links too. */
        NAMES_OF_LINKS,
        /** Times before 1970 keep their nanoseconds. */
        OLD_NANOSECONDS,
        /** The texts of links keep redundant slashes. */
        EXACT_TEXTS,
        /** The file system is the default one of the operating system. */
        DEFAULT
    }

    LocalTree tree;
    Path directory;

    abstract Set<Trait> traits();

    /** Makes an empty directory. */
    abstract Path makeDirectory() throws IOException;

    abstract LocalTree open(Path opened) throws IOException;

    @BeforeEach
    void openTree() throws IOException {
        directory = makeDirectory();
        tree = open(directory);
    }

    @AfterEach
    void removeTree() throws IOException {
        if (tree != null) {
            tree.close();
        }
        if (directory != null) {
            removeAll(directory);
        }
    }

    /**
     * Removes a directory tree with short paths alone. It first moves subdirectories up, because a
     * tree may be deeper than the longest path.
     */
    private static void removeAll(Path top) throws IOException {
        var pending = new ArrayDeque<>(children(top));
        for (int number = 0; !pending.isEmpty(); ) {
            var next = pending.pop();
            if (Files.isDirectory(next, LinkOption.NOFOLLOW_LINKS)) {
                for (var child : children(next)) {
                    if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                        pending.push(Files.move(child, top.resolve("up-" + number++)));
                    } else {
                        Files.delete(child);
                    }
                }
            }
            Files.delete(next);
        }
        Files.delete(top);
    }

    private static List<Path> children(Path parent) throws IOException {
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx------"));
        try (var children = Files.list(parent)) {
            return children.toList();
        }
    }

    void assumeHas(Trait trait) {
        assumeTrue(traits().contains(trait), () -> "not here: " + trait);
    }

    static LocalPath at(String... names) {
        var at = LocalPath.ROOT;
        for (var name : names) {
            at = at.child(FileName.of(name));
        }
        return at;
    }

    static boolean isRoot() {
        return new com.sun.security.auth.module.UnixSystem().getUid() == 0;
    }

    LocalPath makeFile(LocalPath file, String content) throws IOException {
        try (var made = tree.create(file, 0644, WHAT)) {
            made.write(MemorySegment.ofArray(content.getBytes(StandardCharsets.UTF_8)), 0);
            made.finish();
        }
        return file;
    }

    LocalPath makeDirectory(LocalPath made) throws IOException {
        tree.makeDirectory(made, 0755, WHAT);
        return made;
    }

    LocalPath makeLink(LocalPath link, String text) throws IOException {
        tree.makeLink(link, PathName.of(text), WHAT);
        return link;
    }

    String content(LocalPath file) throws IOException {
        try (var opened = tree.read(file, WHAT);
                var arena = Arena.ofConfined()) {
            var memory = arena.allocate(2000);
            int read = opened.read(memory, 0);
            return new String(
                    memory.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    LocalStatus status(LocalPath file) throws IOException {
        return tree.status(file, WHAT);
    }

    /** Changes attributes of an existing file. */
    void change(LocalPath file, LocalChanges changes) throws IOException {
        tree.change(file, status(file).type(), changes, WHAT);
    }

    List<String> names(LocalPath listed) throws IOException {
        var names = new ArrayList<String>();
        for (var each : tree.list(listed, (_, _) -> {}, WHAT)) {
            names.add(each.escaped());
        }
        names.sort(null);
        return names;
    }

    void assertMissing(LocalPath file) throws IOException {
        assertFalse(tree.find(file, WHAT).isPresent(), "it is there");
    }

    static void fails(Reason reason, Executable step) {
        failsWithOneOf(Set.of(reason), step);
    }

    static void failsWithOneOf(Set<Reason> reasons, Executable step) {
        var failure = assertThrows(LocalException.class, step);
        assertTrue(reasons.contains(failure.reason()), failure::toString);
        assertTrue(failure.getMessage().startsWith(WHAT + ": "), failure.getMessage());
        assertEquals(1, failure.getMessage().lines().count(), failure.getMessage());
    }
}
