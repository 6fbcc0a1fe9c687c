package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Calls on the bytes of open files (RFC 8881, Sections 18.3, 18.22, 18.30 and 18.32).
 *
 * <p>Tests: {@code FileServiceTest}.
 */
record DataCalls(CompoundCalls calls) {
    long read(OpenFile file, long offset, MemorySegment target, String what)
            throws IOException, InterruptedException {
        return calls.run(
                FilePlans.reading(file, offset, target, what),
                what,
                results -> {
                    var read = results.done(1).next(DataResult.Read.class);
                    long count = read.data().byteSize();
                    if (count > target.byteSize()) {
                        throw new IOException(what + ": the server sent too much");
                    }
                    if (count == 0 && !read.isEndOfFile()) {
                        throw new IOException(what + ": the server sent nothing before the end");
                    }
                    if (read.data().address() != target.address()) {
                        target.asSlice(0, count).copyFrom(read.data());
                    }
                    return count;
                });
    }

    Written write(OpenFile file, long offset, Stability stability, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return calls.run(
                FilePlans.writing(file, offset, stability, data, what),
                what,
                results -> FileResults.written(results.done(1)));
    }

    /** Nothing comes between VERIFY and WRITE but what another client writes meanwhile. */
    Optional<Written> writeAtEnd(
            OpenFile file, long size, Stability stability, MemorySegment data, String what)
            throws IOException, InterruptedException {
        var handle = Nfs4Values.handle(file.handle());
        var planning =
                ((UsedFile) file)
                        .use(
                                what,
                                stateId ->
                                        Plan.at(handle)
                                                .require(Nfs4Values.size(size))
                                                .write(stateId, size, stability, data));
        try {
            return Optional.of(
                    calls.run(planning, what, results -> FileResults.written(results.done(2))));
        } catch (NfsException refused) {
            if (refused.status() == Status.NOT_SAME) {
                return Optional.empty();
            }
            throw refused;
        }
    }

    void truncate(OpenFile file, long size, String what) throws IOException, InterruptedException {
        var handle = Nfs4Values.handle(file.handle());
        var changes = Nfs4Values.changes(AttributeChanges.ofSize(size));
        calls.run(
                ((UsedFile) file).use(what, stateId -> Plan.at(handle).change(stateId, changes)),
                what,
                results -> results.done(2));
    }

    long commit(OpenFile file, long offset, int count, String what)
            throws IOException, InterruptedException {
        return calls.run(
                Plan.at(Nfs4Values.handle(file.handle())).commit(offset, count),
                what,
                results -> results.done(1).next(DataResult.Commit.class).verifier());
    }
}
