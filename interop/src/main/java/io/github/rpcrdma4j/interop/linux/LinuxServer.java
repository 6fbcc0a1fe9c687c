package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.Shapes;
import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The checks of a cell in which our client uses the kernel's server.
 *
 * <p>Tests: {@code interop/run}.
 */
final class LinuxServer {
    private static final Duration SHORT = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofSeconds(240);
    private static final List<Integer> SIZES =
            List.of(
                    0, 1, 2, 3, 4, 3000, 3948, 4095, 4096, 4097, 65535, 65537, 262143, 1048575,
                    1048576, 1048577, 5000001);
    private static final List<String> VERSIONS = List.of("4.2", "4.1", "4.0", "3");
    private static final int MANY = 2000;
    private static final int PROTECTED = 5_000_003;
    private static final int NEWEST = 1_000_003;
    private static final int LARGE = 150_000_000;

    private final CellRun run;
    private final Commands commands;

    LinuxServer(CellRun run) {
        this.run = run;
        commands =
                new Commands(
                        run.directories(),
                        run.network(),
                        run.cell().crc(),
                        run.logs().resolve("commands.log"));
    }

    /**
     * Makes the checks of a cell.
     *
     * @param quick whether to make only the short checks
     */
    void run(boolean quick) throws IOException, InterruptedException, GuestException {
        boot();
        run.check(Check.TREE, this::tree);
        var copies = ArchiveCopies.toGuest(run, commands);
        run.check(Check.ATTRIBUTES, findings -> copies.make(quick, findings));
        run.check(Check.METADATA_COMMANDS, this::metadataCommands);
        run.check(Check.NEWEST_VERSION, this::newestVersion);
        run.check(Check.MANY_FILES, this::manyFiles);
        if (!quick) {
            run.check(Check.KNFSD_RESTARTS, this::restart);
            run.check(Check.MANY_CONNECTIONS, new ManyConnections(run)::make);
        }
        script(Check.LEFTOVERS, "counters.sh");
        run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
    }

    /** Makes the checks of a cell with Kerberos. */
    void runKerberos() throws IOException, InterruptedException, GuestException {
        run.boot(
                Map.of(
                        "SERVER", run.network().host(),
                        "PORT", "0",
                        "MOUNT_PORT", "0",
                        "KNFSD", run.network().knfsd(),
                        "KDC_PORT", Integer.toString(Network.KDC_PORT)));
        script(Check.KNFSD, "start.sh", "sys:krb5:krb5i:krb5p");
        run.check(Check.KNFSD_KERBEROS, this::kerberos);
        run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
    }

    /** Makes the checks of a cell of our client by version 4. */
    void runVersion4(boolean quick) throws IOException, InterruptedException, GuestException {
        boot("sys", "all");
        var versions = new ClientVersions(run, commands, this);
        run.check(Check.CLIENT_VERSIONS, findings -> versions.make(quick, findings));
        if (!quick) {
            var copies = ArchiveCopies.toGuest(run, commands.withNfs("4.2"));
            run.check(Check.ATTRIBUTES, findings -> copies.make(false, findings));
        }
        if (!quick && run.cell().isAsShipped()) {
            var urls = List.of(commands.url(""), commands.tcpUrl(""));
            run.check(
                    Check.EVERY_COMMAND,
                    findings -> new EveryCommand(run).make(VERSIONS, urls, findings));
        }
        script(Check.LEFTOVERS, "counters.sh");
        run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
    }

    /** Sends all chunk shapes, some of which break rules on purpose. */
    void runShapes() throws IOException, InterruptedException, GuestException {
        boot("sys", "all");
        run.check(Check.SHAPES, this::shapes);
        run.check(Check.KERNEL_LOG, new KernelLog(run)::read);
    }

    private void boot(String... served) throws IOException, InterruptedException, GuestException {
        run.boot(Map.of("SERVER", run.network().host(), "PORT", "0", "MOUNT_PORT", "0"));
        script(Check.KNFSD, "start.sh", served);
    }

    private void script(Check check, String script, String... arguments)
            throws IOException, InterruptedException, GuestException {
        run.script(check, _ -> {}, SHORT, "linux-server/" + script, arguments);
    }

    /** Returns the checksums of the export's files by name, as the guest computes them. */
    Map<String, String> guestSums() throws IOException, InterruptedException, GuestException {
        var sums = new TreeMap<String, String>();
        for (var line : run.guest().run(_ -> {}, LONG, "linux-server/sums.sh").printed()) {
            int blank = line.indexOf(' ');
            sums.put(line.substring(blank + 1), line.substring(0, blank));
        }
        return sums;
    }

