package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.cli.files.ListedFiles.Membership;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.copy.CopyRules;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: a list of files means what it means to rsync. */
class ListedFilesTest {
    /** Has each name in each directory. */
    private static class Everything implements ListedFiles.Tree<FileName> {
        final AtomicInteger lookups = new AtomicInteger();

        @Override
        public Optional<FileName> find(FileName directory, FileName name)
                throws IOException, InterruptedException {
            lookups.incrementAndGet();
            return Optional.of(name);
        }

        @Override
        public FileType type(FileName file) {
            return FileType.DIRECTORY;
        }
    }

    /** Has a file where the list has names below it, and a directory that cannot be looked at. */
    private static final class Odd extends Everything {
        private static final FileName FILE = FileName.of("file");

        @Override
        public Optional<FileName> find(FileName directory, FileName name)
                throws IOException, InterruptedException {
            if (name.equals(FileName.of("hidden"))) {
                throw new IOException("permission denied");
            }
            return super.find(directory, name);
        }

        @Override
        public FileType type(FileName file) {
            return file.equals(FILE) ? FileType.REGULAR : FileType.DIRECTORY;
        }
    }

    private static ListedFiles parse(String list, boolean hasZeros, boolean isRecursive)
            throws Exception {
        var bytes = list.getBytes(StandardCharsets.UTF_8);
        var files = ListedFiles.parse(bytes, hasZeros, isRecursive);
        files.find(FileName.SELF, new Everything(), 1, CopyRules.ALL);
        return files;
    }

    private static Membership directory(ListedFiles files, String path) {
        return files.membership(PathName.of(path), FileType.DIRECTORY);
    }

    private static Membership file(ListedFiles files, String path) {
        return files.membership(PathName.of(path), FileType.REGULAR);
    }

    @Test
    void namesFilesRelativeToTheTop() throws Exception {
        for (var each : List.of("a/b", "/a/b", "//a//b", "./a/./b", "../../a/b", "a/x/../b")) {
            var files = parse(each, false, false);
            assertEquals(Membership.LISTED, file(files, "a/b"), each);
            assertEquals(Membership.ABOVE, directory(files, "a"), each);
            assertEquals(Membership.NONE, file(files, "a"), each);
            assertEquals(Membership.NONE, file(files, "b"), each);
            assertEquals(Membership.NONE, directory(files, "x"), each);
            assertEquals(List.of(), files.missing(), each);
        }
    }

