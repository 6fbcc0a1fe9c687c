package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/** Explains to an operator why a server cannot listen. */
public final class Listening {
    private static final String LOOPBACK = "127.0.0.1";

    private Listening() {}

    /**
     * Returns the address of a server. A name is looked up once, here.
     *
     * @param option chooses the address
     * @param address what the user gave
     * @param isForThisMachine whether no rule opens the exports for other hosts; without a host the
     *     address is then that of IPv4 for this machine
     * @throws IllegalArgumentException if it is malformed, or other hosts reach it though no rule
     *     lets them in
     */
    public static InetSocketAddress address(
            String option, String address, boolean isForThisMachine) {
        var parsed = AddressText.parse(address);
        if (!isForThisMachine) {
            return parsed;
        }
        if (address.lastIndexOf(':') == 0) {
            return new InetSocketAddress(LOOPBACK, parsed.getPort());
        }
        if (!parsed.isUnresolved() && !parsed.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "%s %s is for other hosts, and no rule lets them in: add --allow NETWORK, or --allow any"
                            .formatted(option, address));
        }
        return parsed;
    }

    /**
     * The start of a server.
     *
     * @param <T> the server
     */
    public interface Start<T> {
        T start() throws IOException;
    }

    /**
     * Starts a server.
     *
     * @param option chooses its address
     * @throws IOException if it cannot listen; if another server listens there, the message says
     *     how to choose another address
     */
    public static <T> T at(String option, Start<T> start) throws IOException {
        try {
            return start.start();
        } catch (IOException refused) {
            throw explained(option, refused);
        }
    }

    /**
     * Returns what to tell a user whose server cannot listen: how to choose another address, if
     * another server listens there.
     *
     * @param option chooses its address
     */
    public static IOException explained(String option, IOException refused) {
        return isTaken(refused)
                ? new IOException(
                        "%s: another server listens there; %s HOST:PORT names another address"
                                .formatted(refused.getMessage(), option),
                        refused)
                : refused;
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
    public static void requireFree(String option, InetSocketAddress address) throws IOException {
        at(
                option,
                () -> {
                    requireFree(address);
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
