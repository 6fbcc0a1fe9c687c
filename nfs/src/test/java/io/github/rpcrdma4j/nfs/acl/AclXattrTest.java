package io.github.rpcrdma4j.nfs.acl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AclXattrTest {
    /**
     * The value of system.posix_acl_access after {@code setfacl -m u:1000:rw,g:4243:r FILE} on a
     * file of mode 640, as getxattr(2) of Linux 6.18 returns it.
     */
    private static final byte[] VALUE =
            HexFormat.of()
                    .parseHex(
                            "02000000"
                                    + "01000600ffffffff"
                                    + "02000600e8030000"
                                    + "04000400ffffffff"
                                    + "0800040093100000"
                                    + "10000600ffffffff"
                                    + "20000000ffffffff");

    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(Tag.USER_OBJ, 6),
                            new Entry(Tag.USER, 1000, 6),
                            new Entry(Tag.GROUP_OBJ, 4),
                            new Entry(Tag.GROUP, 4243, 4),
                            new Entry(Tag.MASK, 6),
                            new Entry(Tag.OTHER, 0)));

    private static Optional<PosixAcl> decoded(byte[] value) {
        return AclXattr.decode(MemorySegment.ofArray(value));
    }

    @Test
    void aListIsTheValueOfTheKernel() {
        assertEquals(Optional.of(ACL), decoded(VALUE));
        try (var arena = Arena.ofConfined()) {
            assertArrayEquals(VALUE, AclXattr.encode(ACL, arena).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void everyTruncationIsMalformed() {
        for (int length = 0; length < VALUE.length; length++) {
            byte[] cut = Arrays.copyOf(VALUE, length);
            assertEquals(Optional.empty(), decoded(cut), "of " + length + " bytes");
        }
    }

    /** Goal: a damaged value becomes no list or another valid one, and nothing else. */
    @Test
    void everyDamagedByteLeadsToAValue() {
        for (int at = 0; at < VALUE.length; at++) {
            for (int bits = 1; bits < 256; bits++) {
                byte[] damaged = VALUE.clone();
                damaged[at] ^= (byte) bits;
                decoded(damaged).ifPresent(acl -> assertTrue(PosixAcl.isValid(acl.entries())));
            }
        }
    }

    @Test
    void aListThatIsTooLongIsMalformed() {
        assertEquals(Optional.empty(), decoded(new byte[AclXattr.BYTES_MAX + 8]));
    }
}
