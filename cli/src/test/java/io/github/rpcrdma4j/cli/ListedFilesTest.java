package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.ListedFiles.Part;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a list of files means what it means to rsync. */
class ListedFilesTest {
    private static ListedFiles parse(String list, boolean hasZeros, boolean isRecursive) {
        return ListedFiles.parse(list.getBytes(StandardCharsets.UTF_8), hasZeros, isRecursive);
    }

    private static Part directory(ListedFiles files, String path) {
        return files.part(PathName.of(path), FileType.DIRECTORY);
    }

    private static Part file(ListedFiles files, String path) {
        return files.part(PathName.of(path), FileType.REGULAR);
    }

    @Test
    void namesFilesRelativeToTheTop() {
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
    void endsNamesWithLinesOrZeros() {
        var lines = parse("a\n\n#c\n;d\r\nb c\r\n./#e", false, false);
        assertEquals(
                List.of("a", "b c", "#e"),
                lines.missing().stream().map(PathName::escaped).toList());
        var zeros = parse("a\nb\0\0#c\0d", true, false);
        assertEquals(List.of(PathName.of("a\nb"), PathName.of("d")), zeros.missing());
        assertEquals(List.of(), parse("", false, false).missing());
    }

    @Test
    void holdsWhatIsInADirectoryIfTheListSaysSo() {
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
    void knowsWhatTheTreeLacks() {
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
