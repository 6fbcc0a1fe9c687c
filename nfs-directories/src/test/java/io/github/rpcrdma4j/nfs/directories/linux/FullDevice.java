package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An ext4 file system whose device has less space than it reports: a file in a small in-memory file
 * system, behind a loop device. There is space for the journal and the other metadata, but not for
 * most data. Writes succeed, and fail later when their data is forced.
 */
public final class FullDevice implements AutoCloseable {
    private static final int BYTES = 32 << 20;

    /** After the journal and the inode tables, but before most of the data. */
    private static final int BACKED_MEGABYTES = 16;

    private static final List<String> DIRECTORIES =
            List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin");

    private static final System.Logger LOG = System.getLogger(FullDevice.class.getName());

    private final Path memory;
    private final Path mounted;
    private final Path image;
    private final Thread atEnd = new Thread(this::unmountAll);

    private FullDevice(Path directory) throws IOException {
        memory = Files.createDirectory(directory.resolve("memory"));
        mounted = Files.createDirectory(directory.resolve("mounted"));
        image = memory.resolve("image");
    }

    /** Makes a device, or skips the test if that is impossible. */
    public static FullDevice in(Path directory) throws IOException, InterruptedException {
        assumeTrue(
                (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0,
                "only root mounts file systems");
        for (var program : List.of("mkfs.ext4", "mount", "umount")) {
            assumeTrue(isInstalled(program), program + " is missing");
        }
        var device = new FullDevice(directory);
        Runtime.getRuntime().addShutdownHook(device.atEnd);
        boolean made = false;
        try {
            made = device.make();
        } finally {
            if (!made) {
                device.close();
            }
        }
        assumeTrue(made, "there are no loop devices here");
        return device;
    }

    private static boolean isInstalled(String program) {
        return Files.isExecutable(Path.of(program(program)));
    }

    /** Returns the path of a program; the PATH of a user often omits directories for root. */
    private static String program(String name) {
        return DIRECTORIES.stream()
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElse(name);
    }

    private boolean make() throws IOException, InterruptedException {
        if (!runs("mount", "-t", "tmpfs", "-o", "size=40m", "full-device", memory.toString())) {
            return false;
        }
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(BYTES);
        }
        run(
                "mkfs.ext4",
                "-q",
                "-F",
                "-b",
                "4096",
                "-m",
                "0",
                "-J",
                "size=4",
                "-E",
                "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
                image.toString());
        // Writing the first part back allocates space for the metadata that mkfs.ext4 left sparse.
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            byte[] backed = new byte[BACKED_MEGABYTES << 20];
            file.readFully(backed);
            file.seek(0);
            file.write(backed);
        }
        limit(BACKED_MEGABYTES + 2);
        return mount();
    }

    /** Sets the capacity of the device, in megabytes. */
    private void limit(int megabytes) throws IOException, InterruptedException {
        run("mount", "-o", "remount,size=" + megabytes + "m", memory.toString());
    }

    private boolean mount() throws IOException, InterruptedException {
        return runs("mount", "-o", "loop", image.toString(), mounted.toString());
    }

    public Path directory() {
        return mounted;
    }

    /** Gives the device the space that it reports. */
    void makeRoom() throws IOException, InterruptedException {
        limit(40);
    }

    /**
     * Mounts the file system again, so that only data on the device remains.
     *
     * @throws IOException if a file on it stays open
     */
    void forgetCaches() throws IOException, InterruptedException {
        run("umount", mounted.toString());
        // The last descriptor of a store is closed after the store itself.
        Eventually.await(Duration.ofSeconds(10), () -> !isInUse());
        if (!mount()) {
            throw new IOException("it cannot be mounted again");
        }
    }

    /** Returns whether the loop device exists; it ends with its last user. */
    private boolean isInUse() throws IOException {
        try (var all = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (var each : all) {
                if (isBackedByImage(each.resolve("loop/backing_file"))) {
                    return true;
                }
            }
            return false;
        }
    }

    private boolean isBackedByImage(Path backing) {
        try {
            return Files.readString(backing).strip().equals(image.toString());
        } catch (IOException notBacked) {
            return false;
        }
    }

    private void unmountAll() {
        try {
            runs("umount", "--lazy", mounted.toString());
            runs("umount", "--lazy", memory.toString());
        } catch (IOException _) {
            // There is no other way to unmount.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atEnd);
        unmountAll();
    }

    private static void run(String... words) throws IOException, InterruptedException {
        if (!runs(words)) {
            throw new IOException(String.join(" ", words) + " failed");
        }
    }

    private static boolean runs(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(words));
        command.set(0, program(words[0]));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        if (status != 0) {
            LOG.log(Level.INFO, () -> words[0] + ": " + said.strip());
        }
        return status == 0;
    }
}
