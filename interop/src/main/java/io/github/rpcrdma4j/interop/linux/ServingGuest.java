package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A guest whose servers the host can reach. Our server runs in it on the host's JDK. */
final class ServingGuest implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(300);
    private static final String JDK = "jdk";
    private static final int OUR_PORT = 22049;

    private final Guest guest;
    private final Path shared;
    private final String address;

    private ServingGuest(Guest guest, Path shared, String address) {
        this.guest = guest;
        this.shared = shared;
        this.address = address;
    }

    /**
     * Boots a guest.
     *
     * @param logs the directory for the guest's logs; existing files in it are removed
     * @param jdk the JDK of our server, which the guest may read
     * @param disks the images of its disks
     * @param ports ports of the guest that the host can reach, besides the port of our server
     */
    static ServingGuest boot(
            RunDirectories directories, Path logs, Path jdk, List<Path> disks, int... ports)
            throws IOException, InterruptedException {
        RunDirectories.remove(logs);
        var shared = Files.createDirectories(logs.resolve("shared"));
        RunDirectories.copy(directories.home().resolve("interop/scenarios"), shared);
        var forwarded = IntStream.concat(IntStream.of(OUR_PORT), IntStream.of(ports)).toArray();
        var network = Network.user(forwarded);
        var machine =
                Machine.of(directories.image(), shared, logs, network, Map.of(JDK, jdk), disks);
        try {
            return new ServingGuest(
                    Guest.boot(machine, new ArrayList<>()), shared, network.knfsd());
        } catch (GuestException lost) {
            throw new IOException(lost.getMessage(), lost);
        }
    }

    /** Returns the directory that the guest sees as {@code /host}. */
    Path shared() {
        return shared;
    }

    /** Returns the address at which the host reaches the guest's ports. */
    String address() {
        return address;
    }

    /** Returns the process id of the emulator. */
    long pid() {
        return guest.pid();
    }

    /**
     * Runs a script of the scenarios.
     *
     * @return the lines that the script printed
     * @throws IOException if the script fails or the guest dies
     */
    List<String> script(String name, String... arguments) throws IOException, InterruptedException {
        try {
            var ended = guest.run(_ -> {}, LIMIT, name, arguments);
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

    /**
     * Starts our server.
     *
     * @param words directories and rules, in the syntax of the command
     * @param descriptors the limit of the server's open files
     * @return the server's address for TCP
     */
    InetSocketAddress serve(RunDirectories directories, List<String> words, int descriptors)
            throws IOException, InterruptedException {
        var modules = Files.createDirectories(shared.resolve("modules"));
        copyModules(directories.home().resolve("cli/target"), modules);
        copyModules(directories.home().resolve("cli/target/runtime"), modules);
        Files.writeString(shared.resolve("served"), String.join(" ", words) + "\n");
        script("ours.sh", Integer.toString(OUR_PORT), Integer.toString(descriptors));
        return new InetSocketAddress(address, OUR_PORT);
    }

    private static void copyModules(Path from, Path to) throws IOException {
        try (var files = Files.list(from)) {
            for (var file : files.filter(each -> each.toString().endsWith(".jar")).toList()) {
                Files.copy(
                        file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
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
