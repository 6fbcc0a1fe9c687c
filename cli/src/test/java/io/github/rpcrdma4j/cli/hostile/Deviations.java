package io.github.rpcrdma4j.cli.hostile;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/**
 * The deviations of a hostile server from honest behavior.
 *
 * @param nfs answers calls of NFS
 * @param mount answers calls of MOUNT
 * @param attributes changes the attributes of files
 * @param cut the bytes from the server after which a connection is cut
 * @param stalls whether the connection stays open but silent, instead of being cut
 */
record Deviations(
        Nfs nfs,
        Mount mount,
        UnaryOperator<FileAttributes> attributes,
        OptionalInt cut,
        boolean stalls) {
    /** Answers calls of NFS. */
    interface Nfs {
        /**
         * Answers a call.
         *
         * @return false to answer the call honestly
         */
        boolean answer(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out)
                throws InterruptedException;
    }

    /** Returns the reply to a call of NFS; null to answer it honestly. */
    interface Reply {
        Nfs3Reply<?, ?> to(HonestFiles files, Nfs3Call<?, ?> call);
    }

    /** Answers calls of MOUNT. */
    interface Mount {
        /**
         * Answers a call.
         *
         * @return false to answer the call honestly
         */
        boolean answer(Mount3.Procedure procedure, XdrWriter out) throws InterruptedException;
    }

    private static final Nfs HONEST_FILES = (_, _, _) -> false;
    private static final Mount HONEST_MOUNT = (_, _) -> false;

    static Deviations nothing() {
        return nfs(HONEST_FILES);
    }

    static Deviations nfs(Nfs nfs) {
        return new Deviations(nfs, HONEST_MOUNT, plain -> plain, OptionalInt.empty(), false);
    }

    static Deviations reply(Reply reply) {
        return nfs(
                (files, call, out) -> {
                    var lie = reply.to(files, call);
                    return lie != null && HonestFiles.encode(call, lie, out);
                });
    }

    static Deviations mount(Mount mount) {
        return new Deviations(HONEST_FILES, mount, plain -> plain, OptionalInt.empty(), false);
    }

    static Deviations attributes(UnaryOperator<FileAttributes> attributes) {
        return new Deviations(HONEST_FILES, HONEST_MOUNT, attributes, OptionalInt.empty(), false);
    }

    static Deviations cut(int bytes) {
        return new Deviations(
                HONEST_FILES, HONEST_MOUNT, plain -> plain, OptionalInt.of(bytes), false);
    }

    static Deviations stall(int bytes) {
        return new Deviations(
                HONEST_FILES, HONEST_MOUNT, plain -> plain, OptionalInt.of(bytes), true);
    }

    /** Refuses every call except GETATTR, which a mount needs. */
    static Deviations refuse(Status status) {
        return reply(
                (_, call) ->
                        call instanceof Nfs3Call.GetAttributes
                                ? null
                                : HonestFiles.failed(call, status));
    }

    /** Blocks a call until the server is closed. */
    static boolean never() throws InterruptedException {
        new CountDownLatch(1).await();
        return false;
    }
}
