package io.github.rpcrdma4j.cli.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Gives files names that the JDK's Kerberos can open. It takes names as text, which loses bytes
 * that are not UTF-8. Replacements are in a directory that only this user can read, and are removed
 * when the process ends.
 */
public final class KerberosFiles {
    private KerberosFiles() {}

    /**
     * Returns the path of a keytab: itself, or a link if its text loses bytes. Keys that are
     * replaced later are found through the link.
     *
     * @throws IOException if the link cannot be made
     */
    public static Path keytab(Path file) throws IOException {
        return canBeOpened(file)
                ? file
                : Files.createSymbolicLink(replacement(), file.toAbsolutePath());
    }

    /**
     * Returns the path of a ticket cache: itself, or a copy if its text loses bytes. The JDK
     * resolves links, so a link would not help.
     *
     * @throws IOException if the copy cannot be made
     */
    static Path ticketCache(Path file) throws IOException {
        return canBeOpened(file)
                ? file
                : Files.copy(file, replacement(), StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** A file that does not exist keeps its name, for the message of Kerberos. */
    private static boolean canBeOpened(Path file) {
        try {
            return !Files.exists(file) || Path.of(file.toString()).equals(file);
        } catch (InvalidPathException _) {
            return false;
        }
    }

    private static Path replacement() throws IOException {
        var directory = Files.createTempDirectory("rpcrdma");
        var file = directory.resolve("kerberos");
        // Java removes the last one first.
        directory.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
        return file;
    }
}
