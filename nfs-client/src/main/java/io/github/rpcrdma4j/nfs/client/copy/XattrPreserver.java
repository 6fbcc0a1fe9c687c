package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.local.UserXattrs;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.FileSystemId;
import io.github.rpcrdma4j.nfs.client.service.FileXattrs;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.XattrRule;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives copies the extended attributes that users gave to their sources: these, and no others of
 * users. The version of NFS must have them (RFC 8276), and the file system of the server. A file
 * whose copy does not get them is copied all the same, and is told at the end. Thread-safe.
 *
 * <p>Tests: {@code XattrCopiesTest}, {@code XattrsAtOddServersTest}.
 */
final class XattrPreserver {
    /** The most file systems of a server that are remembered. */
    private static final int FILE_SYSTEMS_MAX = 1024;

    /** The most files that are told by their names. */
    private static final int FAILURES_MAX = 1000;

    private final FileService service;
    private final FileXattrs xattrs;

    /** Whether they are to be kept, and the version of NFS has them. */
    private final boolean isKept;

    private final Map<FileSystemId, Boolean> keeping = new ConcurrentHashMap<>();
    private final Unkept onServer = new Unkept();
    private final Unkept here = new Unkept();
    private final List<IOException> failures = new ArrayList<>();
    private final Unkept others = new Unkept();

    private XattrPreserver(FileService service, boolean isKept) {
        this.service = service;
        this.xattrs = service.xattrs();
        this.isKept = isKept;
    }

    static XattrPreserver of(FileService service, PreservedAttributes kept) {
        return new XattrPreserver(service, kept.attributes() && service.xattrs().exist());
    }

    private static boolean mayHave(FileType type) {
        return type == FileType.REGULAR || type == FileType.DIRECTORY;
    }

    /** Reads those of a local file. */
    interface Reading {
        Optional<UserXattrs> run() throws IOException;
    }

    /** Returns those of a local file; empty if they are not to be kept, or cannot be read. */
    Optional<UserXattrs> of(Reading reading) throws IOException {
        if (!isKept) {
            return Optional.empty();
        }
        try {
            return reading.run();
        } catch (LocalException refused) {
            switch (refused.reason()) {
                // A copy whose mode forbids to read them is not compared by them.
                case DENIED -> {}
                case TOO_LARGE -> note(refused);
                default -> throw refused;
            }
            return Optional.empty();
        }
    }

    /**
     * Returns those of a source on the server; empty if they are not to be kept, if the file system
     * has none, or if they cannot be read.
     *
     * @param name of the file, for messages
     */
    Optional<UserXattrs> of(RemoteFile file, String name) throws IOException, InterruptedException {
        return of(file, name, true);
    }

    /**
     * Returns those of a copy on the server, likewise. One whose mode forbids to read them is not
     * compared by them.
     */
    Optional<UserXattrs> ofCopy(RemoteFile copy, String name)
            throws IOException, InterruptedException {
        return of(copy, name, false);
    }

    private Optional<UserXattrs> of(RemoteFile file, String name, boolean isSource)
            throws IOException, InterruptedException {
        if (!isKept || !mayHave(file.attributes().type())) {
            return Optional.empty();
        }
        var what = "cannot read the extended attributes of " + name;
        try {
            return areKept(file, what) ? Optional.of(all(file.handle(), what)) : Optional.empty();
        } catch (RpcException lost) {
            throw lost;
        } catch (NfsException refused) {
            if (isSource || refused.status() != Status.ACCES) {
                note(refused);
            }
            return Optional.empty();
        } catch (IOException refused) {
            note(refused);
            return Optional.empty();
        }
    }

    private boolean areKept(RemoteFile file, String what) throws IOException, InterruptedException {
        var fileSystem = file.attributes().fileSystem();
        var known = keeping.get(fileSystem);
        if (known != null) {
            return known;
        }
        boolean areKept = xattrs.areKept(file.handle(), what);
        if (keeping.size() < FILE_SYSTEMS_MAX) {
            keeping.put(fileSystem, areKept);
        }
        return areKept;
    }

    private UserXattrs all(FileHandle file, String what) throws IOException, InterruptedException {
        var all = new UserXattrs.Gathering();
        for (var name : xattrs.names(file, what)) {
            try {
                if (!all.add(name, xattrs.value(file, name, what))) {
                    throw new IOException(what + ": " + UserXattrs.TOO_MANY);
                }
            } catch (NfsException gone) {
                if (gone.status() != Status.NOXATTR) {
                    throw gone;
                }
            }
        }
        return all.all();
    }

