package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The bytes of paths of an operating system of the Unix kind. Java keeps them in a {@link Path},
 * and shows them only in its URI, where each byte has a form.
 */
final class UnixNames {
    private static final HexFormat HEX = HexFormat.of();
    private static final String SCHEME = "file:///";
    private static final Path TOP = Path.of("/");

    private UnixNames() {}

    /**
     * The bytes of a path, with a slash at its end only if the path has one.
     *
     * @param path of the default file system
     */
    static byte[] bytes(Path path) {
        boolean isAbsolute = path.isAbsolute();
        var raw = TOP.resolve(path).toUri().getRawPath();
        int end = raw.length();
        // A slash is added to what is a directory just now.
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
     * The path of these bytes; slashes that do nothing are left out.
     *
     * @param bytes not empty, and without a NUL
     */
    static Path path(byte[] bytes) {
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
        // To relativize would take dots away.
        return isAbsolute ? path : path.subpath(0, path.getNameCount());
    }

    /** The name of a file in a listing. */
    static FileName name(Path name) {
        var text = name.toString();
        if (text.chars().allMatch(each -> each > 0 && each < 0x80)) {
            var likely = FileName.of(text);
            // A character set of the system need not be one that has those of ASCII in ASCII.
            if (path(likely.bytes()).equals(name)) {
                return likely;
            }
        }
        return new FileName(bytes(name));
    }
}