    static Map<String, String> sums(Path directory, String prefix) throws IOException {
        var sums = new TreeMap<String, String>();
        try (var all = Files.walk(directory)) {
            for (var file : all.filter(Files::isRegularFile).toList()) {
                if (!Files.isSymbolicLink(file)) {
                    sums.put(prefix + directory.relativize(file), sum(Files.readAllBytes(file)));
                }
            }
        }
        return sums;
    }

    private static String sum(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java has SHA-256", missing);
        }
    }

    Path makeTree() throws IOException {
        var tree = Files.createDirectories(run.logs().resolve("tree"));
        for (int size : SIZES) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Files.write(tree.resolve("file" + size), bytes);
        }
        var inner = Files.createDirectories(tree.resolve("directory/in a directory"));
        Files.createDirectory(tree.resolve("empty"));
        Files.writeString(inner.resolve("n".repeat(255)), "a long name");
        Files.writeString(inner.resolve("grüße, мир"), "not ASCII", StandardCharsets.UTF_8);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("directory/in a directory"));
        var program = Files.writeString(tree.resolve("program"), "#!/bin/sh\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return tree;
    }

    private void tree(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var tree = makeTree();
        commands.succeeds(findings, LONG, "put", "-r", tree.toString(), commands.url(""));
        var local = sums(tree, "./tree/");
        findings.note(local.size() + " files");
        findings.expect(local.equals(guestSums()), "knfsd's files differ from the source");
        var back = run.logs().resolve("back");
        commands.succeeds(findings, LONG, "get", "-r", commands.url("/tree"), back.toString());
        findings.expect(
                local.equals(sums(back, "./tree/")), "the returned files differ from the source");
        findings.expect(
                Files.isSymbolicLink(back.resolve("link"))
                        && Files.readSymbolicLink(back.resolve("link"))
                                .equals(Path.of("directory/in a directory")),
                "the returned copy lacks the symbolic link");
        findings.expect(Files.isDirectory(back.resolve("empty")), "the empty directory is missing");
        findings.expect(Files.isExecutable(back.resolve("program")), "the program cannot be run");
    }

    private void metadataCommands(CellRun.Findings findings)
            throws IOException, InterruptedException {
        var stat = commands.run(SHORT, "stat", "--json", commands.url("/tree/file4097"));
        findings.expect(stat.printed().contains("\"size\":4097"), "stat: " + stat.printed());
        var list = commands.run(SHORT, "ls", commands.url("/tree"));
        findings.expect(
                list.printed().lines().count() == SIZES.size() + 4, "ls: " + list.printed());
        commands.succeeds(findings, SHORT, "mkdir", commands.url("/made"));
        commands.succeeds(findings, SHORT, "mv", commands.url("/tree/file3"), "/export/made/moved");
        commands.succeeds(findings, SHORT, "rm", commands.url("/made/moved"));
        commands.succeeds(findings, SHORT, "rm", "-d", commands.url("/made"));
        commands.succeeds(findings, LONG, "rm", "-r", commands.url("/tree"));
        var missing = commands.run(SHORT, "stat", commands.url("/tree"));
        findings.expect(missing.status() == 1, "a removed directory is still there");
        commands.succeeds(findings, SHORT, "ping", "-n", "100", commands.url(""));
    }

    private void newestVersion(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        new NewestVersion(run).make(findings);
        byte[] bytes = new byte[NEWEST];
        new Random(NEWEST).nextBytes(bytes);
        var file = Files.write(run.logs().resolve("newest"), bytes);
        var back = run.logs().resolve("newest-back");
        var auto = commands.withVersion("auto");
        auto.succeeds(findings, LONG, "put", file.toString(), auto.url("/newest"));
        findings.expect(
                Map.of("./newest", sum(bytes)).equals(guestSums()),
                "knfsd's file differs from the source");
        auto.succeeds(findings, LONG, "get", auto.url("/newest"), back.toString());
        findings.expect(
                Files.mismatch(file, back) < 0, "the returned file differs from the source");
        auto.succeeds(findings, SHORT, "rm", auto.url("/newest"));
        var only2 = commands.withVersion("2");
        var ended = only2.run(SHORT, "ls", only2.url(""));
        findings.expect(
                ended.status() == 1 && ended.printed().contains("does not speak version 2"),
                "with version 2 alone: " + ended.printed());
    }

    private void manyFiles(CellRun.Findings findings) throws IOException, InterruptedException {
        var many = Files.createDirectories(run.logs().resolve("many"));
        for (int i = 0; i < MANY; i++) {
            Files.writeString(many.resolve("a-file-with-a-longish-name-" + i), "content of " + i);
        }
        commands.succeeds(findings, LONG, "put", "-r", many.toString(), commands.url(""));
        var list = commands.run(SHORT, "ls", commands.url("/many"));
        findings.expect(
                list.printed().lines().distinct().count() == MANY,
                "ls shows " + list.printed().lines().count() + " lines");
        commands.succeeds(findings, LONG, "rm", "-r", commands.url("/many"));
    }

    private void kerberos(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var realm = run.guest().run(_ -> {}, SHORT, "linux-server/kerberos.sh");
        findings.expect(realm.status() == 0, "the realm: " + realm.printed());
        var configuration = run.logs().resolve("krb5.conf");
        Files.writeString(
                configuration,
                """
                [libdefaults]
                 default_realm = TEST
                 dns_canonicalize_hostname = false
                 udp_preference_limit = 1
                [realms]
                 TEST = {
                  kdc = %s:%d
                 }
                """
                        .formatted(run.network().knfsd(), Network.KDC_PORT));
        byte[] bytes = new byte[PROTECTED];
        new Random(PROTECTED).nextBytes(bytes);
        var file = Files.write(run.logs().resolve("protected"), bytes);
        var back = run.logs().resolve("protected-back");
        var tickets = run.directories().shared(run.cell()).resolve("tickets");
        for (var flavor : List.of("krb5", "krb5i", "krb5p")) {
            var as = commands.withKerberos(flavor, tickets, configuration);
            as.succeeds(findings, LONG, "put", file.toString(), as.url("/protected"));
            findings.expect(
                    Map.of("./protected", sum(bytes)).equals(guestSums()),
                    flavor + ": knfsd's file differs from the source");
            as.succeeds(findings, LONG, "get", as.url("/protected"), back.toString());
            findings.expect(
                    Files.mismatch(file, back) < 0,
                    flavor + ": the returned file differs from the source");
            Files.delete(back);
            as.succeeds(findings, SHORT, "rm", as.url("/protected"));
            var nobody = commands.withKerberos(flavor, back, configuration);
            var ended = nobody.run(SHORT, "ls", nobody.url(""));
            findings.expect(
                    ended.status() == 1 && ended.printed().contains("run kinit"),
                    flavor + " without a ticket: " + ended.printed());
        }
    }

    private void shapes(CellRun.Findings findings) throws IOException, InterruptedException {
        var printed = run.logs().resolve("shapes.log");
        try (var out = new PrintStream(printed.toFile(), StandardCharsets.UTF_8)) {
            int status =
                    Shapes.run(
                            new IwarpProvider(IwarpOptions.DEFAULT.withCrc(run.cell().crc())),
                            out,
                            run.network().knfsd() + ":" + Network.RDMA_PORT,
                            Integer.toString(Network.MOUNT_PORT),
                            "/export");
            var lines = Files.readString(printed).lines().toList();
            findings.note(lines.getLast());
            lines.stream().filter(line -> line.startsWith("FAIL ")).forEach(findings::fail);
            findings.expect(status == 0, "some shapes got a wrong answer, or were not tried");
        }
    }

    private void restart(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var large = run.logs().resolve("large");
        byte[] bytes = new byte[LARGE];
        new Random(LARGE).nextBytes(bytes);
        Files.write(large, bytes);
        var printed = run.logs().resolve("put.log");
        var put =
                commands.start(
                        printed, "put", "--retry", "120", large.toString(), commands.url("/large"));
        try {
            var restarted = run.guest().run(_ -> {}, LONG, "linux-server/restart.sh");
            findings.expect(restarted.status() == 0, "knfsd: " + restarted.printed());
            findings.expect(put.isAlive(), "the file was there before knfsd stopped");
            findings.expect(
                    put.waitFor(LONG) && put.exitValue() == 0,
                    "put: " + Files.readString(printed).strip());
        } finally {
            put.destroyForcibly();
        }
        findings.expect(
                Map.of("./large", sum(bytes)).equals(guestSums()),
                "knfsd's file differs from the source");
        commands.succeeds(findings, SHORT, "rm", commands.url("/large"));
        Files.delete(large);
    }
}
