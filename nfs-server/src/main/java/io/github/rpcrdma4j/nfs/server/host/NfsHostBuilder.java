package io.github.rpcrdma4j.nfs.server.host;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.Authenticator;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServerBuilder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Configures an {@link NfsHost}. Not thread-safe. */
public final class NfsHostBuilder {
    private static final Set<Integer> KNOWN = Set.of(2, 3, 4);

    final NfsServer server;
    RpcRdmaServerBuilder rdma = RpcRdmaServer.builder();
    List<InetSocketAddress> tcp = List.of();
    Set<Integer> versions = Set.of(3, 4);
    List<Authenticator> authenticators = List.of();
    Optional<Rpcbind> rpcbind = Optional.empty();
    Consumer<String> notices = _ -> {};

    NfsHostBuilder(NfsServer server) {
        this.server = server;
    }

    /**
     * Sets how the host listens for RDMA: the addresses, the provider and all limits. By default it
     * takes all of {@link RpcRdmaServer#builder}.
     *
     * @param changed without programs: the host sets what is served
     */
    public NfsHostBuilder rdma(RpcRdmaServerBuilder changed) {
        rdma = changed;
        return this;
    }

    /**
     * Sets where the host listens over TCP, too; nowhere by default. A Linux client of version 3
     * needs MOUNT there, and locks of versions 2 and 3 are served over TCP alone.
     */
    public NfsHostBuilder tcp(List<InetSocketAddress> changed) {
        tcp = List.copyOf(changed);
        return this;
    }

    /**
     * Sets the versions of NFS that are served; 3 and 4 by default. The minor versions of 4 are
     * those of the server's options.
     *
     * @throws IllegalArgumentException if there is none, or one is not 2, 3 or 4
     */
    public NfsHostBuilder versions(Set<Integer> changed) {
        if (changed.isEmpty() || !KNOWN.containsAll(changed)) {
            throw new IllegalArgumentException(
                    "the versions of NFS are 2, 3 and 4, not " + new TreeSet<>(changed));
        }
        versions = Set.copyOf(changed);
        return this;
    }

    /**
     * Sets what admits callers of flavors other than AUTH_NONE and AUTH_SYS, such as those of
     * Kerberos. They stay the caller's, who closes them after the host.
     */
    public NfsHostBuilder authenticators(List<Authenticator> changed) {
        authenticators = List.copyOf(changed);
        return this;
    }

    /**
     * Has the host register with an rpcbind, as clients of version 3 that lock files need it, and
     * those that look for a port. It does not by default.
     */
    public NfsHostBuilder rpcbind(Rpcbind changed) {
        rpcbind = Optional.of(changed);
        return this;
    }

    /**
     * Sets who takes the lines for an operator: what rpcbind has taken, and what the host does
     * without, which is logged, too. They have no control characters. The thread that starts or
     * closes the host calls it.
     */
    public NfsHostBuilder notices(Consumer<String> changed) {
        notices = changed;
        return this;
    }

    /** Returns the programs of the versions, without those for locks. */
    List<RpcProgram> programs() {
        var programs = new ArrayList<RpcProgram>();
        if (versions.contains(3)) {
            programs.addAll(server.version3Programs());
        }
        if (versions.contains(4)) {
            programs.add(server.version4Program());
        }
        if (versions.contains(2)) {
            programs.addAll(server.version2Programs());
        }
        return programs;
    }

    /** Returns the programs for locks; none if version 4 is served alone, which has its own. */
    List<RpcProgram> lockPrograms() {
        return versions.equals(Set.of(4)) ? List.of() : server.lockPrograms(versions.contains(2));
    }

    /**
     * Starts the host: it takes calls at all addresses when this returns.
     *
     * @throws ListenException if it cannot listen at an address; then it listens nowhere, and the
     *     server stays open
     */
    public NfsHost start() throws ListenException, InterruptedException {
        return NfsHost.start(this);
    }
}