    private void note(IOException failure) {
        synchronized (failures) {
            if (failures.size() < FAILURES_MAX) {
                failures.add(failure);
                return;
            }
        }
        others.add(failure.getMessage());
    }

    /** Changes attributes of one file, while its mode may forbid it. */
    private interface Change {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Gives a file on the server those of a local file.
     *
     * @param isNew whether this copy made the file, so that it has none
     * @param name for messages
     */
    void keep(FileHandle copy, LocalSource source, boolean isNew, String name)
            throws IOException, InterruptedException {
        var type = source.status().type();
        var wanted = source.xattrs();
        if (wanted.isEmpty() || !mayHave(type) || isNew && wanted.get().isNone()) {
            return;
        }
        Change change = () -> replace(copy, wanted.get(), isNew, name);
        try {
            try {
                change.run();
            } catch (NfsException refused) {
                if (isNew || refused.status() != Status.ACCES) {
                    throw refused;
                }
                // The mode may forbid it to the owner, and is set afterwards.
                var changes = AttributeChanges.ofMode(filling(type));
                service.change(copy, changes, "cannot keep the attributes of " + name);
                change.run();
            }
        } catch (RpcException lost) {
            throw lost;
        } catch (NfsException refused) {
            if (refused.status() != Status.NOTSUPP) {
                note(refused);
            } else if (!wanted.get().isNone()) {
                onServer.add(name);
            }
        } catch (IOException refused) {
            note(refused);
        }
    }

    private static int filling(FileType type) {
        return type == FileType.DIRECTORY ? Modes.FILLING_DIRECTORY : Modes.FILLING_FILE;
    }

    /** If one fails, the others are set all the same. */
    private void replace(FileHandle copy, UserXattrs wanted, boolean isNew, String file)
            throws IOException, InterruptedException {
        NfsException first = null;
        var there =
                isNew
                        ? List.<FileName>of()
                        : xattrs.names(copy, "cannot keep the extended attributes of " + file);
        for (var name : there) {
            if (wanted.value(name).isEmpty()) {
                first = first(first, () -> remove(copy, name, UserXattrs.cannotKeep(name, file)));
            }
        }
        for (var name : wanted.names()) {
            byte[] value = wanted.value(name).orElseThrow();
            var what = UserXattrs.cannotKeep(name, file);
            first = first(first, () -> xattrs.set(copy, name, value, XattrRule.EITHER, what));
            if (first != null && first.status() == Status.NOTSUPP) {
                break;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Makes a change. Returns the earlier failure, or else that of this change. */
    private static NfsException first(NfsException earlier, Change change)
            throws IOException, InterruptedException {
        try {
            change.run();
            return earlier;
        } catch (NfsException refused) {
            return earlier == null ? refused : earlier;
        }
    }

    private void remove(FileHandle copy, FileName name, String what)
            throws IOException, InterruptedException {
        try {
            xattrs.remove(copy, name, what);
        } catch (NfsException gone) {
            if (gone.status() != Status.NOXATTR) {
                throw gone;
            }
        }
    }

    /**
     * Gives a local file those of a file of the server.
     *
     * @param name for messages
     */
    void keep(LocalCopy copy, RemoteSource source, String name) throws IOException {
        var type = source.attributes().type();
        if (source.xattrs().isEmpty() || !mayHave(type)) {
            return;
        }
        var wanted = source.xattrs().get();
        try {
            try {
                copy.setXattrs(wanted, name);
            } catch (LocalException refused) {
                if (refused.reason() != LocalException.Reason.DENIED) {
                    throw refused;
                }
                copy.change(LocalChanges.ofMode(filling(type)));
                copy.setXattrs(wanted, name);
            }
        } catch (LocalException refused) {
            if (refused.reason() != LocalException.Reason.UNSUPPORTED) {
                note(refused);
            } else {
                here.add(name);
            }
        }
    }

    /** Returns and clears the failures to report. */
    List<IOException> takeFailures() {
        var what = "the extended attributes";
        var all = new ArrayList<IOException>();
        synchronized (failures) {
            all.addAll(failures);
            failures.clear();
        }
        others.take("more extended attributes", "too many files to tell").ifPresent(all::add);
        onServer.take(what, "the file system of the server does not keep them").ifPresent(all::add);
        here.take(what, "this file system does not keep them").ifPresent(all::add);
        return all;
    }
}
