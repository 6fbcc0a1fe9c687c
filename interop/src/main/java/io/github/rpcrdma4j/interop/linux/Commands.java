package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs our client commands against the guest's server.
 *
 * @param log the file to which the output of the commands is appended
 * @param options options of every command
 * @param environment environment variables of every command
 */
record Commands(
        RunDirectories directories,
        Network network,
        boolean crc,
        Path log,
        List<String> options,
        Map<String, String> environment) {
    Commands(RunDirectories directories, Network network, boolean crc, Path log) {
        this(directories, network, crc, log, List.of(), Map.of());
    }

    /** Returns these commands with a choice of the RPC-over-RDMA version. */
    Commands withVersion(String choice) {
        return new Commands(
                directories, network, crc, log, List.of("--rpcrdma-version", choice), environment);
    }

    /** Returns these commands with a version of NFS. */
    Commands withNfs(String version) {
        return new Commands(
                directories, network, crc, log, List.of("--vers", version), environment);
    }

    /** Returns the URL of a file in the guest's export, over TCP. */
    String tcpUrl(String path) {
        return "nfs://" + network.knfsd() + ":" + Network.NFS_PORT + "/export" + path;
    }

    /** Returns these commands with a Kerberos flavor. */
    Commands withKerberos(String flavor, Path tickets, Path configuration) {
        return new Commands(
                directories,
                network,
                crc,
                log,
                List.of("--sec", flavor, "--ticket-cache", tickets.toString()),
                Map.of("JAVA_TOOL_OPTIONS", "-Djava.security.krb5.conf=" + configuration));
    }

    /**
     * The end of a command.
     *
     * @param status the exit status; -1 if the command took too long
     */
    record Ended(int status, String printed) {}

    /** Returns the URL of a file in the guest's export. */
    String url(String path) {
        return "rdma://" + network.knfsd() + ":" + Network.RDMA_PORT + "/export" + path;
    }

    Ended run(Duration limit, String... arguments) throws IOException, InterruptedException {
        var printed = Files.createTempFile(log.getParent(), "command", ".log");
        var process = start(printed, arguments);
        boolean inTime = process.waitFor(limit);
        if (!inTime) {
            process.destroyForcibly();
        }
        var text = Files.readString(printed);
        Files.delete(printed);
        Files.writeString(
                log,
                String.join(" ", arguments) + "\n" + text,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        return new Ended(inTime ? process.exitValue() : -1, text);
    }

    /** Runs a command that has to succeed. */
    void succeeds(CellRun.Findings findings, Duration limit, String... arguments)
            throws IOException, InterruptedException {
        var ended = run(limit, arguments);
        findings.expect(
                ended.status() == 0,
                "%s ended with %d: %s"
                        .formatted(String.join(" ", arguments), ended.status(), ended.printed()));
    }

    /** Returns a command with its options, in front of what another command may follow. */
    List<String> words(String... arguments) {
        var words = new ArrayList<String>();
        words.add(arguments[0]);
        words.addAll(options);
        words.addAll(List.of("--mount-tcp", Integer.toString(Network.MOUNT_PORT)));
        if (!crc) {
            words.add("--no-crc");
        }
        words.addAll(List.of(arguments).subList(1, arguments.length));
        return words;
    }

    /** Starts a command in the background; its output goes to {@code printed}. */
    Process start(Path printed, String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(directories.launcher().toString()));
        command.addAll(words(arguments));
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(printed.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }
}
