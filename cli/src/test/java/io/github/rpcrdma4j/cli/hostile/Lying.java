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
 * Where a hostile server leaves the truth.
 *
 * @param nfs answers calls of NFS
 * @param mount answers calls of MOUNT
 * @param look what it makes of the attributes of files
 * @param cut after how many bytes from the server a connection is cut
 * @param stalls whether nothing more comes instead, and the connection stays
 */
record Lying(
        Nfs nfs, Mount mount, UnaryOperator<FileAttributes> look, OptionalInt cut, boolean stalls) {
    /** Answers calls of NFS. */
    interface Nfs {
        /**
         * @return false if the call is answered honestly
         */
        boolean answer(HonestFiles files, Nfs3Call<?, ?> call, XdrWriter out)
                throws InterruptedException;
    }

    /** Makes the reply to a call of NFS; null if it is answered honestly. */
    interface Reply {
        Nfs3Reply<?, ?> to(HonestFiles files, Nfs3Call<?, ?> call);
    }

    /** Answers calls of MOUNT. */
    interface Mount {
        /**
         * @return false if the call is answered honestly
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

    /** All calls but those that a mount needs fail so. */
    static Lying refuse(Status status) {
        return reply(
                (_, call) ->
                        call instanceof Nfs3Call.GetAttributes
                                ? null
                                : HonestFiles.failed(call, status));
    }

    /** Calls of NFS wait until the server is closed. */
    static boolean never() throws InterruptedException {
        new CountDownLatch(1).await();
        return false;
    }
}
