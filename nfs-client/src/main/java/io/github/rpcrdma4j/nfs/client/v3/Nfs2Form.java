package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.acl.Acl2Call;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.mount.Mount1.MountResult;
import io.github.rpcrdma4j.nfs.v2.Nfs2;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Calls as those of version 2 that come nearest: each becomes one call. Version 2 has no COMMIT and
 * needs none, because a WRITE is on storage before its reply.
 *
 * <p>Tests: {@code Nfs2ClientTest}.
 */
final class Nfs2Form implements CallForm {
    @Override
    public Optional<Status> refusal(Nfs3Call<?, ?> call) {
        return switch (call) {
            case Nfs3Call.ReadDirectoryPlus _ -> Optional.of(Status.NOTSUPP);
            case Nfs3Call.Create(_, var mode) ->
                    switch (mode) {
                        case CreateMode.Unchecked(var attributes) -> tooLong(attributes);
                        // CREATE takes a file that exists, too.
                        case CreateMode.Guarded _, CreateMode.Exclusive _ ->
                                Optional.of(Status.NOTSUPP);
                    };
            case Nfs3Call.ChangeAttributes(_, var changes, var guard) ->
                    guard.isPresent() ? Optional.of(Status.NOTSUPP) : tooLong(changes);
            case Nfs3Call.MakeSymbolicLink(_, _, var text) when text.length() > Nfs2.PATH_MAX ->
                    Optional.of(Status.NAMETOOLONG);
            case Nfs3Call.Read(_, var offset, _) -> tooLong(offset, 0);
            case Nfs3Call.Write(_, var offset, _, var data) -> tooLong(offset, data.byteSize());
            default -> Optional.empty();
        };
    }

    private static Optional<Status> tooLong(SetAttributes changes) {
        // The largest number of 32 bits leaves the size alone.
        return tooLong(changes.size().orElse(0), 1);
    }

    private static Optional<Status> tooLong(long offset, long length) {
        return offset < 0 || offset > Nfs2.SIZE_MAX - length
                ? Optional.of(Status.FBIG)
                : Optional.empty();
    }

    @Override
    public RpcCall call(Nfs3Call<?, ?> call, List<MemorySegment> targets) {
        var older = Nfs2Calls.of(call);
        var row = Nfs2Binding.row(older.procedure());
        return new RpcCall(
                Nfs2Binding.PROGRAM,
                Nfs2Binding.VERSION,
                older.procedure().number(),
                older::encode,
                row.resultsMax(older instanceof Nfs2Call.ReadDirectory list ? list.count() : 0),
                targets);
    }

    @Override
    public <A, T> Nfs3Reply<A, T> decode(Nfs3Call<A, T> call, XdrReader results)
            throws XdrException {
        return decode(call, Nfs2Calls.of(call), results);
    }

    private static <A, T, U> Nfs3Reply<A, T> decode(
            Nfs3Call<A, T> call, Nfs2Call<U> older, XdrReader results) throws XdrException {
        return switch (older.replyFormat().decode(results)) {
            case Nfs2Reply.Ok<U>(var value) -> Nfs2Replies.ok(call, value);
            case Nfs2Reply.Failed<U>(var status) ->
                    Nfs2Replies.failed(call, Status.of(status.number()));
        };
    }

    @Override
    public RpcCall call(Acl3Call<?> call, int entries) {
        var older = older(call);
        return new RpcCall(
                NfsAcl.PROGRAM,
                Acl2Call.VERSION,
                older.procedure().number(),
                older::encode,
                older.resultsMax(entries));
    }

    private static Acl2Call<?> older(Acl3Call<?> call) {
        return switch (call) {
            case Acl3Call.GetAcl get -> older(get);
            case Acl3Call.SetAcl set -> older(set);
        };
    }

    private static Acl2Call.GetAcl older(Acl3Call.GetAcl get) {
        return new Acl2Call.GetAcl(Nfs2Calls.handle(get.file()), get.mask());
    }

    private static Acl2Call.SetAcl older(Acl3Call.SetAcl set) {
        return new Acl2Call.SetAcl(Nfs2Calls.handle(set.file()), set.lists());
    }

    /**
     * Each arm of the switch returns the value type of its call, which the compiler cannot check.
     */
    @Override
    @SuppressWarnings("unchecked")
    public <T> Nfs3Reply<Optional<FileAttributes>, T> decode(Acl3Call<T> call, XdrReader results)
            throws XdrException {
        return (Nfs3Reply<Optional<FileAttributes>, T>)
                switch (call) {
                    case Acl3Call.GetAcl get ->
                            reply(older(get).decodeReply(results), found -> found.lists());
                    case Acl3Call.SetAcl set ->
                            reply(older(set).decodeReply(results), _ -> Nfs3Reply.Nothing.NOTHING);
                };
    }

    /** Returns a reply without attributes, which version 3 allows. */
    private static <U> Nfs3Reply<Optional<FileAttributes>, ?> reply(
            Nfs2Reply<U> reply, Function<U, ?> value) {
        return switch (reply) {
            case Nfs2Reply.Ok<U>(var older) ->
                    new Nfs3Reply.Ok<>(Optional.empty(), value.apply(older));
            case Nfs2Reply.Failed<U>(var status) ->
                    new Nfs3Reply.Failed<>(Status.of(status.number()), Optional.empty());
        };
    }

    @Override
    public FileHandle mounted(XdrReader results, String failure) throws IOException, XdrException {
        return switch (MountResult.decode(results)) {
            case MountResult.Ok(var handle) -> new FileHandle(handle);
            case MountResult.Failed(var status) ->
                    throw new IOException(failure + ": " + status.description());
        };
    }
}
