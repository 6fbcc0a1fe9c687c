package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalException;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives copies the access control lists of their sources: by NFSACL on the connection of NFS (RFC
 * 8267-5.2-1), or as attributes of version 4. A copy without these lists counts as a failure, which
 * is reported once at the end. A server without NFSACL is asked only once, and so is one that
 * refuses to read lists: NFS works without NFSACL, so no refusal of it ends a copy. Only a file
 * fails whose inherited list the server does not take away. A server that refuses to set lists is
 * asked for each file: a busy one does so for some. Thread-safe.
 *
 * <p>Tests: {@code AclCopiesTest}, {@code AclsAtOddServersTest}.
 */
final class AclPreserver {
    /**
     * The entries that a GETACL first has room for: a reply with so few needs no Reply chunk. This
     * side chooses the longest list (RFC 8267-5.2-2): {@link PosixAcl#ENTRIES_MAX}.
     */
    static final int ENTRIES_FIRST = 32;

    private static final int DIRECTORIES_MAX = 1024;

    private final FileService service;
    private final Unkept onServer = new Unkept();
    private final Unkept here = new Unkept();

    /** Lists of the server that are none that Linux can have. */
    private final Unkept unlikeThose = new Unkept();

    private volatile boolean isMissing;

    /** What the server has refused, and its words. */
    private final Map<Use, String> refusals = new ConcurrentHashMap<>();

    /** Whether the user will be told that lists of the server are not read. */
    private volatile boolean isUnread;

