package io.github.rpcrdma4j.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.cli.terminal.Version;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the metrics say what clients did, to those who may know it. Method: a real server. */
class MetricsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int CLIENTS = 3;
    private static final int PINGS = 50;
    private static final int BYTES = 100_000;
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (counter|gauge|histogram)");

    @TempDir private Path directory;
    private final Console console = new Console();
    private ServerProcess server;
    private InetSocketAddress http;

    @BeforeEach
    void serve() throws Exception {
        server =
                new ServerProcess(
                        "--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--metrics", ":0");
        var address = Pattern.compile("^Metrics: http://([0-9.]+):([0-9]+)/");
        var found =
                server.printed.stream()
                        .map(address::matcher)
                        .filter(each -> each.find())
                        .findFirst()
                        .orElseThrow();
        assertEquals("127.0.0.1", found.group(1));
        http =
                new InetSocketAddress(
                        InetAddress.ofLiteral(found.group(1)), Integer.parseInt(found.group(2)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** Sends lines of a request, and returns the whole response. */
    private String response(String... request) throws IOException {
        try (var socket = new Socket(http.getAddress(), http.getPort())) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            var text = String.join("\r\n", request) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String text() throws IOException {
        var response = response("GET /metrics HTTP/1.1", "Host: localhost");
        assertTrue(response.startsWith("HTTP/1.1 200 "), response);
        return response.substring(response.indexOf("\r\n\r\n") + 4);
    }

    private static double value(MetricSamples of, String name, String... labels) {
        var wanted = new HashMap<String, String>();
        for (int i = 0; i < labels.length; i += 2) {
            wanted.put(labels[i], labels[i + 1]);
        }
        return of.all(name).stream()
                .filter(each -> each.labels().equals(Map.copyOf(wanted)))
                .mapToDouble(MetricSamples.Sample::value)
                .sum();
    }

    private Void pings() throws Exception {
        var url = server.url();
        int port = Integer.parseInt(url.replaceFirst("^rdma://[^/]*:([0-9]+)/.*$", "$1"));
        try (var client =
                RpcRdmaClient.builder()
                        .connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port))) {
            for (int i = 0; i < PINGS; i++) {
                client.ping(Nfs3.PROGRAM, Nfs3.VERSION, PATIENCE);
            }
        }
        return null;
    }

    @Test
    void countsAgreeWithWhatThreeClientsDid() throws Exception {
        try (var threads = Executors.newFixedThreadPool(CLIENTS)) {
            var all = new ArrayList<Callable<Void>>();
            for (int i = 0; i < CLIENTS; i++) {
                all.add(this::pings);
            }
            for (var each : threads.invokeAll(all)) {
                each.get();
            }
        }
        var file = Files.write(directory.resolve("file"), new byte[BYTES]);
        console.succeeds("put", file.toString(), server.url());
        console.succeeds("get", server.url() + "/file", directory.resolve("back").toString());
        var seen = MetricSamples.parse(text().lines());
        String[] ping = {"program", "nfs", "version", "3", "procedure", "NULL"};
        assertEquals(CLIENTS * PINGS, value(seen, "rpcrdma_rpc_calls_total", ping));
        String[] nulls = {"version", "3", "procedure", "NULL"};
        assertEquals(CLIENTS * PINGS, value(seen, "rpcrdma_nfs_duration_seconds_count", nulls));
        assertEquals(BYTES, value(seen, "rpcrdma_nfs_written_bytes_total"));
        assertEquals(BYTES, value(seen, "rpcrdma_nfs_read_bytes_total"));
        assertEquals(BYTES, value(seen, "rpcrdma_rdma_received_bytes_total", "by", "read_chunk"));
        assertEquals(BYTES, value(seen, "rpcrdma_rdma_sent_bytes_total", "by", "write_chunk"));
        assertEquals(
                CLIENTS + 2,
                value(seen, "rpcrdma_rdma_connections_opened_total", "rpcrdma_version", "1"));
        double calls = seen.sum("rpcrdma_rpc_calls_total");
        assertEquals(calls, value(seen, "rpcrdma_rdma_calls_total"));
        assertEquals(calls, value(seen, "rpcrdma_rpc_ended_calls_total", "outcome", "success"));
        assertEquals(calls, seen.sum("rpcrdma_rpc_ended_calls_total"));
        assertEquals(1, value(seen, "rpcrdma_nfs_export", "export", "/mem"));
        for (var each : List.of("read", "written")) {
            var bytes = "rpcrdma_nfs_export_" + each + "_bytes_total";
            assertEquals(BYTES, value(seen, bytes, "export", "/mem"), bytes);
        }
        double size = value(seen, "rpcrdma_nfs_export_size_bytes", "export", "/mem");
        double available = value(seen, "rpcrdma_nfs_export_available_bytes", "export", "/mem");
        assertTrue(0 < available && available < size, available + " of " + size);
    }

    /** Goal: who looks at several servers knows which one this is. */
    @Test
    void sayWhichServerTheyAreOf() throws Exception {
        var info = MetricSamples.parse(text().lines()).all("rpcrdma_server_info").getFirst();
        var host = InetAddress.getLocalHost().getHostName();
        assertEquals(Map.of("version", Version.NUMBER, "host", host), info.labels());
        assertTrue(response("GET / HTTP/1.1", "Host: localhost").contains("href=\"metrics\">"));
    }

    /** Method: an own look at the text, beside the library that has written it. */
    @Test
    void textIsThatOfPrometheus() throws Exception {
        pings();
        String name = null;
        String type = null;
        double last = 0;
        for (var line : text().lines().toList()) {
            var head = TYPE.matcher(line);
            if (head.matches()) {
                assertEquals(name, head.group(1), "the help of another metric");
                type = head.group(2);
                assertEquals(type.equals("counter"), name.endsWith("_total"), name);
            } else if (line.startsWith("# HELP ")) {
                name = line.split(" ")[2];
                last = 0;
            } else {
                var sample = MetricSamples.parse(List.of(line).stream());
                var of = sample.byName().keySet().iterator().next();
                double value = sample.sum(of);
                assertTrue(value >= 0, line);
                if ("histogram".equals(type)) {
                    assertTrue(of.matches(name + "_(bucket|count|sum)"), line);
                } else {
                    assertEquals(name, of);
                }
                if (of.endsWith("_bucket")) {
                    assertTrue(value >= last, line);
                    last = line.contains("+Inf") ? 0 : value;
                }
            }
        }
    }

    @Test
    void everyMetricIsInTheDocuments() throws Exception {
        pings();
        var shown =
                text().lines()
                        .map(TYPE::matcher)
                        .filter(each -> each.matches())
                        .map(each -> each.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        var row = Pattern.compile("^\\| `([a-z_]+)` \\|");
        var described =
                Files.readAllLines(Path.of("..", "docs", "metrics.md")).stream()
                        .map(row::matcher)
                        .filter(each -> each.find())
                        .map(each -> each.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(described, shown);
    }

    /** Goal: the alert rules and the dashboard ask for metrics that are there. */
    @Test
    void theRulesAndTheDashboardAskForWhatIsThere() throws Exception {
        pings();
        var there = new TreeSet<String>();
        for (var line : text().lines().filter(each -> !each.startsWith("#")).toList()) {
            there.add(line.replaceAll("[{ ].*", ""));
        }
        var name = Pattern.compile("\\b(?:rpcrdma|process|jvm)_[a-z_]+");
        for (var file : List.of("rpcrdma.rules.yml", "rpcrdma.grafana.json")) {
            var asked =
                    Files.readAllLines(Path.of("..", "dist", "monitoring", file)).stream()
                            .filter(line -> line.matches(" *(- )?\"?expr.*|.*rate\\(.*"))
                            .flatMap(line -> name.matcher(line).results())
                            .map(each -> each.group())
                            .collect(Collectors.toCollection(TreeSet::new));
            assertTrue(asked.size() > 5, asked::toString);
            asked.removeAll(there);
            assertEquals(Set.of(), asked, file);
        }
    }

    @Test
    void answersOnlyReadsThatNameThisHost() throws Exception {
        var head = response("HEAD /metrics HTTP/1.1", "Host: [::1]:1");
        assertTrue(head.startsWith("HTTP/1.1 200 "), head);
        assertTrue(head.endsWith("\r\n\r\n"), head);
        for (var method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X")) {
            var refused = response(method + " /metrics HTTP/1.1", "Host: localhost");
            assertTrue(refused.startsWith("HTTP/1.1 405 "), refused);
        }
        for (var name :
                List.of("evil.example", "evil.example:80", "192.0.2.1", "[", "[]", "localhost.x")) {
            var refused = response("GET /metrics HTTP/1.1", "Host: " + name);
            assertTrue(refused.startsWith("HTTP/1.1 403 "), name + ": " + refused);
            assertFalse(refused.contains("rpcrdma_rpc"), refused);
        }
        for (var path : List.of("/metrics/", "/metrics2", "/../etc/passwd", "/%2e%2e/x")) {
            var missing = response("GET " + path + " HTTP/1.1", "Host: localhost");
            assertTrue(missing.startsWith("HTTP/1.1 404 "), path + ": " + missing);
        }
        var broken = response("GET", "Host: localhost");
        assertTrue(broken.isEmpty() || broken.startsWith("HTTP/1.1 400 "), broken);
    }

    /** Goal: the page needs nothing of others, and nothing but its own script runs in it. */
    @Test
    void pageIsWholeAndProtected() throws Exception {
        var page = response("GET / HTTP/1.1", "Host: localhost");
        assertTrue(page.startsWith("HTTP/1.1 200 "), page);
        var policy =
                page.lines()
                        .filter(each -> each.toLowerCase().startsWith("content-security-policy:"))
                        .findFirst()
                        .orElseThrow();
        assertTrue(policy.contains("default-src 'none'"), policy);
        assertTrue(policy.contains("connect-src 'self'"), policy);
        assertFalse(policy.contains("unsafe"), policy);
        for (var element : List.of("script", "style")) {
            var content =
                    page.substring(
                            page.indexOf("<" + element + ">") + element.length() + 2,
                            page.indexOf("</" + element + ">"));
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(content.getBytes(StandardCharsets.UTF_8));
            assertTrue(
                    policy.contains("'sha256-" + Base64.getEncoder().encodeToString(hash) + "'"),
                    policy);
            assertEquals(2, page.split("<" + element + "[ >]", -1).length, element);
        }
        for (var outside : List.of("src=", "@import", "url(", "style=", "onclick", "innerHTML")) {
            assertFalse(page.contains(outside), outside);
        }
        assertFalse(page.replace("http://www.w3.org/2000/svg", "").contains("http:"), page);
        assertFalse(page.contains("https:"), page);
        var refused = response("GET / HTTP/1.1", "Host: evil.example");
        assertTrue(refused.startsWith("HTTP/1.1 403 "), refused);
    }

    /** Goal: peers that send half a request do not keep others out for long. */
    @Test
    void outlivesPeersThatStall() throws Exception {
        var stalled = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 8; i++) {
                var socket = new Socket(http.getAddress(), http.getPort());
                stalled.add(socket);
                socket.getOutputStream().write("GET /met".getBytes(StandardCharsets.UTF_8));
            }
            assertTrue(text().contains("rpcrdma_rdma_connections"));
        } finally {
            for (var each : stalled) {
                each.close();
            }
        }
    }

    /** More silent connections than there may be, and new ones all the time. */
    @Test
    void silentPeersKeepNobodyOut() throws Exception {
        var silent = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 200; i++) {
                silent.add(new Socket(http.getAddress(), http.getPort()));
                if (i % 20 == 0) {
                    assertTrue(text().contains("rpcrdma_rdma_connections"));
                }
            }
            assertTrue(text().contains("rpcrdma_rdma_connections"));
        } finally {
            for (var each : silent) {
                each.close();
            }
        }
    }

    @Test
    void refusesWhatIsNoRequest() throws Exception {
        for (var request :
                List.of(
                        new String[] {"GET /metrics"},
                        new String[] {"GET  HTTP/1.1"},
                        new String[] {"GET /metrics HTTP/2.0", "Host: localhost"},
                        new String[] {"GET /metrics HTTP/1.1", "no field"},
                        new String[] {
                            "GET /metrics HTTP/1.1", "Host: localhost", "Host: localhost"
                        })) {
            var refused = response(request);
            assertTrue(refused.startsWith("HTTP/1.1 400 "), refused);
        }
        var elsewhere = response("GET http://evil.example/metrics HTTP/1.1", "Host: localhost");
        assertTrue(elsewhere.startsWith("HTTP/1.1 403 "), elsewhere);
        assertTrue(response("GET /metrics HTTP/1.0").startsWith("HTTP/1.1 200 "));
    }

    @Test
    void saysWhyItCannotListen() throws Exception {
        assertEquals(2, console.run("serve", "mem:", "--listen", ":0", "--metrics", "9464"));
        assertTrue(console.err().contains("a port without a host is written :9464"), console::err);
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            console.failsWithOneLine(
                    "another server listens there; --metrics HOST:PORT names another address",
                    "serve",
                    "mem:",
                    "--listen",
                    "127.0.0.1:0",
                    "--metrics",
                    ":" + other.getLocalPort());
        }
    }
}
