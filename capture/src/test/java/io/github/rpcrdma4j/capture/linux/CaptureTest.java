package io.github.rpcrdma4j.capture.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CaptureTest {
    /** The expected lengths come from an independent reader of the files. */
    @Test
    void readsEveryStreamOfTheCaptures() throws Exception {
        var seen = new StringBuilder();
        for (var name : Capture.NAMES) {
            seen.append(name);
            for (var stream : Capture.named(name).streams()) {
                seen.append(' ').append(stream.bytes().length);
            }
            seen.append('\n');
        }
        assertEquals(
                """
                linux-nfs3 274908 298980
                linux-nfs4.1 282512 309904
                v3-crc-meta 16380 123616 4152 17304
                v3-crc-write1m 1065584 2768
                v4.1-crc-meta 22128 157192 10800 22600
                v4.1-crc-read1m 7028 1070020
                """,
                seen.toString());
    }

    @Test
    void startsEveryStreamWithItsMpaKey() throws Exception {
        for (var name : Capture.NAMES) {
            var capture = Capture.named(name);
            var keys =
                    capture.streams().stream()
                            .map(each -> new String(each.bytes(), 0, 10, StandardCharsets.US_ASCII))
                            .collect(Collectors.toSet());
            assertEquals(2, keys.size(), name);
            for (var stream : capture.streams()) {
                assertEquals(stream.to(), capture.opposite(stream).orElseThrow().from());
            }
        }
    }
}
