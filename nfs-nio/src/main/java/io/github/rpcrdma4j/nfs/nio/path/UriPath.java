package io.github.rpcrdma4j.nfs.nio.path;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.RawText;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;

/**
 * The path of a URI: each byte that has no character of its own there is a percent sign and two
 * digits (RFC 3986, Section 3.3), so that no bytes are lost.
 */
public final class UriPath {
    /** What stands for itself, besides letters and digits (RFC 3986, Sections 2.2, 2.3 and 3.3). */
    private static final String PLAIN = "-._~!$&'()*+,;=:@/";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private UriPath() {}

    /** Returns the path of a URI for an absolute path. */
    public static String of(PathText path) {
        var text = new StringBuilder();
        for (byte each : path.bytes().bytes()) {
            if (isPlain(each)) {
                text.append((char) each);
            } else {
                text.append('%').append(HEX.toHexDigits(each));
            }
        }
        return text.toString();
    }

    private static boolean isPlain(byte each) {
        return each >= 'a' && each <= 'z'
                || each >= 'A' && each <= 'Z'
                || each >= '0' && each <= '9'
                || PLAIN.indexOf(each) >= 0;
    }

    /**
     * Returns the absolute path of a URI. Other characters stand for themselves.
     *
     * @param raw as {@link java.net.URI#getRawPath} returns it; empty for the root
     */
    public static PathText decode(String raw) {
        var bytes = new ByteArrayOutputStream(raw.length() + 1);
        bytes.write('/');
        int at = 0;
        while (at < raw.length()) {
            int percent = raw.indexOf('%', at);
            int end = percent < 0 ? raw.length() : percent;
            bytes.writeBytes(RawText.bytes(raw.substring(at, end)));
            at = end;
            if (percent >= 0) {
                // A URI has two digits there.
                bytes.write(HexFormat.fromHexDigits(raw, percent + 1, percent + 3));
                at += 3;
            }
        }
        return PathText.of(new PathName(bytes.toByteArray()));
    }
}
