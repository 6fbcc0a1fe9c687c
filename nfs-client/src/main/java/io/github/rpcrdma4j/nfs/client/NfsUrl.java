package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.NfsPort;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The URL of a file: {@code rdma://host[:port]/export/path}. Bytes may be percent-encoded.
 * Characters that a URL should encode may also appear unencoded.
 *
 * @param path starts with a slash; ends with one only if it is {@code "/"}
 * @param isDirectory whether the URL ended with a slash, which marks a directory
 */
public record NfsUrl(String host, int port, PathName path, boolean isDirectory) {
    private static final String SCHEME = "rdma://";

    /** A URL of RFC 2224; its port is one for TCP. */
    private static final Pattern NFS_URL = Pattern.compile("(?i)nfs://(.+?)(?::[0-9]*)?(/.*|$)");

    /** What {@code mount} takes: a host, or an IPv6 address in brackets, a colon and a path. */
    private static final Pattern MOUNT_SOURCE =
            Pattern.compile("([^/:\\[\\]]+|\\[[^/\\[\\]]+\\]):(/.*)");

    /** An IPv6 address in brackets, and its zone: {@code [fe80::1%25eth0]}. */
    private static final Pattern IPV6 =
            Pattern.compile("\\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)(?:%(?:25(?=.))?([^/%\\[\\]]+))?\\]");

    /** A name or an IPv4 address. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._~-]+");

    private static final int PORT_MAX = 65535;
    private static final int DIGITS_MAX = 9;

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static NfsUrl parse(String text) {
        if (!isUrl(text)) {
            throw new IllegalArgumentException(
                    "not a URL like rdma://host/export/path: " + text + meant(text));
        }
        int slash = text.indexOf('/', SCHEME.length());
        var authority = text.substring(SCHEME.length(), slash < 0 ? text.length() : slash);
        byte[] path = slash < 0 ? new byte[] {'/'} : decoded(text.substring(slash), text);
        int colon = authority.lastIndexOf(':');
        boolean hasPort = colon > authority.lastIndexOf(']');
        var port = hasPort ? authority.substring(colon + 1) : "";
        var host = host(hasPort ? authority.substring(0, colon) : authority, text);
        requirePort(port, text);
        return of(host, port.isEmpty() ? NfsPort.RDMA : Integer.parseInt(port), path);
    }

    /** Returns a hint if another program has its files named like this. */
    private static String meant(String text) {
        if (text.regionMatches(true, 0, "tcp://", 0, 6)) {
            return " (over TCP it is reached through rpcrdma gateway)";
        }
        for (var form : List.of(NFS_URL, MOUNT_SOURCE)) {
            var matcher = form.matcher(text);
            if (matcher.matches()) {
                return " (write " + SCHEME + matcher.group(1) + matcher.group(2) + ")";
            }
        }
        return "";
    }

    /**
     * Returns the host without brackets (RFC 3986, Section 3.2.2; a zone by RFC 6874, or after a
     * bare percent sign, as other programs take it).
     */
    private static String host(String host, String text) {
        if (host.contains("@")) {
            throw new IllegalArgumentException(
                    "a URL names no user (use tickets or --sec to choose the user): " + text);
        }
        var ipv6 = IPV6.matcher(host);
        if (ipv6.matches()) {
            return ipv6.group(1) + (ipv6.group(2) == null ? "" : "%" + ipv6.group(2));
        }
        if (!NAME.matcher(host).matches()) {
            throw new IllegalArgumentException("no host in " + text);
        }
        return host;
    }

    private static void requirePort(String port, String text) {
        boolean isNumber = port.chars().allMatch(each -> each >= '0' && each <= '9');
        if (!isNumber || port.length() > DIGITS_MAX) {
            throw new IllegalArgumentException("\"" + port + "\" is not a port in " + text);
        }
        if (!port.isEmpty() && Integer.parseInt(port) > PORT_MAX) {
            throw new IllegalArgumentException("the port is above " + PORT_MAX + " in " + text);
        }
    }

    /**
     * Decodes percent-encoded bytes (RFC 3986, Section 2.1). All other characters stand for
     * themselves.
     */
    private static byte[] decoded(String path, String text) {
        var bytes = new ByteArrayOutputStream(path.length());
        for (int i = 0; i < path.length(); ) {
            int character = path.codePointAt(i);
            if (character == '%') {
                bytes.write(oneByte(path, i + 1, text));
                i += 3;
            } else {
                bytes.writeBytes(RawText.bytes(Character.toString(character)));
                i += Character.charCount(character);
            }
        }
        return bytes.toByteArray();
    }

    private static int oneByte(String path, int at, String text) {
        int high = at < path.length() ? Character.digit(path.charAt(at), 16) : -1;
        int low = at + 1 < path.length() ? Character.digit(path.charAt(at + 1), 16) : -1;
        int oneByte = high * 16 + low;
        if (high < 0 || low < 0) {
            throw new IllegalArgumentException(
                    "a percent sign is not followed by two hexadecimal digits in " + text);
        }
        if (oneByte == 0) {
            throw new IllegalArgumentException("no name has a byte of 0, as in " + text);
        }
        return oneByte;
    }

    /**
     * Returns whether a text is meant as a URL rather than a local path. The case of the letters of
     * a scheme does not matter (RFC 3986, Section 3.1).
     */
    public static boolean isUrl(String text) {
        return text.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    }

    /** Returns the address of the server; resolves its name now. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /** Returns the last name of the path; empty for the path "/". */
    public Optional<FileName> name() {
        var names = path.names();
        return names.isEmpty() ? Optional.empty() : Optional.of(names.getLast());
    }

    /**
     * Returns the URL of another path on the same server.
     *
     * @param text the path without percent-encoding, as {@link RawText}
     */
    public NfsUrl withPath(String text) {
        return of(host, port, RawText.bytes(text));
    }

    private static NfsUrl of(String host, int port, byte[] path) {
        int end = path.length;
        while (end > 1 && path[end - 1] == '/') {
            end--;
        }
        return new NfsUrl(host, port, new PathName(Arrays.copyOf(path, end)), end < path.length);
    }

    /**
     * Returns the URL in a form that {@link #parse} accepts: bytes that are not UTF-8, control
     * characters, {@code %}, and {@code * ? [} are percent-encoded. So it means one file also where
     * the names in a URL may be patterns.
     */
    @Override
    public String toString() {
        var url = new StringBuilder(SCHEME).append(HostPort.bracketed(host).replace("%", "%25"));
        if (port != NfsPort.RDMA) {
            url.append(':').append(port);
        }
        RawText.of(path.bytes()).codePoints().forEach(each -> encode(url, each));
        return url.append(isDirectory ? "/" : "").toString();
    }

    private static void encode(StringBuilder url, int character) {
        boolean raw = character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
        boolean isWildcard = character == '*' || character == '?' || character == '[';
        if (!raw && !isWildcard && character != '%' && !Character.isISOControl(character)) {
            url.appendCodePoint(character);
            return;
        }
        for (byte each : RawText.bytes(Character.toString(character))) {
            url.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
        }
    }
}
