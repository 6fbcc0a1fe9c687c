package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.nfs.v4.attribute.FileSystemId;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import java.util.OptionalLong;

/**
 * The attributes of a file whose file system is at another server, among them FS_LOCATIONS (RFC
 * 8881, Section 11.4; RFC 7530, Section 8.3).
 *
 * @param status what RDATTR_ERROR says
 * @param mountedOn the inode number of the directory that the root covers; empty for other files
 */
record MovedFacts(
        Nfs4Status status, FileSystemId fileSystem, OptionalLong mountedOn, FsLocations locations)
        implements FileFacts {
    private static final AttributeSet PRESENT =
            AttributeSet.of(Attribute.RDATTR_ERROR, Attribute.FSID, Attribute.FS_LOCATIONS);

    @Override
    public AttributeSet present() {
        return mountedOn.isPresent() ? PRESENT.with(Attribute.MOUNTED_ON_FILEID) : PRESENT;
    }

    @Override
    public int word(Attribute attribute) {
        return status.number();
    }

    @Override
    public long hyper(Attribute attribute) {
        return mountedOn.orElseThrow();
    }
}
