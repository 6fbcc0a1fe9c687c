package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;
import java.io.IOException;
import java.util.List;

/**
 * The extended attributes that users give to files of a server (RFC 8276; {@code user.} of
 * xattr(7)). Their names are without the prefix {@code user.}, and may have any bytes but NUL.
 * Thread-safe. Failures are those of {@link FileService}.
 *
 * <p>If the version of NFS has none, {@link #exist} and {@link #areKept} are false, and the other
 * methods throw an {@link NfsException} with {@link Status#NOTSUPP} before anything is sent.
 *
 * <p>Tests: {@code FileXattrsTest}.
 */
public interface FileXattrs {
    /**
     * The longest value that is read, in bytes, and the longest list of names, each with its prefix
     * and a NUL: the limits of Linux.
     */
    int BYTES_MAX = 64 << 10;

    /** Returns whether the version of NFS has them. */
    boolean exist();

    /** Returns whether the file system of a file keeps such attributes. */
    boolean areKept(FileHandle file, String what) throws IOException, InterruptedException;

    /** Returns the names of the attributes of a file. */
    List<FileName> names(FileHandle file, String what) throws IOException, InterruptedException;

    /**
     * Returns the value of an attribute. The array is the caller's.
     *
     * @throws NfsException {@link Status#NOXATTR} if the file does not have the attribute; {@link
     *     Status#XATTR2BIG} if the value is longer than {@link #BYTES_MAX}
     */
    byte[] value(FileHandle file, FileName name, String what)
            throws IOException, InterruptedException;

    /**
     * Gives a file an attribute.
     *
     * @param value the caller's; read until this method returns
     * @throws NfsException {@link Status#EXIST} or {@link Status#NOXATTR} if the rule forbids it;
     *     {@link Status#XATTR2BIG} if the value is too long
     */
    void set(FileHandle file, FileName name, byte[] value, XattrRule rule, String what)
            throws IOException, InterruptedException;

    /**
     * Takes an attribute from a file.
     *
     * @throws NfsException {@link Status#NOXATTR} if the file does not have it
     */
    void remove(FileHandle file, FileName name, String what)
            throws IOException, InterruptedException;

    /** Returns those of a version of NFS that has none. */
    static FileXattrs missing(NfsVersion version) {
        return new MissingXattrs(version);
    }
}
