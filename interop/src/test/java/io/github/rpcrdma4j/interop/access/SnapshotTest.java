package io.github.rpcrdma4j.interop.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: changes of files are described in words. Method: listings made by hand. */
class SnapshotTest {
    private static final String OLD = "1000000000.000000000";
    private static final String NOW = "1700000001.500000000";
    private static final String DIRECTORY = "41ff|0|0|4096|2|0:0|%s|%s|%s|./open/c0001";

    private static List<String> listing(String... files) {
        var lines = new ArrayList<>(List.of(files));
        lines.add("lists:");
        return lines;
    }

    private static String file(String raw, String owner, int size, String times, String name) {
        return "%s|%s|%d|1|1:3|%s|./open/c0001/%s".formatted(raw, owner, size, times, name);
    }

    private static String times(String accessed, String modified, String changed) {
        return accessed + "|" + modified + "|" + changed;
    }

    private static List<String> differences(List<String> before, List<String> after)
            throws IOException {
        return new Differences(new BigDecimal("1700000000"), true)
                .between(
                        Snapshot.parse(before).below("open/c0001"),
                        Snapshot.parse(after).below("open/c0001"));
    }

    private static String one(String before, String after) throws IOException {
        return String.join("; ", differences(listing(before), listing(after)));
    }

    @Test
    void describesEveryAttributeThatChanged() throws Exception {
        var old = times(OLD, OLD, OLD);
        var was = file("81a4", "1|2", 10, old, "f");
        assertEquals("", one(was, was));
        assertEquals("f: 1:2>4294967294:2", one(was, file("81a4", "4294967294|2", 10, old, "f")));
        assertEquals("f: 0644>4755", one(was, file("89ed", "1|2", 10, old, "f")));
        assertEquals("f: size 10>0", one(was, file("81a4", "1|2", 0, old, "f")));
        assertEquals("-f, +f d 1:2 0755", one(was, file("41ed", "1|2", 0, old, "f")));
    }

    @Test
    void distinguishesAGivenTimeFromNowAndFromOthers() throws Exception {
        var was = file("81a4", "1|2", 1, times(OLD, OLD, OLD), "f");
        assertEquals(
                "f: mtime, ctime", one(was, file("81a4", "1|2", 1, times(OLD, NOW, NOW), "f")));
        var given = "1200000000.123456789";
        assertEquals(
                "f: atime=given, mtime=given, ctime",
                one(was, file("81a4", "1|2", 1, times(given, given, NOW), "f")));
        assertEquals(
                "f: mtime=5.000000000, ctime",
                one(was, file("81a4", "1|2", 1, times(OLD, "5.000000000", NOW), "f")));
    }

    @Test
    void describesWhatWasMadeAndRemoved() throws Exception {
        var directory = DIRECTORY.formatted(OLD, OLD, OLD);
        var now = times(NOW, NOW, NOW);
        assertEquals(
                List.of(
                        ".: mtime, ctime",
                        "+c c 0:0 0600 device=1:3",
                        "+l l 3:4 0777 ->some/where",
                        "+n f 3:4 6777 size=0",
                        "-r"),
                differences(
                        listing(directory, file("81a4", "1|2", 1, times(OLD, OLD, OLD), "r")),
                        listing(
                                DIRECTORY.formatted(OLD, NOW, NOW),
                                file("8dff", "3|4", 0, now, "n"),
                                file("2180", "0|0", 0, now, "c"),
                                file("a1ff", "3|4", 10, now, "l -> some/where"))));
    }

    @Test
    void describesListsThatChanged() throws Exception {
        var file = file("81a4", "1|2", 1, times(OLD, OLD, OLD), "f");
        var after = listing(file);
        after.addAll(List.of("# file: ./open/c0001/f", "# owner: 1", "user::rw-", "mask::r--", ""));
        assertEquals(List.of("f: [user::rw-, mask::r--]"), differences(listing(file), after));
    }

    @Test
    void leavesOutTheFilesOfOtherCases() throws Exception {
        var other = "81a4|0|0|1|1|0:0|1|1|1|./open/c00012/f";
        assertEquals(List.of(), differences(listing(), listing(other)));
    }

    @Test
    void refusesMalformedListings() {
        var strangers = listing();
        strangers.addAll(List.of("# file: ./no/such", "user::rw-", ""));
        for (var lines :
                List.of(List.of("nonsense"), List.of("x|0|0|1|1|0:0|1|1|1|./f"), strangers)) {
            assertThrows(IOException.class, () -> Snapshot.parse(lines), lines::toString);
        }
    }
}
