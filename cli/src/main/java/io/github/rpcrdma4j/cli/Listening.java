package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/** Explains to an operator why a server cannot listen. */
final class Listening {
    private static final String LOOPBACK = "127.0.0.1";

    private Listening() {}

    /**
     * Returns the address of a server whose exports no rule opens for other hosts: one that only
     * this machine reaches.
     *
     * @param option chooses the address
     * @param address what the user gave; without a host it gets that of IPv4 for this machine
     * @throws IllegalArgumentException if it is malformed, or other hosts reach it
     */
    static String onThisMachine(String option, String address) {
        var host = AddressText.parse(address).getAddress();
        if (address.lastIndexOf(':') == 0) {
            return LOOPBACK + address;
        }
        if (host != null && !host.isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "%s %s is for other hosts, and no rule lets them in: add --allow NETWORK, or --allow any"
                            .formatted(option, address));
        }
        return address;
    }

    /**
     * The start of a server.
     *
     * @param <T> the server
     */
    interface Start<T> {
        T start() throws IOException;
    }

    /**
     * Starts a server.
     *
     * @param option chooses its address
     * @throws IOException if it cannot listen; if another server listens there, the message says
     *     how to choose another address
     */
    static <T> T at(String option, Start<T> start) throws IOException {
        try {
            return start.start();
        } catch (IOException refused) {
            throw isTaken(refused)
                    ? new IOException(
                            "%s: another server listens there; %s HOST:PORT names another address"
                                    .formatted(refused.getMessage(), option),
                            refused)
                    : refused;
        }
    }

    private static boolean isTaken(Throwable failure) {
        for (var each = failure; each != null; each = each.getCause()) {
            if (each instanceof BindException
                    && String.valueOf(each.getMessage()).contains("already in use")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks that a server could listen at an address. It does not listen, so no client notices.
     *
     * @param option chooses the address
     * @throws IOException if it could not; the message is one line
     */
    static void requireFree(String option, String address) throws IOException {
        at(
                option,
                () -> {
                    requireFree(AddressText.parse(address));
                    return null;
                });
    }

    private static void requireFree(InetSocketAddress address) throws IOException {
        if (address.isUnresolved()) {
            return;
        }
        try (var probe = SocketChannel.open()) {
            probe.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            probe.bind(address);
        } catch (IOException refused) {
            throw new IOException(
                    "cannot listen on " + HostPort.text(address) + ": " + refused.getMessage(),
                    refused);
        }
    }
}
