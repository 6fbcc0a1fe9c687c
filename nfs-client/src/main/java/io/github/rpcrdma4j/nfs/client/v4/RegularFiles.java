package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileService.Filled;
import io.github.rpcrdma4j.nfs.client.service.FileService.Opened;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Opens regular files, and makes them, as a minor version does. Thread-safe. */
interface RegularFiles {
    /** Opens a file. */
    UsedFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException;

    /** Makes a file, and closes it. */
    Created file(RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException;

    /** Makes a file, or opens one that is there, and leaves it open. */
    Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException;

    /** Makes a file that must not exist, fills it, and closes it. */
    Filled filled(RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException;

    /** Takes note of where a file was found. */
    default void found(RemotePlace place, RemoteFile file) {}

    /** Takes note of a file that was renamed. */
    default void renamed(RemotePlace from, RemotePlace to) {}

    /** Closes all files in one attempt each, before the client leaves. */
    void closeAll();
}
