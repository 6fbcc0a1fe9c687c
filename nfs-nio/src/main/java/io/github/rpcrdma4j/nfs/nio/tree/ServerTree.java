package io.github.rpcrdma4j.nfs.nio.tree;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.file.Interruption;
import io.github.rpcrdma4j.nfs.client.file.PathFailure;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.nio.attribute.ViewedFile;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import java.io.IOException;
import java.nio.file.AccessMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NotLinkException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The files of a server by absolute paths. Failures are those of {@link java.nio.file.Files}. An
 * interrupt ends a wait for the server: the failure is a {@link java.io.InterruptedIOException},
 * and the thread stays interrupted. Thread-safe.
 *
 * <p>Tests: {@code ProviderContract}.
 */
public final class ServerTree {
    private final NfsMount mount;

    /**
     * @param mount the caller closes it
     */
    public ServerTree(NfsMount mount) {
        this.mount = mount;
    }

    NfsMount mount() {
        return mount;
    }

    FileService service() {
        return mount.service();
    }

    /** Runs an operation on a path. */
    static <T> T run(PathText path, PathFailure.Operation<T> operation) throws IOException {
        return run(path, null, operation);
    }

    /**
     * Runs an operation on two paths.
     *
     * @param other null for an operation on one path
     */
    static <T> T run(PathText path, PathText other, PathFailure.Operation<T> operation)
            throws IOException {
        var second = other == null ? null : other.toString();
        try {
            return PathFailure.named(path.toString(), second, operation);
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
    }

    static String what(String verb, PathText path) {
        return "cannot " + verb + " " + path.bytes().escaped();
    }

    /** Finds a file, as it is now. */
    RemoteFile found(PathText path, boolean followsLast) throws IOException, InterruptedException {
        return found(mount.real(path.bytes(), followsLast), path);
    }

    /** The attributes of the root of a mount are as old as the mount. */
    private RemoteFile found(NfsMount.RealFile real, PathText path)
            throws IOException, InterruptedException {
        var file = real.file();
        return real.path().equals(mount.export())
                ? new RemoteFile(
                        file.handle(), service().attributes(file.handle(), what("stat", path)))
                : file;
    }

    /** Returns where the last name of a path is, or would be. */
    RemotePlace place(PathText path) throws IOException, InterruptedException {
        if (path.count() == 0) {
            throw new FileSystemException(path.toString(), null, "is the root of the server");
        }
        return mount.place(path.bytes());
    }

    /**
     * Returns the file at a path.
     *
     * @param followsLast whether a link at the end of the path is followed too
     */
    public RemoteFile file(PathText path, boolean followsLast) throws IOException {
        return run(path, () -> found(path, followsLast));
    }

    /** Returns the path of a file without links and dots. */
    public PathText real(PathText path) throws IOException {
        return run(path, () -> PathText.of(mount.real(path.bytes(), true).path()));
    }

    /** Returns whether there is a file, and the server says so. */
    public boolean exists(PathText path, boolean followsLast) {
        try {
            file(path, followsLast);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Returns a file whose attributes are read and changed. */
    public ViewedFile viewed(PathText path, boolean followsLast) {
        return new ViewedFile() {
            @Override
            public <T> T use(Use<T> use) throws IOException {
                return run(
                        path,
                        () ->
                                use.of(
                                        service(),
                                        found(path, followsLast),
                                        what("use the attributes of", path)));
            }
        };
    }

    /**
     * Checks what the caller may do with a file.
     *
     * @throws java.nio.file.AccessDeniedException if it may not do all
     */
    public void requireAccess(PathText path, AccessMode... modes) throws IOException {
        run(
                path,
                () -> {
                    var file = found(path, true);
                    var wanted = rights(file.attributes().isDirectory(), modes);
                    if (!wanted.isEmpty()) {
                        requireRights(file, wanted, what("use", path));
                    }
                    return null;
                });
    }

    private static Set<AccessRight> rights(boolean isDirectory, AccessMode... modes) {
        var rights = EnumSet.noneOf(AccessRight.class);
        for (var mode : modes) {
            switch (mode) {
                case READ -> rights.add(AccessRight.READ);
                case WRITE -> rights.addAll(Set.of(AccessRight.MODIFY, AccessRight.EXTEND));
                case EXECUTE -> rights.add(isDirectory ? AccessRight.LOOKUP : AccessRight.EXECUTE);
            }
        }
        return rights;
    }

    void requireRights(RemoteFile file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException {
        if (!service().access(file.handle(), wanted, what).containsAll(wanted)) {
            throw new NfsException(what, Status.ACCES);
        }
    }

    /** Returns the text of a symbolic link. */
    public PathText readLink(PathText path) throws IOException {
        return run(
                path,
                () -> {
                    var link = found(path, false);
                    if (link.attributes().type() != FileType.SYMBOLIC_LINK) {
                        throw new NotLinkException(path.toString());
                    }
                    return PathText.of(service().readLink(link.handle(), what("read", path)));
                });
    }

    /**
     * Makes a directory.
     *
     * @param mode its permissions
     */
    public void makeDirectory(PathText path, int mode) throws IOException {
        run(
                path,
                () -> {
                    requireName(path);
                    service()
                            .makeDirectory(
                                    place(path), AttributeChanges.ofMode(mode), what("make", path));
                    return null;
                });
    }

    /** A path without a name at its end leads to a directory that is there, or to none. */
    private void requireName(PathText path) throws IOException, InterruptedException {
        if (path.count() == 0 || path.last().isDots()) {
            found(path, true);
            throw new FileAlreadyExistsException(path.toString());
        }
    }

    /** Makes a symbolic link of a text. */
    public void makeLink(PathText path, PathText text) throws IOException {
        run(
                path,
                () -> {
                    service().makeLink(place(path), text.bytes(), what("make", path));
                    return null;
                });
    }

    /** Gives a file one more name. A link at the end of its path is not followed. */
    public void link(PathText path, PathText existing) throws IOException {
        run(
                path,
                existing,
                () -> {
                    var file = found(existing, false);
                    service().link(file.handle(), place(path), what("make", path));
                    return null;
                });
    }

    /** Removes a file or an empty directory. */
    public void remove(PathText path) throws IOException {
        run(
                path,
                () -> {
                    var place = place(path);
                    remove(service().lookup(place, what("remove", path)), place, path);
                    return null;
                });
    }

    void remove(RemoteFile file, RemotePlace place, PathText path)
            throws IOException, InterruptedException {
        if (file.attributes().isDirectory()) {
            service().removeDirectory(place, what("remove", path));
        } else {
            service().remove(place, what("remove", path));
        }
    }

    /** Removes a name if it is still that of a file. */
    void removeIfSame(RemotePlace place, FileIdentity file, PathText path) throws IOException {
        run(
                path,
                () -> {
                    var there = service().find(place, what("remove", path));
                    if (there.map(RemoteFile::attributes)
                            .map(FileIdentity::of)
                            .equals(Optional.of(file))) {
                        service().remove(place, what("remove", path));
                    }
                    return null;
                });
    }

    /** Returns the space of the file system that holds a file. */
    public SpaceStatus space(RemoteFile file, PathText path) throws IOException {
        return run(path, () -> service().space(file.handle()));
    }

    /** Returns whether the file system of a file keeps extended attributes. */
    public boolean keepsXattrs(RemoteFile file, PathText path) throws IOException {
        return run(path, () -> service().xattrs().areKept(file.handle(), what("stat", path)));
    }

    /** Returns whether the version of NFS has access control lists. */
    public boolean hasAcls() {
        return service().accessLists().exist();
    }

    /** Returns whether the file system of a file keeps access control lists. */
    public boolean keepsAcls(RemoteFile file, PathText path) throws IOException {
        return run(path, () -> service().accessLists().areKept(file.handle(), what("stat", path)));
    }

    /** Returns whether two paths lead to one file. */
    public boolean isSame(PathText one, PathText other) throws IOException {
        var first = file(one, true);
        var second = file(other, true);
        return FileIdentity.of(first.attributes()).equals(FileIdentity.of(second.attributes()));
    }

    /** Returns whether a name begins with a dot. */
    public static boolean isHidden(PathText path) {
        return path.count() > 0
                && path.last().length() > 0
                && path.last().bytes()[0] == '.'
                && !path.last().equals(FileName.SELF);
    }
}
