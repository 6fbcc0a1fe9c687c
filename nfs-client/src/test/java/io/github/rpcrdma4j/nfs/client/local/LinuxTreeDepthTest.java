package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.SystemCalls;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: files work in directories nested deeper than the longest path. */
@Timeout(180)
class LinuxTreeDepthTest extends LocalTreeUser {
    private static final int CHAINS = 200;
    private static final int LINKS = 100;
    private static final FileName NAME = FileName.of("d");

    @Override
    Set<Trait> traits() {
        return EnumSet.allOf(Trait.class);
    }

    @Override
    Path makeDirectory() throws IOException {
        assumeTrue(SystemCalls.missing().isEmpty(), () -> SystemCalls.missing().orElse(""));
        // A file system in memory makes these 20,000 directories much faster.
        var memory = Path.of("/dev/shm");
        return Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "nfs-client")
                : Files.createTempDirectory("nfs-client");
    }

    @Override
    LocalTree open(Path opened) throws IOException {
        return LocalTree.open(opened, WHAT);
    }

    private static LocalPath below(LocalPath from, FileName name, int times) {
        var at = from;
        for (int i = 0; i < times; i++) {
            at = at.child(name);
        }
        return at;
    }

    /** Makes chains of directories, the deepest first, and moves each below the next. */
    private void makeTree() throws IOException {
        for (int chain = 0; chain < CHAINS; chain++) {
            var at = LocalPath.ROOT;
            for (int link = 0; link < LINKS; link++) {
                at = makeDirectory(at.child(link == 0 ? FileName.of("chain") : NAME));
            }
            if (chain > 0) {
                tree.rename(at("d"), at.child(NAME), WHAT);
            }
            tree.rename(at("chain"), at("d"), WHAT);
        }
    }

    @Test
    void filesAreUsedAtTheEndOfADeepTreeLikeAnywhereElse() throws IOException {
        makeTree();
        var end = below(LocalPath.ROOT, NAME, CHAINS * LINKS);
        assertEquals(20_000, end.depth());
        assertEquals(List.of(), names(end));
        assertEquals(List.of("d"), names(end.directory()));
        var file = makeFile(end.child(FileName.of("file")), "at the end");
        assertEquals("at the end", content(file));
        change(file, LocalChanges.ofMode(0640));
        assertEquals(0640, status(file).mode());
        var other = end.child(FileName.of("other"));
        tree.link(file, other, WHAT);
        tree.rename(other, at("up"), WHAT);
        tree.rename(at("up"), end.child(FileName.of("down")), WHAT);
        makeLink(end.child(FileName.of("link")), "..");
        makeDirectory(end.child(FileName.of("directory")));
        assertEquals(List.of("directory", "down", "file", "link"), names(end));
        fails(Reason.MISSING, () -> tree.status(end.child(NAME).child(NAME), WHAT));
        fails(Reason.OTHER, () -> tree.rename(at("d"), end.child(NAME), WHAT));
        tree.remove(file, WHAT);
        assertMissing(file);
    }

    /**
     * Goal: a long path may be split at any name. The system calls that resolve it start and end at
     * names.
     */
    @Test
    void pathsOfEveryLengthAroundThatOfACallAreFound() throws IOException {
        var longName = FileName.of("n".repeat(255));
        var deep = LocalPath.ROOT;
        for (int i = 0; i < 15; i++) {
            deep = makeDirectory(deep.child(longName));
        }
        // 15 names with their slashes have 3,840 bytes; a system call takes 4,095.
        for (int bytes = 240; bytes <= 255; bytes++) {
            var name = FileName.of("e".repeat(bytes));
            var last = makeDirectory(deep.child(name));
            makeFile(last.child(FileName.of("f")), "deep");
            assertEquals("deep", content(last.child(FileName.of("f"))));
            assertEquals(List.of("f"), names(last));
            tree.rename(last, at("moved-" + bytes), WHAT);
        }
    }
}
