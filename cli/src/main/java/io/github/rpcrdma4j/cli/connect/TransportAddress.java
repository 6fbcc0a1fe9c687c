package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.nfs.NfsPort;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import java.net.InetSocketAddress;
import java.util.function.Function;

/** An address with its transport: {@code rdma://HOST:PORT} or {@code tcp://HOST:PORT}. */
public record TransportAddress(Transport transport, InetSocketAddress address) {

    /** A transport of RPC. */
    public enum Transport {
        RDMA("rdma://", NfsPort.RDMA),
        TCP("tcp://", NfsPort.TCP);

        private final String prefix;
        private final int port;

        Transport(String prefix, int port) {
            this.prefix = prefix;
            this.port = port;
        }
    }

    /**
     * Returns the address that a text names. Without a port it is that of NFS, and without a host
     * that of all interfaces.
     *
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static TransportAddress parse(String text) {
        return parse(text, AddressText::parse);
    }

    /**
     * Returns the address that a text names as {@link #parse} does, but looks no name up: with a
     * name the address is unresolved.
     *
     * @throws IllegalArgumentException if it is malformed; the message tells a user why
     */
    public static TransportAddress parseName(String text) {
        return parse(text, AddressText::parseName);
    }

    private static TransportAddress parse(String text, Function<String, InetSocketAddress> parsed) {
        for (var transport : Transport.values()) {
            if (text.startsWith(transport.prefix)) {
                var rest = text.substring(transport.prefix.length());
                boolean hasPort = rest.lastIndexOf(':') > rest.lastIndexOf(']');
                return new TransportAddress(
                        transport, parsed.apply(hasPort ? rest : rest + ":" + transport.port));
            }
        }
        throw new IllegalArgumentException(
                "not an address like rdma://host:port or tcp://host:port: " + text);
    }

    /** Returns this transport at another address. */
    public TransportAddress at(InetSocketAddress actual) {
        return new TransportAddress(transport, actual);
    }

    @Override
    public String toString() {
        return transport.prefix + HostPort.text(address);
    }
}
