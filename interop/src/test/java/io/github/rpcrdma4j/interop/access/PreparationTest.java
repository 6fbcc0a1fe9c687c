package io.github.rpcrdma4j.interop.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: the scripts make the files of the cases. Method: compare the text of the scripts. */
class PreparationTest {
    private static final Case CASE =
            Case.of(
                    "group/words",
                    Exported.SQUASHED,
                    Caller.OTHER,
                    Operation.getattr("d/f"),
                    List.of(
                            CaseFile.directory(03750),
                            CaseFile.file("d/f", -2, 7, 04640).with("user:9:rw-", "mask::rw-"),
                            CaseFile.link("f"),
                            CaseFile.hardLink("d/g", "f")));

    private final Preparation preparation = new Preparation(List.of(CASE));

    @Test
    void makesEverythingOpenAtFirst() {
        var script = preparation.make();
        assertTrue(script.startsWith("set -e\numask 0\n"), script);
        for (var command :
                List.of(
                        "mkdir squashed/c0000 squashed/c0000/d\n",
                        "for f in squashed/c0000/d/f; do printf 0123456789 >$f; done\n",
                        "ln -s f squashed/c0000/l\n",
                        "ln squashed/c0000/d/f squashed/c0000/d/g\n")) {
            assertTrue(script.contains(command), script);
        }
    }

    @Test
    void givesOwnersModesAndListsAfterwards() {
        var script = preparation.grant();
        for (var part :
                List.of(
                        "chown -h 1000:2000 squashed/c0000/l\n",
                        """
                        # file: squashed/c0000/d
                        # owner: 1000
                        # group: 2000
                        # flags: -st
                        user::rwx
                        group::r-x
                        other::---
                        """,
                        """
                        # file: squashed/c0000/d/f
                        # owner: 4294967294
                        # group: 7
                        # flags: s--
                        user::rw-
                        group::r--
                        other::---
                        user:9:rw-
                        mask::rw-
                        """)) {
            assertTrue(script.contains(part), script);
        }
    }

    @Test
    void describesACaseInOneLine() {
        assertEquals(
                "1003:1003 | squashed | GETATTR d/f | . d 0:0 0777; d d 1000:2000 3750;"
                        + " d/f f 4294967294:7 4640 [user:9:rw-,mask::rw-];"
                        + " l l 1000:2000 0777 ->f; d/g=f",
                CASE.words());
    }
}
