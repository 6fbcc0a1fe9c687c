package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;
import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.checkName;

import io.github.rpcrdma4j.linux.DirectoryEntries;
import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A directory of Linux, on descriptors. The kernel finds each file from the descriptor of the root
 * on, and neither follows links nor leaves the root; what is mounted in it is part of it. Only the
 * descriptor of the root stays open between operations.
 */
final class LinuxTree implements LocalTree {
    /** How the last name on a way is opened, which may be a link, without touching the file. */
    private static final int PLACE = Kernel.O_PATH | Kernel.noFollow();

    private static final int PERMISSION_MASK = 07777;

    /** What is not the owner's of the mode that a new file has until it has its own. */
    private static final int OWNER_MASK = 0700;

    private static final int MAJOR_MAX = 0xfff;
    private static final int MINOR_MAX = 0xfffff;

    private final Path path;
    private final Descriptor root;

    private LinuxTree(Path path, Descriptor root) {
        this.path = path;
        this.root = root;
    }

    /** Opens a directory; empty if this kernel cannot do without following links. */
    static Optional<LinuxTree> open(Path directory, String what) throws LocalException {
        byte[] bytes = UnixNames.bytes(directory.toAbsolutePath());
        if (bytes.length >= Scratch.TEXT_MAX) {
            throw new LocalException(what, Reason.NAME_TOO_LONG);
        }
        var scratch = Scratch.take();
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
            scratch.give();
        }
    }

    /** What is done from the root on. */
    private interface Work<R> {
        R run(Scratch scratch, int from) throws LocalException;
    }

    private <R> R use(Work<R> work) throws LocalException {
        int from = root.take();
        var scratch = Scratch.take();
        try {
            return work.run(scratch, from);
        } finally {
            scratch.give();
            root.give();
        }
    }

    /** Something is done with one name in a directory. */
    private interface Naming {
        int run(Scratch scratch, int directory, long name);
    }

    /** Makes a name: the file system may not be able to have it. */
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

    @Override
    public LocalStatus status(LocalPath file, String what) throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var place = OpenedPath.of(scratch, from, file, PLACE, what)) {
                        return LinuxAttributes.status(scratch, place.descriptor(), what);
                    }
                });
    }

    @Override
    public List<FileName> list(LocalPath directory, String what) throws LocalException {
        int flags = Kernel.O_RDONLY | Kernel.O_NONBLOCK | Kernel.directory();
        return use(
                (scratch, from) -> {
                    try (var place = OpenedPath.of(scratch, from, directory, flags, what);
                            var arena = Arena.ofConfined()) {
                        var names = new ArrayList<FileName>();
                        var entries = new DirectoryEntries(arena);
                        while (check(entries.read(scratch, place.descriptor()), what) > 0) {
                            while (entries.next()) {
                                var name = new FileName(entries.name());
                                if (!name.isDots()) {
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
        return use(
                (scratch, from) -> {
                    try (var place = OpenedPath.of(scratch, from, file, PLACE, what)) {
                        LocalFileRules.requireRegular(
                                LinuxAttributes.type(scratch, place.descriptor(), what), what);
                        int number = Kernel.reopen(scratch, place.descriptor(), Kernel.O_RDONLY);
                        var withoutProc = LinuxFailures.withoutProc(number, what);
                        if (withoutProc.isPresent()) {
                            throw withoutProc.get();
                        }
                        return new LinuxFile(check(number, what), false, what);
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
        // A file system without modes has given it what all of its files have.
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
        // Unsigned, as they came.
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
                                isDevice ? device(major, minor) : 0));
    }

    private static long device(int major, int minor) {
        return minor & 0xff | (long) major << 8 | (long) (minor & ~0xff) << 12;
    }

    @Override
    public PathName readLink(LocalPath link, String what) throws LocalException {
        return use(
                (scratch, from) -> {
                    try (var place = OpenedPath.of(scratch, from, link, PLACE, what)) {
                        var type = LinuxAttributes.type(scratch, place.descriptor(), what);
                        if (type != FileType.SYMBOLIC_LINK) {
                            throw new LocalException(what, Reason.OTHER, "not a symbolic link");
                        }
                        int length = check(Kernel.readlink(scratch, place.descriptor()), what);
                        var text = scratch.memory.asSlice(Scratch.TEXT, length);
                        return new PathName(text.toArray(ValueLayout.JAVA_BYTE));
                    }
                });
    }

    /** Something is done with two names in two directories. */
    private interface Renaming {
        void run(Scratch scratch, int from, long name, int to, long newName) throws LocalException;
    }

    private void use(LocalPath file, LocalPath newFile, String what, Renaming renaming)
            throws LocalException {
        use(
                (scratch, root) -> {
                    try (var from = OpenedPath.directory(scratch, root, file.directory(), what)) {
                        long name = OpenedPath.name(scratch, Scratch.LONG_NAME, file.name(), what);
                        long newName =
                                OpenedPath.name(
                                        scratch, Scratch.OTHER_LONG_NAME, newFile.name(), what);
                        int at = from.descriptor();
                        // As a copy that is complete gets its name: no second directory is looked
                        // for.
                        if (file.directory() == newFile.directory()) {
                            renaming.run(scratch, at, name, at, newName);
                            return null;
                        }
                        try (var to =
                                OpenedPath.directory(scratch, root, newFile.directory(), what)) {
                            renaming.run(scratch, at, name, to.descriptor(), newName);
                        }
                        return null;
                    }
                });
    }

    @Override
    public void link(LocalPath existing, LocalPath name, String what) throws LocalException {
        use(
                existing,
                name,
                what,
                (scratch, from, old, to, made) ->
                        checkName(Kernel.linkat(scratch, from, old, to, made), what));
    }

    @Override
    public void rename(LocalPath from, LocalPath to, String what) throws LocalException {
        use(
                from,
                to,
                what,
                (scratch, directory, name, newDirectory, newName) -> {
                    int result =
                            Kernel.renameat2(
                                    scratch,
                                    directory,
                                    name,
                                    newDirectory,
                                    newName,
                                    Kernel.RENAME_NOREPLACE);
                    // Some file systems know no such flag.
                    if (result != -Errno.EXIST && result != -Errno.INVAL) {
                        check(result, what);
                        return;
                    }
                    if (type(scratch, directory, name, what) == FileType.DIRECTORY) {
                        LocalTrees.requireNotBelow(from, to, what);
                        requireFree(scratch, newDirectory, newName, what);
                    }
                    checkName(
                            Kernel.renameat2(scratch, directory, name, newDirectory, newName, 0),
                            what);
                });
    }

    /**
     * A directory takes the place of nothing, though the kernel would let it take an empty one's.
     */
    private static void requireFree(Scratch scratch, int directory, long name, String what)
            throws LocalException {
        try {
            boolean isDirectory = type(scratch, directory, name, what) == FileType.DIRECTORY;
            throw new LocalException(
                    what, isDirectory ? Reason.IS_A_DIRECTORY : Reason.NOT_A_DIRECTORY);
        } catch (LocalException failure) {
            if (failure.reason() != Reason.MISSING) {
                throw failure;
            }
        }
    }

    private static FileType type(Scratch scratch, int directory, long name, String what)
            throws LocalException {
        try (var place = OpenedPath.of(scratch, directory, name, what)) {
            return LinuxAttributes.type(scratch, place.descriptor(), what);
        }
    }

    @Override
    public void remove(LocalPath file, String what) throws LocalException {
        use(
                (scratch, from) -> {
                    try (var directory =
                            OpenedPath.directory(scratch, from, file.directory(), what)) {
                        long name = OpenedPath.name(scratch, Scratch.LONG_NAME, file.name(), what);
                        check(Kernel.unlinkat(scratch, directory.descriptor(), name, 0), what);
                        return null;
                    }
                });
    }

    @Override
    public void change(LocalPath file, FileType type, LocalChanges changes, String what)
            throws LocalException {
        use(
                (scratch, from) -> {
                    try (var place = OpenedPath.of(scratch, from, file, PLACE, what)) {
                        LocalTrees.requireMade(
                                type,
                                LinuxAttributes.status(scratch, place.descriptor(), what),
                                what);
                        LinuxAttributes.change(scratch, place.descriptor(), changes, what);
                        return null;
                    }
                });
    }

    @Override
    public void close() {
        root.close();
    }
}