    /** By the handles of directories of the server: whether new files in them inherit lists. */
    private final Map<FileHandle, Boolean> inherited =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<FileHandle, Boolean> eldest) {
                    return size() > DIRECTORIES_MAX;
                }
            };

    AclPreserver(FileService service) {
        this.service = service;
    }

    /**
     * Returns the lists of a file of the server; none if the server has no such lists.
     *
     * @param name of the file, for messages
     */
    ExtendedAcls of(FileHandle file, FileType type, String name)
            throws IOException, InterruptedException {
        if (type == FileType.SYMBOLIC_LINK) {
            return ExtendedAcls.NONE;
        }
        boolean isDirectory = type == FileType.DIRECTORY;
        int mask = AclLists.ACCESS | (isDirectory ? AclLists.DEFAULTS : 0);
        Optional<AclLists> lists;
        try {
            lists = lists(file, mask, "cannot read " + name);
        } catch (NfsException unlike) {
            if (unlike.status() != Status.INVAL) {
                throw unlike;
            }
            unlikeThose.add(name);
            return ExtendedAcls.NONE;
        }
        if (lists.isEmpty()) {
            return ExtendedAcls.NONE;
        }
        return new ExtendedAcls(
                acl(lists.get().access()).filter(acl -> !acl.isMode()),
                isDirectory ? acl(lists.get().defaults()) : Optional.empty());
    }

    private static Optional<PosixAcl> acl(Listed listed) throws RpcException {
        if (listed.count() == 0) {
            return Optional.empty();
        }
        var acl = listed.acl();
        if (acl.isEmpty()) {
            throw new RpcException.BadReply("the server's access control list is malformed");
        }
        return acl;
    }

    /** What a call of NFSACL is for. */
    private enum Use {
        GET,
        SET
    }

    /** A call of NFSACL. */
    private interface Asking<R> {
        R run() throws IOException, InterruptedException;
    }

    /**
     * Makes a call.
     *
     * @return empty if the server has no NFSACL or refuses such calls, or if the file system or the
     *     users of the lists are unsuitable
     */
    private <R> Optional<R> ask(Use use, Asking<R> asking)
            throws IOException, InterruptedException {
        if (isMissing || use == Use.GET && refusals.containsKey(use)) {
            return Optional.empty();
        }
        try {
            return Optional.of(asking.run());
        } catch (RpcException.Refused refused) {
            switch (refused.status()) {
                case PROG_UNAVAIL, PROG_MISMATCH, PROC_UNAVAIL -> isMissing = true;
                case SUCCESS, GARBAGE_ARGS, SYSTEM_ERR -> note(use, refused);
            }
            return Optional.empty();
        } catch (RpcException.Denied refused) {
            note(use, refused);
            return Optional.empty();
        } catch (NfsException refused) {
            boolean isUnfit = refused.status() == Status.INVAL && use == Use.SET;
            if (refused.status() != Status.NOTSUPP && !isUnfit) {
                throw refused;
            }
            return Optional.empty();
        }
    }

    private void note(Use use, RpcException refused) {
        if (refusals.putIfAbsent(use, refused.getMessage()) == null && use == Use.GET) {
            isUnread = true;
        }
    }

    /**
     * Asks for lists. If the reply did not fit, asks once more with room for the longest lists (RFC
     * 8267-5.2-3): that is a new call with another XID.
     */
    private Optional<AclLists> lists(FileHandle file, int mask, String what)
            throws IOException, InterruptedException {
        return ask(
                Use.GET,
                () -> {
                    try {
                        return service.acls(file, mask, ENTRIES_FIRST, what);
                    } catch (RpcException.TransportRefused _) {
                        return longest(file, mask, what);
                    }
                });
    }

    private AclLists longest(FileHandle file, int mask, String what)
            throws IOException, InterruptedException {
        try {
            return service.acls(file, mask, PosixAcl.ENTRIES_MAX, what);
        } catch (RpcException.TransportRefused refused) {
            // Other files can be copied.
            throw new IOException(what + ": its access control list is too long", refused);
        }
    }

    /**
     * Takes from a copy on the server the lists that it inherited, or had before: a change of its
     * mode would change the rights of their users. It has the mode of a file that is being filled
     * then, or already the one of its source if it existed.
     *
     * @param directory the directory of the copy
     * @param isNew whether the copy could only inherit lists
     */
    void clear(
            FileHandle directory, FileHandle copy, LocalSource source, boolean isNew, String name)
            throws IOException, InterruptedException {
        var type = source.status().type();
        var what = "cannot keep the attributes of " + name;
        if (type == FileType.SYMBOLIC_LINK || isNew && !isInherited(directory, what)) {
            return;
        }
        int filling = type == FileType.DIRECTORY ? Modes.FILLING_DIRECTORY : Modes.FILLING_FILE;
        int mode = isNew ? filling : source.acls().modeWithout(source.status().mode());
        take(copy, type, mode, what, name);
    }

    /**
     * Takes its lists from a file on the server.
     *
     * @throws IOException also if the server refuses that, and the file has lists: with another
     *     mode, these would grant something
     */
    private void take(FileHandle file, FileType type, int mode, String what, String name)
            throws IOException, InterruptedException {
        boolean isDone = set(file, type, PosixAcl.ofMode(mode), Optional.empty(), what);
        var refusal = refusals.get(Use.SET);
        if (isDone || refusal == null) {
            return;
        }
        if (!of(file, type, name).isNone()) {
            throw new IOException(
                    what + ": it has an access control list, which stays: " + refusal);
        }
        if (refusals.containsKey(Use.GET)) {
            // It may have one.
            onServer.add(name);
        }
    }

    /**
     * Takes from a directory of the server the lists that it has, before it is filled.
     *
     * @param mode that it has then
     * @param name for messages
     */
    void drop(FileHandle directory, int mode, String what, String name)
            throws IOException, InterruptedException {
        if (!of(directory, FileType.DIRECTORY, name).isNone()) {
            take(directory, FileType.DIRECTORY, mode, what, name);
        }
    }

    private boolean isInherited(FileHandle directory, String what)
            throws IOException, InterruptedException {
        synchronized (inherited) {
            var known = inherited.get(directory);
            if (known != null) {
                return known;
            }
        }
        boolean isInherited = askedForInherited(directory, what);
        synchronized (inherited) {
            inherited.put(directory, isInherited);
        }
        return isInherited;
    }

    private boolean askedForInherited(FileHandle directory, String what)
            throws IOException, InterruptedException {
        try {
            return lists(directory, AclLists.DEFAULTS_COUNT, what)
                    .map(lists -> lists.defaults().count() > 0)
                    // What the server refuses to read may be there.
                    .orElse(refusals.containsKey(Use.GET));
        } catch (NfsException unlike) {
            if (unlike.status() != Status.INVAL) {
                throw unlike;
            }
            return true;
        }
    }

    /**
     * Gives a file on the server the lists of a local file. It has the other attributes already.
     *
     * @param name for messages
     */
    void keep(FileHandle copy, LocalSource source, String name)
            throws IOException, InterruptedException {
        var acls = source.acls();
        if (acls.isNone()) {
            return;
        }
        var status = source.status();
        var access = acls.access().orElseGet(() -> PosixAcl.ofMode(status.mode()));
        var what = "cannot keep the access control list of " + name;
        if (!set(copy, status.type(), access, acls.defaults(), what)) {
            onServer.add(name);
        }
    }

    /** Returns false if the server or the file system keeps no such lists. */
    private boolean set(
            FileHandle file,
            FileType type,
            PosixAcl access,
            Optional<PosixAcl> defaults,
            String what)
            throws IOException, InterruptedException {
        int mask = AclLists.ACCESS | (type == FileType.DIRECTORY ? AclLists.DEFAULTS : 0);
        var lists =
                new AclLists(
                        mask,
                        Listed.of(access, 0, 0),
                        defaults.map(acl -> Listed.of(acl, 0, 0)).orElse(Listed.NONE));
        return ask(
                        Use.SET,
                        () -> {
                            service.changeAcls(file, lists, what);
                            return true;
                        })
                .isPresent();
    }

    /**
     * Gives a local file the lists of a file on a server. It has the other attributes already.
     *
     * @param name for messages
     */
    void keep(LocalCopy copy, ExtendedAcls acls, String name) throws IOException {
        if (acls.isNone()) {
            return;
        }
        try {
            copy.setAcls(acls);
        } catch (LocalException refused) {
            if (refused.reason() != LocalException.Reason.UNSUPPORTED) {
                throw refused;
            }
            here.add(name);
        }
    }

    /** Returns and clears the failures to report. */
    List<IOException> takeFailures() {
        var what = "the access control list";
        var failures = new ArrayList<IOException>();
        var refused = refusals.getOrDefault(Use.SET, "the server does not keep it");
        onServer.take(what, isMissing ? "the server has no NFSACL" : refused)
                .ifPresent(failures::add);
        if (isUnread) {
            isUnread = false;
            failures.add(
                    new IOException(
                            "access control lists of the server are not read: "
                                    + refusals.get(Use.GET)));
        }
        here.take(what, "this file system does not keep it").ifPresent(failures::add);
        unlikeThose
                .take(what, "it is one of NFS version 4, unlike those of Linux")
                .ifPresent(failures::add);
        return failures;
    }
}
