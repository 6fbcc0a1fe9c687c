package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.dissect.Json;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: sizes are shown correctly up to the largest of NFS, 2^64 - 1. */
class SizesTest {
    private static String json(long size) {
        var time = Instant.EPOCH;
        var file =
                new FileAttributes(
                        FileType.REGULAR,
                        0644,
                        1,
                        0,
                        0,
                        size,
                        0,
                        0,
                        0,
                        new FileSystemId(1, 0),
                        1,
                        time,
                        time,
                        time);
        return Json.of(FileLine.json("f", file, Optional.empty()));
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

    /** Source: numfmt --to=iec of GNU coreutils 9.1, which rounds as ls -h does. */
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1023, 1023",
        "1024, 1.0K",
        "1025, 1.1K",
        "10137, 9.9K",
        "10138, 10K",
        "10240, 10K",
        "10241, 11K",
        "1047552, 1023K",
        "1047553, 1.0M",
        "18446744073709551615, 16E",
        "73786976294838206464, 64E",
    })
    void columnsAreThoseOfLs(BigInteger size, String column) {
        assertEquals(column, ByteCount.column(size));
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
