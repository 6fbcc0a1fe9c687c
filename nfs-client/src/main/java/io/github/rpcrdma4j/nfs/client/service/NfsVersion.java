package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;

/** A version of NFS that a client speaks, and the version of MOUNT beside it. */
public enum NfsVersion {
    /**
     * For servers that know no later version. Its calls move 8 KiB at most, and reach the first 4
     * GiB of a file (RFC 1094).
     */
    VERSION_2(Nfs2Binding.VERSION, Mount1.VERSION, Nfs2Binding.BINDING),
    /** The usual one (RFC 1813). */
    VERSION_3(Nfs3.VERSION, Mount3.VERSION, Nfs3Binding.BINDING);

    /** The number of the program of NFS, in all versions. */
    public static final int PROGRAM = Nfs3.PROGRAM;

    /** The number of the program of MOUNT, in all versions. */
    public static final int MOUNT_PROGRAM = Mount3.PROGRAM;

    private final int number;
    private final int mountNumber;
    private final UpperLayerBinding binding;

    NfsVersion(int number, int mountNumber, UpperLayerBinding binding) {
        this.number = number;
        this.mountNumber = mountNumber;
        this.binding = binding;
    }

    /** Returns the number of the version. */
    public int number() {
        return number;
    }

    /** Returns the number of the version of MOUNT. */
    public int mountNumber() {
        return mountNumber;
    }

    /** Returns the binding that a connection over RDMA needs. */
    public UpperLayerBinding binding() {
        return binding;
    }
}
