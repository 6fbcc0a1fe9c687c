package io.github.rpcrdma4j.nfs.client.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a copy goes into a directory that the kernel mounts when it is used, such as those of
 * autofs. Method: debugfs has one, and is mounted in a mount namespace.
 */
class AutomountTest {
    private static final String SET_UP = "mount -t debugfs none \"$0\" && exec \"$@\"";

    /** Opens the directory that was found, as a copy of a source does. */
    static final class Source {
        public static void main(String[] arguments) throws Exception {
            var point = LocalPath.ROOT.child(FileName.of("tracing"));
            try (var tree = LocalTrees.open(Path.of(arguments[0]), "cannot open")) {
                var found = tree.status(point, "cannot find");
                try (var below = tree.below(point, found, "cannot open")) {
                    System.out.println(
                            below.list(LocalPath.ROOT, (_, _) -> {}, "cannot list").isEmpty());
                }
            }
        }
    }

    @Test
    void whatWasFoundIsWhatIsMountedThere(@TempDir Path directory) throws Exception {
        assumeTrue(canMount(directory), "only root can mount, and debugfs is not in each kernel");
        var printed = directory.resolveSibling(directory.getFileName() + ".printed");
        try {
            var process =
                    inNamespace(
                                    directory,
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "--enable-native-access=ALL-UNNAMED",
                                    "-XX:TieredStopAtLevel=1",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    Source.class.getName(),
                                    directory.toString())
                            .redirectOutput(printed.toFile())
                            .start();
            assertEquals(0, process.waitFor());
            assertEquals(List.of("false"), Files.readAllLines(printed));
        } finally {
            Files.deleteIfExists(printed);
        }
    }

    private static boolean canMount(Path directory) throws InterruptedException {
        try {
            var found = inNamespace(directory, "test", "-d", directory + "/tracing");
            return found.start().waitFor() == 0;
        } catch (IOException _) {
            return false;
        }
    }

    private static ProcessBuilder inNamespace(Path directory, String... command) {
        var whole =
                new ArrayList<>(
                        List.of("unshare", "--mount", "sh", "-c", SET_UP, directory.toString()));
        whole.addAll(List.of(command));
        return new ProcessBuilder(whole).redirectError(ProcessBuilder.Redirect.DISCARD);
    }
}
