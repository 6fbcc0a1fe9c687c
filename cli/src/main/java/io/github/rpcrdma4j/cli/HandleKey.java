package io.github.rpcrdma4j.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;

/** The secret behind file handles, kept so that handles outlive a restart. */
final class HandleKey {
    private static final int BYTES = 32;

    private HandleKey() {}

    /**
     * Where it is kept: {@code $XDG_STATE_HOME/rpcrdma4j/handle.key}, or below {@code
     * ~/.local/state}.
     */
    static Path place() {
        var state = System.getenv("XDG_STATE_HOME");
        var folder =
                state == null || state.isEmpty()
                        ? Path.of(System.getProperty("user.home"), ".local", "state")
                        : Path.of(state);
        return folder.resolve("rpcrdma4j").resolve("handle.key");
    }

    /** The key that is kept, or a new one that is from now on; readable by its owner alone. */
    static byte[] load(Path place) throws IOException {
        Files.createDirectories(place.getParent());
        byte[] fresh = random();
        var owner =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var channel =
                Files.newByteChannel(
                        place,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        owner)) {
            channel.write(ByteBuffer.wrap(fresh));
            return fresh;
        } catch (FileAlreadyExistsException _) {
            byte[] kept = Files.readAllBytes(place);
            if (kept.length != BYTES) {
                throw new IOException(place + " is damaged: remove it to start with new handles");
            }
            return kept;
        }
    }

    /** A key for this process alone. */
    static byte[] random() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }
}
