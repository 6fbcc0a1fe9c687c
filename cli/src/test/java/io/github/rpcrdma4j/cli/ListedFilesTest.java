package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.ListedFiles.Part;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.CopyRules;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a list of files means what it means to rsync. */
class ListedFilesTest {
    /** Has each name in each directory. */
    private static final class Everything implements ListedFiles.Tree<FileName> {
        private int lookups;

        @Override
        public Optional<FileName> find(FileName directory, FileName name) {
            lookups++;
            return Optional.of(name);
        }

        @Override
        public FileType type(FileName file) {
            return FileType.DIRECTORY;
        }
    }

    private static ListedFiles parse(String list, boolean hasZeros, boolean isRecursive)
            throws Exception {
        var bytes = list.getBytes(StandardCharsets.UTF_8);
        var files = ListedFiles.parse(bytes, hasZeros, isRecursive);
        files.find(FileName.SELF, new Everything(), CopyRules.ALL);
        return files;
    }

    private static Part directory(ListedFiles files, String path) {
        return files.part(PathName.of(path), FileType.DIRECTORY);
    }

    private static Part file(ListedFiles files, String path) {
        return files.part(PathName.of(path), FileType.REGULAR);
    }

    @Test
    void namesFilesRelativeToTheTop() throws Exception {
        for (var each : List.of("a/b", "/a/b", "//a//b", "./a/./b", "../../a/b", "a/x/../b")) {
            var files = parse(each, false, false);
            assertEquals(Part.LISTED, file(files, "a/b"), each);
            assertEquals(Part.ABOVE, directory(files, "a"), each);
            assertEquals(Part.NONE, file(files, "a"), each);
            assertEquals(Part.NONE, file(files, "b"), each);
            assertEquals(Part.NONE, directory(files, "x"), each);
            assertEquals(List.of(), files.missing(), each);
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
        assertEquals(Part.LISTED, directory(alone, "d"));
        assertEquals(Part.NONE, file(alone, "d/f"));
        for (var each : List.of("d/", "d/.", "d/x/..")) {
            var contents = parse(each, false, false);
            assertEquals(Part.LISTED, directory(contents, "d"), each);
            assertEquals(Part.LISTED, file(contents, "d/f"), each);
            assertEquals(Part.LISTED, directory(contents, "d/e"), each);
            assertEquals(Part.NONE, file(contents, "d/e/f"), each);
            assertEquals(Part.NONE, file(contents, "g"), each);
        }
        var top = parse(".", false, false);
        assertEquals(Part.LISTED, directory(top, "d"));
        assertEquals(Part.NONE, file(top, "d/f"));
        var all = parse("d", false, true);
        assertEquals(Part.LISTED, file(all, "d/e/f"));
        assertEquals(Part.NONE, file(all, "g"));
    }

    @Test
    void looksForOneFileOfEachDirectory() throws Exception {
        var list = "a\nb\nd/1\nd/2\nd/3\nd/e/4\nd/e/5\nf/6\nf/7\n";
        var files = ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), false, false);
        var tree = new Everything();
        // d, d/e, d/e/4, f, and f/6 and f/7, as the patterns leave f/6 out.
        files.find(FileName.SELF, tree, (path, _) -> !path.escaped().equals("f/6"));
        assertEquals(6, tree.lookups);
        for (var each : List.of("d", "d/e", "f")) {
            assertEquals(Part.ABOVE, directory(files, each), each);
        }
        var none = ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), false, false);
        none.find(FileName.SELF, tree, (path, _) -> !path.escaped().startsWith("d/"));
        assertEquals(Part.NONE, directory(none, "d"));
        assertEquals(Part.ABOVE, directory(none, "f"));
        file(none, "a");
        file(none, "b");
        file(none, "f/6");
        assertEquals(List.of(PathName.of("f/7")), none.missing());
    }

    @Test
    void takesPathsOfAnyLength() {
        var list = "x/".repeat(20_000) + "y\n";
        var files = ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), false, false);
        assertEquals(1, files.missing().size());
    }

    @Test
    void knowsWhatTheTreeLacks() throws Exception {
        var files = parse("d/\nd/f\nd/none\nl/f\nx", false, false);
        directory(files, "d");
        file(files, "d/f");
        // No link is followed, so it leads to no file.
        assertEquals(Part.NONE, files.part(PathName.of("l"), FileType.SYMBOLIC_LINK));
        assertEquals(
                List.of("d/none", "l/f", "x"),
                files.missing().stream().map(PathName::escaped).toList());
    }
}
