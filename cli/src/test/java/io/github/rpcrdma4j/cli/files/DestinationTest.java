package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.files.Destination.End;
import io.github.rpcrdma4j.cli.files.Destination.Plan;
import io.github.rpcrdma4j.cli.files.Destination.Rules;
import io.github.rpcrdma4j.cli.files.Destination.Source;
import io.github.rpcrdma4j.cli.files.Destination.There;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: the forms of source and target decide where a copy goes, and nothing else does. */
class DestinationTest {
    private static final Map<String, Plan> WORDS =
            Map.of(
                    "becomes", Plan.BECOMES,
                    "into", Plan.RECEIVES,
                    "made", Plan.IS_MADE,
                    "no-source-dir", Plan.SOURCE_IS_FILE,
                    "no-target-dir", Plan.TARGET_IS_FILE,
                    "missing", Plan.TARGET_IS_MISSING,
                    "unclear-source", Plan.SOURCE_IS_UNCLEAR,
                    "unclear-target", Plan.TARGET_IS_UNCLEAR);

    /**
     * Columns: a directory; a directory, with a slash; a file; a file, with a slash; nothing;
     * nothing, with a slash.
     */
    private static final String TABLE =
            """
            CP    FILE            NAME  into           into           becomes        no-target-dir becomes missing
            CP    FILE            SLASH no-source-dir  no-source-dir  no-source-dir  no-source-dir no-source-dir no-source-dir
            CP    FILE            DOTS  no-source-dir  no-source-dir  no-source-dir  no-source-dir no-source-dir no-source-dir
            CP    DIRECTORY       NAME  into           into           no-target-dir  no-target-dir becomes unclear-target
            CP    DIRECTORY       SLASH unclear-source unclear-source no-target-dir  no-target-dir becomes becomes
            CP    DIRECTORY       DOTS  becomes        becomes        no-target-dir  no-target-dir becomes becomes
            CP    EMPTY_DIRECTORY NAME  into           into           no-target-dir  no-target-dir becomes unclear-target
            CP    EMPTY_DIRECTORY SLASH unclear-source unclear-source no-target-dir  no-target-dir becomes becomes
            CP    EMPTY_DIRECTORY DOTS  becomes        becomes        no-target-dir  no-target-dir becomes becomes
            RSYNC FILE            NAME  into           into           becomes        no-target-dir becomes made
            RSYNC FILE            SLASH no-source-dir  no-source-dir  no-source-dir  no-source-dir no-source-dir no-source-dir
            RSYNC FILE            DOTS  no-source-dir  no-source-dir  no-source-dir  no-source-dir no-source-dir no-source-dir
            RSYNC DIRECTORY       NAME  into           into           no-target-dir  no-target-dir made made
            RSYNC DIRECTORY       SLASH becomes        becomes        no-target-dir  no-target-dir becomes becomes
            RSYNC DIRECTORY       DOTS  becomes        becomes        no-target-dir  no-target-dir becomes becomes
            RSYNC EMPTY_DIRECTORY NAME  into           into           no-target-dir  no-target-dir becomes made
            RSYNC EMPTY_DIRECTORY SLASH becomes        becomes        no-target-dir  no-target-dir becomes becomes
            RSYNC EMPTY_DIRECTORY DOTS  becomes        becomes        no-target-dir  no-target-dir becomes becomes
            """;

    private static final List<There> THERE = List.of(There.DIRECTORY, There.FILE, There.NOTHING);

    @Test
    void theWholeTableIsAsWritten() {
        var decided = new ArrayList<String>();
        for (var line : TABLE.lines().toList()) {
            var words = line.split(" +");
            for (int i = 0; i < 6; i++) {
                var plan =
                        Destination.of(
                                Rules.valueOf(words[0]),
                                End.valueOf(words[2]),
                                Source.valueOf(words[1]),
                                THERE.get(i / 2),
                                i % 2 == 1);
                var row = line + ", column " + i;
                assertEquals(WORDS.get(words[3 + i]), plan, row);
                decided.add(words[0] + words[1] + words[2] + i);
            }
        }
        int all = Rules.values().length * Source.values().length * End.values().length * 6;
        assertEquals(all, decided.stream().distinct().count());
    }

    /** Wherever the programs differ about a slash, the commands that follow cp refuse. */
    @Test
    void theCommandsAgreeAboutSlashesOrRefuse() {
        for (var source : Source.values()) {
            for (var there : There.values()) {
                for (boolean hasSlash : new boolean[] {false, true}) {
                    for (var end : End.values()) {
                        if (end != End.NAME || hasSlash) {
                            var put = Destination.of(Rules.CP, end, source, there, hasSlash);
                            var sync = Destination.of(Rules.RSYNC, end, source, there, hasSlash);
                            boolean isRefused =
                                    switch (put) {
                                        case BECOMES, RECEIVES, IS_MADE -> false;
                                        case SOURCE_IS_FILE,
                                                TARGET_IS_FILE,
                                                TARGET_IS_MISSING,
                                                SOURCE_IS_UNCLEAR,
                                                TARGET_IS_UNCLEAR ->
                                                true;
                                    };
                            assertEquals(
                                    true,
                                    isRefused || put == sync,
                                    source + " " + end + " " + there + " " + hasSlash);
                        }
                    }
                }
            }
        }
    }

    @Test
    void theEndOfAPathTellsWhetherItHasAName() {
        for (var each : List.of("a", "/a", "b/a", "..a", "a..", "...", "a/.b", "-")) {
            assertEquals(End.NAME, End.of(each), each);
        }
        for (var each : List.of("a/", "/a//", "b/a/", ".../", "a./")) {
            assertEquals(End.SLASH, End.of(each), each);
        }
        for (var each : List.of(".", "..", "./", "..//", "/", "//", "a/.", "a/..", "a/./", "/.")) {
            assertEquals(End.DOTS, End.of(each), each);
        }
        assertEquals(End.NAME, End.of("a/\n"));
        assertEquals(End.SLASH, End.of("a/\n/"));
    }
}
