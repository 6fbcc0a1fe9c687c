package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.relay.Relay;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What the host does with files of our server that a guest has delegated: a local process opens
 * them, and a client of version 3 or another guest writes to them. It also cuts the connection of
 * the guest, and tells the guest which files are delegated, in the words of knfsd.
 *
 * <p>Tests: {@code interop/run}.
 */
final class HostUses {
    private static final Pattern DELEGATION =
            Pattern.compile("\"inode\":(\\d+),.*\"type\":\"(read|write)\"");
    private static final List<String> KINDS =
            List.of("append", "replace-by-client", "append-by-guest", "read");
    private static final int FILES = 6;

    static final String WITHOUT_SESSIONS = "4.0";

    private static final Duration LIMIT = Duration.ofSeconds(240);

    private final CellRun run;
    private final String version;

    /**
     * @param version that of the guest's mount
     */
    HostUses(CellRun run, String version) {
        this.run = run;
        this.version = version;
    }

    /** Makes the check, with a server for it alone. */
    void check(CellRun.Findings findings) throws IOException, InterruptedException, GuestException {
        check(findings, null);
    }

    /**
     * Makes the check, with a server for it alone.
     *
     * @param second the guest that writes to the files; null for the host
     */
    void check(CellRun.Findings findings, SecondGuest second)
            throws IOException, InterruptedException, GuestException {
        var served =
                List.of(
                        "--delegations",
                        "leases",
                        "--allow",
                        "any,no_root_squash",
                        run.export() + "=/export");
        try (var server =
                        OurServer.of(
                                run.directories(),
                                List.of(),
                                served,
                                run.network().listen(),
                                run.logs().resolve("delegations-server.log"));
                var relay = relay(server)) {
            run.script(
                    findings,
                    request -> handle(findings, server, relay, second, request),
                    LIMIT,
                    "with.sh",
                    version,
                    "gateway/delegations.sh",
                    Integer.toString(hasSessions() ? relay.port() : server.rdmaPort()),
                    second == null ? "append,replace-by-client" : "append-by-guest",
                    hasSessions() ? "cut" : "stay");
            if (second == null) {
                run.script(
                        findings,
                        this::requireTime,
                        LIMIT,
                        "with.sh",
                        version,
                        "linux-client/delegated-times.sh",
                        Integer.toString(server.rdmaPort()));
            }
        }
    }

    /** Carries out a request {@code time FILE SECONDS}: the file was changed then. */
    private void requireTime(String request) throws IOException {
        var words = request.split(" ");
        var time = Files.getLastModifiedTime(run.export().resolve(words[1])).toInstant();
        if (time.getEpochSecond() != Long.parseLong(words[2])) {
            throw new IOException(
                    "%s has the time %s on the host: a program has set %s"
                            .formatted(
                                    words[1],
                                    time,
                                    Instant.ofEpochSecond(Long.parseLong(words[2]))));
        }
    }

    /**
     * Returns whether the server calls the guest back over the guest's connection. Otherwise the
     * server calls the address of the guest, and has to see it.
     */
    private boolean hasSessions() {
        return !version.equals(WITHOUT_SESSIONS);
    }

    /** Returns a relay that passes all, until the guest asks for the end of its connection. */
    private Relay relay(OurServer server) throws IOException {
        var listen = run.network().listen();
        var all =
                new Relay.Gate() {
                    @Override
                    public boolean passesToServer(ByteBuffer bytes) {
                        return true;
                    }

                    @Override
                    public boolean passesToClient(ByteBuffer bytes) {
                        return true;
                    }
                };
        return new Relay(listen, new InetSocketAddress(listen, server.rdmaPort()), () -> all);
    }

    /** Carries out a request of the guest. */
    private void handle(
            CellRun.Findings findings,
            OurServer server,
            Relay relay,
            SecondGuest second,
            String request)
            throws IOException, InterruptedException {
        var words = request.split(" ");
        switch (words[0]) {
            case "make" -> make(run.export().resolve(words[1]));
            case "list" ->
                    Files.write(
                            run.directories().shared(run.cell()).resolve("answer"),
                            delegations(server));
            case "append" ->
                    Files.writeString(
                            run.export().resolve(words[1]),
                            "appended\n",
                            StandardOpenOption.APPEND);
            case "replace-by-client" -> put(server, words[1]);
            case "append-by-guest" ->
                    findings.add(
                            second.script(
                                    "with.sh",
                                    version,
                                    "gateway/delegated.sh",
                                    words[0],
                                    words[1],
                                    Integer.toString(server.rdmaPort())));
            case "cut" -> relay.cut();
            case "read" -> read(run.export().resolve(words[1]));
            default -> throw new IllegalArgumentException(request);
        }
    }

    private static void make(Path directory) throws IOException {
        var all = PosixFilePermissions.fromString("rwxrwxrwx");
        Files.setPosixFilePermissions(Files.createDirectory(directory), all);
        for (var kind : KINDS) {
            for (int i = 1; i <= FILES; i++) {
                var file = directory.resolve(kind + "-" + i);
                Files.setPosixFilePermissions(Files.writeString(file, "made\n"), all);
            }
        }
    }

    private List<String> delegations(OurServer server) throws IOException, InterruptedException {
        var names = new HashMap<String, Path>();
        try (var files = Files.walk(run.export())) {
            for (var each : files.filter(Files::isRegularFile).toList()) {
                names.put(Files.getAttribute(each, "unix:ino").toString(), each);
            }
        }
        var lines = new ArrayList<String>();
        var listed = DELEGATION.matcher(server.list(run.directories(), "delegations"));
        while (listed.find()) {
            lines.add(
                    "type: deleg, access: %c, name: \"%s\""
                            .formatted(listed.group(2).charAt(0), names.get(listed.group(1))));
        }
        return lines;
    }

    private void put(OurServer server, String file) throws IOException, InterruptedException {
        var source = Files.writeString(run.logs().resolve("appended"), "made\nappended\n");
        var put =
                new ProcessBuilder(
                                run.directories().launcher().toString(),
                                "put",
                                source.toString(),
                                "rdma://%s:%d/export/%s"
                                        .formatted(run.network().listen(), server.rdmaPort(), file))
                        .redirectErrorStream(true)
                        .start();
        var words = new String(put.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (put.waitFor() != 0) {
            throw new IOException("put failed: " + words);
        }
    }

    private static void read(Path file) throws IOException {
        var content = Files.readString(file);
        if (!content.equals("made\nwritten\n")) {
            throw new IOException("a local process has read " + content.strip());
        }
    }
}
