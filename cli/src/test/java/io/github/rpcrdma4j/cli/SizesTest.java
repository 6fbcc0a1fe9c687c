package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: sizes are shown correctly up to the largest of NFS, 2^64 - 1. */
class SizesTest {
    private static String json(long size) {
        var time = new Timestamp(0, 0);
        var file =
                new FileAttributes(
                        FileType.REGULAR, 0644, 1, 0, 0, size, 0, 0, 1, 1, time, time, time);
        return Json.of(FileLine.json(FileName.of("f"), file, Optional.empty()));
    }

    private static void isShown(String number, String words, long size) {
        var json = json(size);
        assertEquals(number, json.replaceAll(".*\"size\":([^,]*),.*", "$1"), json);
        assertEquals(words, ByteCount.words(size));
    }

    @Test
    void sizesAreUnsigned() {
        isShown("0", "0 bytes", 0);
        isShown("1536", "1.5 KiB", 1536);
        isShown("1125899906842624", "1.0 PiB", 1L << 50);
        isShown("9223372036854775807", "8.0 EiB", Long.MAX_VALUE);
        isShown("9223372036854775808", "8.0 EiB", Long.MIN_VALUE);
        isShown("18446744073709551615", "16.0 EiB", -1);
    }

    /** Goal: scripts and people read the same sizes in every country. */
    @Test
    void sizesHaveADotInEveryLocale() {
        var before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertEquals("1.5 KiB", ByteCount.words(1536));
        } finally {
            Locale.setDefault(before);
        }
    }
}
