package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;

/**
 * Keeps an operation from a file while another client has a delegation that conflicts with it.
 * Meanwhile the operation fails, and that client is asked to give the delegation back. Thread-safe.
 */
public interface FileGuard {
    /** Guards nothing: there are no delegations. */
    FileGuard NONE =
            new FileGuard() {
                @Override
                public boolean isIdle() {
                    return true;
                }

                @Override
                public boolean mayDelegate(OpenExport export) {
                    return false;
                }

                @Override
                public void requireReadable(OpenExport export, FileId file, Check rights) {}

                @Override
                public void beginChange(
                        OpenExport export, FileId file, Subject subject, Check rights) {}

                @Override
                public void endChange(OpenExport export, FileId file, Subject subject) {}
            };

    /** A check of the rights of a caller. */
    interface Check {
        /**
         * @throws StoreException if the caller may not do what it asks for
         */
        void require() throws StoreException;
    }

    /** What an operation changes of a file. */
    enum Subject {
        DATA,

        /** Attributes, extended ones too, or the names of a file. */
        ATTRIBUTES
    }

    /** Returns whether no file is delegated now. */
    boolean isIdle();

    /** Returns whether files of an export may be delegated at any time. */
    boolean mayDelegate(OpenExport export);

    /**
     * Checks that a file may be read.
     *
     * @param rights checked before any client is asked to give a delegation back
     * @throws StoreException AGAIN while another client has a delegation for writing
     */
    void requireReadable(OpenExport export, FileId file, Check rights) throws StoreException;

    /**
     * Begins a change of a file. Until its end, no client gets a delegation.
     *
     * @param rights checked before any client is asked to give a delegation back
     * @throws StoreException AGAIN while another client has a delegation; then nothing has begun
     */
    void beginChange(OpenExport export, FileId file, Subject subject, Check rights)
            throws StoreException;

    /** Ends a change that has begun. */
    void endChange(OpenExport export, FileId file, Subject subject);
}
