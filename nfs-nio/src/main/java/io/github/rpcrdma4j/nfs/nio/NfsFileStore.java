package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.nio.attribute.AclView;
import io.github.rpcrdma4j.nfs.nio.attribute.NamedAttributes;
import io.github.rpcrdma4j.nfs.nio.attribute.XattrView;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.AclFileAttributeView;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Set;

/**
 * A file system of a server: the one that holds a file. Immutable; its space is asked for at each
 * use.
 */
final class NfsFileStore extends FileStore {
    private final NfsPath path;
    private final RemoteFile file;

    /** The views of its files. */
    private final Set<String> views;

    private NfsFileStore(NfsPath path, RemoteFile file, Set<String> views) {
        this.path = path;
        this.file = file;
        this.views = views;
    }

    /** Returns the file system of a file. */
    static NfsFileStore of(NfsPath path) throws IOException {
        var tree = path.getFileSystem().tree();
        var file = tree.file(path.absolute(), true);
        var views =
                NamedAttributes.views(
                        tree.keepsAcls(file, path.absolute()),
                        tree.keepsXattrs(file, path.absolute()));
        return new NfsFileStore(path, file, views);
    }

    private FileSystemId id() {
        return file.attributes().fileSystem();
    }

    private SpaceStatus space() throws IOException {
        return path.getFileSystem().tree().space(file, path.absolute());
    }

    /** Returns the server, and the number of the file system there. */
    @Override
    public String name() {
        return path.getFileSystem().uri(path.absolute()).server()
                + " "
                + Long.toHexString(id().major())
                + ":"
                + Long.toHexString(id().minor());
    }

    @Override
    public String type() {
        return "nfs" + path.getFileSystem().version();
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() throws IOException {
        return atMost(space().totalBytes());
    }

    @Override
    public long getUsableSpace() throws IOException {
        return atMost(space().availableBytes());
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return atMost(space().freeBytes());
    }

    /** A server tells unsigned numbers. */
    private static long atMost(long bytes) {
        return bytes < 0 ? Long.MAX_VALUE : bytes;
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class
                || type == FileOwnerAttributeView.class
                || type == PosixFileAttributeView.class
                || type == AclFileAttributeView.class && views.contains(AclView.NAME)
                || type == UserDefinedFileAttributeView.class && views.contains(XattrView.NAME);
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return views.contains(name);
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) throws IOException {
        return switch (attribute) {
            case "totalSpace" -> getTotalSpace();
            case "usableSpace" -> getUsableSpace();
            case "unallocatedSpace" -> getUnallocatedSpace();
            default -> throw new UnsupportedOperationException("no attribute " + attribute);
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NfsFileStore store
                && store.path.getFileSystem() == path.getFileSystem()
                && store.id().equals(id());
    }

    @Override
    public int hashCode() {
        return id().hashCode();
    }

    @Override
    public String toString() {
        return name();
    }
}
