package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * Checks that the work of a client goes on while a server of ours reads its config file again. One
 * export stays, with a rule that changes; another one comes and goes. The log of the server is
 * renamed meanwhile.
 *
 * @param version the version of the mounts, as their option
 */
record Reloads(CellRun run, String version) {
    private static final Duration LIMIT = Duration.ofSeconds(900);
    private static final int RELOADS = 50;

    /** Each reload of such a number finds a mistake in the file. */
    private static final int MISTAKEN = 10;

    /** The log is renamed before each reload of such a number. */
    private static final int ROTATED = 5;

    void check() throws IOException, InterruptedException, GuestException {
        run.check(
                Check.RELOADS,
                findings -> {
                    var path = run.logs().resolve("reloading-server.log");
                    try (var log = new RotatedLog(path)) {
                        make(findings, log);
                    }
                });
    }

    private void make(CellRun.Findings findings, RotatedLog log)
            throws IOException, InterruptedException, GuestException {
        var served = Files.createDirectory(run.directories().shared(run.cell()).resolve("reloads"));
        Files.createDirectory(served.resolve("stays"));
        Files.createDirectory(served.resolve("comes"));
        var file =
                new ConfigFile(
                        run.logs().resolve("serve.toml"),
                        log.path(),
                        served,
                        OurServer.freePort(run.network().listen()),
                        OurServer.freePort(run.network().listen()),
                        run.network().listen());
        file.write(0);
        try (var server =
                OurServer.configured(
                        run.directories(),
                        file.path(),
                        file.rdmaPort(),
                        file.tcpPort(),
                        run.logs().resolve("reloading-server-output.log"))) {
            run.script(
                    findings,
                    request -> reload(findings, server, file, log, request),
                    LIMIT,
                    "linux-client/with-ports.sh",
                    Integer.toString(file.rdmaPort()),
                    Integer.toString(file.tcpPort()),
                    version,
                    "linux-client/reloads.sh",
                    Integer.toString(RELOADS));
        }
        findings.expect(
                log.reloads().size() == RELOADS,
                "the log tells of %d reloads".formatted(log.reloads().size()));
    }

    /** Carries out a request {@code reload NUMBER} of the guest. */
    private static void reload(
            CellRun.Findings findings,
            OurServer server,
            ConfigFile file,
            RotatedLog log,
            String request)
            throws IOException, InterruptedException {
        int number = Integer.parseInt(request.substring(request.indexOf(' ') + 1));
        file.write(number);
        if (number % ROTATED == 0) {
            log.rotate();
        }
        server.reload();
        var line = log.awaitReload(number);
        findings.expect(
                Files.exists(log.path()), "after reload %d there is no log".formatted(number));
        findings.expect(
                line.contains("not reloaded") == isMistaken(number),
                "after reload %d the server said: %s".formatted(number, line));
    }

    private static boolean isMistaken(int number) {
        return number > 0 && number % MISTAKEN == 0;
    }

    private record ConfigFile(
            Path path, Path log, Path served, int rdmaPort, int tcpPort, String listen) {
        /** Writes the file of a reload. It is whole at all times. */
        void write(int number) throws IOException {
            var text =
                    new StringBuilder(
                            """
                            listen = "%s:%d"
                            tcp = "%s:%d"
                            log-file = "%s"
                            """
                                    .formatted(listen, rdmaPort, listen, tcpPort, log));
            text.append(export("stays", number % 4 < 2 ? "" : ",async"));
            if (number % 2 != 0) {
                text.append(export("comes", ""));
            }
            if (isMistaken(number)) {
                text.append(export("wrong", ",no_such_option"));
            }
            var written = Files.writeString(path.resolveSibling("serve.toml.new"), text);
            Files.move(written, path, StandardCopyOption.ATOMIC_MOVE);
        }

        private String export(String name, String more) {
            return """

            [export."/%s"]
            directory = "%s"
            allow = ["any,no_root_squash%s"]
            """
                    .formatted(name, served.resolve(name), more);
        }
    }
}
