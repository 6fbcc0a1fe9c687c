package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.linux.DiskImage.FileSystem;
import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Checks access control lists of version 3 (NFSACL) on our server, on an ext4 that this host
 * mounts.
 */
record Acls(CellRun run) {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** Lists what is in a directory, as the script does. */
    private static final String LISTING =
            "cd \"$1\" && find . | LC_ALL=C sort | getfacl --numeric --no-effective -";

    /** Makes the check, or says why it cannot be made here. */
    void check() throws IOException, InterruptedException, GuestException {
        if (!HostUser.isRoot()) {
            run.skip(Check.ACLS, "it needs root");
            return;
        }
        run.check(Check.ACLS, this::make);
    }

    private void make(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        var image =
                DiskImage.in(Files.createDirectories(run.logs().resolve("acls")), FileSystem.EXT4);
        image.format();
        try (var ext4 = image.mount();
                var server =
                        OurServer.of(
                                run.directories(),
                                List.of(),
                                List.of("--allow", "any,no_root_squash", ext4.root() + "=/acls"),
                                run.network().listen(),
                                run.logs().resolve("acls-server.log"))) {
            run.script(
                    findings,
                    request -> list(ext4.root().resolve(request)),
                    LIMIT,
                    "linux-client/with-ports.sh",
                    Integer.toString(server.rdmaPort()),
                    Integer.toString(server.tcpPort()),
                    "3",
                    "linux-client/acls.sh");
        }
    }

    /** Tells the guest what the file system has. */
    private void list(Path directory) throws IOException, InterruptedException {
        Files.writeString(
                run.directories().shared(run.cell()).resolve("answer"),
                DiskImage.run("sh", "-c", LISTING, "sh", directory.toString()));
    }
}
