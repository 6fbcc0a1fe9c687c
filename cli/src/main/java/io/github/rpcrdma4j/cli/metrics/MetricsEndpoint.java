package io.github.rpcrdma4j.cli.metrics;

import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Serves the metrics of a server over HTTP (RFC 9112), and a page that shows them: GET and HEAD
 * only, one request for each connection.
 *
 * <p>Tests: {@code MetricsTest}.
 */
public final class MetricsEndpoint implements AutoCloseable {
    private static final String METRICS = "/metrics";
    private static final String PAGE = "/";
    private static final String WORDS = "text/plain; charset=utf-8";

    private final HttpConnections connections;
    private final StatusPage page = StatusPage.read();
    private final Supplier<String> metrics;
    private final FailureLog failures =
            new FailureLog(System.getLogger(MetricsEndpoint.class.getName()));

    private MetricsEndpoint(InetSocketAddress address, Supplier<String> metrics)
            throws IOException {
        this.metrics = metrics;
        this.connections = HttpConnections.listen(address, this::answer);
    }

    /**
     * Serves until this is closed.
     *
     * @param metrics returns the metrics, in the text format of Prometheus
     * @throws IOException if the address cannot be used; the message is one line that names it
     */
    static MetricsEndpoint listen(InetSocketAddress address, Supplier<String> metrics)
            throws IOException {
        if (address.isUnresolved()) {
            throw new IOException("cannot listen on " + HostPort.text(address) + ": unknown host");
        }
        return new MetricsEndpoint(address, metrics);
    }

    /** Returns where it listens, with the actual port. */
    InetSocketAddress address() {
        return connections.address();
    }

    /**
     * A response.
     *
     * @param status the number and its words
     * @param policy what a browser may load for it
     * @param more a line for the head, or an empty text
     */
    private record Response(String status, String type, String policy, String more, String text) {
        static Response refusal(String status, String words) {
            return new Response(status, WORDS, StatusPage.NOTHING, "", words + "\n");
        }

        byte[] encode(boolean hasBody) {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            var head =
                    "HTTP/1.1 "
                            + status
                            + "\r\nContent-Type: "
                            + type
                            + "\r\nContent-Length: "
                            + body.length
                            + "\r\nContent-Security-Policy: "
                            + policy
                            + "\r\nX-Content-Type-Options: nosniff"
                            + "\r\nCross-Origin-Resource-Policy: same-origin"
                            + "\r\nCache-Control: no-store"
                            + "\r\nReferrer-Policy: no-referrer"
                            + "\r\nConnection: close\r\n"
                            + more
                            + "\r\n";
            var whole = new ByteArrayOutputStream();
            whole.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            if (hasBody) {
                whole.writeBytes(body);
            }
            return whole.toByteArray();
        }
    }

    private byte[] answer(String head, Socket connection) {
        boolean isHead = head.startsWith("HEAD ");
        try {
            return response(head, connection).encode(!isHead);
        } catch (IllegalArgumentException malformed) {
            return Response.refusal("400 Bad Request", "this is no request").encode(!isHead);
        } catch (RuntimeException broken) {
            failures.report("an internal error in the metrics", broken);
            return Response.refusal("500 Internal Server Error", "an internal error")
                    .encode(!isHead);
        }
    }

    /**
     * @throws IllegalArgumentException if the request is malformed
     */
    private Response response(String head, Socket connection) {
        var lines = head.split("\r\n", -1);
        var request = lines[0].split(" ", -1);
        boolean isLine = request.length == 3 && !request[1].isEmpty();
        if (!isLine || !request[2].startsWith("HTTP/1.")) {
            throw new IllegalArgumentException("no request line");
        }
        var target = URI.create(request[1]);
        var host = target.getRawAuthority() == null ? host(lines) : target.getRawAuthority();
        var method = request[0];
        var path = target.getPath();
        if (!isKnown(host, connection)) {
            return Response.refusal("403 Forbidden", "this is served to localhost only");
        }
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return new Response(
                    "405 Method Not Allowed",
                    WORDS,
                    StatusPage.NOTHING,
                    "Allow: GET, HEAD\r\n",
                    "only GET and HEAD\n");
        }
        if (METRICS.equals(path)) {
            var type = MetricText.CONTENT_TYPE;
            return new Response("200 OK", type, StatusPage.NOTHING, "", metrics.get());
        }
        if (PAGE.equals(path)) {
            var type = "text/html; charset=utf-8";
            return new Response("200 OK", type, page.policy(), "", page.text());
        }
        return Response.refusal("404 Not Found", METRICS + " is here");
    }

    /** Returns the field Host, or null; there is one at most (RFC 9112, Section 3.2). */
    private static String host(String[] lines) {
        String host = null;
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon < 0) {
                throw new IllegalArgumentException("no field");
            }
            if (lines[i].substring(0, colon).toLowerCase(Locale.ROOT).equals("host")) {
                if (host != null) {
                    throw new IllegalArgumentException("two hosts");
                }
                host = lines[i].substring(colon + 1).strip();
            }
        }
        return host;
    }

    /**
     * Returns whether a request on loopback names loopback. A web page can have a browser of this
     * host send requests here, and read the replies, if the name of its own host has the address of
     * loopback; it cannot change the name in the request. A request without a name is of no
     * browser.
     *
     * @param host null if there is none
     */
    private static boolean isKnown(String host, Socket connection) {
        if (host == null || !connection.getLocalAddress().isLoopbackAddress()) {
            return true;
        }
        var name = host.replaceFirst(":\\d*$", "");
        if (name.equalsIgnoreCase("localhost")) {
            return true;
        }
        boolean isBracketed = name.startsWith("[") && name.endsWith("]");
        try {
            return InetAddress.ofLiteral(isBracketed ? name.substring(1, name.length() - 1) : name)
                    .isLoopbackAddress();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /** Stops serving, without waiting for requests in progress. */
    @Override
    public void close() {
        connections.close();
    }
}
