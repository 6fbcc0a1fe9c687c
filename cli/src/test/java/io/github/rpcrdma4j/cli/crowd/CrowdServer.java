package io.github.rpcrdma4j.cli.crowd;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The command {@code rpcrdma serve}, serving one file in a process of its own. */
final class CrowdServer implements AutoCloseable {
    static final String FILE = "file";

    private static final int FILE_BYTES = 1 << 20;
    private static final int KEPT_LINES = 20;
    private static final Pattern FIGURE = Pattern.compile("\"(\\w+)\":(-?\\d+)");
    private static final Pattern RDMA_PORT = Pattern.compile("rdma://\\S+:(\\d+)/");
    private static final Pattern TCP_PORT = Pattern.compile("mountport=(\\d+)");

    private final Process process;
    private final BufferedReader printed;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private final int rdmaPort;
    private final int tcpPort;
    private volatile Map<String, Long> report = Map.of();

    /**
     * The resources of the server process.
     *
     * @param residentKib resident memory in KiB, after a garbage collection
     * @param heapKib used heap in KiB, after that collection
     */
    record Held(long residentKib, long heapKib, int descriptors, int threads) {
        /** Returns whether no resource exceeds a limit. */
        boolean isWithin(Held most) {
            return residentKib <= most.residentKib
                    && heapKib <= most.heapKib
                    && descriptors <= most.descriptors
                    && threads <= most.threads;
        }
    }

    /**
     * Starts the server.
     *
     * @param home of the project
     * @param directory for the served file and the state
     * @param address of this host, as written in URLs
     * @param descriptors the limit of open descriptors; zero for the limit of this process
     * @param javaOptions options of the Java runtime
     */
    CrowdServer(Path home, Path directory, String address, int descriptors, String javaOptions)
            throws IOException {
        var served = Files.createDirectories(directory.resolve("served"));
        Files.write(served.resolve(FILE), new byte[FILE_BYTES]);
        var limit = descriptors == 0 ? "" : "ulimit -n " + descriptors + " && ";
        var command =
                new ArrayList<>(
                        List.of(
                                "bash",
                                "-c",
                                limit + "exec \"$@\"",
                                "bash",
                                home.resolve("rpcrdma").toString(),
                                "serve"));
        command.addAll(List.of("--listen", address + ":0", "--tcp", address + ":0"));
        command.addAll(List.of("--allow", "any"));
        command.addAll(List.of("--report", "1", "--json", served + "=" + HonestClient.EXPORT));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_TOOL_OPTIONS", javaOptions);
        builder.environment().put("XDG_STATE_HOME", directory.toString());
        process = builder.start();
        printed =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        var output = new StringBuilder();
        var line = printed.readLine();
        while (line != null && !line.startsWith("Serving.")) {
            output.append(line).append('\n');
            line = printed.readLine();
        }
        if (line == null) {
            throw new IOException("the server did not start:\n" + output);
        }
        rdmaPort = port(RDMA_PORT, output);
        tcpPort = port(TCP_PORT, output);
        Thread.ofPlatform().daemon().start(this::listen);
    }

    private static int port(Pattern pattern, CharSequence output) throws IOException {
        var found = pattern.matcher(output);
        if (!found.find()) {
            throw new IOException("the server named no port:\n" + output);
        }
        return Integer.parseInt(found.group(1));
    }

    private void listen() {
        try {
            for (var line = printed.readLine(); line != null; line = printed.readLine()) {
                if (line.startsWith("{")) {
                    var figures = new TreeMap<String, Long>();
                    var matcher = FIGURE.matcher(line);
                    while (matcher.find()) {
                        figures.put(matcher.group(1), Long.valueOf(matcher.group(2)));
                    }
                    report = figures;
                } else {
                    keep(line);
                }
            }
        } catch (IOException _) {
            // The server was stopped.
        }
    }

    private void keep(String line) {
        synchronized (lines) {
            lines.addLast(line);
            if (lines.size() > KEPT_LINES) {
                lines.removeFirst();
            }
        }
    }

    /** Returns the last lines of output that are not reports. */
    List<String> lastLines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    int rdmaPort() {
        return rdmaPort;
    }

    int tcpPort() {
        return tcpPort;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns a number from the newest report; -1 if there is none. */
    long reported(String name) {
        return report.getOrDefault(name, -1L);
    }

    /** Returns the resources in use after a garbage collection. */
    Held held() throws IOException, InterruptedException {
        // Other threads free what the first collection finds; that makes more objects unreachable.
        jcmd("GC.run");
        jcmd("GC.run");
        // Freed memory that the C library keeps is not in use by the server.
        jcmd("System.trim_native_heap");
        long heap =
                jcmd("GC.heap_info")
                        .lines()
                        .filter(line -> line.contains(" used "))
                        .filter(line -> line.contains("PSYoungGen") || line.contains("ParOldGen"))
                        .mapToLong(CrowdServer::usedKib)
                        .sum();
        return new Held(residentKib(), heap, count("fd"), count("task"));
    }

    private static long usedKib(String line) {
        var words = line.split(" used ")[1];
        return Long.parseLong(words.substring(0, words.indexOf('K')));
    }

    private Path proc(String name) {
        return Path.of("/proc", Long.toString(process.pid()), name);
    }

    int count(String directory) throws IOException {
        try (var entries = Files.list(proc(directory))) {
            return (int) entries.count();
        }
    }

    private long residentKib() throws IOException {
        try (var status = Files.lines(proc("status"))) {
            return status.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private String jcmd(String order) throws IOException, InterruptedException {
        var tool = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var asked =
                new ProcessBuilder(tool, Long.toString(process.pid()), order)
                        .redirectErrorStream(true)
                        .start();
        var output = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (asked.waitFor() != 0) {
            throw new IOException("jcmd " + order + " failed: " + output.strip());
        }
        return output;
    }

    /** Returns the processor time used so far. */
    Duration used() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        process.destroy();
        Child.awaitEnd(process);
    }
}
