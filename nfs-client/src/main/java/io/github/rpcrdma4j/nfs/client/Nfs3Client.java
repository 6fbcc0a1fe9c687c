package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.Exported;
import io.github.rpcrdma4j.nfs.mount.Mount3.Mounted;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Calls of NFS version 3 with their types, and MOUNT. Thread-safe; every method that makes a call
 * waits for it, and is cancelled by an interrupt. For many calls at a time there are pipelines.
 */
public final class Nfs3Client implements AutoCloseable {
    /** The longest list of exports that is taken, in bytes. */
    private static final int EXPORTS_BYTES = 1 << 16;

    private static final int MOUNT_BYTES = 256;

    private final ReconnectingRpcClient nfs;
    private final ReconnectingRpcClient mount;
    private final Duration deadline;

    /** What is made of a successful reply while its memory is there. */
    public interface OnSuccess<A, T, R> {
        /** Makes a value of a reply. */
        R apply(A attributes, T value) throws IOException;
    }

    /** Decodes results to their end. */
    private interface Decoder<R> {
        R decode(XdrReader in) throws XdrException;
    }

    /**
     * Connects to both services.
     *
     * @param nfs connects to the NFS service
     * @param mount connects to the MOUNT service; the same object if one connection serves both
     * @throws RpcException if a service cannot be reached
     */
    public Nfs3Client(Connector nfs, Connector mount, ClientOptions options)
            throws RpcException, InterruptedException {
        this.deadline = options.deadline();
        this.nfs = ReconnectingRpcClient.connect(nfs, options.retry());
        try {
            this.mount =
                    mount == nfs ? this.nfs : ReconnectingRpcClient.connect(mount, options.retry());
        } catch (RpcException | InterruptedException | RuntimeException failure) {
            this.nfs.close();
            throw failure;
        }
    }

    /** Does nothing, there and back: what {@code ping} measures. */
    public void ping() throws RpcException, InterruptedException {
        nfs.ping(Nfs3.PROGRAM, Nfs3.VERSION, deadline);
    }

    /**
     * Makes a call without bulk results.
     *
     * @throws NfsException if the server refuses
     */
    public <A, T> T call(Nfs3Call<A, T> call) throws IOException, InterruptedException {
        return call(call, failed(call));
    }

    /**
     * Makes a call with bulk results. While the server puts it off (NFS3ERR_JUKEBOX), the call is
     * made again after pauses, until its deadline has passed.
     *
     * @param targets the caller's memory for bulk results
     * @param onSuccess runs while the results are there; bulk results may be views that end with it
     * @throws NfsException if the server refuses
     */
    public <A, T, R> R call(
            Nfs3Call<A, T> call, List<MemorySegment> targets, OnSuccess<A, T, R> onSuccess)
            throws IOException, InterruptedException {
        return call(call, failed(call), targets, onSuccess);
    }

    /** What is said of a call whose purpose is not known. */
    static String failed(Nfs3Call<?, ?> call) {
        return call.replyForm().procedure() + " failed";
    }

    /**
     * Makes a call without bulk results.
     *
     * @param what for the message of a failure: {@code "cannot remove /a/b"}
     * @throws NfsException if the server refuses
     */
    <A, T> T call(Nfs3Call<A, T> call, String what) throws IOException, InterruptedException {
        return call(call, what, List.of(), (_, value) -> value);
    }

    /**
     * Makes a call with bulk results.
     *
     * @param what for the message of a failure
     */
    <A, T, R> R call(
            Nfs3Call<A, T> call,
            String what,
            List<MemorySegment> targets,
            OnSuccess<A, T, R> onSuccess)
            throws IOException, InterruptedException {
        var later = new RetryDelay(deadline, System.nanoTime());
        while (true) {
            try {
                return once(call, what, targets, onSuccess);
            } catch (NfsException refused) {
                var due = later.after(refused.status(), System.nanoTime());
                if (due.isEmpty()) {
                    throw refused;
                }
                TimeUnit.NANOSECONDS.sleep(due.getAsLong() - System.nanoTime());
            }
        }
    }

    private <A, T, R> R once(
            Nfs3Call<A, T> call,
            String what,
            List<MemorySegment> targets,
            OnSuccess<A, T, R> onSuccess)
            throws IOException, InterruptedException {
        try (var reply = nfs.call(rpcCall(call, targets), deadline)) {
            return switch (call.replyForm().decode(reply.results())) {
                case Nfs3Reply.Ok<A, T>(var attributes, var value) ->
                        onSuccess.apply(attributes, value);
                case Nfs3Reply.Failed<A, T>(var status, _) -> throw new NfsException(what, status);
            };
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    /**
     * Begins a pipeline: calls that one thread keeps going without waiting for each.
     *
     * @return to be closed before this client is
     */
    public Nfs3Pipeline pipeline() {
        return new Nfs3Pipeline(nfs.pipeline(), deadline);
    }

    static RpcCall rpcCall(Nfs3Call<?, ?> call, List<MemorySegment> targets) {
        var procedure = call.replyForm().procedure();
        return new RpcCall(
                Nfs3.PROGRAM,
                Nfs3.VERSION,
                procedure.number(),
                call::encode,
                Nfs3Binding.row(procedure).resultsMax(count(call)),
                targets);
    }

    private static int count(Nfs3Call<?, ?> call) {
        return switch (call) {
            case Nfs3Call.ReadDirectory list -> list.count();
            case Nfs3Call.ReadDirectoryPlus list -> list.fullCount();
            default -> 0;
        };
    }

    /**
     * The text of a symbolic link, of any bytes.
     *
     * @throws NfsException if the server refuses
     */
    public PathName readLink(FileHandle link) throws IOException, InterruptedException {
        return readLink(link, "cannot read the link");
    }

    /**
     * The text of a symbolic link, of any bytes.
     *
     * @param what for the message of a failure
     */
    PathName readLink(FileHandle link, String what) throws IOException, InterruptedException {
        var target = Arena.ofAuto().allocate(Nfs3.PATH_MAX);
        return call(new Nfs3Call.ReadLink(link), what, List.of(target), (_, value) -> value.path());
    }

    /**
     * Mounts an export, or a directory in one.
     *
     * @return the handle of the directory
     * @throws IOException if the server refuses
     */
    public FileHandle mount(PathName path) throws IOException, InterruptedException {
        var call =
                new RpcCall(
                        Mount3.PROGRAM,
                        Mount3.VERSION,
                        Mount3.Procedure.MNT.number(),
                        path::encode,
                        MOUNT_BYTES);
        return switch (results(call, Mounted::decode)) {
            case Mounted.Ok(var handle, _) -> new FileHandle(handle);
            case Mounted.Failed(var status) ->
                    throw new IOException("cannot mount " + path.escaped() + ": " + status.words());
        };
    }

    /** Mounts a path in UTF-8, as {@link #mount(PathName)}. */
    public FileHandle mount(String path) throws IOException, InterruptedException {
        return mount(PathName.of(path));
    }

    /** What the server exports. */
    public List<Exported> exports() throws IOException, InterruptedException {
        var call =
                new RpcCall(
                        Mount3.PROGRAM,
                        Mount3.VERSION,
                        Mount3.Procedure.EXPORT.number(),
                        _ -> {},
                        EXPORTS_BYTES);
        return results(call, Exported::decode);
    }

    private <R> R results(RpcCall call, Decoder<R> decoder)
            throws RpcException, InterruptedException {
        try (var reply = mount.call(call, deadline)) {
            return decoder.decode(reply.results());
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    @Override
    public void close() {
        nfs.close();
        if (mount != nfs) {
            mount.close();
        }
    }
}
