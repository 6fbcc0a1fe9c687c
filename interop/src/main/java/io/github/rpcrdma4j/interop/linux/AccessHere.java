package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Outcome;
import io.github.rpcrdma4j.interop.access.ServerSide;
import io.github.rpcrdma4j.interop.access.Table;
import io.github.rpcrdma4j.interop.access.TableRun;
import io.github.rpcrdma4j.interop.access.TableServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tries the table on our server, on this machine. */
record AccessHere(Place place, Path folder) {
    private static final String LISTEN = "127.0.0.1";

    /** Runs scripts in a folder of this machine. */
    record Here(Path base) implements ServerSide {
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
                var said =
                        new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
                if (process.waitFor() != 0) {
                    throw new IOException("a script for the table failed: " + said.strip());
                }
                return Files.readAllLines(printed, StandardCharsets.ISO_8859_1);
            } finally {
                Files.delete(given);
                Files.delete(printed);
            }
        }
    }

    /** An outcome for each case; no file of the table is left. */
    List<Outcome> run(Table table) throws IOException, InterruptedException {
        var base = Files.createDirectories(folder.resolve("served"));
        var side = new Here(base);
        side.run(TableRun.exportsScript());
        var log = folder.resolve("server.log");
        try (var server = OurServer.of(place, ServedTable.words(base.toString()), LISTEN, log)) {
            var address = new InetSocketAddress(LISTEN, server.tcpPort());
            return new TableRun(table, new TableServer(address, address, ""), side).run();
        } finally {
            side.run(TableRun.exportsScript());
        }
    }
}
