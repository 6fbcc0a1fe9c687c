package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;
import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.checkName;

import io.github.rpcrdma4j.linux.DirectoryEntries;
import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A directory tree on Linux, based on file descriptors. The kernel resolves each path from the
 * descriptor of the root, and neither follows links nor leaves the root. Mounted file systems below
 * the root belong to the tree. Between operations only the descriptor of the root stays open.
 */
final class LinuxTree implements LocalTree {
    /**
     * Flags that open the last name of a path, which may be a link, without access to the contents.
     */
    private static final int PATH_ONLY = Kernel.O_PATH | Kernel.noFollow();

    private static final int PERMISSION_MASK = 07777;

    /** The permissions that a new file may have before its mode is set: those of its owner. */
    private static final int OWNER_MASK = 0700;

    private static final int MAJOR_MAX = 0xfff;
    private static final int MINOR_MAX = 0xfffff;

    /** What an empty path stands for in Java. */
    private static final Path SELF = Path.of(".");

    private final Path path;
    private final Descriptor root;

    /**
     * Creates a tree of an open directory.
     *
     * @param path of the directory, for messages
     * @param root owned by this object
     */
    LinuxTree(Path path, Descriptor root) {
        this.path = path;
        this.root = root;
    }

    /**
     * Opens a directory; empty if this kernel cannot resolve paths without following links.
     *
     * @param directory the kernel resolves a relative one from the working directory of this
     *     process, which another user may have renamed
     */
    static Optional<LinuxTree> open(Path directory, String what) throws LocalException {
        byte[] bytes = UnixPaths.bytes(directory.toString().isEmpty() ? SELF : directory);
        if (bytes.length >= Scratch.TEXT_MAX) {
            throw new LocalException(what, Reason.NAME_TOO_LONG);
        }
        var scratch = Scratch.acquire();
        try {
            int number =
                    check(
                            Kernel.openat(
                                    scratch,
                                    Kernel.AT_FDCWD,
                                    scratch.text(Scratch.TEXT, bytes),
                                    Kernel.O_PATH | Kernel.directory(),
                                    0),
                            what);
            if (!OpenedPath.isKnown(scratch, number)) {
                Kernel.close(scratch, number);
                return Optional.empty();
            }
            return Optional.of(new LinuxTree(directory, new Descriptor(number)));
        } finally {
            scratch.release();
        }
    }

    /** An operation that starts at the root. */
    private interface Work<R> {
        R run(Scratch scratch, int from) throws LocalException;
    }

    private <R> R use(Work<R> work) throws LocalException {
        int from = root.take();
        var scratch = Scratch.acquire();
        try {
            return work.run(scratch, from);
        } finally {
            scratch.release();
            root.give();
        }
    }

    /** A system call on one name in a directory. */
    private interface Naming {
        int run(Scratch scratch, int directory, long name);
    }

    /**
     * Creates a name. If the kernel reports an invalid argument, the name is invalid for the file
     * system.
     */
    private void make(LocalPath file, String what, Naming naming) throws LocalException {
        use(
                (scratch, from) -> {
                    try (var directory =
                            OpenedPath.directory(scratch, from, file.directory(), what)) {
                        long name = OpenedPath.name(scratch, Scratch.LONG_NAME, file.name(), what);
                        checkName(naming.run(scratch, directory.descriptor(), name), what);
                        return null;
                    }
                });
    }

    @Override
    public Path root() {
        return path;
    }

    /** An operation on one file, by a descriptor that gives no access to its contents. */
    private interface OnFile<R> {
        R run(Scratch scratch, int descriptor) throws LocalException;
    }

    private <R> R at(LocalPath file, String what, OnFile<R> work) throws LocalException {
        return use(
                (scratch, from) -> {
                    if (file.isRoot()) {
                        // To open it once more takes the right to search it.
                        return work.run(scratch, from);
                    }
                    try (var opened = OpenedPath.of(scratch, from, file, PATH_ONLY, what)) {
                        return work.run(scratch, opened.descriptor());
                    }
                });
    }

