package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/** The files of operations on data, opens and locks. */
final class RegularFiles {
    private RegularFiles() {}

    /** Returns the identity of a file for opens, locks and change attributes. */
    static ExportedFile key(CallTarget file) {
        return new ExportedFile(file.openExport().store(), file.node().id());
    }

    /** Returns the identity of a file, which need not exist any more. */
    static ExportedFile key(Exports.Place.Exported file) {
        return new ExportedFile(file.export().store(), file.file());
    }

    /**
     * Returns the identity of the current file, which need not exist any more.
     *
     * @throws OperationFailure ISDIR for a pseudo directory
     */
    static ExportedFile currentKey(Compound compound) throws OperationFailure {
        return switch (compound.current()) {
            case CurrentFile.Exported file -> new ExportedFile(file.export().store(), file.file());
            case CurrentFile.Pseudo _ -> throw new OperationFailure(Nfs4Status.ISDIR);
        };
    }

    /**
     * Opens the current file, which has to be a regular one.
     *
     * @throws OperationFailure ISDIR, SYMLINK or WRONG_TYPE
     */
    static CallTarget current(Compound compound) throws OperationFailure, Refusal, StoreException {
        return regular(compound, compound.current());
    }

    /** Opens the saved file, which has to be a regular one. */
    static CallTarget saved(Compound compound) throws OperationFailure, Refusal, StoreException {
        return regular(compound, compound.saved());
    }

    private static CallTarget regular(Compound compound, CurrentFile file)
            throws OperationFailure, Refusal, StoreException {
        if (!(file instanceof CurrentFile.Exported exported)) {
            throw new OperationFailure(Nfs4Status.ISDIR);
        }
        var target = compound.open(exported);
        requireRegular(target.node().status().type());
        return target;
    }

    /**
     * @throws OperationFailure ISDIR, SYMLINK or WRONG_TYPE
     */
    static void requireRegular(FileType type) throws OperationFailure {
        switch (type) {
            case REGULAR -> {}
            case DIRECTORY -> throw new OperationFailure(Nfs4Status.ISDIR);
            case SYMBOLIC_LINK -> throw new OperationFailure(Nfs4Status.SYMLINK);
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    throw new OperationFailure(Nfs4Status.WRONG_TYPE);
        }
    }
}
