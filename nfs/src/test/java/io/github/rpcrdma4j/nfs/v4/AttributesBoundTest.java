package io.github.rpcrdma4j.nfs.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a GETATTR has the bound of the attributes that it asks for. Method: a table of all
 * attributes (RFC 7530, Section 5; RFC 8881, Section 5; RFC 7862, Section 12; RFC 8275; RFC 8276;
 * RFC 9754) with sizes that were added up by hand, in bytes.
 */
class AttributesBoundTest {
    private static final int GETATTR = 9;

    /** Number and status, the bitmap of three words, and the length of the attributes. */
    private static final int BESIDE_ATTRIBUTES = 2 * 4 + 4 * 4 + 4;

    /**
     * An attribute.
     *
     * @param most its longest value; empty if it has no limit
     */
    private record Row(int bit, String name, OptionalLong most) {
        static Row of(String line) {
            var words = line.split(" ");
            var most =
                    words[2].equals("-")
                            ? OptionalLong.empty()
                            : OptionalLong.of(Long.parseLong(words[2]));
            return new Row(Integer.parseInt(words[0]), words[1], most);
        }
    }

    static Stream<Row> rows() {
        return """
                0 supported_attrs 16
                1 type 4
                2 fh_expire_type 4
                3 change 8
                4 size 8
                5 link_support 4
                6 symlink_support 4
                7 named_attr 4
                8 fsid 16
                9 unique_handles 4
                10 lease_time 4
                11 rdattr_error 4
                12 acl -
                13 aclsupport 4
                14 archive 4
                15 cansettime 4
                16 case_insensitive 4
                17 case_preserving 4
                18 chown_restricted 4
                19 filehandle 132
                20 fileid 8
                21 files_avail 8
                22 files_free 8
                23 files_total 8
                24 fs_locations -
                25 hidden 4
                26 homogeneous 4
                27 maxfilesize 8
                28 maxlink 4
                29 maxname 4
                30 maxread 8
                31 maxwrite 8
                32 mimetype -
                33 mode 4
                34 no_trunc 4
                35 numlinks 4
                36 owner 260
                37 owner_group 260
                38 quota_avail_hard 8
                39 quota_avail_soft 8
                40 quota_used 8
                41 rawdev 8
                42 space_avail 8
                43 space_free 8
                44 space_total 8
                45 space_used 8
                46 system 4
                47 time_access 12
                48 time_access_set 16
                49 time_backup 12
                50 time_create 12
                51 time_delta 12
                52 time_metadata 12
                53 time_modify 12
                54 time_modify_set 16
                55 mounted_on_fileid 8
                56 dir_notif_delay 12
                57 dirent_notif_delay 12
                58 dacl -
                59 sacl -
                60 change_policy 16
                61 fs_status -
                62 fs_layout_types -
                63 layout_hint -
                64 layout_types -
                65 layout_blksize 4
                66 layout_alignment 4
                67 fs_locations_info -
                68 mdsthreshold -
                69 retention_get 24
                70 retention_set 16
                71 retentevt_get 24
                72 retentevt_set 16
                73 retention_hold 8
                74 mode_set_masked 8
                75 suppattr_exclcreat 16
                76 fs_charset_cap 4
                77 clone_blksize 4
                78 space_freed 8
                79 change_attr_type 4
                80 sec_label -
                81 mode_umask 8
                82 xattr_support 4
                83 offline 4
                84 time_deleg_access 12
                85 time_deleg_modify 12
                86 open_arguments 80
                87 - -
                95 - -
                """
                .lines()
                .map(Row::of);
    }

    /** Returns the bound of a GETATTR that asks for some attributes. */
    private static OptionalLong bound(Stream<Integer> bits) {
        int[] words = new int[3];
        bits.forEach(bit -> words[bit / Integer.SIZE] |= 1 << (bit % Integer.SIZE));
        var bytes = ByteBuffer.allocate(32);
        bytes.putInt(0).putInt(0).putInt(1).putInt(GETATTR).putInt(words.length);
        for (int word : words) {
            bytes.putInt(word);
        }
        var call =
                CompoundCall.walk(
                        CompoundKind.COMPOUND, new XdrReader(MemorySegment.ofArray(bytes.array())));
        return call.operations().getFirst().resultsMax();
    }

    @ParameterizedTest
    @MethodSource("rows")
    void eachAttributeHasItsSize(Row row) {
        var expected =
                row.most().isPresent()
                        ? OptionalLong.of(
                                BESIDE_ATTRIBUTES + XdrWriter.roundUp(row.most().getAsLong()))
                        : OptionalLong.empty();
        assertEquals(expected, bound(Stream.of(row.bit())), row::name);
    }

    @Test
    void attributesAddUp() {
        var bounded = rows().filter(row -> row.most().isPresent()).toList();
        long sum = bounded.stream().mapToLong(row -> row.most().getAsLong()).sum();
        assertEquals(
                OptionalLong.of(BESIDE_ATTRIBUTES + sum), bound(bounded.stream().map(Row::bit)));
        assertEquals(OptionalLong.of(BESIDE_ATTRIBUTES), bound(Stream.of()));
    }

    @Test
    void oneAttributeWithoutLimitLeavesAllWithoutLimit() {
        assertEquals(OptionalLong.empty(), bound(rows().map(Row::bit)));
    }
}
