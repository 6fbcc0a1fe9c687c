package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * Our client uses the kernel's server by version 4, over both transports.
 *
 * <p>Tests: {@code interop/run}.
 */
final class ClientVersions {
    private static final Duration SHORT = Duration.ofSeconds(150);
    private static final Duration LONG = Duration.ofSeconds(240);
    private static final int LARGE = 20_000_001;
    private static final int MANY = 500;

    private final CellRun run;
    private final Commands commands;
    private final LinuxServer server;

    ClientVersions(CellRun run, Commands commands, LinuxServer server) {
        this.run = run;
        this.commands = commands;
        this.server = server;
    }

    void make(boolean quick, CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var tree = server.makeTree();
        byte[] bytes = new byte[LARGE];
        new Random(LARGE).nextBytes(bytes);
        Files.write(tree.resolve("large"), bytes);
        var many = Files.createDirectories(run.logs().resolve("many"));
        for (int i = 0; i < MANY; i++) {
            Files.writeString(many.resolve("file" + i), "content of " + i);
        }
        for (var version : quick ? List.of("4.2") : List.of("4.2", "4.1")) {
            var by = commands.withNfs(version);
            make(by, by::url, tree, many, "rdma-" + version, findings);
            make(by, by::tcpUrl, tree, many, "tcp-" + version, findings);
        }
    }

    private void make(
            Commands by,
            UnaryOperator<String> url,
            Path tree,
            Path many,
            String name,
            CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        by.succeeds(findings, LONG, "put", "-r", tree.toString(), url.apply(""));
        var local = LinuxServer.sums(tree, "./tree/");
        findings.expect(local.equals(server.guestSums()), name + ": knfsd's files differ");
        returned(by, url, tree, "tree", name, findings);
        by.succeeds(findings, SHORT, "cp", url.apply("/tree/large"), "/export/copy");
        var copy = server.guestSums().get("./copy");
        findings.expect(
                local.get("./tree/large").equals(copy), name + ": the copy on knfsd differs");
        by.succeeds(findings, SHORT, "rm", url.apply("/copy"));
        lock(by, url.apply("/lock"), name, findings);
        by.succeeds(findings, SHORT, "rm", "-r", url.apply("/tree"), url.apply("/lock"));
        by.succeeds(findings, LONG, "put", "-r", many.toString(), url.apply(""));
        returned(by, url, many, "many", name, findings);
        by.succeeds(findings, SHORT, "rm", "-r", url.apply("/many"));
        findings.expect(
                server.guestSums().equals(Map.of()), name + ": removed files are still there");
    }

    private void returned(
            Commands by,
            UnaryOperator<String> url,
            Path source,
            String directory,
            String name,
            CellRun.Findings findings)
            throws IOException, InterruptedException {
        var back = run.logs().resolve("back-" + directory + "-" + name);
        by.succeeds(findings, LONG, "get", "-r", url.apply("/" + directory), back.toString());
        findings.expect(
                LinuxServer.sums(source, "./").equals(LinuxServer.sums(back, "./")),
                name + ": the returned files differ from the source");
    }

    /** The command that runs under the lock asks for the same lock. */
    private static void lock(Commands by, String file, String name, CellRun.Findings findings)
            throws IOException, InterruptedException {
        var inner = by.words("lock", "-n", "-E", "7", file, "--", "true");
        var outer = new ArrayList<>(List.of("lock", "-n", file, "--"));
        outer.add(by.directories().launcher().toString());
        outer.addAll(inner);
        var refused = by.run(SHORT, outer.toArray(String[]::new));
        findings.expect(refused.status() == 7, name + ": a second lock: " + refused.printed());
        by.succeeds(findings, SHORT, "lock", "-n", file, "--", "true");
    }
}
