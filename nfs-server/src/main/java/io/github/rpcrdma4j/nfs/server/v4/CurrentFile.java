package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.PseudoTree;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;

/** The current or the saved filehandle of a COMPOUND (RFC 8881, Section 16.2.3.1.1). */
sealed interface CurrentFile {
    /** Returns the handle for clients. */
    FileHandle handle(Exports exports);

    /** A directory of the pseudo file system, above the exports (RFC 8881, Section 7.3). */
    record Pseudo(PseudoTree.Directory directory) implements CurrentFile {
        @Override
        public FileHandle handle(Exports exports) {
            return FileHandle.of(exports.handle(directory).bytes());
        }
    }

    /**
     * A file of an export. It is opened when an operation needs it, because some operations are
     * allowed although the export does not accept the flavor of the call (RFC 8881, Section
     * 2.6.3.1).
     */
    final class Exported implements CurrentFile {
        private final OpenExport export;
        private final FileId file;

        /** Null until it is opened. {@link Compound} closes it. */
        CallTarget target;

        Exported(OpenExport export, FileId file) {
            this.export = export;
            this.file = file;
        }

        OpenExport export() {
            return export;
        }

        FileId file() {
            return file;
        }

        /** Returns whether this is the root of its export. */
        boolean isRoot() {
            return file.equals(export.store().root());
        }

        @Override
        public FileHandle handle(Exports exports) {
            return FileHandle.of(exports.handle(export, file).bytes());
        }
    }
}
