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
 * @param look changes the attributes of files
 * @param cut the bytes from the server after which a connection is cut
 * @param stalls whether the connection stays open but silent, instead of being cut
 */
record Lying(
        Nfs nfs, Mount mount, UnaryOperator<FileAttributes> look, OptionalInt cut, boolean stalls) {
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

    static Lying nothing() {
        return nfs(HONEST_FILES);
    }

    static Lying nfs(Nfs nfs) {
        return new Lying(nfs, HONEST_MOUNT, plain -> plain, OptionalInt.empty(), false);
    }

    static Lying reply(Reply reply) {
        return nfs(
                (files, call, out) -> {
                    var lie = reply.to(files, call);
                    return lie != null && HonestFiles.encode(call, lie, out);
                });
    }

    static Lying mount(Mount mount) {
        return new Lying(HONEST_FILES, mount, plain -> plain, OptionalInt.empty(), false);
    }

    static Lying look(UnaryOperator<FileAttributes> look) {
        return new Lying(HONEST_FILES, HONEST_MOUNT, look, OptionalInt.empty(), false);
    }

    static Lying cut(int bytes) {
        return new Lying(HONEST_FILES, HONEST_MOUNT, plain -> plain, OptionalInt.of(bytes), false);
    }

    static Lying stall(int bytes) {
        return new Lying(HONEST_FILES, HONEST_MOUNT, plain -> plain, OptionalInt.of(bytes), true);
    }

    /** Refuses every call except GETATTR, which a mount needs. */
    static Lying refuse(Status status) {
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
