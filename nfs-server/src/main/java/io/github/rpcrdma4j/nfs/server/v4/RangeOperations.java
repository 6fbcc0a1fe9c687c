package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.RegularFiles;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node.Content;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Carries out ALLOCATE, DEALLOCATE, READ_PLUS and SEEK, which deal with the storage and the holes
 * of files (RFC 7862, Sections 15.1, 15.4, 15.10 and 15.11).
 */
final class RangeOperations {
    private final StateDriver state;
    private final ChangeCounter changes;
    private final int transferMax;

    /**
     * @param transferMax the most data of a READ_PLUS, in bytes
     */
    RangeOperations(StateDriver state, ChangeCounter changes, int transferMax) {
        this.state = state;
        this.changes = changes;
        this.transferMax = transferMax;
    }

    Result seek(Compound compound, DataArguments.Seek call)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.regular();
        state.requireUseByUser(
                compound.use(), file, compound.resolve(call.stateId()), StateIdUse.READ);
        var wanted =
                switch (call.what()) {
                    case DataArguments.Seek.DATA -> Content.DATA;
                    case DataArguments.Seek.HOLE -> Content.HOLE;
                    default -> throw new OperationFailure(Nfs4Status.UNION_NOTSUPP);
                };
        if (call.offset() < 0) {
            throw new OperationFailure(Nfs4Status.NXIO);
        }
        var sought = file.node().seek(file.caller(), call.offset(), wanted);
        return new DataResult.Seek(sought.endOfFile(), sought.offset());
    }

    Result allocate(Compound compound, DataArguments.Allocate call)
            throws OperationFailure, Refusal, StoreException {
        var file = changed(compound, call.offset(), call.length());
        state.requireUse(compound.use(), file, compound.resolve(call.stateId()), StateIdUse.WRITE);
        var changed =
                file.node().allocate(file.caller(), call.offset(), call.length(), file.storage());
        changes.changed(RegularFiles.key(file), changed);
        return Result.done(Opcode.ALLOCATE);
    }

    Result deallocate(Compound compound, DataArguments.Deallocate call)
            throws OperationFailure, Refusal, StoreException {
        var file = changed(compound, call.offset(), call.length());
        state.requireUse(compound.use(), file, compound.resolve(call.stateId()), StateIdUse.WRITE);
        var changed =
                file.node().deallocate(file.caller(), call.offset(), call.length(), file.storage());
        changes.changed(RegularFiles.key(file), changed);
        return Result.done(Opcode.DEALLOCATE);
    }

    /**
     * Opens the current file for a change of a range.
     *
     * @throws OperationFailure INVAL for a range without bytes or beyond the largest offset, FBIG
     *     for one beyond the largest file
     */
    private static CallTarget changed(Compound compound, long offset, long length)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.regular();
        file.requireWritable();
        if (length == 0 || Long.compareUnsigned(offset + length, offset) < 0) {
            throw new OperationFailure(Nfs4Status.INVAL);
        }
        if (offset < 0 || length < 0 || offset + length < 0) {
            throw new OperationFailure(Nfs4Status.FBIG);
        }
        return file;
    }

    /**
     * READ_PLUS: one range of data, or one hole. The data is never reduced (RFC 8267, Section
     * 6.4.1), so it is copied into the reply.
     */
    Result read(Compound compound, DataArguments.ReadPlus call)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.regular();
        state.requireUseByUser(
                compound.use(), file, compound.resolve(call.stateId()), StateIdUse.READ);
        long size = file.node().status().size();
        if (call.offset() < 0 || call.offset() >= size) {
            return new DataResult.ReadPlus(true, List.of());
        }
        long wanted =
                Math.min(
                        Math.min(Integer.toUnsignedLong(call.count()), transferMax),
                        size - call.offset());
        long data = next(file, call.offset(), size);
        if (data > call.offset()) {
            long hole = Math.min(data, size) - call.offset();
            return new DataResult.ReadPlus(
                    call.offset() + hole >= size,
                    List.of(new DataResult.ReadPlus.Content.Hole(call.offset(), hole)));
        }
        try (var lease = compound.pool().lease(wanted)) {
            var read = file.node().read(file.caller(), call.offset(), lease.segment());
            byte[] copy = lease.segment().asSlice(0, read.bytes()).toArray(ValueLayout.JAVA_BYTE);
            return new DataResult.ReadPlus(
                    read.endOfFile(),
                    List.of(
                            new DataResult.ReadPlus.Content.Data(
                                    call.offset(), MemorySegment.ofArray(copy))));
        }
    }

    /** Returns where the next data begins, or the size of the file. */
    private static long next(CallTarget file, long offset, long size) throws StoreException {
        try {
            var sought = file.node().seek(file.caller(), offset, Content.DATA);
            return sought.endOfFile() ? size : sought.offset();
        } catch (StoreException none) {
            if (none.failure() == Failure.NXIO) {
                return size;
            }
            throw none;
        }
    }
}
