package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;

/**
 * The attributes of an entry of READDIR when the server cannot read its file, or need not:
 * RDATTR_ERROR and the inode number (RFC 8881, Section 18.23.3).
 */
record EntryError(Nfs4Status status, long number) implements FileFacts {
    private static final AttributeSet PRESENT =
            AttributeSet.of(Attribute.RDATTR_ERROR, Attribute.FILEID, Attribute.MOUNTED_ON_FILEID);

    @Override
    public AttributeSet present() {
        return PRESENT;
    }

    @Override
    public int word(Attribute attribute) {
        return status.number();
    }

    @Override
    public long hyper(Attribute attribute) {
        return number;
    }
}
