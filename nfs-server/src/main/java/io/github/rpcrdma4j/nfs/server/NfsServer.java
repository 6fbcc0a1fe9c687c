package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;

/**
 * Directories served over NFS version 3 and MOUNT version 3. Give its {@link #programs} to a server
 * of any transport; clients expect MOUNT on TCP too (RFC 8267-5.1-1). Thread-safe.
 */
public final class NfsServer implements AutoCloseable {
    /** The longest READ and WRITE, in bytes. */
    public static final int TRANSFER_MAX = 1 << 20;

    /** The shortest key of handles, in bytes. */
    private static final int KEY_MIN = 16;

    private final Exports exports;
    private final HostNames hostNames;
    private final NfsStatistics statistics = new NfsStatistics();
    private final List<RpcProgram> programs;

    /**
     * @param exports what is served
     * @param key the secret that file handles are sealed with; with the same key handles that
     *     clients hold outlive a restart. At least 16 bytes.
     * @throws IOException if an export cannot be served
     */
    public NfsServer(Collection<Export> exports, byte[] key) throws IOException {
        this(exports, key, KerberosUsers.NONE);
    }

    /**
     * @param exports what is served; one may lie in another
     * @param key the secret that file handles are sealed with; with the same key handles that
     *     clients hold outlive a restart. At least 16 bytes.
     * @param identities who callers are that proved their names
     * @throws IOException if an export cannot be served
     */
    public NfsServer(Collection<Export> exports, byte[] key, KerberosUsers identities)
            throws IOException {
        this(exports, key, identities, new BestStores());
    }

    NfsServer(
            Collection<Export> exports, byte[] key, KerberosUsers identities, StoreChooser chooser)
            throws IOException {
        if (key.length < KEY_MIN) {
            throw new IllegalArgumentException("a handle key has at least 16 bytes");
        }
        this.exports = new Exports(exports, new HandleSeal(key), chooser, new WriteVerifier());
        var faults = new Faults();
        var procedures =
                new Nfs3Calls.Procedures(
                        new FileProcedures(statistics, TRANSFER_MAX),
                        new DirectoryProcedures(),
                        faults);
        var accepted = EnumSet.noneOf(SecurityFlavor.class);
        exports.forEach(export -> accepted.addAll(export.flavors()));
        var nfs = new Nfs3Program(this.exports, procedures, accepted, identities, statistics);
        programs = List.of(nfs, new Mount3Program(this.exports, faults));
        hostNames = HostNames.of(exports);
    }

    /**
     * What the operator is told of an export.
     *
     * @param actsForCallers whether it is served with the rights of each caller; else with those of
     *     this process for all callers, and squashing means nothing
     * @param files how they are found: one line
     */
    public record Description(Export export, boolean actsForCallers, String files) {}

    /** Describes the exports, in their order. */
    public List<Description> descriptions() {
        return exports.all().stream()
                .map(
                        each ->
                                new Description(
                                        each.export(),
                                        each.store().actsForCallers(),
                                        each.store().description()))
                .toList();
    }

    /** NFS and MOUNT. */
    public List<RpcProgram> programs() {
        return programs;
    }

    /** What was asked for so far; it goes on counting. */
    public NfsStatistics statistics() {
        return statistics;
    }

    /** Ends its thread and closes the files that are open; the programs are not called any more. */
    @Override
    public void close() {
        hostNames.close();
        exports.close();
    }
}
