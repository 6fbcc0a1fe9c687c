package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: notices of changes are read as inotify(7) lays them out, however they end. */
class FileChangesTest {
    /** Little-endian: watch 1 with a name of 16 bytes, lost notices, and watch 258. */
    private static final byte[] NOTICES =
            HexFormat.of()
                    .parseHex(
                            "01000000"
                                    + "04000000"
                                    + "00000000"
                                    + "10000000"
                                    + "6e616d65000000000000000000000000"
                                    + "ffffffff"
                                    + "00400000"
                                    + "00000000"
                                    + "00000000"
                                    + "02010000"
                                    + "00080000"
                                    + "00000000"
                                    + "00000000");

    private static List<Integer> decode(byte[] bytes) {
        var watches = new ArrayList<Integer>();
        FileChanges.decode(MemorySegment.ofArray(bytes), watches::add);
        return watches;
    }

    @Test
    void eachNoticeTellsItsWatch() {
        assertEquals(List.of(1, FileChanges.ANY, 258), decode(NOTICES));
    }

    @Test
    void aNoticeThatIsCutIsNone() {
        for (int length = 0; length < NOTICES.length; length++) {
            int whole = length < 16 ? 0 : length < 48 ? 1 : 2;
            assertEquals(whole, decode(Arrays.copyOf(NOTICES, length)).size());
        }
    }

    @Test
    void aLengthBeyondTheEndEndsTheNotices() {
        byte[] changed = NOTICES.clone();
        changed[15] = (byte) 0xff;
        assertEquals(List.of(1), decode(changed));
    }
}
