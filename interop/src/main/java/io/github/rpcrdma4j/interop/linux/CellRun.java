package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.Check;
import io.github.rpcrdma4j.interop.matrix.Outcome;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One boot of a guest, and the checks made with it.
 *
 * <p>Tests: {@code interop/run}.
 */
final class CellRun {
    private final RunDirectories directories;
    private final Cell cell;
    private final Network network;
    private final PrintWriter progress;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<String> bootNotes = new ArrayList<>();
    private Guest guest;

    /** The findings of a check; it passed if there is no failure. */
    static final class Findings {
        private final List<String> failures = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();

        void fail(String what) {
            failures.add(what);
        }

        void note(String what) {
            notes.add(what);
        }

        void expect(boolean holds, String otherwise) {
            if (!holds) {
                fail(otherwise);
            }
        }

        /** Adds what a script found, by the lines that it printed. */
        void add(Guest.Ended script) {
            var other = new ArrayList<String>();
            for (var line : script.printed()) {
                if (line.startsWith("FAIL ")) {
                    fail(line.substring(5));
                } else if (line.startsWith("NOTE ")) {
                    note(line.substring(5));
                } else if (!line.startsWith("PASS ")) {
                    other.add(line);
                }
            }
            if (script.status() != 0) {
                fail("ended with " + script.status() + " and said " + other);
            }
        }
    }

    /** A check that needs no guest. */
    interface HostCheck {
        void make(Findings findings) throws IOException, InterruptedException;
    }

    /** A check that may need the guest. */
    interface GuestCheck {
        void make(Findings findings) throws IOException, InterruptedException, GuestException;
    }

    CellRun(RunDirectories directories, Cell cell, PrintWriter progress) throws IOException {
        this.directories = directories;
        this.cell = cell;
        this.progress = progress;
        network = cell.variant().needsLink() ? Network.link() : Network.user(guestPorts(cell));
        directories.prepare(cell);
    }

    private static int[] guestPorts(Cell cell) {
        return switch (cell.direction()) {
            case LINUX_CLIENT,
                    LINUX_CLIENT_4_1,
                    LINUX_CLIENT_4_2,
                    LINUX_KERBEROS,
                    GATEWAY_GANESHA,
                    GATEWAY_KNFSD,
                    ADAPTER_SIW,
                    ADAPTER_RXE ->
                    new int[0];
            case OUR_CLIENT, CHUNK_SHAPES -> new int[] {Network.RDMA_PORT, Network.MOUNT_PORT};
            case OUR_CLIENT_4 ->
                    new int[] {Network.RDMA_PORT, Network.NFS_PORT, Network.MOUNT_PORT};
            case OUR_KERBEROS ->
                    new int[] {Network.RDMA_PORT, Network.MOUNT_PORT, Network.KDC_PORT};
        };
    }

    RunDirectories directories() {
        return directories;
    }

    Cell cell() {
        return cell;
    }

    Network network() {
        return network;
    }

    Guest guest() {
        return guest;
    }

    Path logs() {
        return directories.logs(cell);
    }

    Path export() {
        return directories.shared(cell).resolve("export");
    }

    List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }

    /**
     * Boots the guest.
     *
     * @param settings shell variables for the scenarios
     */
    void boot(Map<String, String> settings)
            throws IOException, InterruptedException, GuestException {
        boot(settings, Map.of());
    }

    /**
     * Boots the guest.
     *
     * @param settings shell variables for the scenarios
     * @param readOnlyShares directories that the guest may read, by mount tag
     */
    void boot(Map<String, String> settings, Map<String, Path> readOnlyShares)
            throws IOException, InterruptedException, GuestException {
        writeSettings(directories.shared(cell), cell, settings);
        long start = System.nanoTime();
        guest = Guest.boot(Machine.of(directories, cell, network, readOnlyShares), bootNotes);
        progress.printf("%s: booted in %.1f s%n", cell.name(), (System.nanoTime() - start) / 1e9);
        bootNotes.forEach(note -> progress.printf("%s: %s%n", cell.name(), note));
        progress.flush();
    }

    /**
     * Writes shell variables for the scenarios.
     *
     * @param shared the directory that a guest sees as {@code /host}
     */
    static void writeSettings(Path shared, Cell cell, Map<String, String> settings)
            throws IOException {
        var lines =
                new StringBuilder("SIW='" + String.join(" ", cell.variant().switches()) + "'\n");
        settings.forEach(
                (name, value) -> lines.append(name).append('=').append(value).append('\n'));
        Files.writeString(shared.resolve("cell"), lines);
    }

    /** Makes a check that is one script in the guest. */
    void script(
            Check check,
            Guest.RequestHandler requests,
            Duration limit,
            String script,
            String... arguments)
            throws IOException, InterruptedException, GuestException {
        check(check, findings -> script(findings, requests, limit, script, arguments));
    }

    /** Runs a script in the guest as part of a check. */
    void script(
            Findings findings,
            Guest.RequestHandler requests,
            Duration limit,
            String script,
            String... arguments)
            throws IOException, InterruptedException, GuestException {
        findings.add(guest.run(requests, limit, script, arguments));
    }

    /** Makes a check on the host. A guest that died or hung ends the cell. */
    void check(Check check, GuestCheck action) throws InterruptedException, GuestException {
        var lost = new ArrayList<GuestException>();
        checkOnHost(
                check,
                findings -> {
                    try {
                        action.make(findings);
                    } catch (GuestException failure) {
                        findings.fail(failure.getMessage());
                        lost.add(failure);
                    }
                });
        if (!lost.isEmpty()) {
            throw lost.getFirst();
        }
    }

    /** Makes a check that needs no guest. */
    void checkOnHost(Check check, HostCheck action) throws InterruptedException {
        var findings = new Findings();
        long start = System.nanoTime();
        try {
            action.make(findings);
        } catch (IOException failure) {
            findings.fail(failure.toString());
        }
        var outcome =
                new Outcome(
                        cell,
                        check,
                        findings.failures.isEmpty(),
                        findings.failures,
                        findings.notes,
                        Duration.ofNanos(System.nanoTime() - start));
        outcomes.add(outcome);
        progress.printf(
                "  %s %-20s %6.1f s%n",
                outcome.passed() ? "passed" : "FAILED",
                check.words(),
                outcome.took().toMillis() / 1e3);
        outcome.failures().forEach(failure -> progress.printf("         %s%n", failure));
        outcome.notes().forEach(note -> progress.printf("         (%s)%n", note));
        progress.flush();
    }

    /** Says that a check is not made here. It has no outcome. */
    void skip(Check check, String why) {
        progress.printf("  skipped %s: %s%n", check.words(), why);
        progress.flush();
    }

    /** Records that the guest died or hung, unless a failed check has recorded it. */
    void lost(GuestException reason) {
        if (outcomes.stream().allMatch(Outcome::passed)) {
            outcomes.add(
                    new Outcome(
                            cell,
                            Check.GUEST,
                            false,
                            List.of(reason.getMessage()),
                            List.of(),
                            Duration.ZERO));
        }
    }

    void endGuest() {
        if (guest != null) {
            guest.close();
        }
    }
}
