package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.Nfs3;

/**
 * The rights of a caller as ACCESS tells them, with bits of equal meaning in all versions (RFC
 * 1813, Section 3.3.4; RFC 8881, Section 18.1; RFC 8276, Section 8.4.1).
 *
 * @param file the status of the file at that time
 * @param supported the bits that have a meaning for the type of the file
 * @param granted the wanted ones that the caller has
 */
public record FileRights(FileStatus file, int supported, int granted) {
    /** The right to read an extended attribute, from NFS version 4.2 on. */
    public static final int READ_XATTR = 0x40;

    public static final int WRITE_XATTR = 0x80;
    public static final int LIST_XATTRS = 0x100;

    /** The bits that all may have in a directory that nothing can change. */
    public static final int SEARCH = Nfs3.ACCESS_READ | Nfs3.ACCESS_LOOKUP;

    /** The rights that a bit of ACCESS needs. The rows are those of Linux. */
    private record Row(int bit, int needs) {}

    private static final Row[] OF_FILE = {
        new Row(Nfs3.ACCESS_READ, Node.READ),
        new Row(Nfs3.ACCESS_EXECUTE, Node.EXECUTE),
        new Row(Nfs3.ACCESS_MODIFY, Node.WRITE),
        new Row(Nfs3.ACCESS_EXTEND, Node.WRITE),
        new Row(READ_XATTR, Node.READ),
        new Row(WRITE_XATTR, Node.WRITE),
        new Row(LIST_XATTRS, Node.READ)
    };

    private static final Row[] OF_DIRECTORY = {
        new Row(Nfs3.ACCESS_READ, Node.READ),
        new Row(Nfs3.ACCESS_LOOKUP, Node.EXECUTE),
        new Row(Nfs3.ACCESS_MODIFY, Node.WRITE | Node.EXECUTE),
        new Row(Nfs3.ACCESS_EXTEND, Node.WRITE | Node.EXECUTE),
        new Row(Nfs3.ACCESS_DELETE, Node.WRITE | Node.EXECUTE),
        new Row(READ_XATTR, Node.READ),
        new Row(WRITE_XATTR, Node.WRITE),
        new Row(LIST_XATTRS, Node.READ)
    };

    /** All bits that have a meaning for directories. */
    public static final int DIRECTORY = bits(OF_DIRECTORY);

    private static int bits(Row[] rows) {
        int bits = 0;
        for (var row : rows) {
            bits |= row.bit;
        }
        return bits;
    }

    /**
     * Returns the rights of the caller of a call.
     *
     * @param wanted the bits that the caller asks for
     */
    public static FileRights of(CallTarget file, int wanted) throws StoreException {
        var status = file.node().status();
        var rows = status.isDirectory() ? OF_DIRECTORY : OF_FILE;
        int needed = 0;
        for (var row : rows) {
            needed |= (wanted & row.bit) != 0 ? row.needs : 0;
        }
        // Writes to FIFOs, sockets and devices take effect on the client, so a read-only export
        // allows them.
        boolean isKept = status.isDirectory() || status.type() == FileType.REGULAR;
        if (file.rule().readOnly() && isKept) {
            needed &= ~Node.WRITE;
        }
        int rights = needed == 0 ? 0 : file.node().access(file.caller(), needed);
        int granted = 0;
        for (var row : rows) {
            granted |= (rights & row.needs) == row.needs ? row.bit : 0;
        }
        return new FileRights(status, wanted & bits(rows), wanted & granted);
    }
}
