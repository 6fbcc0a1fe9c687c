package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.DirectoryEntries;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.EntrySink;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.lang.foreign.Arena;
import java.util.Optional;

/**
 * Lists directories. Cookies are the positions of the file system. So the cost of a listing depends
 * on its reply alone, and a listing continues after a restart.
 */
record ListCalls(LinuxStore store) {
    /** The entries of a listing that have attributes and handles. */
    private enum Shown {
        /** None. */
        NAMES,
        /** The directory and its parent. */
        DIRECTORY,
        /** All. */
        FILES;

        private boolean has(FileName name) {
            return switch (this) {
                case NAMES -> false;
                case DIRECTORY -> name.isDots();
                case FILES -> true;
            };
        }
    }

    FileStatus list(
            Reference directory, Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException {
        directory.node().requireDirectory();
        if (cookie < 0) {
            throw new StoreException(Failure.BAD_COOKIE);
        }
        return store.threads()
                .runWaiting(
                        directory.id(),
                        call -> list(call, directory, caller, cookie, details, sink));
    }

    private FileStatus list(
            Call call,
            Reference directory,
            Caller caller,
            long cookie,
            boolean details,
            EntrySink sink)
            throws StoreException {
        var node = directory.node();
        node.stat(call.scratch);
        var shown = Shown.NAMES;
        if (details) {
            // Without the right to search, a caller gets no attributes of the files.
            boolean searches = Rights.granted(call, node, caller, Node.EXECUTE) == Node.EXECUTE;
            shown = searches ? Shown.FILES : Shown.DIRECTORY;
        }
        int open = open(call, node, caller);
        try (var arena = Arena.ofConfined()) {
            if (cookie != 0 && Kernel.lseek(call.scratch, open, cookie) < 0) {
                throw new StoreException(Failure.BAD_COOKIE);
            }
            var entries = new DirectoryEntries(arena);
            boolean wantsMore = true;
            while (wantsMore && ErrnoFailures.check(entries.read(call.scratch, open)) > 0) {
                wantsMore = add(call, directory, entries, shown, sink);
            }
            if (wantsMore) {
                sink.end();
            }
        } finally {
            Kernel.close(call.scratch, open);
        }
        return node.status(call.scratch);
    }

    /** Opens a descriptor for one listing, because a shared descriptor would share its position. */
    private int open(Call call, LinuxNode node, Caller caller) throws StoreException {
        int flags = Kernel.O_RDONLY | Kernel.directory();
        int open = call.as(caller, scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        if (ErrnoFailures.isOutOfDescriptors(open)) {
            store.all().shrink();
            open = call.as(caller, scratch -> Kernel.reopen(scratch, node.descriptor, flags));
        }
        return ErrnoFailures.check(open);
    }

    private boolean add(
            Call call, Reference directory, DirectoryEntries entries, Shown shown, EntrySink sink) {
        boolean wantsMore = true;
        while (wantsMore && entries.next()) {
            var name = new FileName(entries.name());
            boolean aboveRoot = name.equals(FileName.PARENT) && store.isRoot(directory.node());
            wantsMore =
                    sink.add(
                            name,
                            aboveRoot ? store.rootNumber() : entries.inode(),
                            entries.position(),
                            shown.has(name) ? details(call, directory, name) : Optional.empty());
        }
        return wantsMore;
    }

    private Optional<Made.Entry> details(Call call, Reference directory, FileName name) {
        try {
            return Optional.of(entry(call, directory, name));
        } catch (StoreException _) {
            // The file was removed meanwhile, or the caller must not see it, or it is on a file
            // system that does not respond.
            return Optional.empty();
        }
    }

    private Made.Entry entry(Call call, Reference directory, FileName name) throws StoreException {
        try {
            return entryAt(call, directory, name);
        } catch (Crossing to) {
            return store.crossings()
                    .run(to, directory.node(), there -> entryAt(there, directory, name));
        }
    }

    private Made.Entry entryAt(Call call, Reference directory, FileName name)
            throws StoreException {
        var node = store.child(call, directory.node(), name, directory.mounts());
        try {
            return new Made.Entry(node.id, LinuxStatuses.of(call.scratch, node.mounted));
        } finally {
            node.release();
        }
    }
}
