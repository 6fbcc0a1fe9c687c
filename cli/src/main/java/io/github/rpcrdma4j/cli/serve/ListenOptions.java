package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.Listening;
import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.nfs.NfsPort;
import io.github.rpcrdma4j.nfs.server.host.ListenException;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say where a server listens. */
final class ListenOptions {
    private static final String RDMA = "--listen";
    private static final String TCP = "--tcp";

    /** Clients of version 4 ask no rpcbind for the port (RFC 8267-6.3-1). */
    @Option(
            names = RDMA,
            paramLabel = "HOST:PORT",
            defaultValue = ":" + NfsPort.RDMA,
            description =
                    "Where to listen for RDMA (${DEFAULT-VALUE}); port 0 picks one. May be repeated:"
                            + " the first one names the state of the server. Without a rule of"
                            + " --allow, and without a host here, only this machine reaches it.")
    private List<String> rdma;

    @Option(
            names = TCP,
            paramLabel = "HOST:PORT",
            description =
                    "Serve NFS and MOUNT over TCP as well, for clients without RDMA; version 3 at a"
                            + " Linux client needs MOUNT there. May be repeated. With Kerberos this"
                            + " is always done, by default at "
                            + ServerSecurityOptions.NFS_OVER_TCP
                            + ".")
    private List<String> tcp = List.of();

    /**
     * Where to listen.
     *
     * @param rdma at least one
     * @param tcp empty if nothing is served there
     */
    record Addresses(List<InetSocketAddress> rdma, List<InetSocketAddress> tcp) {
        /** Checks that a server could listen there, without a client that notices. */
        void requireFree() throws IOException {
            for (var each : rdma) {
                Listening.requireFree(RDMA, each);
            }
            for (var each : tcp) {
                Listening.requireFree(TCP, each);
            }
        }
    }

    /**
     * Returns the addresses. Names are looked up once, here.
     *
     * @param flavors of the exports: Kerberos needs TCP
     * @param isForThisMachine whether no rule opens the exports for other hosts
     * @throws IllegalArgumentException if one is malformed or a part of another one, or other hosts
     *     reach it though no rule lets them in
     */
    Addresses addresses(List<SecurityFlavor> flavors, boolean isForThisMachine) {
        return new Addresses(
                addresses(RDMA, rdma, isForThisMachine),
                addresses(TCP, ServerSecurityOptions.tcp(tcp, flavors), isForThisMachine));
    }

    private static List<InetSocketAddress> addresses(
            String option, List<String> texts, boolean isForThisMachine) {
        var found =
                texts.stream()
                        .map(each -> Listening.address(option, each, isForThisMachine))
                        .toList();
        for (int i = 0; i < found.size(); i++) {
            for (int k = 0; k < i; k++) {
                if (isWithin(found.get(i), found.get(k)) || isWithin(found.get(k), found.get(i))) {
                    throw new IllegalArgumentException(
                            "%s %s and %s are one address"
                                    .formatted(option, texts.get(k), texts.get(i)));
                }
            }
        }
        return found;
    }

    /** Returns whether what listens at the second address listens at the first one, too. */
    private static boolean isWithin(InetSocketAddress one, InetSocketAddress all) {
        // Port 0 picks another one each time.
        return one.getPort() != 0
                && (one.equals(all)
                        || one.getPort() == all.getPort()
                                && !all.isUnresolved()
                                && all.getAddress().isAnyLocalAddress());
    }

    /**
     * Adds what is wrong with the addresses of a file.
     *
     * @return whether nothing is
     */
    boolean check(ConfigFile text, ConfigMistakes mistakes) {
        return mistakes.check(text.line("listen"), () -> addresses(RDMA, rdma, false))
                & mistakes.check(text.line("tcp"), () -> addresses(TCP, tcp, false));
    }

    /** Returns the first address for RDMA, as far as it is known before the exports are. */
    InetSocketAddress first() {
        return AddressText.parse(rdma.getFirst());
    }

    /** Returns whether the user wants TCP, and not Kerberos alone. */
    boolean isTcpWanted() {
        return !tcp.isEmpty();
    }

    /**
     * Returns what to tell a user whose host cannot listen: what to do, and why TCP is needed if
     * the user does not ask for it.
     */
    IOException explained(ListenException refused) {
        return switch (refused.transport()) {
            case RDMA -> Listening.explained(RDMA, refused);
            case TCP -> {
                var explained = Listening.explained(TCP, refused);
                yield isTcpWanted()
                        ? explained
                        : new IOException(
                                explained.getMessage() + "; " + ServerSecurityOptions.WHY_TCP,
                                refused);
            }
        };
    }
}
