package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;

/** Forces names and attributes to storage. The methods return 0 or a negative error number. */
final class Syncs {
    private Syncs() {}

    /**
     * Forces the names in a directory or the attributes of a file to storage.
     *
     * @param root that of the store
     */
    static int attributes(LinuxStore store, Scratch scratch, LinuxNode node, LinuxNode root) {
        return switch (node.type) {
            case DIRECTORY, REGULAR -> opened(store, scratch, node, root);
            // Opening them would have side effects.
            case BLOCK_DEVICE, CHARACTER_DEVICE, SYMBOLIC_LINK, SOCKET, FIFO ->
                    fileSystem(store, scratch, node, root);
        };
    }

    private static int opened(LinuxStore store, Scratch scratch, LinuxNode node, LinuxNode root) {
        int open = store.opened(() -> Kernel.reopen(scratch, node.descriptor, Kernel.O_RDONLY));
        if (open < 0) {
            // Another process may have a lease on the file, or its mode may forbid opening it.
            return fileSystem(store, scratch, node, root);
        }
        int result = Kernel.fsync(scratch, open);
        Kernel.close(scratch, open);
        return result;
    }

    private static int fileSystem(
            LinuxStore store, Scratch scratch, LinuxNode node, LinuxNode root) {
        int mount = node.mounted.descriptor();
        if (mount >= 0) {
            return Kernel.syncfs(scratch, mount);
        }
        int open = store.opened(() -> Kernel.reopen(scratch, root.descriptor, Kernel.O_RDONLY));
        if (open < 0) {
            return open;
        }
        int result = Kernel.syncfs(scratch, open);
        Kernel.close(scratch, open);
        return result;
    }
}
