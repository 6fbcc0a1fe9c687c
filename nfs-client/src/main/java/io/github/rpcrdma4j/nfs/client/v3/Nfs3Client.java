package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.client.file.DeferredRetry;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Typed calls of NFS version 3 and MOUNT. They can travel as calls of version 2: what that version
 * lacks fails as at a server that lacks it. Thread-safe. A method that makes a call waits for its
 * reply; an interrupt cancels the call. For many calls at a time see {@link #pipeline}.
 */
public final class Nfs3Client implements AutoCloseable {
    /** The longest list of exports that is accepted, in bytes. */
    private static final int EXPORTS_BYTES = 1 << 16;

    private static final int MOUNT_BYTES = 256;

    /** The starts of messages, which are not made for each call. */
    private static final Map<Procedure, String> FAILED = new EnumMap<>(Procedure.class);

    static {
        for (var procedure : Procedure.values()) {
            FAILED.put(procedure, procedure + " failed");
        }
    }

    private final RpcClient nfs;
    private final RpcClient mount;
    private final Duration timeout;
    private final NfsVersion version;
    private final CallForm form;
    private final Credential caller;
    private final Waits waits;

    /** Converts a successful reply while its memory is valid. */
    public interface OnSuccess<A, T, R> {
        /** Returns a value made from a reply. */
        R apply(A attributes, T value) throws IOException;
    }

    /**
     * Connects to both services.
     *
     * @param nfs connects to the NFS service
     * @param mount connects to the MOUNT service; the same object if one connection serves both
     * @param version 2 or 3
     * @throws RpcException if a service cannot be reached
     */
    public Nfs3Client(Connector nfs, Connector mount, ClientOptions options, NfsVersion version)
            throws RpcException, InterruptedException {
        this.timeout = options.timeout();
        this.version = version;
        this.form = CallForm.of(version);
        this.caller = options.caller();
        this.waits = options.waits();
        this.nfs = ConnectionTurns.connect(nfs, options.retry(), options.connections());
        try {
            this.mount =
                    mount == nfs ? this.nfs : ReconnectingRpcClient.connect(mount, options.retry());
        } catch (RpcException | InterruptedException | RuntimeException failure) {
            this.nfs.close();
            throw failure;
        }
    }

    NfsVersion version() {
        return version;
    }

    /** Returns as whom the calls are made, as the options say. */
    Credential caller() {
        return caller;
    }

    /** Makes a NULL call, which the {@code ping} command measures. */
    public void ping() throws RpcException, InterruptedException {
        nfs.ping(Nfs3.PROGRAM, version.number(), timeout);
    }

    /**
     * Makes a call without bulk results.
     *
     * @throws NfsException if the server refuses
     * @throws IllegalArgumentException if the procedure has bulk results (READ, READLINK), which
     *     are valid only during the other method
     */
    public <A, T> T call(Nfs3Call<A, T> call) throws IOException, InterruptedException {
        return call(call, failed(call));
    }

    /**
     * Makes a call with bulk results. While the server answers NFS3ERR_JUKEBOX, the call is
     * repeated after pauses, until its timeout has passed.
     *
     * @param targets the caller's memory for bulk results
     * @param onSuccess processes the results; bulk results may be views that are valid only during
     *     it
     * @throws NfsException if the server refuses
     */
    public <A, T, R> R call(
            Nfs3Call<A, T> call, List<MemorySegment> targets, OnSuccess<A, T, R> onSuccess)
            throws IOException, InterruptedException {
        return call(call, failed(call), targets, onSuccess);
    }

    /** Returns the message for a failed call of unknown purpose. */
    static String failed(Nfs3Call<?, ?> call) {
        return FAILED.get(call.replyFormat().procedure());
    }

    /**
     * Makes a call without bulk results.
     *
     * @param what for the message of a failure: {@code "cannot remove /a/b"}
     * @throws NfsException if the server refuses
     */
    <A, T> T call(Nfs3Call<A, T> call, String what) throws IOException, InterruptedException {
        var procedure = call.replyFormat().procedure();
        if (Nfs3Binding.row(procedure).results() > 0) {
            throw new IllegalArgumentException(
                    procedure + " has bulk results, which this method cannot return");
        }
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
        return patiently(() -> once(call, what, targets, onSuccess));
    }

    /**
     * Makes a call of NFSACL on the connection of NFS (RFC 8267-5.2-1).
     *
     * @param entries the most entries of each list that there is room for in the reply
     * @param what for the message of a failure
     * @throws RpcException.TransportRefused if the lists may be longer
     */
    <T> T call(Acl3Call<T> call, int entries, String what)
            throws IOException, InterruptedException {
        var encoded = form.call(call, entries);
        return patiently(
                () -> {
                    try (var reply = nfs.call(encoded, timeout)) {
                        return valueOf(form.decode(call, reply.results()), what);
                    } catch (XdrException malformed) {
                        throw RpcException.BadReply.of(malformed);
                    }
                });
    }

    private static <A, T> T valueOf(Nfs3Reply<A, T> reply, String what) throws NfsException {
        return switch (reply) {
            case Nfs3Reply.Ok<A, T>(_, var value) -> value;
            case Nfs3Reply.Failed<A, T>(var status, _) ->
                    throw new NfsException(what, Nfs3Values.status(status));
        };
    }

    /** One call. */
    private interface Attempt<R> {
        R run() throws IOException, InterruptedException;
    }

    /** Repeats a call while the server answers NFS3ERR_JUKEBOX, until its timeout has passed. */
    private <R> R patiently(Attempt<R> attempt) throws IOException, InterruptedException {
        var retry = new DeferredRetry(timeout, System.nanoTime());
        try (var wait = waits.ofCall()) {
            while (true) {
                try {
                    return attempt.run();
                } catch (NfsException refused) {
                    var due = retry.after(refused.status(), System.nanoTime());
                    if (due.isEmpty()) {
                        throw refused;
                    }
                    wait.on(Waits.Reason.BUSY);
                    TimeUnit.NANOSECONDS.sleep(due.getAsLong() - System.nanoTime());
                }
            }
        }
    }

    private <A, T, R> R once(
            Nfs3Call<A, T> call,
            String what,
            List<MemorySegment> targets,
            OnSuccess<A, T, R> onSuccess)
            throws IOException, InterruptedException {
        var refusal = form.refusal(call);
        if (refusal.isPresent()) {
            throw new NfsException(what, Nfs3Values.status(refusal.get()));
        }
        try (var reply = nfs.call(form.call(call, targets), timeout)) {
            return switch (form.decode(call, reply.results())) {
                case Nfs3Reply.Ok<A, T>(var attributes, var value) ->
                        onSuccess.apply(attributes, value);
                case Nfs3Reply.Failed<A, T>(var status, _) ->
                        throw new NfsException(what, Nfs3Values.status(status));
            };
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    /**
     * Begins a pipeline: one thread keeps several calls outstanding without waiting for each.
     *
     * @return the pipeline, to be closed before this client
     */
    public Nfs3Pipeline pipeline() {
        return new Nfs3Pipeline(nfs.pipeline(), timeout, version, waits);
    }

    /**
     * Reads the target of a symbolic link, which may hold any bytes.
     *
     * @throws NfsException if the server refuses
     */
    public PathName readLink(FileHandle link) throws IOException, InterruptedException {
        return readLink(link, "cannot read the link");
    }

    /**
     * Reads the target of a symbolic link, which may hold any bytes.
     *
     * @param what for the message of a failure
     */
    PathName readLink(FileHandle link, String what) throws IOException, InterruptedException {
        var target = Arena.ofAuto().allocate(Nfs3.PATH_MAX);
        return call(new Nfs3Call.ReadLink(link), what, List.of(target), (_, value) -> value.path());
    }

    /**
     * Mounts an export, or a directory in an export.
     *
     * @return the file handle of the directory
     * @throws IOException if the server refuses
     */
    public FileHandle mount(PathName path) throws IOException, InterruptedException {
        var call =
                new RpcCall(
                        Mount3.PROGRAM,
                        version.mountNumber().orElseThrow(),
                        Mount3.Procedure.MNT.number(),
                        path::encode,
                        MOUNT_BYTES);
        var failure = "cannot mount " + path.escaped();
        try (var reply = callMount(call)) {
            return form.mounted(reply.results(), failure);
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    /** Servers of Linux and others have MOUNT over TCP alone. */
    private RpcReply callMount(RpcCall call) throws RpcException, InterruptedException {
        try {
            return mount.call(call, timeout);
        } catch (RpcException.Refused refused) {
            if (refused.status() != AcceptStatus.PROG_UNAVAIL || mount != nfs) {
                throw refused;
            }
            throw new RpcException.Refused(
                    "the server does not answer MOUNT over RDMA: ask it over TCP (--mount-tcp PORT,"
                            + " or --rpcbind)",
                    refused.status());
        }
    }

    /** Mounts a UTF-8 path, as {@link #mount(PathName)} does. */
    public FileHandle mount(String path) throws IOException, InterruptedException {
        return mount(PathName.of(path));
    }

    /** Returns the list of the server's exports. */
    public List<ExportEntry> exports() throws IOException, InterruptedException {
        var call =
                new RpcCall(
                        Mount3.PROGRAM,
                        version.mountNumber().orElseThrow(),
                        Mount3.Procedure.EXPORT.number(),
                        _ -> {},
                        EXPORTS_BYTES);
        try (var reply = callMount(call)) {
            return ExportEntry.decode(reply.results());
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
