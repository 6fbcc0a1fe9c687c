package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.FileSystemErrors;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** Executes the calls of one client and turns failures into statuses. */
public record Nfs2Calls(Exports exports, Client client, Procedures procedures) {
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
    <T> void execute(Nfs2Call<T> call, SegmentPool pool, XdrWriter results)
            throws InterruptedException {
        Nfs2Reply<T> reply;
        try {
            reply = new Nfs2Reply.Ok<>(run(call, pool));
        } catch (Refusal refusal) {
            reply = new Nfs2Reply.Failed<>(Translation.status(refusal.failure()));
        } catch (StoreException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the transfer was interrupted");
            }
            FileSystemErrors.tell(procedures.failures, call.procedure(), failure);
            reply = new Nfs2Reply.Failed<>(Translation.status(failure.failure()));
        } catch (BudgetExhaustedException none) {
            procedures.failures.warn("a call found no memory", none.getMessage());
            reply = new Nfs2Reply.Failed<>(Status.IO);
        } catch (RuntimeException error) {
            procedures.failures.report("an internal error in " + call.procedure(), error);
            reply = new Nfs2Reply.Failed<>(Status.IO);
        }
        call.replyFormat().encode(results, reply);
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
        try (var file = exports.openShort(handle.bytes(), client, false)) {
            return step.run(file);
        }
    }

    /**
     * Executes an operation that a mounting client needs, and which therefore accepts any flavor at
     * the root of an export.
     */
    private <R> R mounting(FileHandle handle, Step<R> step) throws Refusal, StoreException {
        try (var file = exports.openShort(handle.bytes(), client, true)) {
            return step.run(file);
        }
    }

    private <R> R at(FileHandle handle, FileHandle other, StepOfTwo<R> step)
            throws Refusal, StoreException {
        return at(handle, file -> at(other, second -> step.run(file, second)));
    }

    /**
     * Each arm of the switch returns the value type of its call, which the compiler cannot check.
     */
    @SuppressWarnings("unchecked")
    private <T> T run(Nfs2Call<T> call, SegmentPool pool) throws Refusal, StoreException {
        return (T) runAny(call, pool);
    }

    private Object runAny(Nfs2Call<?> call, SegmentPool pool) throws Refusal, StoreException {
        var files = procedures.files;
        var directories = procedures.directories;
        return switch (call) {
            case Nfs2Call.GetAttributes(var file) -> mounting(file, files::getAttributes);
            case Nfs2Call.ChangeAttributes change ->
                    at(change.file(), file -> files.changeAttributes(file, change));
            case Nfs2Call.OnDirectoryEntry<?> onName -> run(onName);
            case Nfs2Call.ReadLink(var link) -> at(link, file -> files.readLink(file, pool));
            case Nfs2Call.Read read -> at(read.file(), file -> files.read(file, read, pool));
            case Nfs2Call.Write write -> at(write.file(), file -> files.write(file, write));
            case Nfs2Call.ReadDirectory list ->
                    at(list.directory(), directory -> directories.list(directory, list));
            case Nfs2Call.FileSystem(var file) -> mounting(file, files::space);
        };
    }

    private Object run(Nfs2Call.OnDirectoryEntry<?> call) throws Refusal, StoreException {
        var directories = procedures.directories;
        return switch (call) {
            case Nfs2Call.Lookup(var place) ->
                    at(place.directory(), at -> directories.lookup(at, place));
            case Nfs2Call.Create create ->
                    at(create.place().directory(), at -> directories.create(at, create));
            case Nfs2Call.MakeDirectory make ->
                    at(make.place().directory(), at -> directories.makeDirectory(at, make));
            case Nfs2Call.MakeSymbolicLink make ->
                    at(make.place().directory(), at -> directories.makeLink(at, make));
            case Nfs2Call.Remove(var place) ->
                    at(place.directory(), at -> directories.remove(at, place));
            case Nfs2Call.RemoveDirectory(var place) ->
                    at(place.directory(), at -> directories.removeDirectory(at, place));
            case Nfs2Call.Rename rename ->
                    at(
                            rename.from().directory(),
                            rename.to().directory(),
                            (from, to) -> directories.rename(from, to, rename));
            case Nfs2Call.Link link ->
                    at(
                            link.file(),
                            link.place().directory(),
                            (file, at) -> directories.link(file, at, link));
        };
    }
}
