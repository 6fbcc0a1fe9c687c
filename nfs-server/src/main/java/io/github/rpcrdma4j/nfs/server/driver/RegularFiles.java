package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/** Tells the identity of a file for opens and locks, and whether it is a regular one. */
public final class RegularFiles {
    private RegularFiles() {}

    /** Returns the identity of a file for opens, locks and change attributes. */
    public static ExportedFile key(CallTarget file) {
        return new ExportedFile(file.openExport().store(), file.node().id());
    }

    /** Returns the identity of a file, which need not exist any more. */
    public static ExportedFile key(Exports.Place.Exported file) {
        return new ExportedFile(file.export().store(), file.file());
    }

    /**
     * @throws OperationFailure ISDIR, SYMLINK or WRONG_TYPE
     */
    public static void requireRegular(FileType type) throws OperationFailure {
        switch (type) {
            case REGULAR -> {}
            case DIRECTORY -> throw new OperationFailure(Nfs4Status.ISDIR);
            case SYMBOLIC_LINK -> throw new OperationFailure(Nfs4Status.SYMLINK);
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    throw new OperationFailure(Nfs4Status.WRONG_TYPE);
        }
    }
}
