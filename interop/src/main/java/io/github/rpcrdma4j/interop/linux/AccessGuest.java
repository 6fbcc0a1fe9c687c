package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.access.Fill;
import io.github.rpcrdma4j.interop.access.Outcome;
import io.github.rpcrdma4j.interop.access.ServerSide;
import io.github.rpcrdma4j.interop.access.Table;
import io.github.rpcrdma4j.interop.access.TableRun;
import io.github.rpcrdma4j.interop.access.TableServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tries the table on servers that run in a guest, on one file system of the guest. */
final class AccessGuest implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(300);
    private static final String SCENARIOS = "access/";
    private static final String JDK = "jdk";
    private static final int NFS_PORT = 2049;
    private static final int OUR_PORT = 22049;

    /**
     * File systems are told apart by numbers: the table's begin here, and the small one is this.
     */
    private static final int FIRST_ID = 10;

    private static final int SMALL_ID = 1;

    private final Guest guest;
    private final Path shared;
    private final String address;

    private AccessGuest(Guest guest, Path shared, String address) {
        this.guest = guest;
        this.shared = shared;
        this.address = address;
    }

    /** A server of the guest. */
    private enum Served {
        KNFSD,
        OURS;

        private String base() {
            return "/table/" + folder();
        }

        private String small() {
            return "/small/" + folder();
        }

        private String folder() {
            return switch (this) {
                case KNFSD -> "knfsd";
                case OURS -> "ours";
            };
        }
    }

    /** Runs scripts in a folder of the guest. */
    private record Inside(AccessGuest at, String base) implements ServerSide {
        @Override
        public List<String> run(String script) throws IOException, InterruptedException {
            Files.writeString(at.shared.resolve("step"), script);
            at.script("step.sh", base);
            return Files.readAllLines(at.shared.resolve("step.out"), StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * Boots a guest with the file systems of the table.
     *
     * @param logs its folder, made anew
     * @param jdk lent to the guest, for our server
     */
    static AccessGuest boot(Place place, Path logs, Path jdk)
            throws IOException, InterruptedException {
        Place.remove(logs);
        var shared = Files.createDirectories(logs.resolve("shared"));
        Place.copy(
                place.home().resolve("interop/scenarios/" + SCENARIOS),
                Files.createDirectory(shared.resolve(SCENARIOS)));
        var network = Network.user(NFS_PORT, Network.MOUNT_PORT, OUR_PORT);
        var machine = Machine.of(place.image(), shared, logs, network, Map.of(JDK, jdk));
        try {
            var guest = Guest.boot(machine, new ArrayList<>());
            var booted = new AccessGuest(guest, shared, network.knfsd());
            booted.script("file-systems.sh");
            return booted;
        } catch (GuestException lost) {
            throw new IOException(lost.getMessage(), lost);
        }
    }

    private List<String> script(String name, String... arguments)
            throws IOException, InterruptedException {
        try {
            var ended = guest.run(_ -> {}, LIMIT, SCENARIOS + name, arguments);
            if (ended.status() != 0) {
                throw new IOException(
                        "%s ended with %d in the guest: %s"
                                .formatted(name, ended.status(), ended.printed()));
            }
            return ended.printed();
        } catch (GuestException lost) {
            throw new IOException(lost.getMessage(), lost);
        }
    }

    /** The kernel, the file system, and what of the system's settings is about access. */
    List<String> notes() throws IOException, InterruptedException {
        return script("notes.sh");
    }

    /** Tries the table, and how far callers get who fill a file system, on the kernel's server. */
    List<Outcome> runKnfsd(Table table) throws IOException, InterruptedException {
        var exports = new ArrayList<>(ServedTable.exports(Served.KNFSD.base(), FIRST_ID));
        exports.add(
                "%s/open *(rw,no_root_squash,sync,insecure,no_subtree_check,fsid=%d)"
                        .formatted(Served.KNFSD.small(), SMALL_ID));
        Files.write(shared.resolve("exports"), exports);
        prepare(Served.KNFSD);
        script("knfsd.sh");
        return outcomes(
                table,
                Served.KNFSD,
                new InetSocketAddress(address, NFS_PORT),
                new InetSocketAddress(address, Network.MOUNT_PORT));
    }

    /** Tries the same on our server. */
    List<Outcome> runOurs(Place place, Table table) throws IOException, InterruptedException {
        var modules = Files.createDirectories(shared.resolve("modules"));
        copyModules(place.home().resolve("cli/target"), modules);
        copyModules(place.home().resolve("cli/target/lib"), modules);
        var words = new ArrayList<>(ServedTable.words(Served.OURS.base()));
        words.add(Served.OURS.small() + "/open=/small/open");
        words.add("--allow");
        words.add("/small/open=any,no_root_squash");
        Files.writeString(shared.resolve("served"), String.join(" ", words) + "\n");
        prepare(Served.OURS);
        script("ours.sh", Integer.toString(OUR_PORT));
        var at = new InetSocketAddress(address, OUR_PORT);
        return outcomes(table, Served.OURS, at, at);
    }

    private void prepare(Served served) throws IOException, InterruptedException {
        new Inside(this, served.base()).run(TableRun.exportsScript());
    }

    private List<Outcome> outcomes(
            Table table, Served served, InetSocketAddress nfs, InetSocketAddress mount)
            throws IOException, InterruptedException {
        boolean isKnfsd = served == Served.KNFSD;
        var all = new TableServer(nfs, mount, isKnfsd ? served.base() : "");
        var small = new TableServer(nfs, mount, isKnfsd ? served.small() : "/small");
        // A server that the table makes wait would have nothing for the other.
        var filled = new Fill(small, new Inside(this, served.small() + "/open")).run();
        var outcomes =
                new ArrayList<>(new TableRun(table, all, new Inside(this, served.base())).run());
        outcomes.addAll(filled);
        return outcomes;
    }

    private static void copyModules(Path from, Path to) throws IOException {
        try (var files = Files.list(from)) {
            for (var file : files.filter(each -> each.toString().endsWith(".jar")).toList()) {
                Files.copy(
                        file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    @Override
    public void close() {
        guest.close();
    }
}
