package io.github.rpcrdma4j.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a path has one slash before each name that is appended to it. */
class PathNameTest {
    private static final List<FileName> NAMES =
            List.of(FileName.of("a"), FileName.of("bc"), FileName.of("d"));

    @Test
    void namesAreAppendedTogetherAsOneByOne() {
        for (var start : List.of("", "/", "x", "x/", "/x", "//")) {
            var path = PathName.of(start);
            for (int count = 0; count <= NAMES.size(); count++) {
                var names = NAMES.subList(0, count);
                assertEquals(path, PathName.of(start).resolve(names), start);
                if (count < NAMES.size()) {
                    path = path.resolve(NAMES.get(count));
                }
            }
            var between = start.isEmpty() || start.endsWith("/") ? "" : "/";
            assertEquals(PathName.of(start + between + "a/bc/d"), path);
        }
    }

    @Test
    void aNormalizedPathHasNoNamesThatLeadNowhere() {
        assertEquals(PathName.of("/a/../b"), PathName.of("//a/./..//b/.").normalized());
        assertEquals(PathName.of("/"), PathName.of("/./").normalized());
        assertEquals(PathName.of("a/./b"), PathName.of("a/./b").normalized());
    }
}
