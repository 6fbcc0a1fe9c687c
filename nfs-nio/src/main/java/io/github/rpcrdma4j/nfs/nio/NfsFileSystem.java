package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.file.Interruption;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.nio.attribute.NamedAttributes;
import io.github.rpcrdma4j.nfs.nio.attribute.Principals;
import io.github.rpcrdma4j.nfs.nio.path.Glob;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import io.github.rpcrdma4j.nfs.nio.tree.DirectoryNames;
import io.github.rpcrdma4j.nfs.nio.tree.FileCopies;
import io.github.rpcrdma4j.nfs.nio.tree.FileOpening;
import io.github.rpcrdma4j.nfs.nio.tree.ServerTree;
import io.github.rpcrdma4j.nfs.nio.watch.DirectoryWatcher;
import java.io.IOException;
import java.net.URI;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * The files of a server, by one connection. Thread-safe.
 *
 * <p>Tests: {@code ProviderContract}, {@code FileSystemsByUriTest}.
 */
final class NfsFileSystem extends FileSystem {
    private static final String GLOB = "glob";
    private static final String REGEX = "regex";
    private static final PathName ROOT = PathName.of("/");

    private final ServerProvider provider;
    private final NfsUrl.Server server;
    private final PathText directory;
    private final NfsOptions options;
    private final NfsMount mount;
    private final ServerTree tree;
    private final FileOpening opening;
    private final FileCopies copies;
    private final Set<DirectoryWatcher> watchers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isOpen = new AtomicBoolean(true);

    private NfsFileSystem(
            ServerProvider provider, ServerUri uri, NfsOptions options, NfsMount mount) {
        this.provider = provider;
        this.server = uri.server();
        this.directory = uri.path();
        this.options = options;
        this.mount = mount;
        this.tree = new ServerTree(mount);
        this.opening = new FileOpening(tree);
        this.copies = new FileCopies(tree, options.client(), options.umask());
    }

    /**
     * Connects to a server.
     *
     * @param uri its path becomes the working directory, and may not exist
     */
    static NfsFileSystem connect(ServerProvider provider, ServerUri uri, NfsOptions options)
            throws IOException {
        try {
            var url = new NfsUrl(uri.server(), uri.path().bytes(), false);
            var mount = options.mount();
            var service =
                    mount.isPresent()
                            ? NfsClient.connect(url, mount.get(), options.client())
                            : NfsClient.connect(url, options.client());
            return new NfsFileSystem(provider, uri, options, mounted(service, uri.path()));
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
    }

    /** Mounts all files of the server, or those of an export if the version has no common root. */
    private static NfsMount mounted(FileService service, PathText path)
            throws IOException, InterruptedException {
        boolean hasRoot = false;
        boolean isAsked = false;
        try {
            hasRoot = service.exports().stream().anyMatch(each -> each.path().equals(ROOT));
            isAsked = true;
        } finally {
            if (!isAsked) {
                service.close();
            }
        }
        return NfsMount.of(
                service, hasRoot ? ROOT : path.bytes(), NfsMount.AbsoluteLinks.FROM_ROOT);
    }

    ServerUri uri(PathText path) {
        return new ServerUri(server, path);
    }

    URI uriOf(PathText path) {
        return uri(path).uri();
    }

    PathText directory() {
        return directory;
    }

    NfsOptions options() {
        return options;
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new ClosedFileSystemException();
        }
    }

    ServerTree tree() {
        requireOpen();
        return tree;
    }

    FileOpening opening() {
        requireOpen();
        return opening;
    }

    FileCopies copies() {
        requireOpen();
        return copies;
    }

    /** Returns the version of NFS, as people write it. */
    String version() {
        return mount.service().version().words();
    }

    @Override
    public ServerProvider provider() {
        return provider;
    }

    /** Closes all channels, and the connection. Paths of it lead to no files any more. */
    @Override
    public void close() throws IOException {
        if (isOpen.getAndSet(false)) {
            watchers.forEach(DirectoryWatcher::close);
            try {
                opening.close();
            } finally {
                mount.close();
                provider.remove(this);
            }
        }
    }

    @Override
    public boolean isOpen() {
        return isOpen.get();
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(new NfsPath(this, PathText.ROOT));
    }

    /** Returns the file system of the server that holds the working directory, if there is one. */
    @Override
    public Iterable<FileStore> getFileStores() {
        try {
            return List.of(provider.getFileStore(new NfsPath(this, directory)));
        } catch (IOException _) {
            return List.of();
        }
    }

    /** Returns those that the version of NFS has. */
    @Override
    public Set<String> supportedFileAttributeViews() {
        var service = mount.service();
        return NamedAttributes.views(service.accessLists().exist(), service.xattrs().exist());
    }

    @Override
    public Path getPath(String first, String... more) {
        var text = new StringBuilder(first);
        for (var each : more) {
            if (!each.isEmpty()) {
                text.append(text.isEmpty() ? "" : "/").append(each);
            }
        }
        return new NfsPath(this, PathText.of(text.toString()));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        int colon = syntaxAndPattern.indexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("no syntax before a colon: " + syntaxAndPattern);
        }
        var syntax = syntaxAndPattern.substring(0, colon);
        var text = syntaxAndPattern.substring(colon + 1);
        Pattern pattern;
        if (syntax.equalsIgnoreCase(GLOB)) {
            pattern = Glob.pattern(text);
        } else if (syntax.equalsIgnoreCase(REGEX)) {
            pattern = Pattern.compile(text);
        } else {
            throw new UnsupportedOperationException("no syntax of patterns: " + syntax);
        }
        return path -> pattern.matcher(path.toString()).matches();
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return Principals.OF_SERVERS;
    }

    /** Returns a service that lists directories now and then ({@link NfsOptions#watch}). */
    @Override
    public WatchService newWatchService() {
        requireOpen();
        var watcher =
                new DirectoryWatcher(
                        path -> DirectoryNames.of(tree(), NfsPath.of(path).absolute()),
                        options.watch(),
                        watchers::remove);
        watchers.add(watcher);
        return watcher;
    }

    /** Returns whether a watch service is one of this file system. */
    boolean has(WatchService watcher) {
        return watchers.contains(watcher);
    }

    @Override
    public String toString() {
        return uriOf(directory).toString();
    }
}
