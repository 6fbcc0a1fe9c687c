package io.github.rpcrdma4j.nfs.nio.routed;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The files of this machine and of servers, in one tree. Thread-safe. */
final class RoutedFileSystem extends FileSystem {
    private final RoutedProvider provider;
    private final FileSystem platform;

    RoutedFileSystem(RoutedProvider provider, FileSystem platform) {
        this.provider = provider;
        this.platform = platform;
    }

    RoutedPath path(Path local) {
        return new RoutedPath(this, local, null);
    }

    /**
     * Returns a path as one of this file system.
     *
     * @throws ProviderMismatchException if it is none
     */
    RoutedPath own(Path path) {
        if (path instanceof RoutedPath own) {
            return own;
        }
        throw path == null
                ? new NullPointerException("no path")
                : new ProviderMismatchException("no path of the default file system: " + path);
    }

    /**
     * Returns the path of a file of a server. Connects to the server if that was not done before.
     *
     * @throws IOException if the server cannot be reached, or refuses
     */
    Path connected(ServerRoute route) throws IOException {
        var uri = route.uri();
        try {
            return FileSystems.getFileSystem(uri).getPath(route.path());
        } catch (FileSystemNotFoundException _) {
            return connect(uri).getPath(route.path());
        } catch (IllegalArgumentException malformed) {
            throw route.refused(malformed.getMessage());
        }
    }

    private static FileSystem connect(URI uri) throws IOException {
        try {
            return FileSystems.newFileSystem(uri, Map.of());
        } catch (FileSystemAlreadyExistsException _) {
            // Another thread was first.
            return FileSystems.getFileSystem(uri);
        }
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    /** Always refuses, as the file system of the platform does. */
    @Override
    public void close() throws IOException {
        platform.close();
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return platform.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        var roots = new ArrayList<Path>();
        for (var each : platform.getRootDirectories()) {
            roots.add(path(each));
        }
        return List.copyOf(roots);
    }

    /** Returns those of this machine. */
    @Override
    public Iterable<FileStore> getFileStores() {
        return platform.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return platform.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return path(platform.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        var matcher = platform.getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(path instanceof RoutedPath own ? own.local() : path);
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return platform.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() throws IOException {
        return new RoutedWatchService(platform.newWatchService());
    }
}
