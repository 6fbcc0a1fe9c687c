package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that serves {@code mem:}, and says so; all that it prints is kept. */
final class ServerProcess implements AutoCloseable {
    private static final long STOP_SECONDS = 20;

    final List<String> printed = new ArrayList<>();
    private final Process process;
    private final BufferedReader reader;

    ServerProcess(String... options) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of(Rpcrdma.class.getName(), "serve", "mem:"));
        command.addAll(List.of(options));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = process.inputReader();
        var line = reader.readLine();
        while (line != null && !line.startsWith("Serving.")) {
            printed.add(line);
            line = reader.readLine();
        }
        assertTrue(
                line != null,
                () -> "ended with " + process.onExit().join().exitValue() + ": " + printed);
    }

    /** The URL that it prints. */
    String url() {
        return printed.stream()
                .filter(line -> line.contains("rpcrdma ls "))
                .map(line -> line.substring(line.indexOf("rdma://")))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() throws IOException {
        process.toHandle().destroy();
        reader.lines().forEach(printed::add);
        reader.close();
        process.onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join();
    }
}
