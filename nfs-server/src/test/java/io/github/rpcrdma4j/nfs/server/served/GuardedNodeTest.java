package io.github.rpcrdma4j.nfs.server.served;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GuardedNodeTest {
    /** A file whose reads tell bytes that they have not filled. */
    private static final class Careless implements Node {
        @Override
        public FileId id() {
            return new FileId(new byte[1]);
        }

        @Override
        public FileStatus status() {
            throw new AssertionError("not asked");
        }

        @Override
        public Found lookup(Caller caller, FileName name) {
            throw new AssertionError("not asked");
        }

        @Override
        public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink) {
            throw new AssertionError("not asked");
        }

        @Override
        public ReadBytes read(Caller caller, long offset, MemorySegment target) {
            return new ReadBytes((int) target.byteSize(), false, Optional.empty());
        }
    }

    private static byte[] read(Export export) throws Exception {
        byte[] used = {1, 2, 3};
        var open = new OpenExport(export, 1, null, new ExportBytes());
        var node = new GuardedNode(new Careless(), open, FileGuard.NONE);
        node.read(new Caller.Server(), 0, MemorySegment.ofArray(used));
        return used;
    }

    /** Goal: no version of NFS gives out what others have read. */
    @Test
    void aStoreOfAProgramGetsMemoryThatNobodyHasUsed() throws Exception {
        var ofProgram = new Export("/own", (_, _) -> null, true);
        assertArrayEquals(new byte[3], read(ofProgram));
        // Ours fill what they tell, and need not wait for that.
        assertArrayEquals(new byte[] {1, 2, 3}, read(new Export("/data", Path.of("/"), true)));
    }
}
