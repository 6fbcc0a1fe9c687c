package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.nfs.server.stable.StableDirectory;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

/**
 * The socket at which a server listens to its administrator: only the user of the server reaches
 * it. The commands {@code clients}, {@code sessions}, {@code opens}, {@code delegations}, {@code
 * locks}, {@code copies}, {@code reload} and {@code top} use it.
 *
 * <pre>
 *   request:  one line: a {@link ControlRequest}
 *   response: lines for the user, and then the outcome: "ok", "more" if entries were left out, or
 *             "failed WORDS"
 * </pre>
 *
 * <p>Tests: {@code ControlCommandsTest}.
 */
public final class ControlSocket implements AutoCloseable {
    /** The most bytes of a request. */
    private static final int REQUEST_MAX = 256;

    /** How long one exchange may take. */
    private static final int TIMEOUT_SECONDS = 10;

    /** How long the end waits until the socket is removed. */
    private static final Duration REMOVAL = Duration.ofSeconds(1);

    /** How long a command waits: longer than the server takes for one exchange at most. */
    private static final Duration PATIENCE = Duration.ofSeconds(TIMEOUT_SECONDS + 5);

    /** How many sockets a message names. */
    private static final int NAMED_MAX = 8;

    /** The pause after a failure to accept, for example when no descriptor is left. */
    private static final int PAUSE_SECONDS = 1;

    private final Path path;
    private final ServerSocketChannel listening;
    private final ControlledServer server;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final FailureLog failures =
            new FailureLog(System.getLogger(ControlSocket.class.getName()));

    private ControlSocket(Path path, ServerSocketChannel listening, ControlledServer server) {
        this.path = path;
        this.listening = listening;
        this.server = server;
    }

