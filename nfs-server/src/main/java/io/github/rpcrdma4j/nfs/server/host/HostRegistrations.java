package io.github.rpcrdma4j.nfs.server.host;

import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Registrations;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The registrations of a host with its rpcbind, by which clients find its ports (RFC 8267-4.2-1).
 * Closing them removes them. Not thread-safe.
 */
final class HostRegistrations implements AutoCloseable {
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

    /** The local socket of rpcbind. Over it, the system identifies the user of each process. */
    private static final Path SOCKET = Path.of("/run/rpcbind.sock");

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Rpcbind rpcbind;
    private final Consumer<String> notices;
    private final Consumer<String> warnings;
    private final Registrations registrations;
    private boolean hasLocks;

    /**
     * @param notices takes what is registered, in a line
     * @param warnings takes what is not, likewise
     */
    HostRegistrations(Rpcbind rpcbind, Consumer<String> notices, Consumer<String> warnings) {
        this.rpcbind = rpcbind;
        this.notices = notices;
        this.warnings = warnings;
        registrations =
                new Registrations(System.getProperty("user.name", ""), knowsRoot(rpcbind), TIMEOUT);
    }

    private static boolean isLocal(Rpcbind rpcbind) {
        return rpcbind instanceof Rpcbind.OfMachine && Files.exists(SOCKET);
    }

    private static boolean knowsRoot(Rpcbind rpcbind) {
        return isLocal(rpcbind)
                && ProcessCredential.read() instanceof Credential.Sys user
                && user.uid() == 0;
    }

    private TcpRpcClient connect() throws RpcException, InterruptedException {
        var anonymous = new Credential.None();
        if (isLocal(rpcbind)) {
            return TcpRpcClient.connect(UnixDomainSocketAddress.of(SOCKET), anonymous, TIMEOUT);
        }
        int port =
                switch (rpcbind) {
                    case Rpcbind.OfMachine() -> RpcbindClient.PORT;
                    case Rpcbind.AtPort(int chosen) -> chosen;
                };
        return TcpRpcClient.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), anonymous, TIMEOUT);
    }

    /** Registers what is served, as far as rpcbind takes it. */
    void add(Served served) throws InterruptedException {
        try {
            try {
                addAll(served);
            } catch (RpcException unreadable) {
                if (!knowsRoot(rpcbind) || registrations.count() > 0) {
                    throw unreadable;
                }
                // The list may be too long for a connection: now it goes without the list.
                addAll(served);
            }
            registrations.warnings().forEach(warnings);
            notices.accept("registered " + services(registrations.count()) + " with rpcbind");
        } catch (RpcException unreachable) {
            int count = registrations.count();
            warnings.accept(
                    "rpcbind: %s; %s registered with it"
                            .formatted(
                                    unreachable.getMessage(),
                                    count == 0 ? "nothing is" : "only " + services(count)));
        }
    }

    private static String services(int count) {
        return count == 1 ? "1 service" : count + " services";
    }

    private void addAll(Served served) throws RpcException, InterruptedException {
        var refused = new ArrayList<String>();
        try (var connection = connect()) {
            for (var id : served.programs) {
                int program = id.number();
                int version = id.highestVersion();
                for (var each : served.rdma) {
                    refused.addAll(registrations.addRdma(connection, program, version, each));
                }
                for (var each : served.tcp) {
                    refused.addAll(registrations.addTcp(connection, program, version, each));
                }
            }
            hasLocks =
                    !served.tcp.isEmpty()
                            && !served.lockPrograms.isEmpty()
                            && addLocks(connection, served, refused);
            refused.forEach(words -> warnings.accept("rpcbind does not take " + words));
        }
    }

    /** Registers the programs for locks. Returns whether rpcbind has taken all over TCP. */
    private boolean addLocks(RpcClient connection, Served served, List<String> refused)
            throws RpcException, InterruptedException {
        int before = refused.size();
        for (var id : served.lockPrograms) {
            for (var each : served.tcp) {
                refused.addAll(
                        registrations.addTcp(connection, id.number(), id.highestVersion(), each));
            }
        }
        boolean isTaken = refused.size() == before;
        for (var each : served.monitors) {
            refused.addAll(registrations.addUdp(connection, Nsm.PROGRAM, 1, each));
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
        try (var connection = connect()) {
            registrations.removeAll(connection);
        } catch (RpcException unreachable) {
            warnings.accept("could not unregister from rpcbind: " + unreachable.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns addresses in the order in which rpcbind is to know them: it keeps one of each family.
     * Those that other hosts reach come first.
     */
    static List<InetSocketAddress> widestFirst(List<InetSocketAddress> addresses) {
        return addresses.stream()
                .sorted(Comparator.comparingInt(HostRegistrations::narrowness))
                .toList();
    }

    private static int narrowness(InetSocketAddress address) {
        var ip = address.getAddress();
        return ip.isAnyLocalAddress() ? 0 : ip.isLoopbackAddress() ? 2 : 1;
    }
}
