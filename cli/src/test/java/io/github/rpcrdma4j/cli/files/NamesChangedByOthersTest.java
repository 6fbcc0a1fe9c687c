package io.github.rpcrdma4j.cli.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.cli.ExchangingProcess;
import io.github.rpcrdma4j.cli.ServedCopies;
import io.github.rpcrdma4j.linux.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: nobody who may exchange a name that a command was given leads the command elsewhere, where
 * the kernel does not follow the links of others.
 */
@Timeout(300)
class NamesChangedByOthersTest {
    private static final List<String> IN_NAMESPACE =
            List.of("unshare", "--mount", "--propagation", "private");
    private static final long END_SECONDS = 240;

    @TempDir private Path directory;

    /** The working directory of the commands. */
    private Path here;

    @BeforeEach
    void begin() throws IOException {
        here = Files.createDirectory(directory.resolve("here"));
    }

    private int run(List<String> command) throws IOException, InterruptedException {
        var all = new ArrayList<>(IN_NAMESPACE);
        all.addAll(command);
        var process =
                new ProcessBuilder(all)
                        .directory(here.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("output").toFile())
                        .start();
        try {
            assertTrue(process.waitFor(END_SECONDS, TimeUnit.SECONDS), "it goes on");
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private void assumeMounts() throws Exception {
        assumeTrue(ServedCopies.isRoot(), "only root mounts file systems");
        assumeTrue(SystemCalls.missing().isEmpty(), () -> SystemCalls.missing().orElse(""));
        var mount = "mount -t tmpfs -o nosymfollow none " + here;
        int status = -1;
        try {
            status = run(List.of("sh", "-c", mount));
        } catch (IOException _) {
            // There is no unshare.
        }
        assumeTrue(status == 0, "such a file system cannot be mounted here");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync", "get", "put", "serve", "renamed"})
    void aCommandReachesOnlyWhatTheKernelFinds(String command) throws Exception {
        assumeMounts();
        var work = Files.createDirectory(directory.resolve("work"));
        int status =
                run(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ExchangingProcess.class.getName(),
                                command,
                                work.toString()));
        assertEquals(0, status, () -> output());
    }

    private String output() {
        try {
            return Files.readString(directory.resolve("output"));
        } catch (IOException failure) {
            return failure.toString();
        }
    }
}
