package io.github.rpcrdma4j.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Prints the tables of bindings, for comparison with RFC 8267, Section 4, and the XDR of the
 * programs.
 */
class BindingsTest {
    /**
     * Returns number, name, bulk arguments and results, and result bytes; for a counted row also
     * the result bytes with a count of 8192.
     */
    private static String line(int number, String name, BindingRow row) {
        var line =
                "%d %s %d/%d %d"
                        .formatted(
                                number, name, row.arguments(), row.results(), row.resultsBytes());
        return row.resultsMax(8192) == row.resultsBytes()
                ? line
                : line + " " + row.resultsMax(8192);
    }

    @Test
    @Tag("5666-3.4-2")
    @Tag("8166-6-1")
    void holdsVersion2() {
        assertEquals(
                """
            0 NULL 0/0 0
            1 GETATTR 0/0 72
            2 SETATTR 0/0 72
            3 ROOT 0/0 0
            4 LOOKUP 0/0 104
            5 READLINK 0/1 8
            6 READ 0/1 76
            7 WRITECACHE 0/0 0
            8 WRITE 1/0 72
            9 CREATE 0/0 104
            10 REMOVE 0/0 4
            11 RENAME 0/0 4
            12 LINK 0/0 4
            13 SYMLINK 1/0 4
            14 MKDIR 0/0 104
            15 RMDIR 0/0 4
            16 READDIR 0/0 12 8204
            17 STATFS 0/0 24""",
                Stream.of(Nfs2Binding.Procedure.values())
                        .map(each -> line(each.number(), each.name(), Nfs2Binding.row(each)))
                        .collect(Collectors.joining("\n")));
    }

    @Test
    @Tag("5666-3.4-2")
    @Tag("8166-6-1")
    void holdsVersion3() {
        assertEquals(
                """
            0 NULL 0/0 0
            1 GETATTR 0/0 88
            2 SETATTR 0/0 120
            3 LOOKUP 0/0 248
            4 ACCESS 0/0 96
            5 READLINK 0/1 96
            6 READ 0/1 104
            7 WRITE 1/0 136
            8 CREATE 0/0 280
            9 MKDIR 0/0 280
            10 SYMLINK 1/0 280
            11 MKNOD 0/0 280
            12 REMOVE 0/0 120
            13 RMDIR 0/0 120
            14 RENAME 0/0 236
            15 LINK 0/0 208
            16 READDIR 0/0 108 8292
            17 READDIRPLUS 0/0 108 8292
            18 FSSTAT 0/0 144
            19 FSINFO 0/0 140
            20 PATHCONF 0/0 116
            21 COMMIT 0/0 128""",
                Stream.of(Procedure.values())
                        .map(each -> line(each.number(), each.name(), Nfs3Binding.row(each)))
                        .collect(Collectors.joining("\n")));
    }

    @Test
    void leavesRoomForAServerThatCountsTheEntriesOfAListAlone() {
        var row = Nfs3Binding.row(Procedure.READDIRPLUS);
        int status = 4;
        int attributes = 88;
        int verifier = 8;
        int emptyList = 8;
        assertEquals(status + attributes + verifier + emptyList, row.resultsMax(0));
        assertEquals(status + attributes + verifier + 65536, row.resultsMax(65536));
        assertEquals(status + attributes + verifier + 0xffff_ffffL, row.resultsMax(-1));
    }

    @Test
    void boundsAListByTheLongerOfItsArms() {
        var row = new BindingRow(0, 0, 92, OptionalInt.of(4), true);
        assertEquals(92, row.resultsMax(0));
        assertEquals(92, row.resultsMax(88));
        assertEquals(93, row.resultsMax(89));
        assertEquals(4 + 0xffff_ffffL, row.resultsMax(-1));
    }

    @Test
    @Tag("8267-7-1")
    void findsNothingEligibleWhereThereIsNoProcedure() {
        for (int number : new int[] {-1, 22, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertEquals(Eligibility.NONE, Nfs2Binding.BINDING.eligibility(number));
            assertEquals(Eligibility.NONE, Nfs3Binding.BINDING.eligibility(number));
        }
        assertEquals(Eligibility.NONE, Nfs2Binding.BINDING.eligibility(18));
        assertEquals(
                new Eligibility(0, 1).withPairing(Pairing.ORDINAL),
                Nfs2Binding.BINDING.eligibility(6));
        assertEquals(
                new Eligibility(1, 0).withPairing(Pairing.ORDINAL),
                Nfs2Binding.BINDING.eligibility(8));
    }
}
