package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.ServerProcess;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a command that is asked to stop while it starts cleans up before it ends. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EarlyStopTest {
    private static final int ENDED_BY_SIGTERM = 128 + 15;
    private static final Pattern STOPPED =
            Pattern.compile(
                    "[^\n]* INFO started: [^\n]*\n[^\n]* INFO stopping\n[^\n]* INFO stopped\n");

    @TempDir private Path directory;

    @Test
    void aServerStops() throws Exception {
        stopsAtOnce("serve", "mem:", "--listen", "127.0.0.1:0");
    }

    @Test
    void aGatewayStops() throws Exception {
        stopsAtOnce("gateway", "--listen", "rdma://127.0.0.1:0", "--to", "tcp://127.0.0.1:1");
    }

    /** The log is opened before the command has anything else to clean up. */
    private void stopsAtOnce(String... command) throws Exception {
        var log = directory.resolve("log");
        var options = new String[] {"--log-file", log.toString()};
        try (var watch = directory.getFileSystem().newWatchService()) {
            directory.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            var process =
                    new ProcessBuilder(ServerProcess.command(List.of(), List.of(command), options))
                            .redirectErrorStream(true)
                            .redirectOutput(Redirect.DISCARD)
                            .start();
            watch.take();
            process.destroy();
            assertEquals(ENDED_BY_SIGTERM, process.waitFor());
        }
        var text = Files.readString(log);
        assertTrue(STOPPED.matcher(text).matches(), text);
    }
}
