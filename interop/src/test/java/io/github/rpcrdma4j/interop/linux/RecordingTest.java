package io.github.rpcrdma4j.interop.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.capture.linux.Capture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: damage of a recording is found, and nothing else. Method: captured traffic, intact and
 * damaged.
 */
class RecordingTest {
    @TempDir private Path directory;
    private Path capture;
    private Path aligned;

    @BeforeEach
    void copyCapture() throws IOException {
        capture = directory.resolve("capture.pcap");
        aligned = directory.resolve("aligned.pcapng");
        try (var in = Capture.class.getResourceAsStream("v3-crc-write1m.pcap")) {
            Files.copy(in, capture);
        }
    }

    private static long frames(Iterable<Recording.Connection> connections) {
        long frames = 0;
        for (var connection : connections) {
            frames += connection.frames();
        }
        return frames;
    }

    @Test
    void findsNothingWrongWithLinux() throws IOException {
        var connections = Recording.read(capture, aligned);
        assertEquals(1, connections.size());
        assertTrue(frames(connections) > 700, () -> frames(connections) + " frames");
        assertEquals(0, connections.getFirst().faults().size());
        assertTrue(connections.getFirst().startNanos() > 0);
    }

    @Test
    void keepsEveryFrameInThePacketsOfTheCopy() throws IOException {
        var connections = Recording.read(capture, aligned);
        var again = Recording.read(aligned, directory.resolve("again.pcapng"));
        assertEquals(frames(connections), frames(again));
        assertEquals(-1, Files.mismatch(aligned, directory.resolve("again.pcapng")));
    }

    @Test
    void findsAByteThatWasChanged() throws IOException {
        byte[] bytes = Files.readAllBytes(capture);
        bytes[bytes.length / 2] ^= 1;
        Files.write(capture, bytes);
        var connections = Recording.read(capture, aligned);
        assertEquals(1, connections.getFirst().faults().size());
    }
}
