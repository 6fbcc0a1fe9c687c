package io.github.rpcrdma4j.cli.serve;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;

/**
 * A process that passes bytes on, between connections to it and connections of its own user to a
 * server. When its input ends, it resets these and ends.
 */
final class RelayOfUser {
    private static final int PRIVILEGED_LEAST = 600;
    private static final int PRIVILEGED_MOST = 1023;

    private RelayOfUser() {}

    /**
     * Prints its port, and for each connection the port that the server sees.
     *
     * @param arguments the address and the port of the server; from where it connects: any,
     *     privileged for ports below 1024, or many for an address of its own for each connection
     */
    public static void main(String[] arguments) throws Exception {
        var address =
                new InetSocketAddress(
                        InetAddress.ofLiteral(arguments[0]), Integer.parseInt(arguments[1]));
        var from = arguments[2];
        var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        System.out.println(listener.getLocalPort());
        var upstream = new ArrayList<Socket>();
        Thread.ofVirtual().start(() -> relayAll(listener, address, from, upstream));
        while (System.in.read() >= 0) {
            // It lives until its input ends.
        }
        synchronized (upstream) {
            for (var each : upstream) {
                each.setSoLinger(true, 0);
                each.close();
            }
        }
        System.exit(0);
    }

    private static void relayAll(
            ServerSocket listener,
            InetSocketAddress address,
            String from,
            ArrayList<Socket> upstream) {
        try {
            while (true) {
                var client = listener.accept();
                var server =
                        from.equals("privileged")
                                ? privileged(address)
                                : connected(address, from.equals("many"), upstream.size());
                server.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                synchronized (upstream) {
                    upstream.add(server);
                }
                System.out.println(server.getLocalPort());
                Thread.ofVirtual().start(() -> copy(client, server));
                Thread.ofVirtual().start(() -> copy(server, client));
            }
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static Socket connected(InetSocketAddress address, boolean isOneOfMany, int number)
            throws IOException {
        var socket = new Socket();
        var own =
                isOneOfMany
                        ? InetAddress.ofLiteral("127.30.0." + (number + 1))
                        : InetAddress.getLoopbackAddress();
        // The kernel lets connect share a port with connections to others, bind not.
        socket.bind(new InetSocketAddress(own, 0));
        socket.connect(address);
        return socket;
    }

    private static Socket privileged(InetSocketAddress address) throws IOException {
        for (int port = PRIVILEGED_MOST; port >= PRIVILEGED_LEAST; port--) {
            var socket = new Socket();
            try {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                socket.connect(address);
                return socket;
            } catch (BindException _) {
                socket.close();
            }
        }
        throw new IOException("no port below 1024 is free");
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException _) {
            // One end is closed.
        }
    }
}
