package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.rdmacore.Adapter;
import io.github.rpcrdma4j.rdmacore.RdmaCoreProvider;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that choose between an adapter and soft-iWARP in Java. */
@Section(Section.Heading.CONNECTION)
public final class ProviderOptions {
    /** What moves the bytes. */
    enum Choice {
        /** The adapter that routes to the address, or else soft-iWARP in Java. */
        AUTO,
        /** Soft-iWARP in Java, over TCP. */
        IWARP,
        /** An adapter. */
        RDMA_CORE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Option(
            names = "--provider",
            paramLabel = "iwarp|rdma-core|auto",
            defaultValue = "iwarp",
            description =
                    "What moves the bytes (${DEFAULT-VALUE}): soft-iWARP in Java over TCP, the RDMA"
                            + " adapter that routes to the address, or that adapter if there is one"
                            + " and soft-iWARP otherwise.")
    private String provider;

    @Option(names = "--no-crc", description = "Do not ask for CRCs; an adapter decides by itself.")
    private boolean noCrc;

    /** The provider of soft-iWARP, whose connections share what it knows of peers. */
    private IwarpProvider software;

    private Choice choice() {
        for (var each : Choice.values()) {
            if (each.toString().equals(provider)) {
                return each;
            }
        }
        throw new IllegalArgumentException(
                "--provider is iwarp, rdma-core or auto, not " + provider);
    }

    /**
     * Checks that the chosen provider exists.
     *
     * @throws IllegalArgumentException if the options exclude each other
     * @throws IOException if there is no adapter, but the user wants one; the message says what to
     *     install
     */
    public void requirePossible(Trace trace) throws IOException {
        if (choice() != Choice.RDMA_CORE) {
            return;
        }
        if (trace.isWanted()) {
            throw new IllegalArgumentException(
                    "--trace records soft-iWARP only; use tcpdump or ibdump with --provider"
                            + " rdma-core");
        }
        var missing = Adapter.unusable();
        if (missing.isPresent()) {
            throw new IOException("--provider rdma-core: " + missing.get());
        }
    }

    /** Returns the provider of a client. */
    public RdmaProvider towards(InetSocketAddress server, Trace trace) throws IOException {
        return provider(adapter(server, false, trace), trace);
    }

    /** Returns the provider of a server. */
    public RdmaProvider at(InetSocketAddress address, Trace trace) throws IOException {
        return at(List.of(address), trace);
    }

    /**
     * Returns the provider of a server with several addresses.
     *
     * @param addresses at least one
     * @throws IOException if one provider does not have them all
     */
    public RdmaProvider at(List<InetSocketAddress> addresses, Trace trace) throws IOException {
        var first = addresses.getFirst();
        var adapter = adapter(first, true, trace);
        for (var each : addresses) {
            if (!adapter.equals(adapter(each, true, trace))) {
                throw new IOException(
                        "%s and %s are not of one adapter: serve them by a server each"
                                .formatted(HostPort.text(first), HostPort.text(each)));
            }
        }
        return provider(adapter, trace);
    }

    private RdmaProvider provider(Optional<String> adapter, Trace trace) throws IOException {
        return adapter.isPresent() ? new RdmaCoreProvider(adapter.get()) : software(trace);
    }

    /** Returns the name of the adapter for an address; empty if soft-iWARP is to reach it. */
    private Optional<String> adapter(InetSocketAddress address, boolean isLocal, Trace trace)
            throws IOException {
        requirePossible(trace);
        var chosen = choice();
        boolean mayBeAdapter = chosen != Choice.IWARP && !trace.isWanted();
        if (mayBeAdapter && Adapter.unusable().isEmpty()) {
            var resolved = resolved(address);
            var adapter = isLocal ? Adapter.at(resolved) : Adapter.routeTo(resolved);
            if (adapter.isPresent()) {
                return adapter;
            }
        }
        if (chosen == Choice.RDMA_CORE) {
            throw new IOException(
                    "--provider rdma-core: no adapter "
                            + (isLocal ? "has" : "routes to")
                            + " "
                            + HostPort.text(address)
                            + "; rpcrdma devices lists them");
        }
        return Optional.empty();
    }

    /**
     * Returns the provider of soft-iWARP, which records a trace if the user wants one.
     *
     * @throws IOException if the trace cannot be written
     */
    public synchronized RdmaProvider software(Trace trace) throws IOException {
        if (software == null) {
            software = new IwarpProvider(trace.options(IwarpOptions.DEFAULT.withCrc(!noCrc)));
        }
        return software;
    }

    /**
     * Returns an address with its name resolved.
     *
     * @throws UnknownHostException if the name has no address
     */
    public static InetSocketAddress resolved(InetSocketAddress address) throws IOException {
        if (!address.isUnresolved()) {
            return address;
        }
        var found = new InetSocketAddress(address.getHostString(), address.getPort());
        if (found.isUnresolved()) {
            throw new UnknownHostException(address.getHostString() + ": unknown host");
        }
        return found;
    }

    /** Returns an address of this machine that an adapter has, if one is wanted and there. */
    public Optional<InetAddress> localAddress() throws IOException {
        requirePossible(new Trace());
        return choice() == Choice.IWARP || Adapter.unusable().isPresent()
                ? Optional.empty()
                : Adapter.anyAddress();
    }
}
