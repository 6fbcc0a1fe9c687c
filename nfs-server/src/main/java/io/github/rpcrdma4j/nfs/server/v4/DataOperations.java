package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.store.Node.ReadBytes;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;

/**
 * Carries out READ, WRITE, COMMIT and IO_ADVISE (RFC 8881, Section 18; RFC 7862, Section 15).
 * {@link RangeOperations} carries out READ_PLUS, SEEK, ALLOCATE and DEALLOCATE.
 */
final class DataOperations {
    private final StateDriver state;
    private final ChangeCounter changes;
    private final NfsStatistics statistics;
    private final int transferMax;
    private final RangeOperations ranges;

    /**
     * @param transferMax the most data of a READ or WRITE, in bytes
     */
    DataOperations(
            StateDriver state,
            ChangeCounter changes,
            NfsStatistics statistics,
            int transferMax,
            RangeOperations ranges) {
        this.state = state;
        this.changes = changes;
        this.statistics = statistics;
        this.transferMax = transferMax;
        this.ranges = ranges;
    }

    Answer carryOut(Compound compound, DataArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        return switch (arguments) {
            case DataArguments.Read call -> read(compound, call);
            case DataArguments.Write call -> Answer.of(write(compound, call));
            case DataArguments.Commit call -> Answer.of(commit(compound, call));
            case DataArguments.IoAdvise call -> {
                var file = compound.regular();
                var id = compound.resolve(call.stateId());
                state.requireUseByUser(compound.use(), file, id, StateIdUse.READ);
                yield Answer.of(new DataResult.IoAdvise(Bitmap.EMPTY));
            }
            case DataArguments.ReadPlus call -> Answer.of(ranges.read(compound, call));
            case DataArguments.Seek call -> Answer.of(ranges.seek(compound, call));
            case DataArguments.Allocate call -> Answer.of(ranges.allocate(compound, call));
            case DataArguments.Deallocate call -> Answer.of(ranges.deallocate(compound, call));
        };
    }

    private Answer read(Compound compound, DataArguments.Read call)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.regular();
        state.requireUse(compound.use(), file, compound.resolve(call.stateId()), StateIdUse.READ);
        // Reads beyond the largest possible file return no bytes.
        long offset = call.offset() < 0 ? Long.MAX_VALUE : call.offset();
        long wanted = Math.min(Integer.toUnsignedLong(call.count()), transferMax);
        long size = file.node().status().size();
        var lease = compound.pool().lease(ReadBytes.room(wanted, offset, size));
        try {
            var data = lease.segment();
            var read = file.node().read(file.caller(), offset, data);
            statistics.countRead(read.bytes());
            file.openExport().bytes().countRead(read.bytes());
            return Answer.of(
                    new DataResult.Read(
                            read.endOfFile(),
                            read.bytes() == data.byteSize() ? data : data.asSlice(0, read.bytes()),
                            lease::close));
        } catch (StoreException | RuntimeException | Error failure) {
            lease.close();
            throw failure;
        }
    }

    private DataResult write(Compound compound, DataArguments.Write call)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.regular();
        file.requireWritable();
        state.requireUse(compound.use(), file, compound.resolve(call.stateId()), StateIdUse.WRITE);
        long bytes = call.data().byteSize();
        if (call.offset() < 0 || call.offset() + bytes < 0) {
            throw new OperationFailure(Nfs4Status.FBIG);
        }
        var changed =
                file.node()
                        .write(
                                file.caller(),
                                call.offset(),
                                call.data(),
                                call.stability(),
                                file.storage());
        changes.changed(RegularFiles.key(file), changed);
        var written = changed.value();
        statistics.countWritten(written.bytes());
        file.openExport().bytes().countWritten(written.bytes());
        return new DataResult.Write(written.bytes(), written.stability(), written.verifier());
    }

    private DataResult commit(Compound compound, DataArguments.Commit call)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.regular();
        file.requireWritable();
        if (call.offset() + Integer.toUnsignedLong(call.count()) < 0 && call.offset() >= 0) {
            throw new OperationFailure(Nfs4Status.INVAL);
        }
        return new DataResult.Commit(file.node().commit(file.caller(), file.storage()).value());
    }
}
