package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The command {@code rpcrdma serve} in a process of its own. Its ports stay the same over a
 * restart.
 *
 * <p>Tests: {@code interop/run}.
 */
final class OurServer implements AutoCloseable {
    private static final Duration REPORT_LIMIT = Duration.ofSeconds(20);
    private static final Duration LIST_LIMIT = Duration.ofSeconds(60);

    /** What the server prints in front of the path of its control socket. */
    private static final String CONTROL = "To see its clients: rpcrdma clients --control ";

    private static final Pattern THREAD = Pattern.compile("^\"(.*)\" #", Pattern.MULTILINE);

    private static final Pattern FIGURE = Pattern.compile("\"(\\w+)\":(-?\\d+)");

    /**
     * The standard port of NFS over RDMA. rpc.gssd recognizes NFS over RDMA by this port, and then
     * makes its contexts over TCP.
     */
    static final int KERBEROS_RDMA_PORT = 20049;

    static final int KERBEROS_TCP_PORT = 2049;

    private final List<String> command;
    private final Map<String, String> environment = new TreeMap<>();
    private final Path log;

    /** What outlives a restart; in a short path, because the path of a socket has 107 bytes. */
    private final Path state;

    private final int rdmaPort;
    private final int tcpPort;
    private final SynchronousQueue<String> reports = new SynchronousQueue<>();
    private ServingProcess process;

    /** The path of the control socket; set before the server serves. */
    private volatile String control;

    /**
     * Starts to serve.
     *
     * @param export the directory to serve as {@code /export}
     * @param listen an address of this host
     * @param log the file to which the server's output is appended
     */
    OurServer(RunDirectories directories, Path export, String listen, boolean crc, Path log)
            throws IOException, InterruptedException {
        this(directories, served(export), listen, freePort(listen), freePort(listen), log);
        if (!crc) {
            command.add("--no-crc");
        }
        start();
    }

    private OurServer(
            RunDirectories directories,
            List<String> served,
            String listen,
            int rdmaPort,
            int tcpPort,
            Path log)
            throws IOException {
        this(directories, rdmaPort, tcpPort, log);
        command.addAll(
                List.of(
                        "--listen",
                        listen + ":" + rdmaPort,
                        "--tcp",
                        listen + ":" + tcpPort,
                        "--report",
                        "1",
                        "--json"));
        command.addAll(served);
    }

    private OurServer(RunDirectories directories, int rdmaPort, int tcpPort, Path log)
            throws IOException {
        this.log = log;
        this.state = Files.createTempDirectory("state");
        environment.put("XDG_STATE_HOME", state.toString());
        this.rdmaPort = rdmaPort;
        this.tcpPort = tcpPort;
        command = new ArrayList<>(List.of(directories.launcher().toString(), "serve"));
    }

    private static List<String> served(Path export) {
        return List.of("--allow", "any,no_root_squash", export + "=/export");
    }

    /**
     * Starts to serve several directories.
     *
     * @param prefix a command that runs the server as another user; may be empty
     * @param served directories and rules, in the syntax of the command
     */
    static OurServer of(
            RunDirectories directories,
            List<String> prefix,
            List<String> served,
            String listen,
            Path log)
            throws IOException, InterruptedException {
        var server =
                new OurServer(directories, served, listen, freePort(listen), freePort(listen), log);
        server.command.addAll(0, prefix);
        server.start();
        return server;
    }

    /**
     * Starts to serve at the standard ports, with the shortest lease. Clients that know no other
     * port find it.
     */
    static OurServer atStandardPorts(
            RunDirectories directories, Path export, String listen, boolean crc, Path log)
            throws IOException, InterruptedException {
        var server =
                new OurServer(
                        directories,
                        served(export),
                        listen,
                        Network.RDMA_PORT,
                        Network.NFS_PORT,
                        log);
        server.command.addAll(List.of("--lease", "10"));
        if (!crc) {
            server.command.add("--no-crc");
        }
        server.start();
        return server;
    }

