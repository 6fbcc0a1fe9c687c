package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.StateFiles;
import io.github.rpcrdma4j.nfs.server.stable.OwnFiles;
import io.github.rpcrdma4j.nfs.server.stable.StableDirectory;
import io.github.rpcrdma4j.nfs.server.stable.StableDirectory.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The secret key of file handles. It is stored in a file, so that handles stay valid after a
 * restart.
 */
public final class HandleKey {
    /** The name of the key among the credentials that systemd hands to a service. */
    static final String CREDENTIAL = "rpcrdma4j.handle-key";

    private static final int BYTES = 32;

    private HandleKey() {}

    /**
     * Returns the path of the key: that of the credential which systemd hands to this service, if
     * there is one, or else a file in the directory of all that a server keeps.
     */
    static Path path() {
        return path(System.getenv());
    }

    /** Returns the path of the key in an environment. */
    static Path path(Map<String, String> environment) {
        return Optional.ofNullable(environment.get("CREDENTIALS_DIRECTORY"))
                .map(directory -> Path.of(directory, CREDENTIAL))
                .filter(Files::exists)
                .orElseGet(() -> StateFiles.directory(environment).resolve("handle.key"));
    }

    /**
     * Returns the stored key, or creates and stores a new one that only its owner can read. A key
     * gets its final name after all of it is on storage, so a crash leaves a whole key or none.
     * Processes that start together get the same key.
     *
     * @throws IOException if the key cannot be read or stored; the message is one line
     */
    public static byte[] load(Path file) throws IOException {
        return load(file, _ -> {});
    }

    /**
     * Loads the key, as {@link #load(Path)} does.
     *
     * @param before invoked before each step
     */
    public static byte[] load(Path file, Consumer<Step> before) throws IOException {
        var kept = read(file);
        return kept.isPresent() ? kept.get() : create(file, before);
    }

    private static Optional<byte[]> read(Path file) throws IOException {
        byte[] kept;
        try {
            kept = Files.readAllBytes(OwnFiles.require(file));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        }
        if (kept.length != BYTES) {
            throw new IOException(file + " is damaged: remove it to start with new handles");
        }
        return Optional.of(kept);
    }

    /**
     * Creates the key. A file lock belongs to the whole process, so threads exclude each other with
     * a monitor.
     */
    private static synchronized byte[] create(Path file, Consumer<Step> before) throws IOException {
        var name = file.getFileName().toString();
        var directory = StableDirectory.create(file.getParent(), before);
        try (var _ = directory.lock(name + ".lock")) {
            var kept = read(file);
            if (kept.isPresent()) {
                return kept.get();
            }
            byte[] fresh = random();
            directory.write(name, fresh);
            return fresh;
        }
    }

    /** Returns a random key, which is not stored. */
    public static byte[] random() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }
}
