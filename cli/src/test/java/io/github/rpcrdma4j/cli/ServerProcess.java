package io.github.rpcrdma4j.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A process that serves until it is closed, usually {@code mem:}. The test can read everything it
 * prints.
 */
public final class ServerProcess implements AutoCloseable {
    private static final long STOP_SECONDS = 20;

    public final List<String> printed = new ArrayList<>();
    private final Process process;
    private final BufferedReader reader;

    public ServerProcess(String... options) throws IOException {
        this(List.of(), List.of("serve", "mem:"), options);
    }

    /** Starts a server of a directory. */
    public static ServerProcess serving(Path directory, String... options) throws IOException {
        return new ServerProcess(List.of(), List.of("serve", directory.toString()), options);
    }

    /** Starts a server of a directory with additional environment variables. */
    public static ServerProcess with(
            Map<String, String> environment, Path directory, String... options) throws IOException {
        var before = new ArrayList<>(List.of("env"));
        environment.forEach((name, value) -> before.add(name + "=" + value));
        return new ServerProcess(before, List.of("serve", directory.toString()), options);
    }

    /** Starts a server by its config file. */
    public static ServerProcess configured(Path file) throws IOException {
        return new ServerProcess(List.of(), List.of("serve", "--config", file.toString()));
    }

    /** Starts a server by its config file that knows the hosts of a file alone. */
    public static ServerProcess configured(Path file, Path hosts) throws IOException {
        return new ServerProcess(
                List.of("env", "JDK_JAVA_OPTIONS=-Djdk.net.hosts.file=" + hosts),
                List.of("serve", "--config", file.toString()));
    }

    /** Starts a server in a new network namespace, which has a loopback interface alone. */
    public static ServerProcess inItsOwnNetwork(String... options) throws IOException {
        return new ServerProcess(
                List.of("unshare", "-rn", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"),
                List.of("serve", "mem:"),
                options);
    }

    /** Starts a server whose standard error is what systemd says is its journal. */
    public static ServerProcess withJournal(Path directory) throws IOException {
        var journal =
                "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); export JOURNAL_STREAM;"
                        + " exec \"$@\"";
        return new ServerProcess(
                List.of("sh", "-c", journal, "sh"),
                List.of("serve", directory.toString(), "--listen", "127.0.0.1:0"));
    }

    public long pid() {
        return process.pid();
    }

    /** Returns whether the process has a socket open. */
    public boolean hasSocket(String inode) {
        try (var descriptors = Files.list(Path.of("/proc", "" + pid(), "fd"))) {
            return descriptors.anyMatch(each -> isLink(each, "socket:[" + inode + "]"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static boolean isLink(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException _) {
            // It was closed meanwhile.
            return false;
        }
    }

    /** Sends SIGHUP. */
    public void hangUp() throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-HUP", Long.toString(process.pid()));
        assertEquals(0, kill.inheritIO().start().waitFor());
    }

    /** Returns the path of the control socket, which the server prints. */
    public Path control() {
        return printed.stream()
                .filter(line -> line.contains("--control "))
                .map(line -> Path.of(line.substring(line.indexOf("--control ") + 10)))
                .findFirst()
                .orElseThrow();
    }

    /** Starts a server over RDMA and TCP that registers with an rpcbind. */
    public static ServerProcess registered(String rpcbindPort, String... options)
            throws IOException {
        var all = new ArrayList<>(List.of("--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0"));
        all.addAll(List.of("--rpcbind-port", rpcbindPort));
        all.addAll(List.of(options));
        return new ServerProcess(all.toArray(String[]::new));
    }

    /** Starts a server that is to ignore SIGHUP, as nohup starts it. */
    public static ServerProcess ignoringHangUp(String... options) throws IOException {
        return new ServerProcess(
                List.of("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"),
                List.of("serve", "mem:"),
                options);
    }

    /** Starts a gateway. */
    public static ServerProcess gateway(String listen, String to, String... options)
            throws IOException {
        return new ServerProcess(
                List.of(), List.of("gateway", "--listen", listen, "--to", to), options);
    }

    /** Starts a server with a limit on open descriptors. */
    public static ServerProcess withDescriptors(int max, String... options) throws IOException {
        var limited = "ulimit -n " + max + " && ulimit -Hn " + max + " && exec \"$@\"";
        return new ServerProcess(
                List.of("sh", "-c", limited, "sh"), List.of("serve", "mem:"), options);
    }

    /** Starts a server of a directory that may write no file of more than 8 blocks. */
    public static ServerProcess withFileBlocks(Path directory, String... options)
            throws IOException {
        return new ServerProcess(
                List.of("sh", "-c", "ulimit -S -f 8 && exec \"$@\"", "sh"),
                List.of("serve", directory.toString()),
                options);
    }

    /** Returns the command line of a process that runs a subcommand. */
    public static List<String> command(
            List<String> before, List<String> subcommand, String... options) {
        var command = new ArrayList<String>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // A server that lives for a second starts in half the time without the second compiler.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(Rpcrdma.class.getName());
        command.addAll(subcommand);
        command.addAll(List.of(options));
        return command;
    }

    private ServerProcess(List<String> before, List<String> subcommand, String... options)
            throws IOException {
        var command = command(before, subcommand, options);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = process.inputReader();
        var line = reader.readLine();
        while (line != null && !line.endsWith("Stop with Ctrl-C.")) {
            printed.add(line);
            line = reader.readLine();
        }
        assertTrue(
                line != null,
                () -> "ended with " + process.onExit().join().exitValue() + ": " + printed);
    }

    /** Returns the URL that the server prints. */
    public String url() {
        return printed.stream()
                .filter(line -> line.contains("rpcrdma ls "))
                .map(line -> line.substring(line.indexOf("rdma://")))
                .findFirst()
                .orElseThrow();
    }

    /** Waits for a line that contains a match of the pattern. */
    public void awaitLine(Pattern wanted) throws IOException {
        var line = reader.readLine();
        while (line != null && !wanted.matcher(line).find()) {
            printed.add(line);
            line = reader.readLine();
        }
        assertTrue(line != null, () -> "ended: " + printed);
        printed.add(line);
    }

    @Override
    public void close() throws IOException {
        process.toHandle().destroy();
        reader.lines().forEach(printed::add);
        reader.close();
        process.onExit().orTimeout(STOP_SECONDS, TimeUnit.SECONDS).join();
    }
}
