package io.github.rpcrdma4j.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Serves the metrics of a server over HTTP, and a page that shows them: GET and HEAD only.
 * Connections are few, and a peer that is slow loses its own, so that peers cost the server little.
 */
final class MetricsEndpoint implements AutoCloseable {
    private static final String METRICS = "/metrics";
    private static final String PAGE = "/";

    /** So many peers can be served at a time, and so many can stall for a moment. */
    private static final int CONNECTIONS_MAX = 64;

    private static final int BACKLOG = 32;

    /** The limits of the HTTP server of the JDK, unless the user has set them: see its package. */
    private static final Map<String, String> LIMITS =
            Map.of(
                    "jdk.httpserver.maxConnections", Integer.toString(CONNECTIONS_MAX),
                    "sun.net.httpserver.maxReqTime", "5",
                    "sun.net.httpserver.maxRspTime", "10",
                    "sun.net.httpserver.idleInterval", "30",
                    "sun.net.httpserver.maxReqHeaders", "64",
                    "sun.net.httpserver.maxReqHeaderSize", "16384");

    private static final String POLICY = "Content-Security-Policy";

    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int FAILED = 500;

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Supplier<String> metrics;
    private final StatusPage page = StatusPage.read();
    private final FailureLog failures =
            new FailureLog(System.getLogger(MetricsEndpoint.class.getName()));

    private MetricsEndpoint(HttpServer server, Supplier<String> metrics) {
        this.server = server;
        this.metrics = metrics;
        this.threads =
                new ThreadPoolExecutor(
                        0,
                        CONNECTIONS_MAX,
                        1,
                        TimeUnit.MINUTES,
                        new SynchronousQueue<>(),
                        Thread.ofPlatform().daemon().name("metrics-", 0).factory());
    }

    /**
     * Serves until this is closed.
     *
     * @param metrics returns the metrics, in the text format of Prometheus
     * @throws IOException if the address cannot be used; the message is one line that names it
     */
    static MetricsEndpoint listen(InetSocketAddress address, Supplier<String> metrics)
            throws IOException {
        LIMITS.forEach(System.getProperties()::putIfAbsent);
        if (address.isUnresolved()) {
            throw new IOException("cannot listen on " + HostPort.text(address) + ": unknown host");
        }
        HttpServer server;
        try {
            server = HttpServer.create(address, BACKLOG);
        } catch (IOException refused) {
            throw new IOException(
                    "cannot listen on " + HostPort.text(address) + ": " + refused.getMessage(),
                    refused);
        }
        var endpoint = new MetricsEndpoint(server, metrics);
        server.setExecutor(endpoint.threads);
        server.createContext("/", endpoint::answer);
        server.start();
        return endpoint;
    }

    /** Returns where it listens, with the actual port. */
    InetSocketAddress address() {
        return server.getAddress();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            answerOpen(exchange);
        }
    }

    private void answerOpen(HttpExchange exchange) throws IOException {
        try {
            exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
            exchange.getResponseHeaders().set("Cross-Origin-Resource-Policy", "same-origin");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
            exchange.getResponseHeaders().set(POLICY, StatusPage.NOTHING);
            var method = exchange.getRequestMethod();
            var path = exchange.getRequestURI().getPath();
            if (!isHostKnown(exchange)) {
                refuse(exchange, FORBIDDEN, "this is served to localhost only");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                refuse(exchange, NOT_ALLOWED, "only GET and HEAD");
            } else if (METRICS.equals(path)) {
                send(exchange, OK, MetricText.CONTENT_TYPE, metrics.get());
            } else if (PAGE.equals(path)) {
                exchange.getResponseHeaders().set(POLICY, page.policy());
                send(exchange, OK, "text/html; charset=utf-8", page.text());
            } else {
                refuse(exchange, NOT_FOUND, METRICS + " is here");
            }
        } catch (RuntimeException broken) {
            failures.report("an internal error in the metrics", broken);
            refuse(exchange, FAILED, "an internal error");
        }
    }

    /**
     * Returns whether a request on loopback names loopback. A web page can have a browser of this
     * host send requests here, and read the replies, if the name of its own host has the address of
     * loopback; it cannot change the name in the request. A request without a name is of no
     * browser.
     */
    private static boolean isHostKnown(HttpExchange exchange) {
        var host = exchange.getRequestHeaders().getFirst("Host");
        if (host == null || !exchange.getLocalAddress().getAddress().isLoopbackAddress()) {
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

    private static void refuse(HttpExchange exchange, int status, String words) throws IOException {
        send(exchange, status, "text/plain; charset=utf-8", words + "\n");
    }

    private static void send(HttpExchange exchange, int status, String type, String text)
            throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** Stops serving, without waiting for requests in progress. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
