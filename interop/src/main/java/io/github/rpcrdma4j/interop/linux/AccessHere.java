package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Outcome;
import io.github.rpcrdma4j.interop.access.ServerShell;
import io.github.rpcrdma4j.interop.access.Table;
import io.github.rpcrdma4j.interop.access.TableRun;
import io.github.rpcrdma4j.interop.access.TableServer;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tries the table on our server, on this machine.
 *
 * @param directory the directory for the files and the logs
 * @param identity the user and capabilities of the server
 */
record AccessHere(RunDirectories directories, Path directory, ServerIdentity identity) {
    /** The capabilities that a server without root needs to act for its callers. */
    private static final String FOR_CALLERS =
            Stream.of(
                            "chown",
                            "dac_override",
                            "dac_read_search",
                            "fowner",
                            "fsetid",
                            "mknod",
                            "setuid",
                            "setgid")
                    .map("+"::concat)
                    .collect(Collectors.joining(","));

    /** The user and capabilities of a server process. */
    enum ServerIdentity {
        /** Root. */
        ROOT,
        /**
         * Root without CAP_DAC_READ_SEARCH, which may not open files by handle, as in a container.
         */
        CONTAINED,
        /** An ordinary user with the capabilities to act for callers. */
        USER;

        /** Returns the prefix of a command line that runs the command with these rights. */
        private List<String> command() {
            return switch (this) {
                case ROOT -> List.of();
                case CONTAINED ->
                        List.of(
                                "setpriv",
                                "--bounding-set=-dac_read_search",
                                "--inh-caps=-dac_read_search");
                case USER ->
                        List.of(
                                "setpriv",
                                "--reuid=1000",
                                "--regid=1000",
                                "--clear-groups",
                                "--inh-caps=-all," + FOR_CALLERS,
                                "--ambient-caps=-all," + FOR_CALLERS);
            };
        }
    }

    private static final String LISTEN = "127.0.0.1";

    /** Runs scripts in a directory of this machine. */
    record LocalShell(Path base) implements ServerShell {
        @Override
        public List<String> run(String script) throws IOException, InterruptedException {
            var given = Files.createTempFile("table", ".sh");
            var printed = Files.createTempFile("table", ".out");
            try {
                Files.writeString(given, script);
                var process =
                        new ProcessBuilder("sh", given.toString())
                                .directory(base.toFile())
                                .redirectOutput(printed.toFile())
                                .start();
                var output =
                        new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
                if (process.waitFor() != 0) {
                    throw new IOException("a script for the table failed: " + output.strip());
                }
                return Files.readAllLines(printed, StandardCharsets.ISO_8859_1);
            } finally {
                Files.delete(given);
                Files.delete(printed);
            }
        }
    }

    /** Returns an outcome for each case; removes the files of the table. */
    List<Outcome> run(Table table) throws IOException, InterruptedException {
        var base = Files.createDirectories(directory.resolve("served"));
        var shell = new LocalShell(base);
        shell.run(TableRun.exportsScript());
        var log = directory.resolve("server.log");
        var words = ServedTable.words(base.toString());
        try (var server = OurServer.of(directories, identity.command(), words, LISTEN, log)) {
            var address = new InetSocketAddress(LISTEN, server.tcpPort());
            return new TableRun(table, TableServer.ours(address), shell).run();
        } finally {
            shell.run(TableRun.exportsScript());
        }
    }
}
