package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.connect.CallerOptions;
import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.cli.terminal.Count;
import io.github.rpcrdma4j.cli.terminal.Printable;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Registrations;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * Registers a server with the rpcbind of its host, so that clients find its ports (RFC 8267-4.2-1).
 */
@Section(Section.Heading.CONNECTION)
final class RegistrationOptions {
    /** The local socket of rpcbind. Over it, the system identifies the user of each process. */
    private static final Path SOCKET = Path.of("/run/rpcbind.sock");

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final Logger LOG = System.getLogger(RegistrationOptions.class.getName());

    @Option(
            names = "--rpcbind",
            description =
                    "Register NFS, NFSACL, MOUNT and, with --tcp, NLM and NSM with this host's"
                            + " rpcbind while serving: clients of version 3 then lock files.")
    private boolean wanted;

    @Option(
            names = "--rpcbind-port",
            paramLabel = "PORT",
            description =
                    "Register as --rpcbind does; rpcbind listens on this TCP port of loopback.")
    private Integer port;

    /** The registrations of a server, removed when this is closed. */
    final class Registered implements AutoCloseable {
        private final Registrations registrations =
                new Registrations(System.getProperty("user.name", ""), isKnownAsRoot(), TIMEOUT);
        private final PrintWriter out;
        private boolean hasLocks;

        private Registered(PrintWriter out) {
            this.out = out;
        }

        private void add(Served served) throws InterruptedException {
            try {
                try {
                    addAll(served);
                } catch (RpcException unreadable) {
                    if (!isKnownAsRoot() || registrations.count() > 0) {
                        throw unreadable;
                    }
                    // The list may be too long for a connection: now it goes without the list.
                    addAll(served);
                }
                registrations.warnings().forEach(this::warn);
                out.println(
                        "registered "
                                + Count.words(registrations.count(), "service")
                                + " with rpcbind");
            } catch (RpcException unreachable) {
                warn(
                        "rpcbind: %s; %s registered with it"
                                .formatted(
                                        unreachable.getMessage(),
                                        registrations.count() == 0
                                                ? "nothing is"
                                                : "only "
                                                        + Count.words(
                                                                registrations.count(), "service")));
            }
        }

        private void addAll(Served served) throws RpcException, InterruptedException {
            var refused = new ArrayList<String>();
            try (var rpcbind = connect()) {
                for (var id : served.programs) {
                    int program = id.number();
                    int version = id.highestVersion();
                    for (var each : served.rdma) {
                        refused.addAll(registrations.addRdma(rpcbind, program, version, each));
                    }
                    for (var each : served.tcp) {
                        refused.addAll(registrations.addTcp(rpcbind, program, version, each));
                    }
                }
                hasLocks =
                        !served.tcp.isEmpty()
                                && !served.lockPrograms.isEmpty()
                                && addLocks(rpcbind, served, refused);
                refused.forEach(words -> warn("rpcbind does not take " + words));
            }
        }

        /** Tells the user who starts the server, and who reads the log later. */
        private void warn(String words) {
            var line = Printable.line(words);
            out.println(line);
            LOG.log(Level.WARNING, line);
        }

        /** Registers the programs for locks. Returns whether rpcbind has taken all over TCP. */
        private boolean addLocks(RpcClient rpcbind, Served served, List<String> refused)
                throws RpcException, InterruptedException {
            int before = refused.size();
            for (var id : served.lockPrograms) {
                for (var each : served.tcp) {
                    refused.addAll(
                            registrations.addTcp(rpcbind, id.number(), id.highestVersion(), each));
                }
            }
            boolean isTaken = refused.size() == before;
            for (var each : served.monitors) {
                refused.addAll(registrations.addUdp(rpcbind, Nsm.PROGRAM, 1, each));
            }
            return isTaken;
        }

        /** Returns whether clients find the programs for locks. */
        boolean hasLocks() {
            return hasLocks;
        }

        @Override
        public void close() {
            if (registrations.count() == 0) {
                return;
            }
            try (var rpcbind = connect()) {
                registrations.removeAll(rpcbind);
            } catch (RpcException unreachable) {
                out.println(
                        "could not unregister from rpcbind: "
                                + Printable.line(unreachable.getMessage()));
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * What is served, and where.
     *
     * @param programs each of one version
     * @param lockPrograms likewise; they are registered for TCP only
     * @param tcp empty if nothing is served over TCP
     * @param monitors where NSM listens over UDP; empty if it does not
     */
    record Served(
            List<ProgramId> programs,
            List<ProgramId> lockPrograms,
            List<InetSocketAddress> rdma,
            List<InetSocketAddress> tcp,
            List<InetSocketAddress> monitors) {}

    /**
     * Returns addresses in the order in which rpcbind is to know them: it keeps one of each family.
     * Those that other hosts reach come first.
     */
    static List<InetSocketAddress> widestFirst(List<InetSocketAddress> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparingInt(RegistrationOptions::narrowness))
                .toList();
    }

    private static int narrowness(InetSocketAddress address) {
        var ip = address.getAddress();
        return ip.isAnyLocalAddress() ? 0 : ip.isLoopbackAddress() ? 2 : 1;
    }

    /** Returns whether the user wants that. */
    boolean isWanted() {
        return wanted || port != null;
    }

    /**
     * Registers what is served if the user wants that. If rpcbind is unavailable, prints so and
     * continues.
     *
     * @return the registrations, to be closed; empty ones if none were wanted
     */
    Registered register(PrintWriter out, Served served) throws InterruptedException {
        var registered = new Registered(out);
        if (isWanted()) {
            registered.add(served);
        }
        return registered;
    }

    private boolean isLocal() {
        return port == null && Files.exists(SOCKET);
    }

    private boolean isKnownAsRoot() {
        return isLocal() && CallerOptions.user() instanceof Credential.Sys user && user.uid() == 0;
    }

    private TcpRpcClient connect() throws RpcException, InterruptedException {
        var anonymous = new Credential.None();
        if (isLocal()) {
            return TcpRpcClient.connect(UnixDomainSocketAddress.of(SOCKET), anonymous, TIMEOUT);
        }
        int listening = AddressText.requirePort(port == null ? RpcbindClient.PORT : port);
        return TcpRpcClient.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), listening),
                anonymous,
                TIMEOUT);
    }
}
