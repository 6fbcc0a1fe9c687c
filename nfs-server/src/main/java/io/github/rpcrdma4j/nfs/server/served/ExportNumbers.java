package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.store.FileId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.zip.CRC32C;

/**
 * Computes the two numbers of an export: one in the file system ids that clients see, from its
 * name, and one in its file handles, from all that makes it this export.
 */
final class ExportNumbers {
    /** The pseudo file system; no export has its name. */
    private static final String ROOT = "/";

    private ExportNumbers() {}

    /**
     * Returns the number of an export in file handles. It says whose rules apply to the file of a
     * handle, so it must not pass to another export, be it later: not by its place in a list, and
     * not with its name. Names or directories with one number cannot be found without the key.
     *
     * @param mark that of the exports inside
     * @param root the identity of its directory
     */
    static int of(HandleSeal seal, String name, String mark, FileId root) {
        byte[] names = (name + mark).getBytes(StandardCharsets.UTF_8);
        byte[] directory = root.bytes();
        // No handle begins with this byte.
        var message =
                ByteBuffer.allocate(1 + Integer.BYTES + names.length + directory.length)
                        .put((byte) 0)
                        .putInt(names.length)
                        .put(names)
                        .put(directory);
        return ByteBuffer.wrap(seal.tag(message.array(), message.capacity())).getInt();
    }

    /** Returns the number of an export for clients. */
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
