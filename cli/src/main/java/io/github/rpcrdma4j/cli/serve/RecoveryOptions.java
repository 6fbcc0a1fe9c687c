package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.service.StateFiles;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options about what clients of NFS version 4 hold, and how they get it back. */
public final class RecoveryOptions {
    @Option(
            names = "--lease",
            paramLabel = "SECONDS",
            defaultValue = "" + Nfs4Options.LEASE_SECONDS,
            description =
                    "How long the opens and locks of a silent client of version 4 are safe: "
                            + Nfs4Options.LEASE_SECONDS_MIN
                            + " to 3600 (${DEFAULT-VALUE}).")
    private int lease;

    @Option(
            names = "--grace",
            paramLabel = "SECONDS",
            description =
                    "How long clients may reclaim their opens and locks after a restart: 1 to 3600;"
                            + " by default as long as a lease.")
    private Integer grace;

    /**
     * Returns the options of a server.
     *
     * @param listen where it is to listen for RDMA. A server that picks its port is not found by
     *     its clients after a restart, so it keeps no records.
     * @param isInMemory whether its files do not outlive it either
     * @throws IllegalArgumentException if a time is out of range, or if there is a time for
     *     reclaims but never anything to reclaim
     */
    public Nfs4Options options(InetSocketAddress listen, boolean isInMemory) {
        boolean isPicked = listen.getPort() == 0;
        boolean hasRecords = !isPicked && !isInMemory;
        if (grace != null && !hasRecords) {
            throw new IllegalArgumentException(
                    "--grace has no effect here: a server of mem:, or at port 0, keeps nothing that"
                            + " clients could reclaim after a restart");
        }
        var instance =
                isPicked
                        ? Long.toHexString(new SecureRandom().nextLong())
                        : StateFiles.instance(listen);
        return new Nfs4Options(
                Duration.ofSeconds(lease),
                Duration.ofSeconds(grace == null ? lease : grace),
                hasRecords ? Optional.of(StateFiles.records(instance)) : Optional.<Path>empty(),
                instance);
    }
}
