package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Locks of version 3 at our server, which has an rpcbind. The guest has to have an address, because
 * the server calls it: so this needs the direct link, and root.
 */
final class Locks3 {
    private static final Duration LIMIT = Duration.ofSeconds(300);
    private static final String FILE = "locked";

    private final CellRun run;

    /** The local lock, while there is one. */
    private FileChannel held;

    Locks3(CellRun run) {
        this.run = run;
    }

    /** Makes the checks, with a server for them alone. */
    void run() throws IOException, InterruptedException, GuestException {
        var served =
                List.of(
                        "--rpcbind",
                        "--lease",
                        "10",
                        "--grace",
                        "20",
                        "--allow",
                        "any,no_root_squash",
                        run.export() + "=/export");
        var prefix = List.of(run.directories().home().resolve("interop/with-rpcbind").toString());
        try (var server =
                OurServer.of(
                        run.directories(),
                        prefix,
                        served,
                        run.network().listen(),
                        run.logs().resolve("locks-server.log"))) {
            script(Check.LOCKS, server, "locks.sh");
            script(Check.LOCKS_3, server, "locks3.sh");
            script(Check.RECLAIM, server, "reclaim.sh");
            RestartedHost.check(run, server);
        }
    }

    private void script(Check check, OurServer server, String script)
            throws IOException, InterruptedException, GuestException {
        var words =
                new ArrayList<>(
                        List.of(
                                Integer.toString(server.rdmaPort()),
                                Integer.toString(server.tcpPort()),
                                "linux-client/" + script));
        run.script(
                check,
                request -> handle(server, request),
                LIMIT,
                "linux-client/with-locks.sh",
                words.toArray(String[]::new));
    }

    /** Carries out a request of the guest. */
    private void handle(OurServer server, String request) throws IOException, InterruptedException {
        switch (request) {
            case "restart-server" -> server.restart();
            case "try-locally" -> {
                try (var channel = open()) {
                    answer(channel.tryLock(120, 1, false) == null ? "refused" : "got");
                }
            }
            case "hold-locally" -> {
                held = open();
                held.lock(100, 50, false);
            }
            case "release-locally" -> held.close();
            default -> throw new IllegalArgumentException(request);
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(run.export().resolve(FILE), StandardOpenOption.WRITE);
    }

    private void answer(String words) throws IOException {
        Files.writeString(run.directories().shared(run.cell()).resolve("answer"), words + "\n");
    }
}
