package io.github.rpcrdma4j.bench.files;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The server process of a build, with one export. Closing it ends the process. */
final class ServerProcess implements AutoCloseable {
    static final String EXPORT = "/files";

    private static final Pattern URL = Pattern.compile("rdma://127\\.0\\.0\\.1:(\\d+)/");
    private static final String SERVING = "Serving.";
    private static final long END_SECONDS = 10;

    private final Process process;
    private final InetSocketAddress address;

    private ServerProcess(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts a server and waits until it serves.
     *
     * @throws IOException if the server does not start
     */
    static ServerProcess start(Build build, Path directory) throws IOException {
        var process =
                new ProcessBuilder(
                                build.command().toString(),
                                "serve",
                                "--listen",
                                "127.0.0.1:0",
                                "--allow",
                                build.rule(),
                                directory + "=" + EXPORT)
                        .redirectError(Redirect.DISCARD)
                        .start();
        try {
            var server = new ServerProcess(process, address(process.inputReader()));
            // Discards further output, so that the pipe does not fill up.
            Thread.ofPlatform().daemon().start(() -> drain(process));
            return server;
        } catch (IOException | RuntimeException failure) {
            end(process);
            throw new IOException("the server of " + build.name() + " does not serve", failure);
        }
    }

    private static InetSocketAddress address(BufferedReader output) throws IOException {
        int port = 0;
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            var url = URL.matcher(line);
            if (url.find()) {
                port = Integer.parseInt(url.group(1));
            }
            if (line.startsWith(SERVING) && port != 0) {
                return new InetSocketAddress("127.0.0.1", port);
            }
        }
        throw new IOException("the process ended");
    }

    private static void drain(Process process) {
        try (var output = process.inputReader()) {
            while (output.readLine() != null) {
                // Discards the line.
            }
        } catch (IOException ended) {
            // The process ended.
        }
    }

    InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        end(process);
    }

    /**
     * Ends a server process. The script that starts a server replaces itself by it, so this ends
     * the server.
     */
    private static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
