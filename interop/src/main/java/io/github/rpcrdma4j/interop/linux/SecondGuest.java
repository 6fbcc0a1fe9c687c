package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A second guest of a cell. Its kernel serves what the first guest mounts, or mounts what the first
 * guest mounts.
 */
final class SecondGuest implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private final Guest guest;
    private final Path shared;

    private SecondGuest(Guest guest, Path shared) {
        this.guest = guest;
        this.shared = shared;
    }

    /**
     * Boots the guest.
     *
     * @param name the directory of its logs below those of the cell
     * @param settings shell variables for the scenarios
     */
    static SecondGuest boot(CellRun run, String name, Network network, Map<String, String> settings)
            throws IOException, InterruptedException, GuestException {
        return boot(run, name, network, settings, List.of());
    }

    /**
     * Boots the guest with disks.
     *
     * @param disks their images, in order
     */
    static SecondGuest boot(
            CellRun run,
            String name,
            Network network,
            Map<String, String> settings,
            List<Path> disks)
            throws IOException, InterruptedException, GuestException {
        var logs = run.logs().resolve(name);
        var shared = Files.createDirectories(logs.resolve("shared"));
        RunDirectories.copy(run.directories().home().resolve("interop/scenarios"), shared);
        CellRun.writeSettings(shared, run.cell(), settings);
        var machine = Machine.of(run.directories().image(), shared, logs, network, Map.of(), disks);
        return new SecondGuest(Guest.boot(machine, new ArrayList<>()), shared);
    }

    /** Returns the directory that the guest sees as {@code /host}. */
    Path shared() {
        return shared;
    }

    /**
     * Runs a script of the scenarios.
     *
     * @throws IOException if the guest dies or hangs
     */
    Guest.Ended script(String script, String... arguments)
            throws IOException, InterruptedException {
        try {
            return guest.run(_ -> {}, LIMIT, script, arguments);
        } catch (GuestException lost) {
            throw new IOException(lost.getMessage(), lost);
        }
    }

    /** Kills the emulator, as if the guest lost its power. */
    void powerOff() throws InterruptedException {
        guest.powerOff();
    }

    @Override
    public void close() {
        guest.close();
    }
}
