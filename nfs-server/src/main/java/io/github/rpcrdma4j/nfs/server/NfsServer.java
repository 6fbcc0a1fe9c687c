package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.UpperLayerBinding;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;

/**
 * Folders served over NFS version 3 and MOUNT version 3. Give {@link #programs} and {@link
 * #bindings} to a server of any transport; clients expect MOUNT on TCP too (RFC 8267-5.1-1).
 * Thread-safe.
 */
public final class NfsServer implements AutoCloseable {
    /** The longest READ and WRITE, in octets. */
    public static final int TRANSFER_MAX = 1 << 20;

    private final HostNames hostNames;
    private final OpenFiles openFiles = new OpenFiles();
    private final NfsStatistics statistics = new NfsStatistics();
    private final List<RpcProgram> programs;

    /**
     * @param exports what is served
     * @param key the secret that file handles are sealed with; with the same key handles that
     *     clients hold outlive a restart. At least 16 octets.
     * @throws IOException if an export cannot be read
     */
    public NfsServer(Collection<Export> exports, byte[] key) throws IOException {
        this(exports, key, Identities.NONE);
    }

    /**
     * @param exports what is served
     * @param key the secret that file handles are sealed with; with the same key handles that
     *     clients hold outlive a restart. At least 16 octets.
     * @param identities who callers are that proved their names
     * @throws IOException if an export cannot be read
     */
    public NfsServer(Collection<Export> exports, byte[] key, Identities identities)
            throws IOException {
        if (key.length < 16) {
            throw new IllegalArgumentException("a handle key has at least 16 octets");
        }
        var forest = new Forest(exports, new HandleSeal(key));
        var permissions = new Permissions(processIsRoot());
        var changes = new AttributeChanges(openFiles);
        var files = new FileOperations(permissions, changes);
        var folders = new FolderOperations(permissions, openFiles, changes);
        var listings = new ListingOperations(permissions, new Listings());
        var fileSystems = new FileSystemOperations(TRANSFER_MAX);
        long verifier = new SecureRandom().nextLong();
        var data =
                new DataOperations(
                        permissions, openFiles, changes, statistics, TRANSFER_MAX, verifier);
        var operations = new Nfs3Calls.Operations(files, data, folders, listings, fileSystems);
        var accepted = EnumSet.noneOf(SecurityFlavor.class);
        exports.forEach(export -> accepted.addAll(export.flavors()));
        var nfs = new Nfs3Program(forest, operations, accepted, identities, statistics);
        programs = List.of(nfs, new Mount3Program(forest));
        hostNames = HostNames.of(exports);
    }

    private static boolean processIsRoot() {
        return ProcessCredential.read() instanceof Credential.Sys own && own.uid() == 0;
    }

    /** NFS and MOUNT. */
    public List<RpcProgram> programs() {
        return programs;
    }

    /** What of them RPC-over-RDMA may place directly. */
    public List<UpperLayerBinding> bindings() {
        return List.of(Nfs3Binding.BINDING);
    }

    /** What was asked for so far; it goes on counting. */
    public NfsStatistics statistics() {
        return statistics;
    }

    /** Ends its thread and closes the files that are open; the programs are not called any more. */
    @Override
    public void close() {
        hostNames.close();
        openFiles.close();
    }
}
