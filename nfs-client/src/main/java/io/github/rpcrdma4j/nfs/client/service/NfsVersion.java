package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.OptionalInt;

/** A version of NFS that a client speaks, and the version of MOUNT beside it. */
public enum NfsVersion {
    /**
     * For servers that know no later version. Its calls move 8 KiB at most, and reach the first 4
     * GiB of a file (RFC 1094).
     */
    VERSION_2(Nfs2Binding.VERSION, Mount1.VERSION, Nfs2Binding.BINDING),
    /** The usual one (RFC 1813). */
    VERSION_3(Nfs3.VERSION, Mount3.VERSION, Nfs3Binding.BINDING),
    /** With open files, and a lease in place of sessions (RFC 7530). */
    VERSION_4_0(0),
    /** With sessions and open files (RFC 8881). */
    VERSION_4_1(1),
    /** With copies by the server and holes (RFC 7862). */
    VERSION_4_2(2);

    /** The number of the program of NFS, in all versions. */
    public static final int PROGRAM = Nfs3.PROGRAM;

    /** The number of the program of MOUNT, in all versions. */
    public static final int MOUNT_PROGRAM = Mount3.PROGRAM;

    private final int number;
    private final int minorNumber;
    private final OptionalInt mountNumber;
    private final UpperLayerBinding binding;

    NfsVersion(int number, int mountNumber, UpperLayerBinding binding) {
        this.number = number;
        this.minorNumber = 0;
        this.mountNumber = OptionalInt.of(mountNumber);
        this.binding = binding;
    }

    /** A minor version of version 4, which needs no MOUNT. */
    NfsVersion(int minorNumber) {
        this.number = Nfs4Binding.VERSION;
        this.minorNumber = minorNumber;
        this.mountNumber = OptionalInt.empty();
        this.binding = Nfs4Binding.BINDING;
    }

    /** Returns the number of the version. */
    public int number() {
        return number;
    }

    /** Returns the number of the minor version; 0 for versions 2 and 3, which have none. */
    public int minorNumber() {
        return minorNumber;
    }

    /** Returns the version as people write it: {@code 4.2}. */
    public String words() {
        return mountNumber.isPresent() ? Integer.toString(number) : number + "." + minorNumber;
    }

    /** Returns the number of the version of MOUNT beside it, if it needs that. */
    public OptionalInt mountNumber() {
        return mountNumber;
    }

    /** Returns the binding that a connection over RDMA needs. */
    public UpperLayerBinding binding() {
        return binding;
    }
}
