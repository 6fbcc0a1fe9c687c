package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import io.github.rpcrdma4j.interop.storage.Steps;
import io.github.rpcrdma4j.interop.storage.StorageClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Cuts the power of a guest with our server just after a reply, and checks its disk for the replied
 * changes. With {@code async} the server may lose changes. A run without losses then fails, because
 * the cuts came too late to test anything.
 *
 * <p>Tests: {@code interop/storage}.
 *
 * @param export {@code sync} or {@code async}
 * @param out receives a line for each check
 */
record PowerCuts(
        RunDirectories directories,
        Path logs,
        Path jdk,
        String export,
        long seed,
        Consumer<String> out) {
    private static final String SCENARIOS = "storage/";
    private static final String SERVED = "export";
    private static final int DESCRIPTORS = 4096;

    /**
     * The time in milliseconds after a reply within which nothing else writes the change to
     * storage. A later cut proves little.
     */
    private static final long SOON_MILLIS = 1000;

    /**
     * The limit of the changes before the last one in a boot; later changes bring these to storage
     * anyway.
     */
    private static final int STEPS_MAX = 12;

    /** An event in which a guest loses what is only in its memory. */
    private interface Cut {
        /**
         * @return the disk without the changes that were only in memory
         */
        DiskImage make(ServingGuest guest, DiskImage disk) throws IOException, InterruptedException;
    }

    private boolean isSync() {
        return export.equals("sync");
    }

    private ServingGuest boot(DiskImage disk) throws IOException, InterruptedException {
        disk.format();
        var guest = ServingGuest.boot(directories, logs, jdk, List.of(disk.file()));
        guest.script(SCENARIOS + "disk.sh");
        return guest;
    }

    private StorageClient connect(ServingGuest guest) throws IOException, InterruptedException {
        var words =
                List.of("/disk/export=/export", "--allow", "/export=any,no_root_squash," + export);
        return new StorageClient(guest.serve(directories, words, DESCRIPTORS), "/export");
    }

    private List<Steps.Kind> shuffled(long number) {
        var kinds = new ArrayList<>(Arrays.asList(Steps.Kind.values()));
        Collections.shuffle(kinds, new Random(seed + number));
        return kinds;
    }

    /**
     * Stops a guest after each change and checks a copy of its disk.
     *
     * @param rounds how often to make each kind of change
     * @return whether every check passed
     */
    boolean stops(Path directory, int rounds) throws IOException, InterruptedException {
        var disk = DiskImage.in(directory, DiskImage.FileSystem.EXT4);
        int cuts = 0;
        int losses = 0;
        try (var guest = boot(disk);
                var client = connect(guest)) {
            var steps = new Steps(client, seed);
            for (int round = 0; round < rounds; round++) {
                for (var kind : shuffled(round)) {
                    losses += cut(guest, disk, steps, kind, PowerCuts::stop) ? 0 : 1;
                    cuts++;
                }
            }
        }
        return verdict("stopped", cuts, losses);
    }

    private static DiskImage stop(ServingGuest guest, DiskImage disk)
            throws IOException, InterruptedException {
        var pid = Long.toString(guest.pid());
        DiskImage.run("kill", "-STOP", pid);
        try {
            return disk.copy();
        } finally {
            DiskImage.run("kill", "-CONT", pid);
        }
    }

    /**
     * Kills guests, each after some changes. The last change is of the next kind in each guest.
     *
     * @return whether every check passed
     */
    boolean kills(Path directory, int boots) throws IOException, InterruptedException {
        var random = new Random(seed);
        var kinds = shuffled(0);
        int losses = 0;
        for (int number = 0; number < boots; number++) {
            var disk = DiskImage.in(directory, DiskImage.FileSystem.EXT4);
            try (var guest = boot(disk);
                    var client = connect(guest)) {
                var steps = new Steps(client, seed + number);
                for (int before = random.nextInt(STEPS_MAX); before > 0; before--) {
                    steps.make(kinds.get(random.nextInt(kinds.size())));
                }
                var kind = kinds.get(number % kinds.size());
                losses += cut(guest, disk, steps, kind, PowerCuts::kill) ? 0 : 1;
            }
        }
        return verdict("killed", boots, losses);
    }

    private static DiskImage kill(ServingGuest guest, DiskImage disk) throws InterruptedException {
        guest.powerOff();
        return disk;
    }

    /**
     * Makes a change, cuts the power after its reply, and returns whether all changes are on the
     * disk.
     */
    private boolean cut(ServingGuest guest, DiskImage disk, Steps steps, Steps.Kind kind, Cut cut)
            throws IOException, InterruptedException {
        steps.make(kind);
        long replied = System.nanoTime();
        var left = cut.make(guest, disk);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - replied);
        List<String> differences;
        try {
            differences = steps.expected().differences(left.read(SERVED));
        } catch (IOException damaged) {
            differences = List.of(damaged.getMessage());
        }
        boolean there = differences.isEmpty();
        var at = "%s, power lost within %d ms".formatted(kind, millis);
        if (there) {
            out.accept((isSync() ? "PASS " : "NOTE ") + at);
        } else {
            out.accept((isSync() ? "FAIL " : "NOTE ") + at + ": " + String.join("; ", differences));
        }
        if (millis > SOON_MILLIS) {
            out.accept("NOTE the power cut was late");
        }
        return there;
    }

    private boolean verdict(String how, int cuts, int losses) {
        boolean passed = isSync() ? losses == 0 : losses > 0;
        out.accept(
                "%s %s: guest %s %d times, seed %d, something lost %d times"
                        .formatted(passed ? "PASS" : "FAIL", export, how, cuts, seed, losses));
        return passed;
    }
}