    @Override
    public LocalStatus status(LocalPath file, String what) throws LocalException {
        var found =
                at(
                        file,
                        what,
                        (scratch, number) -> {
                            var status = LinuxAttributes.status(scratch, number, what);
                            return Statx.isAutomount(scratch)
                                    ? Optional.<LocalStatus>empty()
                                    : Optional.of(status);
                        });
        return found.isPresent() ? found.get() : mounted(file, what);
    }

    /** The use of a directory is what mounts it: what is there then has its status. */
    private LocalStatus mounted(LocalPath directory, String what) throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var opened = OpenedPath.directory(scratch, from, directory, what)) {
                        return LinuxAttributes.status(scratch, opened.descriptor(), what);
                    }
                });
    }

    @Override
    public List<FileName> list(LocalPath directory, Room room, String what) throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var opened = OpenedPath.listing(scratch, from, directory, what);
                            var arena = Arena.ofConfined()) {
                        var names = new ArrayList<FileName>();
                        var entries = new DirectoryEntries(arena);
                        while (check(entries.read(scratch, opened.descriptor()), what) > 0) {
                            while (entries.next()) {
                                var name = new FileName(entries.name());
                                if (!name.isDots()) {
                                    room.take(name, names.size());
                                    names.add(name);
                                }
                            }
                        }
                        return names;
                    }
                });
    }

    @Override
    public LocalFile read(LocalPath file, String what) throws LocalException {
        return open(file, Kernel.O_RDONLY, what);
    }

    @Override
    public LocalFile reopen(LocalPath file, String what) throws LocalException {
        return open(file, Kernel.O_WRONLY, what);
    }

    private LocalFile open(LocalPath file, int access, String what) throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var opened = OpenedPath.of(scratch, from, file, PATH_ONLY, what)) {
                        LocalFileRules.requireRegular(
                                LinuxAttributes.type(scratch, opened.descriptor(), what), what);
                        int number = Kernel.reopen(scratch, opened.descriptor(), access);
                        var withoutProc = LinuxFailures.withoutProc(number, what);
                        if (withoutProc.isPresent()) {
                            throw withoutProc.get();
                        }
                        boolean isWritable = access == Kernel.O_WRONLY;
                        return new LinuxFile(check(number, what), isWritable, what);
                    }
                });
    }

    @Override
    public LocalFile create(LocalPath file, int mode, String what) throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var directory =
                            OpenedPath.directory(scratch, from, file.directory(), what)) {
                        return create(scratch, directory.descriptor(), file.name(), mode, what);
                    }
                });
    }

    private static LocalFile create(
            Scratch scratch, int directory, FileName name, int mode, String what)
            throws LocalException {
        int flags = Kernel.O_WRONLY | Kernel.O_CREAT | Kernel.O_EXCL | Kernel.noFollow();
        int number =
                Kernel.openat2(
                        scratch,
                        directory,
                        OpenedPath.name(scratch, Scratch.LONG_NAME, name, what),
                        flags | Kernel.O_NOCTTY,
                        mode & OWNER_MASK,
                        OpenedPath.RESOLVE);
        checkName(number, what);
        int result = Kernel.fchmod(scratch, number, mode & PERMISSION_MASK);
        // A file system without modes gives all of its files the same mode.
        if (result < 0 && result != -Errno.OPNOTSUPP) {
            Kernel.close(scratch, number);
            Kernel.unlinkat(scratch, directory, scratch.address + Scratch.LONG_NAME, 0);
            throw LinuxFailures.exception(-result, what);
        }
        return new LinuxFile(number, true, what);
    }

    @Override
    public void makeDirectory(LocalPath directory, int mode, String what) throws LocalException {
        make(
                directory,
                what,
                (scratch, in, name) -> Kernel.mkdirat(scratch, in, name, mode & PERMISSION_MASK));
    }

    @Override
    public void makeLink(LocalPath link, PathName text, String what) throws LocalException {
        if (text.length() == 0 || text.contains('\0')) {
            throw new LocalException(what, Reason.BAD_NAME, "no link can have such a text");
        }
        if (text.length() >= Scratch.TEXT_MAX) {
            throw new LocalException(what, Reason.NAME_TOO_LONG);
        }
        make(
                link,
                what,
                (scratch, in, name) ->
                        Kernel.symlinkat(
                                scratch, scratch.name(Scratch.TEXT, text.segment()), in, name));
    }

    @Override
    public void makeNode(LocalPath node, FileType type, int mode, int major, int minor, String what)
            throws LocalException {
        int format =
                switch (type) {
                    case FIFO -> 0010000;
                    case CHARACTER_DEVICE -> 0020000;
                    case BLOCK_DEVICE -> 0060000;
                    case SOCKET -> 0140000;
                    case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                            throw new IllegalArgumentException("not a node: " + type);
                };
        boolean isDevice = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
        // Compared as unsigned numbers, as NFS sends them.
        if (isDevice && ((major & ~MAJOR_MAX) != 0 || (minor & ~MINOR_MAX) != 0)) {
            throw new LocalException(
                    what, Reason.UNSUPPORTED, "Linux has no device of these numbers");
        }
        make(
                node,
                what,
                (scratch, in, name) ->
                        Kernel.mknodat(
                                scratch,
                                in,
                                name,
                                format | mode & PERMISSION_MASK,
                                isDevice ? LinuxAttributes.device(major, minor) : 0));
    }

    @Override
    public PathName readLink(LocalPath link, String what) throws LocalException {
        return at(link, what, (scratch, number) -> text(scratch, number, what));
    }

    @Override
    public PathName readLink(LocalPath link, LocalStatus found, String what) throws LocalException {
        return atFound(link, found, what, (scratch, number) -> text(scratch, number, what));
    }

    private static PathName text(Scratch scratch, int link, String what) throws LocalException {
        if (LinuxAttributes.type(scratch, link, what) != FileType.SYMBOLIC_LINK) {
            throw new LocalException(what, Reason.OTHER, "not a symbolic link");
        }
        int length = check(Kernel.readlink(scratch, link), what);
        var text = scratch.memory.asSlice(Scratch.TEXT, length);
        return new PathName(text.toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public PathInTree follow(LocalPath link, String what) throws LocalException {
        return use((scratch, from) -> KnownPath.follow(scratch, from, link, what));
    }

    @Override
    public LocalTree below(LocalPath directory, LocalStatus found, String what)
            throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var opened = OpenedPath.directory(scratch, from, directory, what)) {
                        int number = opened.descriptor();
                        var now = LinuxAttributes.status(scratch, number, what);
                        LocalTrees.requireSame(found, now, what);
                        return new LinuxTree(path, opened.again(what));
                    }
                });
    }

    /** Returns the same tree under the path that the kernel knows; this object is not used then. */
    LinuxTree withRealPath() throws LocalException {
        return use(KnownPath::of).map(real -> new LinuxTree(real, root)).orElse(this);
    }

    @Override
    public void link(LocalTree other, LocalPath existing, LocalPath name, String what)
            throws LocalException {
        LinuxTree tree = LocalTrees.ofKind(LinuxTree.class, other);
        tree.use(
                (path, root) -> {
                    try (var from = OpenedPath.directory(path, root, existing.directory(), what)) {
                        long old = OpenedPath.name(path, Scratch.LONG_NAME, existing.name(), what);
                        make(
                                name,
                                what,
                                (scratch, to, made) ->
                                        Kernel.linkat(scratch, from.descriptor(), old, to, made));
                        return null;
                    }
                });
    }

    @Override
    public void rename(LocalPath from, LocalPath to, String what) throws LocalException {
        use(
                (scratch, root) -> {
                    LinuxRename.run(scratch, root, from, to, what);
                    return null;
                });
    }

    @Override
    public void remove(LocalPath file, String what) throws LocalException {
        remove(file, 0, what);
    }

    @Override
    public void removeDirectory(LocalPath directory, String what) throws LocalException {
        remove(directory, Kernel.AT_REMOVEDIR, what);
    }

    private void remove(LocalPath file, int flags, String what) throws LocalException {
        use(
                (scratch, from) -> {
                    try (var directory =
                            OpenedPath.directory(scratch, from, file.directory(), what)) {
                        long name = OpenedPath.name(scratch, Scratch.LONG_NAME, file.name(), what);
                        check(Kernel.unlinkat(scratch, directory.descriptor(), name, flags), what);
                        return null;
                    }
                });
    }

    @Override
    public void change(LocalPath file, FileType type, LocalChanges changes, String what)
            throws LocalException {
        changed(file, LocalTrees.made(type), what, changing(changes, what));
    }

    @Override
    public void change(LocalPath file, LocalStatus found, LocalChanges changes, String what)
            throws LocalException {
        changed(file, LocalTrees.found(found), what, changing(changes, what));
    }

    private static OnFile<Void> changing(LocalChanges changes, String what) {
        return (scratch, number) -> {
            LinuxAttributes.change(scratch, number, changes, what);
            return null;
        };
    }

    private void changed(LocalPath file, LocalTrees.Check check, String what, OnFile<Void> change)
            throws LocalException {
        at(
                file,
                what,
                (scratch, number) -> {
                    check.require(LinuxAttributes.status(scratch, number, what), what);
                    return change.run(scratch, number);
                });
    }

    @Override
    public ExtendedAcls acls(LocalPath file, String what) throws LocalException {
        return at(file, what, (scratch, number) -> LinuxAcls.of(scratch, number, what));
    }

    @Override
    public ExtendedAcls acls(LocalPath file, LocalStatus found, String what) throws LocalException {
        return atFound(file, found, what, (scratch, number) -> LinuxAcls.of(scratch, number, what));
    }

    private <R> R atFound(LocalPath file, LocalStatus found, String what, OnFile<R> work)
            throws LocalException {
        return at(
                file,
                what,
                (scratch, number) -> {
                    var now = LinuxAttributes.status(scratch, number, what);
                    LocalTrees.requireSame(found, now, what);
                    return work.run(scratch, number);
                });
    }

    @Override
    public void setAcls(LocalPath file, FileType type, ExtendedAcls acls, String what)
            throws LocalException {
        changed(file, LocalTrees.made(type), what, setting(acls, what));
    }

    @Override
    public void setAcls(LocalPath file, LocalStatus found, ExtendedAcls acls, String what)
            throws LocalException {
        changed(file, LocalTrees.found(found), what, setting(acls, what));
    }

    private static OnFile<Void> setting(ExtendedAcls acls, String what) {
        return (scratch, number) -> {
            LinuxAcls.set(scratch, number, acls, what);
            return null;
        };
    }

    @Override
    public Optional<UserXattrs> xattrs(LocalPath file, LocalStatus found, String what)
            throws LocalException {
        OnFile<UserXattrs> reading = (scratch, number) -> LinuxXattrs.of(scratch, number, what);
        return Optional.of(atFound(file, found, what, reading));
    }

    @Override
    public void setXattrs(LocalPath file, LocalStatus found, UserXattrs xattrs, String name)
            throws LocalException {
        OnFile<Void> setting =
                (scratch, number) -> {
                    LinuxXattrs.set(scratch, number, xattrs, name);
                    return null;
                };
        var what = "cannot keep the attributes of " + name;
        changed(file, LocalTrees.found(found), what, setting);
    }

    @Override
    public void close() {
        root.close();
    }
}
