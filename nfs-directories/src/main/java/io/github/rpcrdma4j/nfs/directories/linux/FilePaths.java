package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.PathName;
import java.util.Optional;

/** Where open files are now, as the kernel tells. */
final class FilePaths {
    private static final PathName ROOT = PathName.of("/");

    private FilePaths() {}

    /**
     * Returns the path of a file from the root of its store.
     *
     * @param rootIsOwnMount whether the kernel tells paths from the root already
     * @return empty if the kernel does not know it: of a file that was opened by its handle, it may
     *     know no name
     */
    static Optional<PathName> of(LinuxNode node, LinuxNode root, boolean rootIsOwnMount) {
        if (node.id.equals(root.id)) {
            return Optional.of(ROOT);
        }
        var scratch = Scratch.acquire();
        try {
            var found = text(scratch, node);
            return rootIsOwnMount
                    ? found.filter(path -> path.isAbsolute() && path.length() > 1)
                    : found.flatMap(path -> text(scratch, root).flatMap(path::below))
                            .filter(PathName::isAbsolute);
        } finally {
            scratch.release();
        }
    }

    private static Optional<PathName> text(Scratch scratch, LinuxNode node) {
        int length = Kernel.path(scratch, node.descriptor);
        // A text that fills the memory may have been cut.
        return length <= 0 || length == Scratch.TEXT_MAX
                ? Optional.empty()
                : Optional.of(new PathName(scratch.memory.asSlice(Scratch.TEXT, length)));
    }
}
