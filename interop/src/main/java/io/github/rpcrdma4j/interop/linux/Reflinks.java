package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.linux.DiskImage.FileSystem;
import io.github.rpcrdma4j.interop.matrix.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Checks clones and copies of files on our server, on a file system whose files can share blocks
 * and on one whose files cannot. Both are images that this host mounts, so the file system of the
 * run makes no difference.
 *
 * @param version the version of the mounts, as their option
 */
record Reflinks(CellRun run, String version) {
    private static final Duration LIMIT = Duration.ofSeconds(240);
    private static final Path FILE_SYSTEMS = Path.of("/proc/filesystems");

    /** A line of {@code filefrag -v} for an extent; its group is the number of blocks. */
    private static final Pattern EXTENT =
            Pattern.compile("\\s*\\d+:\\s*\\d+\\.\\.\\s*\\d+:\\s*\\d+\\.\\.\\s*\\d+:\\s*(\\d+):.*");

    /** Makes the check, or says why it cannot be made here. */
    void check() throws IOException, InterruptedException, GuestException {
        var obstacle = obstacle();
        if (obstacle.isPresent()) {
            run.skip(Check.REFLINK, obstacle.get());
            return;
        }
        run.check(Check.REFLINK, this::make);
    }

    private static Optional<String> obstacle() throws IOException, InterruptedException {
        if (!HostUser.isRoot()) {
            return Optional.of("it needs root");
        }
        if (hasXfs()) {
            return Optional.empty();
        }
        try {
            DiskImage.run("modprobe", "xfs");
        } catch (IOException _) {
            return Optional.of("this kernel has no xfs");
        }
        return hasXfs() ? Optional.empty() : Optional.of("this kernel has no xfs");
    }

    private static boolean hasXfs() throws IOException {
        return Files.readAllLines(FILE_SYSTEMS).stream().anyMatch(line -> line.endsWith("\txfs"));
    }

    private void make(CellRun.Findings findings)
            throws IOException, InterruptedException, GuestException {
        try (var xfs = mounted(FileSystem.XFS);
                var ext4 = mounted(FileSystem.EXT4);
                var server = serve(List.of(xfs.root() + "=/xfs", ext4.root() + "=/ext4"))) {
            run.script(
                    findings,
                    request -> expectShared(findings, xfs.root(), request.split(" ")),
                    LIMIT,
                    "with.sh",
                    version,
                    "linux-client/reflink.sh",
                    Integer.toString(server.rdmaPort()));
        }
    }

    private DiskImage.Mounted mounted(FileSystem fileSystem)
            throws IOException, InterruptedException {
        var directory =
                Files.createDirectories(run.logs().resolve("disks").resolve(fileSystem.name()));
        var image = DiskImage.in(directory, fileSystem);
        image.format();
        return image.mount();
    }

    private OurServer serve(List<String> exports) throws IOException, InterruptedException {
        var served = new ArrayList<>(List.of("--allow", "any,no_root_squash"));
        served.addAll(exports);
        return OurServer.of(
                run.directories(),
                List.of(),
                served,
                run.network().listen(),
                run.logs().resolve("reflink-server.log"));
    }

    /** Carries out a request {@code shared NAME BLOCKS} of the guest. */
    private static void expectShared(CellRun.Findings findings, Path root, String... request)
            throws IOException, InterruptedException {
        var listed = DiskImage.run("filefrag", "-s", "-v", root.resolve(request[1]).toString());
        long shared = sharedBlocks(listed);
        findings.expect(
                shared == Long.parseLong(request[2]),
                "%s shares %d blocks, not %s: %s"
                        .formatted(request[1], shared, request[2], listed.strip()));
    }

    /**
     * Returns how many blocks of a file are also blocks of another one.
     *
     * @param listed the extents of the file, as {@code filefrag -v} lists them
     */
    static long sharedBlocks(String listed) {
        long blocks = 0;
        for (var line : listed.lines().toList()) {
            var extent = EXTENT.matcher(line);
            if (extent.matches() && line.contains("shared")) {
                blocks += Long.parseLong(extent.group(1));
            }
        }
        return blocks;
    }
}
