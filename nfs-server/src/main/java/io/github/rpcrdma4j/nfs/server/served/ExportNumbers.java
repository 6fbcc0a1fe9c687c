package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.Export;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.zip.CRC32C;

/** The numbers of exports in file handles, computed from their names. */
final class ExportNumbers {
    /** The pseudo file system; no export has its name. */
    private static final String ROOT = "/";

    private ExportNumbers() {}

    static int of(String name) {
        var crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    /**
     * Checks names. Their numbers are those of the file systems of exports for clients.
     *
     * @throws IllegalArgumentException if two have the same number; the message is one line
     */
    static void requireDistinct(Collection<Export> exports) {
        var names = new HashMap<Integer, String>();
        names.put(of(ROOT), ROOT);
        for (var export : exports) {
            var other = names.put(of(export.name()), export.name());
            if (other != null) {
                throw new IllegalArgumentException(ambiguous(other, export.name()));
            }
        }
    }

    /** Returns why two exports cannot be served together. */
    static String ambiguous(String name, String other) {
        return name.equals(other)
                ? "two exports have the same name: " + name
                : "file handles cannot distinguish the exports "
                        + name
                        + " and "
                        + other
                        + ": rename one of them";
    }
}
