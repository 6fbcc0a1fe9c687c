package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/**
 * What a server told of a file. The time of creation is that of the last change of the content,
 * because not all versions of NFS tell it. Immutable.
 */
public record ServerFileAttributes(FileAttributes told) implements PosixFileAttributes {
    @Override
    public FileTime lastModifiedTime() {
        return FileTime.from(told.modified());
    }

    @Override
    public FileTime lastAccessTime() {
        return FileTime.from(told.accessed());
    }

    @Override
    public FileTime creationTime() {
        return lastModifiedTime();
    }

    FileTime changeTime() {
        return FileTime.from(told.changed());
    }

    @Override
    public boolean isRegularFile() {
        return told.type() == FileType.REGULAR;
    }

    @Override
    public boolean isDirectory() {
        return told.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return told.type() == FileType.SYMBOLIC_LINK;
    }

    @Override
    public boolean isOther() {
        return !isRegularFile() && !isDirectory() && !isSymbolicLink();
    }

    /** A size that no {@code long} holds is the largest one. */
    @Override
    public long size() {
        return told.size() < 0 ? Long.MAX_VALUE : told.size();
    }

    @Override
    public Object fileKey() {
        return FileIdentity.of(told);
    }

    @Override
    public UserPrincipal owner() {
        return new NumberedUser(told.uid());
    }

    @Override
    public GroupPrincipal group() {
        return new NumberedGroup(told.gid());
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return ModeBits.permissions(told.mode());
    }
}
