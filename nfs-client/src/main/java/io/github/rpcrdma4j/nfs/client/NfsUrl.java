package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.NfsPort;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The URL of a file: {@code rdma://host[:port]/export/path} over RDMA, which may also be written
 * {@code nfs+rdma://}, or {@code nfs://host[:port]/export/path} over TCP (RFC 2224). Bytes may be
 * percent-encoded. Characters that a URL should encode may also appear unencoded.
 *
 * @param path starts with a slash; ends with one only if it is {@code "/"}
 * @param isDirectory whether the URL ended with a slash, which marks a directory
 */
public record NfsUrl(Server server, PathName path, boolean isDirectory) {
    /** What carries the calls. */
    public enum Transport {
        /** RPC-over-RDMA. Without a port it is always the same one (RFC 8267-6.3-2). */
        RDMA("rdma://", NfsPort.RDMA),
        /** TCP. */
        TCP("nfs://", NfsPort.TCP);

        private final String scheme;
        private final int port;

        Transport(String scheme, int port) {
            this.scheme = scheme;
            this.port = port;
        }
    }

    /** A server, as the URL names it. */
    public record Server(Transport transport, String host, int port) {
        /** Returns the URL without a path. */
        @Override
        public String toString() {
            var name = transport.scheme + HostPort.bracketed(host).replace("%", "%25");
            return port == transport.port ? name : name + ":" + port;
        }
    }

    /** Another scheme for RDMA. */
    private static final String NFS_RDMA = "nfs+rdma://";

    private static final String RDMA = Transport.RDMA.scheme;

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
                    "not a URL like rdma://host/export/path or nfs://host/export/path: "
                            + text
                            + meant(text));
        }
        var transport = has(text, Transport.TCP.scheme) ? Transport.TCP : Transport.RDMA;
        int start = authority(text);
        int slash = slash(text);
        var authority = text.substring(start, slash);
        byte[] path =
                slash == text.length() ? new byte[] {'/'} : decoded(text.substring(slash), text);
        int colon = authority.lastIndexOf(':');
        boolean hasPort = colon > authority.lastIndexOf(']');
        var port = hasPort ? authority.substring(colon + 1) : "";
        var host = host(hasPort ? authority.substring(0, colon) : authority, text);
        requirePort(port, text);
        int number = port.isEmpty() ? transport.port : Integer.parseInt(port);
        return of(new Server(transport, host, number), path);
    }

    private static boolean has(String text, String scheme) {
        return text.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    /** Returns where the host begins. */
    private static int authority(String text) {
        return text.indexOf("://") + 3;
    }

    /** Returns where the path of a URL begins; its length if it has none. */
    public static int slash(String text) {
        int slash = text.indexOf('/', authority(text));
        return slash < 0 ? text.length() : slash;
    }

    /** Returns a hint if another program has its files named like this. */
    private static String meant(String text) {
        if (has(text, "tcp://")) {
            return " (over TCP it is nfs://)";
        }
        var matcher = MOUNT_SOURCE.matcher(text);
        return matcher.matches()
                ? " (write " + RDMA + matcher.group(1) + matcher.group(2) + ")"
                : "";
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
        return has(text, RDMA) || has(text, NFS_RDMA) || has(text, Transport.TCP.scheme);
    }

    /** Returns the address of the server; resolves its name now. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host(), port());
    }

    /** Returns what carries the calls. */
    public Transport transport() {
        return server.transport;
    }

    /** Returns the name or the address of the server, without brackets. */
    public String host() {
        return server.host;
    }

    /** Returns the port that the URL has, or that of its transport. */
    public int port() {
        return server.port;
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
        return of(server, RawText.bytes(text));
    }

    /** Returns the URL of another path on the same server. */
    public NfsUrl withPath(PathName changed, boolean isDirectory) {
        return new NfsUrl(server, changed, isDirectory);
    }

    private static NfsUrl of(Server server, byte[] path) {
        int end = path.length;
        while (end > 1 && path[end - 1] == '/') {
            end--;
        }
        return new NfsUrl(server, new PathName(Arrays.copyOf(path, end)), end < path.length);
    }

    /**
     * Returns the URL in a form that {@link #parse} accepts: bytes that are not UTF-8, control
     * characters, {@code %}, and {@code * ? [} are percent-encoded. So it means one file also where
     * the names in a URL may be patterns.
     */
    @Override
    public String toString() {
        var url = new StringBuilder(server.toString());
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