    /**
     * Starts to serve with Kerberos, as the principal {@code nfs/host}.
     *
     * @param configuration a {@code krb5.conf}
     */
    static OurServer withKerberos(
            RunDirectories directories,
            Path export,
            String listen,
            Path log,
            Path configuration,
            Path keytab)
            throws IOException, InterruptedException {
        var server =
                new OurServer(
                        directories,
                        served(export),
                        listen,
                        KERBEROS_RDMA_PORT,
                        KERBEROS_TCP_PORT,
                        log);
        server.command.addAll(
                List.of(
                        "--sec",
                        "krb5p,krb5i,krb5",
                        "--keytab",
                        keytab.toString(),
                        "--principal",
                        "nfs/host"));
        server.environment.put("JAVA_TOOL_OPTIONS", "-Djava.security.krb5.conf=" + configuration);
        server.start();
        return server;
    }

    /**
     * Starts to serve what a config file says.
     *
     * @param rdmaPort the port of {@code listen} in the file
     * @param tcpPort the port of {@code tcp} in the file
     */
    static OurServer configured(
            RunDirectories directories, Path file, int rdmaPort, int tcpPort, Path log)
            throws IOException, InterruptedException {
        var server = new OurServer(directories, rdmaPort, tcpPort, log);
        server.command.addAll(List.of("--config", file.toString()));
        server.start();
        return server;
    }

    /** Returns a port that is free now. */
    static int freePort(String listen) throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(listen, 0));
            return socket.getLocalPort();
        }
    }

    int rdmaPort() {
        return rdmaPort;
    }

    /** Returns the process id of the server. */
    long pid() {
        return process.pid();
    }

    int tcpPort() {
        return tcpPort;
    }

    private void start() throws IOException, InterruptedException {
        process =
                ServingProcess.start(
                        command,
                        environment,
                        log,
                        "Serving.",
                        line -> {
                            if (line.startsWith("{")) {
                                reports.offer(line);
                            } else if (line.startsWith(CONTROL)) {
                                control = line.substring(CONTROL.length());
                            }
                        });
    }

    /** Kills the process and starts another on the same ports. */
    void restart() throws IOException, InterruptedException {
        process.kill();
        start();
    }

    /** Has the server read its config file again and open its log again, by SIGHUP. */
    void reload() throws IOException, InterruptedException {
        DiskImage.run("kill", "-HUP", Long.toString(pid()));
    }

    /** Returns the figures of the server's next report, by name. */
    Map<String, Long> counters() throws IOException, InterruptedException {
        var report = reports.poll(REPORT_LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (report == null) {
            throw new IOException("our server reports nothing: see " + log);
        }
        var counters = new TreeMap<String, Long>();
        var figures = FIGURE.matcher(report);
        while (figures.find()) {
            counters.put(figures.group(1), Long.parseLong(figures.group(2)));
        }
        return counters;
    }

    /**
     * Returns the names of the server's threads with their numbers left out, and how many have
     * each. Virtual threads are not among them.
     */
    Map<String, Long> threads() throws IOException, InterruptedException {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        return THREAD.matcher(DiskImage.run(jcmd, Long.toString(pid()), "Thread.print"))
                .results()
                .map(found -> found.group(1).replaceAll("\\d+", "N"))
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
    }

    /**
     * Returns what a command of administrators says about the state of this server.
     *
     * @param command such as {@code clients}
     */
    String list(RunDirectories directories, String command)
            throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(
                                directories.launcher().toString(),
                                command,
                                "--control",
                                control,
                                "--json")
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        var listing = builder.start();
        var words = new String(listing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!listing.waitFor(LIST_LIMIT) || listing.exitValue() != 0) {
            throw new IOException(command + " failed: see " + log);
        }
        return words.strip();
    }

    @Override
    public void close() {
        process.close();
        try {
            RunDirectories.remove(state);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
