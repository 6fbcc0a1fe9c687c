package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UnixPathsTest {
    @BeforeEach
    void needsPathsOfBytes() {
        assumeTrue(FileSystems.getDefault().getSeparator().equals("/"), "paths here are no bytes");
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void keepsAllBytesOfAPath() {
        for (var text :
                new String[] {"/", "/caf\u00e9", "/a%20b/\u00ff\n", "x\u00e8/y", "..", "."}) {
            assertArrayEquals(latin(text), UnixPaths.bytes(UnixPaths.path(latin(text))), text);
        }
    }

    @Test
    void endsNoDirectoryWithASlash() {
        assertArrayEquals(latin("/proc"), UnixPaths.bytes(Path.of("/proc")));
        assertEquals(Path.of("/proc/self"), UnixPaths.path(latin("/proc//self/")));
    }
}
