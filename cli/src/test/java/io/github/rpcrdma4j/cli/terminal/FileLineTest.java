package io.github.rpcrdma4j.cli.terminal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FileLineTest {
    private static String line(Instant time) {
        var file =
                new FileAttributes(
                        FileType.REGULAR,
                        0644,
                        1,
                        0,
                        0,
                        5,
                        0,
                        0,
                        0,
                        new FileSystemId(1, 0),
                        1,
                        time,
                        time,
                        time);
        var line = new StringBuilder();
        FileLine.append(line, file, "5");
        return line.toString();
    }

    @Test
    void timesThatNoCalendarHasAreShown() {
        assertTrue(line(Instant.EPOCH.plusSeconds(86_400)).contains(" 1970-01-0"));
        assertTrue(line(Instant.MAX).contains(" " + Instant.MAX + " "));
        assertTrue(line(Instant.MIN).contains(" " + Instant.MIN + " "));
    }
}
