package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.FileSystemErrors;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * Executes the calls of one client and turns failures into statuses.
 *
 * <p>Tests: {@code FileProceduresTest}, {@code DirectoryProceduresTest}.
 */
public record Nfs3Calls(Exports exports, Client client, Procedures procedures) {
    /**
     * The procedures, which all clients share.
     *
     * @param failures logs internal errors
     */
    public record Procedures(
            FileProcedures files, DirectoryProcedures directories, FailureLog failures) {}

    /**
     * Executes a call and writes its results.
     *
     * @param pool provides memory for bulk results
     * @throws InterruptedException if an interrupt of the thread made the call fail
     */
    <A, T> void execute(Nfs3Call<A, T> call, SegmentPool pool, XdrWriter results)
            throws InterruptedException {
        Nfs3Reply<A, T> reply;
        try {
            reply = run(call, pool);
        } catch (Refusal refusal) {
            reply = failed(call, StatusTranslation.status(refusal.failure()));
        } catch (StoreException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the transfer was interrupted");
            }
            FileSystemErrors.tell(procedures.failures, call.procedure(), failure);
            reply = failed(call, StatusTranslation.status(failure.failure()));
        } catch (BudgetExhaustedException none) {
            procedures.failures.warn("a call found no memory", none.getMessage());
            reply = failed(call, Status.JUKEBOX);
        } catch (RuntimeException error) {
            procedures.failures.report("an internal error in " + call.procedure(), error);
            reply = failed(call, Status.SERVERFAULT);
        }
        call.replyFormat().encode(results, reply);
    }

    private <A, T> Nfs3Reply<A, T> failed(Nfs3Call<A, T> call, Status status) {
        return new Nfs3Reply.Failed<>(status, attributesAfterFailure(call));
    }

    /** An operation on one file. */
    private interface Step<R> {
        R run(CallTarget file) throws Refusal, StoreException;
    }

    /** An operation on two files. */
    private interface StepOfTwo<R> {
        R run(CallTarget file, CallTarget other) throws Refusal, StoreException;
    }

    private <R> R at(FileHandle handle, Step<R> step) throws Refusal, StoreException {
        try (var file = exports.open(handle, client, false)) {
            return step.run(file);
        }
    }

    /**
     * Executes an operation that a mounting client needs, and which therefore accepts any flavor at
     * the root of an export.
     */
    private <R> R mounting(FileHandle handle, Step<R> step) throws Refusal, StoreException {
        try (var file = exports.open(handle, client, true)) {
            return step.run(file);
        }
    }

    private <R> R at(FileHandle handle, FileHandle other, StepOfTwo<R> step)
            throws Refusal, StoreException {
        return at(handle, file -> at(other, second -> step.run(file, second)));
    }

    /**
     * Each arm of the switch returns the reply type of its call, which the compiler cannot check.
     */
    @SuppressWarnings("unchecked")
    private <A, T> Nfs3Reply<A, T> run(Nfs3Call<A, T> call, SegmentPool pool)
            throws Refusal, StoreException {
        return (Nfs3Reply<A, T>) runAny(call, pool);
    }

    private Nfs3Reply<?, ?> runAny(Nfs3Call<?, ?> call, SegmentPool pool)
            throws Refusal, StoreException {
        var files = procedures.files;
        var directories = procedures.directories;
        return switch (call) {
            case Nfs3Call.GetAttributes(var file) -> mounting(file, files::getAttributes);
            case Nfs3Call.ChangeAttributes change ->
                    at(change.file(), file -> files.changeAttributes(file, change));
            case Nfs3Call.OnDirectoryEntry<?, ?> onName -> run(onName);
            case Nfs3Call.Access access -> at(access.file(), file -> files.access(file, access));
            case Nfs3Call.ReadLink(var link) -> at(link, file -> files.readLink(file, pool));
            case Nfs3Call.Read read -> at(read.file(), file -> files.read(file, read, pool));
            case Nfs3Call.Write write -> at(write.file(), file -> files.write(file, write));
            case Nfs3Call.Commit commit -> at(commit.file(), files::commit);
            case Nfs3Call.ReadDirectory(var directory, var cookie, _, var count) ->
                    at(directory, at -> directories.list(at, cookie, count, count, false));
            case Nfs3Call.ReadDirectoryPlus(var directory, var cookie, _, var plain, var full) ->
                    at(directory, at -> directories.list(at, cookie, plain, full, true));
            case Nfs3Call.FsStat(var root) -> at(root, files::space);
            case Nfs3Call.FsInfo(var root) -> mounting(root, files::info);
            case Nfs3Call.PathConf(var file) -> at(file, files::pathConfiguration);
        };
    }

    private Nfs3Reply<?, ?> run(Nfs3Call.OnDirectoryEntry<?, ?> call)
            throws Refusal, StoreException {
        var directories = procedures.directories;
        return switch (call) {
            case Nfs3Call.Lookup(var what) ->
                    at(what.directory(), at -> directories.lookup(at, what));
            case Nfs3Call.Create create ->
                    at(create.where().directory(), at -> directories.create(at, create));
            case Nfs3Call.MakeDirectory make ->
                    at(make.where().directory(), at -> directories.makeDirectory(at, make));
            case Nfs3Call.MakeSymbolicLink make ->
                    at(make.where().directory(), at -> directories.makeLink(at, make));
            case Nfs3Call.MakeNode make ->
                    at(make.where().directory(), at -> directories.makeNode(at, make));
            case Nfs3Call.Remove(var object) ->
                    at(object.directory(), at -> directories.remove(at, object));
            case Nfs3Call.RemoveDirectory(var object) ->
                    at(object.directory(), at -> directories.removeDirectory(at, object));
            case Nfs3Call.Rename rename ->
                    at(
                            rename.from().directory(),
                            rename.to().directory(),
                            (from, to) -> directories.rename(from, to, rename));
            case Nfs3Call.Link link ->
                    at(
                            link.file(),
                            link.link().directory(),
                            (file, at) -> directories.link(file, at, link));
        };
    }

    /**
     * Returns the attributes in the reply of a failed call. Each arm of the switch returns the
     * attribute type of its call.
     */
    @SuppressWarnings("unchecked")
    private <A, T> A attributesAfterFailure(Nfs3Call<A, T> call) {
        Object attributes =
                switch (call) {
                    case Nfs3Call.GetAttributes _ -> Nothing.NOTHING;
                    case Nfs3Call.ChangeAttributes(var file, _, _) -> wcc(file);
                    case Nfs3Call.Lookup(var what) -> now(what.directory());
                    case Nfs3Call.Access(var file, _) -> now(file);
                    case Nfs3Call.ReadLink(var link) -> now(link);
                    case Nfs3Call.Read(var file, _, _) -> now(file);
                    case Nfs3Call.Write(var file, _, _, _) -> wcc(file);
                    case Nfs3Call.Create(var where, _) -> wcc(where.directory());
                    case Nfs3Call.MakeDirectory(var where, _) -> wcc(where.directory());
                    case Nfs3Call.MakeSymbolicLink(var where, _, _) -> wcc(where.directory());
                    case Nfs3Call.MakeNode(var where, _, _, _) -> wcc(where.directory());
                    case Nfs3Call.Remove(var object) -> wcc(object.directory());
                    case Nfs3Call.RemoveDirectory(var object) -> wcc(object.directory());
                    case Nfs3Call.Rename(var from, var to) ->
                            new TwoWcc(wcc(from.directory()), wcc(to.directory()));
                    case Nfs3Call.Link(var file, var link) ->
                            new FileAndWcc(now(file), wcc(link.directory()));
                    case Nfs3Call.ReadDirectory(var directory, _, _, _) -> now(directory);
                    case Nfs3Call.ReadDirectoryPlus(var directory, _, _, _, _) -> now(directory);
                    case Nfs3Call.FsStat(var root) -> now(root);
                    case Nfs3Call.FsInfo(var root) -> now(root);
                    case Nfs3Call.PathConf(var file) -> now(file);
                    case Nfs3Call.Commit(var file, _, _) -> wcc(file);
                };
        return (A) attributes;
    }

    private Optional<FileAttributes> now(FileHandle handle) {
        try {
            return at(
                    handle,
                    file -> Optional.of(StatusTranslation.attributes(file.node().status())));
        } catch (Refusal | StoreException _) {
            return Optional.empty();
        } catch (RuntimeException error) {
            procedures.failures.report("an internal error in GETATTR", error);
            return Optional.empty();
        }
    }

    /** Returns attributes without those from before the call, which are unknown after a failure. */
    private WccData wcc(FileHandle handle) {
        return new WccData(Optional.empty(), now(handle));
    }
}
