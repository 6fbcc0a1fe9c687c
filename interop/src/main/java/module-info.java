/** Runs this project against the NFS client and the NFS server of the Linux kernel. */
module io.github.rpcrdma4j.interop {
    requires info.picocli;
    requires io.github.rpcrdma4j.capture;
    requires io.github.rpcrdma4j.dissect;
    requires io.github.rpcrdma4j.iwarp;
    requires io.github.rpcrdma4j.rpcrdma.v2;
    requires io.github.rpcrdma4j.nfs.client;

    opens io.github.rpcrdma4j.interop.linux to
            info.picocli;
}
