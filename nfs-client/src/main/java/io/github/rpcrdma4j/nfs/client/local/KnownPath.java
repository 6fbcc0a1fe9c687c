package io.github.rpcrdma4j.nfs.client.local;

import static io.github.rpcrdma4j.nfs.client.local.LinuxFailures.check;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.UnixPaths;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;

/** The path by which the kernel knows an open file. It leads through no link. */
final class KnownPath {
    private KnownPath() {}

    /** Returns the path of an open file; empty without {@code /proc}, or if it has none. */
    static Optional<Path> of(Scratch scratch, int descriptor) {
        int flags = Kernel.O_PATH | Kernel.noFollow();
        int link =
                Kernel.openat(
                        scratch, Kernel.AT_FDCWD, scratch.selfDescriptor(descriptor), flags, 0);
        if (link < 0) {
            return Optional.empty();
        }
        int length = Kernel.readlink(scratch, link);
        Kernel.close(scratch, link);
        if (length <= 0 || length >= Scratch.TEXT_MAX) {
            return Optional.empty();
        }
        byte[] bytes = scratch.memory.asSlice(Scratch.TEXT, length).toArray(ValueLayout.JAVA_BYTE);
        // Files without a name, such as pipes, have a text that is no path.
        return bytes[0] == '/' ? Optional.of(UnixPaths.path(bytes)) : Optional.empty();
    }

    /** Opens the directory that holds the file to which a link leads. */
    static PathInTree follow(Scratch scratch, int root, LocalPath link, String what)
            throws LocalException {
        try (var directory = OpenedPath.directory(scratch, root, link.directory(), what)) {
            long name = OpenedPath.name(scratch, Scratch.LONG_NAME, link.name(), what);
            int in = directory.descriptor();
            int number = check(Kernel.openat(scratch, in, name, Kernel.O_PATH, 0), what);
            try {
                return open(scratch, number, what);
            } finally {
                Kernel.close(scratch, number);
            }
        }
    }

    /**
     * Opens the directory that holds an open file. The path may be outdated by now, so it counts
     * only if it leads to the same file.
     */
    private static PathInTree open(Scratch scratch, int descriptor, String what)
            throws LocalException {
        var file = LinuxAttributes.status(scratch, descriptor, what);
        if (file.isDirectory()) {
            throw new LocalException(what, Reason.IS_A_DIRECTORY);
        }
        var path = of(scratch, descriptor);
        if (path.isEmpty()) {
            throw new LocalException(what, Reason.OTHER, "it has no path, or /proc is missing");
        }
        var directory = path.get().getParent();
        int number =
                Kernel.openat2(
                        scratch,
                        Kernel.AT_FDCWD,
                        scratch.text(Scratch.TEXT, UnixPaths.bytes(directory)),
                        Kernel.O_PATH | Kernel.directory(),
                        0,
                        Kernel.RESOLVE_NO_SYMLINKS | Kernel.RESOLVE_NO_MAGICLINKS);
        var tree = new LinuxTree(directory, new Descriptor(check(number, what)));
        boolean isSame = false;
        try {
            var found = LocalPath.ROOT.child(UnixNames.name(path.get().getFileName()));
            var status = tree.status(found, what);
            isSame = status.device() == file.device() && status.inode() == file.inode();
            if (!isSame) {
                throw new LocalException(what, Reason.OTHER, "another file has taken its place");
            }
            return new PathInTree(tree, found);
        } finally {
            if (!isSame) {
                tree.close();
            }
        }
    }
}