    /**
     * Listens until this is closed. The directory of the socket is made, with rights for its owner
     * alone; a socket that a dead server left there is replaced.
     *
     * @throws IOException if another server listens there, or the path cannot be used; the message
     *     is one line
     */
    public static ControlSocket listen(Path path, ControlledServer server) throws IOException {
        StableDirectory.ofOwner(path.getParent(), _ -> {});
        if (isAnswered(path)) {
            throw new IOException("another server listens at " + path);
        }
        Files.deleteIfExists(path);
        var listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listening.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | RuntimeException failed) {
            listening.close();
            throw failed;
        }
        var socket = new ControlSocket(path, listening, server);
        Thread.ofPlatform().name("control").daemon().start(socket::serve);
        return socket;
    }

    private static boolean isAnswered(Path path) {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A server that hangs does not keep this waiting.
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    Path path() {
        return path;
    }

    private void serve() {
        try {
            while (closed.getCount() > 0) {
                try (var peer = listening.accept()) {
                    answer(peer);
                } catch (ClosedChannelException _) {
                    // This was closed, or the exchange took too long.
                } catch (IOException failed) {
                    failures.report("the control socket failed", failed);
                    closed.await(PAUSE_SECONDS, TimeUnit.SECONDS);
                }
            }
        } catch (InterruptedException _) {
            // The thread belongs to this object, so an interrupt ends it.
        }
    }

    private void answer(SocketChannel peer) throws IOException {
        var limit =
                CompletableFuture.runAsync(
                        () -> end(peer),
                        CompletableFuture.delayedExecutor(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        try (var out = new PrintWriter(writer(peer))) {
            var request = ControlRequest.parse(readLine(peer));
            out.println(
                    request.isPresent()
                            ? request.get().answer(server, out::println)
                            : ControlRequest.FAILED + "the server does not know this request");
        } catch (RuntimeException | Error error) {
            failures.report("an internal error in the control socket", error);
        } finally {
            limit.cancel(false);
        }
    }

    private static void end(SocketChannel peer) {
        try {
            peer.close();
        } catch (IOException _) {
            // It is gone in any case.
        }
    }

    private static Writer writer(SocketChannel peer) {
        return new OutputStreamWriter(Channels.newOutputStream(peer), StandardCharsets.UTF_8);
    }

    /** Returns the first line, cut if it is too long. */
    private static String readLine(SocketChannel peer) throws IOException {
        var in = Channels.newInputStream(peer);
        var line = new StringBuilder();
        int next = in.read();
        while (next >= 0 && next != '\n' && line.length() < REQUEST_MAX) {
            line.append((char) next);
            next = in.read();
        }
        return line.toString();
    }

    /**
     * Sends a request to a server, and passes the lines of its response on as they come.
     *
     * @return whether entries were left out
     * @throws IOException if no server listens there, if it refused, or if it does not answer in
     *     time; the message is one line
     */
    static boolean ask(Path path, ControlRequest request, PrintWriter out) throws IOException {
        return ask(path, request, out, PATIENCE);
    }

    /**
     * Sends a request, as {@link #ask(Path, ControlRequest, PrintWriter)} does.
     *
     * @param patience how long the whole exchange may take
     */
    static boolean ask(Path path, ControlRequest request, PrintWriter out, Duration patience)
            throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            var limit =
                    CompletableFuture.runAsync(
                            () -> end(channel),
                            CompletableFuture.delayedExecutor(
                                    patience.toMillis(), TimeUnit.MILLISECONDS));
            try {
                return ask(path, channel, request, out);
            } catch (ClosedChannelException _) {
                throw new IOException(
                        "the server at %s has not answered for %d s: it may be stopped or too busy"
                                .formatted(path, patience.toSeconds()));
            } finally {
                limit.cancel(false);
            }
        }
    }

    private static boolean ask(
            Path path, SocketChannel channel, ControlRequest request, PrintWriter out)
            throws IOException {
        connect(channel, path);
        try (var to = new PrintWriter(writer(channel));
                var from =
                        new BufferedReader(
                                new InputStreamReader(
                                        Channels.newInputStream(channel),
                                        StandardCharsets.UTF_8))) {
            to.print(request.text() + "\n");
            to.flush();
            String last = null;
            for (var line = from.readLine(); line != null; line = from.readLine()) {
                if (last != null) {
                    out.println(Printable.line(last));
                }
                last = line;
            }
            return isMore(last);
        }
    }

    private static boolean isMore(String outcome) throws IOException {
        if (outcome == null) {
            throw new IOException("the server ended before its response");
        }
        if (outcome.startsWith(ControlRequest.FAILED)) {
            throw new IOException(outcome.substring(ControlRequest.FAILED.length()));
        }
        return switch (outcome) {
            case ControlRequest.OK -> false;
            case ControlRequest.MORE -> true;
            default -> throw new IOException("the server ended within its response");
        };
    }

    private static void connect(SocketChannel channel, Path path) throws IOException {
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
        } catch (ClosedChannelException late) {
            throw late;
        } catch (IOException refused) {
            throw new IOException(explained(path, refused), refused);
        }
    }

    private static String explained(Path path, IOException refused) {
        if (!Files.notExists(path) && !Files.isWritable(path)) {
            return "%s: permission denied: run this as the user of the server".formatted(path);
        }
        // A socket stays in its directory if its server is killed. The next one replaces it.
        var reason =
                refused instanceof ConnectException && Files.exists(path)
                        ? "the server that made it has ended"
                        : refused.getMessage();
        var others = others(path);
        return "no server listens at %s: %s; %s"
                .formatted(
                        path,
                        reason,
                        others.isEmpty()
                                ? "if one runs as another user, run this as that user; --control"
                                        + " names another socket"
                                : "there are: --control " + String.join(", --control ", others));
    }

    /** Returns other sockets where a path is, and where servers listen; some if there are many. */
    private static List<String> others(Path path) {
        var directory = path.toAbsolutePath().getParent();
        if (directory == null) {
            return List.of();
        }
        try (var entries = Files.newDirectoryStream(directory, "*.sock")) {
            return StreamSupport.stream(entries.spliterator(), false)
                    .filter(each -> !each.getFileName().equals(path.getFileName()))
                    .filter(ControlSocket::isAnswered)
                    .limit(NAMED_MAX)
                    .map(Path::toString)
                    .sorted()
                    .toList();
        } catch (IOException | DirectoryIteratorException _) {
            return List.of();
        }
    }

    /** Stops listening, and removes the socket. Does not wait long for a directory that hangs. */
    @Override
    public void close() throws IOException {
        closed.countDown();
        listening.close();
        try {
            Thread.ofPlatform().daemon().start(this::remove).join(REMOVAL);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException _) {
            // The next server replaces it.
        }
    }
}
