package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.gateway.Gateway;
import io.github.rpcrdma4j.gateway.GatewayLimits;
import io.github.rpcrdma4j.gateway.RdmaUpstream;
import io.github.rpcrdma4j.gateway.TcpUpstream;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process between client and server: the main class of a relay or a gateway.
 *
 * <p>Tests: {@code ExchangeTest}.
 */
final class PassingProcess implements AutoCloseable {
    private static final int RELAYED_BYTES = 256 << 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Process process;
    private final int port;

    private PassingProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a process with the Java, the options and the class path of this one.
     *
     * @param server the port of the server on the loopback address
     */
    static PassingProcess start(Passage passage, boolean crc, int server) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-classpath");
        command.add(System.getProperty("java.class.path"));
        command.add(PassingProcess.class.getName());
        command.addAll(List.of(passage.name(), Boolean.toString(crc), Integer.toString(server)));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var printed =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        // Java itself may print lines first, for instance about a recording.
        for (var line = printed.readLine(); line != null; line = printed.readLine()) {
            if (line.startsWith("port ")) {
                return new PassingProcess(process, Integer.parseInt(line.substring(5)));
            }
        }
        throw new IOException("a process between client and server did not start");
    }

    int port() {
        return port;
    }

    /** Ends the process, which ends with its standard input. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
    }

    /** Runs the process until its standard input ends. */
    public static void main(String[] args) throws Exception {
        var server = loopback(Integer.parseInt(args[2]));
        int port = listen(Passage.valueOf(args[0]), Boolean.parseBoolean(args[1]), server);
        System.out.println("port " + port);
        while (System.in.read() >= 0) {
            // Nothing is to be read.
        }
        System.exit(0);
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static int listen(Passage passage, boolean crc, InetSocketAddress server)
            throws Exception {
        var provider = RpcRdmaExchange.provider(Exchange.Setting.plain(crc));
        return switch (passage) {
            case RELAY -> relay(server);
            case TO_TCP ->
                    RpcRdmaServer.builder()
                            .provider(provider)
                            .address(loopback(0))
                            .calls(
                                    new Gateway(
                                            new TcpUpstream(server, TIMEOUT, GatewayLimits.DEFAULT),
                                            GatewayLimits.DEFAULT))
                            .start()
                            .address()
                            .getPort();
            case TO_RDMA ->
                    TcpRpcServer.listen(
                                    loopback(0),
                                    new Gateway(
                                            new RdmaUpstream(
                                                    server,
                                                    () ->
                                                            RpcRdmaClient.builder()
                                                                    .provider(provider)),
                                            GatewayLimits.DEFAULT),
                                    TcpRpcOptions.DEFAULT)
                            .address()
                            .getPort();
        };
    }

    private static int relay(InetSocketAddress server) throws IOException {
        var listener = ServerSocketChannel.open().bind(loopback(0));
        Thread.ofPlatform().daemon().start(() -> relayAll(listener, server));
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    private static void relayAll(ServerSocketChannel listener, InetSocketAddress server) {
        try {
            while (true) {
                var near = listener.accept();
                var far = SocketChannel.open(server);
                near.setOption(StandardSocketOptions.TCP_NODELAY, true);
                far.setOption(StandardSocketOptions.TCP_NODELAY, true);
                Thread.ofPlatform().daemon().start(() -> copy(near, far));
                Thread.ofPlatform().daemon().start(() -> copy(far, near));
            }
        } catch (IOException failure) {
            failure.printStackTrace();
        }
    }

    /** Passes bytes on until one side closes its connection; then it closes both. */
    private static void copy(SocketChannel from, SocketChannel to) {
        var bytes = ByteBuffer.allocateDirect(RELAYED_BYTES);
        try (from;
                to) {
            while (from.read(bytes.clear()) >= 0) {
                for (bytes.flip(); bytes.hasRemaining(); ) {
                    to.write(bytes);
                }
            }
        } catch (IOException _) {
            // One side has gone.
        }
    }
}
