package io.github.rpcrdma4j.nfs.client.service;

import java.io.IOException;
import java.util.List;

/**
 * The access control lists of files as version 4 of NFS has them (RFC 8881, Section 6).
 * Thread-safe. Failures are those of {@link FileService}.
 *
 * <p>If the version of NFS has none, {@link #exist} and {@link #areKept} are false, and the other
 * methods throw an {@link NfsException} with {@link Status#NOTSUPP} before anything is sent.
 *
 * <p>Tests: {@code AccessListsTest}.
 */
public interface AccessLists {
    /** Returns whether the version of NFS has them. */
    boolean exist();

    /** Returns whether the file system of a file has lists that allow. */
    boolean areKept(FileHandle file, String what) throws IOException, InterruptedException;

    /**
     * Returns the list of a file.
     *
     * @throws NfsException {@link Status#NOTSUPP} if its file system has none; {@link Status#INVAL}
     *     if an entry has a type, a flag, a right or a name that is not known here, because one who
     *     writes the list back would lose it
     */
    List<AccessEntry> of(FileHandle file, String what) throws IOException, InterruptedException;

    /**
     * Replaces the list of a file. The server may keep another one that gives no more rights, and
     * changes the mode to fit.
     *
     * @throws NfsException {@link Status#NOTSUPP} if its file system has none or none with such
     *     entries; {@link Status#INVAL} if the server does not know a user or a group
     */
    void replace(FileHandle file, List<AccessEntry> entries, String what)
            throws IOException, InterruptedException;

    /** Returns those of a version of NFS that has none. */
    static AccessLists missing(NfsVersion version) {
        return new MissingAccessLists(version);
    }
}