    /** Goal: the copy gets to what it has to copy, or to tell of. */
    @Test
    void aListedFileIsCopiedAlthoughTheListHasNamesBelowIt() throws Exception {
        for (var list : List.of("top/file\ntop/file/below", "top/hidden/a/b")) {
            var files = ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), false, false);
            files.find(FileName.SELF, new Odd(), 1, CopyRules.ALL);
            assertEquals(Membership.ABOVE, directory(files, "top"), list);
        }
    }

    @Test
    void endsNamesWithLinesOrZeros() throws Exception {
        var lines = parse("a\n\n#c\n;d\r\nb c\r\n./#e", false, false);
        assertEquals(
                List.of("a", "b c", "#e"),
                lines.missing().stream().map(PathName::escaped).toList());
        var zeros = parse("a\nb\0\0#c\0d", true, false);
        assertEquals(List.of(PathName.of("a\nb"), PathName.of("d")), zeros.missing());
        assertEquals(List.of(), parse("", false, false).missing());
    }

    @Test
    void holdsWhatIsInADirectoryIfTheListSaysSo() throws Exception {
        var alone = parse("d", false, false);
        assertEquals(Membership.LISTED, directory(alone, "d"));
        assertEquals(Membership.NONE, file(alone, "d/f"));
        for (var each : List.of("d/", "d/.", "d/x/..")) {
            var contents = parse(each, false, false);
            assertEquals(Membership.LISTED, directory(contents, "d"), each);
            assertEquals(Membership.LISTED, file(contents, "d/f"), each);
            assertEquals(Membership.LISTED, directory(contents, "d/e"), each);
            assertEquals(Membership.NONE, file(contents, "d/e/f"), each);
            assertEquals(Membership.NONE, file(contents, "g"), each);
        }
        var top = parse(".", false, false);
        assertEquals(Membership.LISTED, directory(top, "d"));
        assertEquals(Membership.NONE, file(top, "d/f"));
        var all = parse("d", false, true);
        assertEquals(Membership.LISTED, file(all, "d/e/f"));
        assertEquals(Membership.NONE, file(all, "g"));
    }

    @Test
    void looksForOneFileOfEachDirectory() throws Exception {
        var list = "a\nb\nd/1\nd/2\nd/3\nd/e/4\nd/e/5\nf/6\nf/7\n";
        var files = ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), false, false);
        var tree = new Everything();
        // d, d/e, d/e/4, f, and f/6 and f/7, as the patterns leave f/6 out.
        files.find(FileName.SELF, tree, 1, (path, _) -> !path.escaped().equals("f/6"));
        assertEquals(6, tree.lookups.get());
        for (var each : List.of("d", "d/e", "f")) {
            assertEquals(Membership.ABOVE, directory(files, each), each);
        }
        var none = ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), false, false);
        none.find(FileName.SELF, tree, 3, (path, _) -> !path.escaped().startsWith("d/"));
        assertEquals(Membership.NONE, directory(none, "d"));
        assertEquals(Membership.ABOVE, directory(none, "f"));
        file(none, "a");
        file(none, "b");
        file(none, "f/6");
        assertEquals(List.of(PathName.of("f/7")), none.missing());
    }

    @Test
    void takesPathsOfAnyLength() throws Exception {
        var path = "x/".repeat(20_000) + "y";
        var bytes = path.getBytes(StandardCharsets.UTF_8);
        var tree = new Everything();
        var files = ListedFiles.parse(bytes, false, false);
        files.find(FileName.SELF, tree, 4, CopyRules.ALL);
        assertEquals(20_001, tree.lookups.get());
        assertEquals(Membership.ABOVE, directory(files, "x/x"));
        assertEquals(List.of(PathName.of(path)), files.missing());
        assertEquals(Membership.LISTED, file(files, path));
        assertEquals(List.of(), files.missing());
    }

    /** Goal: a long list takes as many round trips as its deepest path has names. */
    @Test
    void looksForNamesSideBySide() throws Exception {
        var list = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            list.append("d").append(i).append("/e/f\n");
        }
        int beside = 5;
        var together = new CyclicBarrier(beside);
        var tree =
                new Everything() {
                    @Override
                    public Optional<FileName> find(FileName directory, FileName name)
                            throws IOException, InterruptedException {
                        try {
                            together.await(60, TimeUnit.SECONDS);
                        } catch (BrokenBarrierException | TimeoutException alone) {
                            throw new IllegalStateException(alone);
                        }
                        return super.find(directory, name);
                    }
                };
        var bytes = list.toString().getBytes(StandardCharsets.UTF_8);
        var files = ListedFiles.parse(bytes, false, false);
        files.find(FileName.SELF, tree, beside, CopyRules.ALL);
        assertEquals(300, tree.lookups.get());
        assertEquals(Membership.ABOVE, directory(files, "d7/e"));
        assertEquals(100, files.missing().size());
        assertEquals(PathName.of("d0/e/f"), files.missing().getFirst());
        assertEquals(PathName.of("d99/e/f"), files.missing().getLast());
    }

    @Test
    void endsAtOnceIfTheServerIsLost() {
        var bytes = "a/b\nc/d\ne/f\n".getBytes(StandardCharsets.UTF_8);
        var lost = new RpcException.ConnectionLost("gone", null);
        var tree =
                new Everything() {
                    @Override
                    public Optional<FileName> find(FileName directory, FileName name)
                            throws IOException {
                        throw lost;
                    }
                };
        for (int beside : List.of(1, 3)) {
            var files = ListedFiles.parse(bytes, false, false);
            assertSame(
                    lost,
                    assertThrows(
                            RpcException.class,
                            () -> files.find(FileName.SELF, tree, beside, CopyRules.ALL)));
        }
    }

    @Test
    void knowsWhatTheTreeLacks() throws Exception {
        var files = parse("d/\nd/f\nd/none\nl/f\nx", false, false);
        directory(files, "d");
        file(files, "d/f");
        // No link is followed, so it leads to no file.
        assertEquals(Membership.NONE, files.membership(PathName.of("l"), FileType.SYMBOLIC_LINK));
        assertEquals(
                List.of("d/none", "l/f", "x"),
                files.missing().stream().map(PathName::escaped).toList());
    }
}
