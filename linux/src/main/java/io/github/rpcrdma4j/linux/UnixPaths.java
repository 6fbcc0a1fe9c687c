package io.github.rpcrdma4j.linux;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Converts between bytes and paths of a Unix-like system. A Java {@link Path} keeps the bytes of
 * its name, but reveals them only in its URI, which percent-encodes them.
 */
public final class UnixPaths {
    private static final HexFormat HEX = HexFormat.of();
    private static final String SCHEME = "file:///";
    private static final Path TOP = Path.of("/");

    private UnixPaths() {}

    /**
     * Returns the bytes of a path. They end with a slash only if the path does.
     *
     * @param path of the default file system
     */
    public static byte[] bytes(Path path) {
        boolean isAbsolute = path.isAbsolute();
        var raw = TOP.resolve(path).toUri().getRawPath();
        int end = raw.length();
        // The URI of an existing directory ends with a slash.
        if (end > 1 && raw.endsWith("/") && !path.toString().endsWith("/")) {
            end--;
        }
        var bytes = new ByteArrayOutputStream(end);
        for (int at = isAbsolute ? 0 : 1; at < end; at++) {
            char each = raw.charAt(at);
            if (each == '%') {
                bytes.write(HexFormat.fromHexDigits(raw, at + 1, at + 3));
                at += 2;
            } else {
                bytes.write(each);
            }
        }
        return bytes.toByteArray();
    }

    /**
     * Returns the path for bytes; redundant slashes are dropped.
     *
     * @param bytes not empty, and without a NUL
     */
    public static Path path(byte[] bytes) {
        boolean isAbsolute = bytes[0] == '/';
        var raw = new StringBuilder(SCHEME);
        for (int i = isAbsolute ? 1 : 0; i < bytes.length; i++) {
            if (bytes[i] == '/') {
                raw.append('/');
            } else {
                raw.append('%').append(HEX.toHexDigits(bytes[i]));
            }
        }
        var path = Path.of(URI.create(raw.toString()));
        // relativize would remove "." and "..".
        return isAbsolute ? path : path.subpath(0, path.getNameCount());
    }
}
