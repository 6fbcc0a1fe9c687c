package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.shape.ShapeWalk;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/** FileNames of files in arguments: {@code component4} (RFC 8881, Sections 3.2 and 14.5). */
public final class FileNames {
    /**
     * The longest name, value or data, in bytes, so that a name too long for a file system is still
     * a value. The message is the limit of what lies in it.
     */
    static final int BYTES_MAX = ShapeWalk.LENGTH_MAX;

    private FileNames() {}

    static FileName decode(XdrReader in) throws XdrException {
        return FileName.decode(in, BYTES_MAX);
    }

    /**
     * Returns whether a name can name a file, as far as its bytes show. Bytes that are not UTF-8
     * can: a server may take them (RFC 8881, Section 14.4), and files have such names.
     *
     * @param lengthMax the longest name of the file system, in bytes
     * @return OK; INVAL if it is empty (RFC 8881, Section 15.1.1.4); NAMETOOLONG; or BADNAME for
     *     ".", "..", and names with a slash or a NUL
     */
    public static Nfs4Status status(FileName name, int lengthMax) {
        if (name.length() == 0) {
            return Nfs4Status.INVAL;
        }
        if (name.length() > lengthMax) {
            return Nfs4Status.NAMETOOLONG;
        }
        return name.isDots() || !name.isSingle() ? Nfs4Status.BADNAME : Nfs4Status.OK;
    }
}
