package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.PseudoTree;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.FileNames;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Carries out the operations on the current and the saved filehandle, such as PUTFH, LOOKUP and
 * SAVEFH, and those that tell the security flavors of a file, SECINFO and SECINFO_NO_NAME (RFC
 * 8881, Sections 18.8, 18.13, 18.14, 18.19 to 18.21, 18.27 to 18.29 and 18.45).
 *
 * <p>Tests: {@code PseudoTreeTest}, {@code PseudoRootTest}.
 */
final class HandleOperations {
    /** The Kerberos 5 mechanism in DER without its header: 1.2.840.113554.1.2.2 (RFC 4121). */
    private static final OpaqueName KERBEROS =
            OpaqueName.of(
                    new byte[] {
                        0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x12, 0x01, 0x02, 0x02
                    });

    /** The longest name that any file system has, in bytes. The store knows its own limit. */
    static final int NAME_MAX = 255;

    Result carryOut(Compound compound, HandleArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        var exports = compound.exports();
        return switch (arguments) {
            case HandleArguments.PutFh(var handle) ->
                    put(compound, file(exports, handle), arguments);
            case HandleArguments.PutRootFh _, HandleArguments.PutPubFh _ ->
                    put(compound, new CurrentFile.Pseudo(exports.tree().root()), arguments);
            case HandleArguments.GetFh _ ->
                    new HandleResult.GetFh(compound.present().handle(exports));
            case HandleArguments.SaveFh _ -> {
                compound.present();
                compound.save();
                yield Result.done(Opcode.SAVEFH);
            }
            case HandleArguments.RestoreFh _ -> {
                compound.restore();
                yield Result.done(Opcode.RESTOREFH);
            }
            case HandleArguments.Lookup(var name) -> {
                var found = lookup(compound, compound.current(), name);
                if (found instanceof CurrentFile.Exported file) {
                    enter(compound, file);
                }
                yield put(compound, found, arguments);
            }
            case HandleArguments.LookupP _ ->
                    put(compound, parent(compound, compound.present()), arguments);
            case HandleArguments.SecInfo(var name) -> {
                var found = lookup(compound, compound.current(), name);
                if (compound.minorVersion() > 0) {
                    // RFC 8881, Section 2.6.3.1.1.8; in minor version 0 the handle stays.
                    compound.setCurrent(null);
                }
                yield new HandleResult.SecInfo(choices(exports, found));
            }
            case HandleArguments.SecInfoNoName(var style) -> {
                var file =
                        switch (style) {
                            case CURRENT_FH -> compound.present();
                            case PARENT -> parent(compound, compound.present());
                        };
                compound.setCurrent(null);
                yield new HandleResult.SecInfoNoName(choices(exports, file));
            }
        };
    }

    /** Opens a file that a name leads to, and lets the operator know of an export that begins. */
    private static void enter(Compound compound, CurrentFile.Exported file)
            throws Refusal, StoreException {
        var export = file.export();
        var client = compound.client();
        var notices = compound.exports().notices();
        boolean isMoved;
        try {
            isMoved = compound.isMoved(file);
            if (!isMoved) {
                compound.open(file);
            }
        } catch (Refusal refusal) {
            // Clients ask with a flavor that they have to find out first.
            if (file.isRoot() && refusal.failure() != Failure.WRONGSEC) {
                var path = PathName.of(export.export().name());
                notices.refused(client.peer(), client.identity(), path, export, refusal.failure());
            }
            throw refusal;
        }
        if (file.isRoot() && !isMoved) {
            notices.entered(client, compound.clientId(), compound.minorVersion(), export);
        }
    }

    private static Result put(Compound compound, CurrentFile file, HandleArguments arguments) {
        compound.setCurrent(file);
        return Result.done(arguments.opcode());
    }

    /**
     * Returns the file of a handle, which need not exist any more.
     *
     * @throws OperationFailure BADHANDLE or STALE
     */
    private static CurrentFile file(Exports exports, FileHandle handle)
            throws OperationFailure, Refusal {
        byte[] bytes = handle.bytes();
        if (bytes.length > Nfs3.HANDLE_MAX) {
            throw new OperationFailure(Nfs4Status.BADHANDLE);
        }
        return switch (exports.place(new io.github.rpcrdma4j.nfs.v3.FileHandle(bytes))) {
            case Exports.Place.Pseudo(var directory) -> new CurrentFile.Pseudo(directory);
            case Exports.Place.Exported(var export, var id) -> new CurrentFile.Exported(export, id);
        };
    }

    /**
     * Finds a name in a directory. What it finds is not open yet.
     *
     * @throws OperationFailure NOENT, NOTDIR, SYMLINK, or a status of {@link FileNames#status}
     */
    private static CurrentFile lookup(Compound compound, CurrentFile directory, FileName name)
            throws OperationFailure, Refusal, StoreException {
        requireName(name);
        return switch (directory) {
            case CurrentFile.Pseudo(var at) -> {
                var entry = at.entries().get(name);
                if (entry == null) {
                    throw new OperationFailure(Nfs4Status.NOENT);
                }
                yield file(entry);
            }
            case CurrentFile.Exported file -> {
                var target = compound.open(file);
                requireDirectory(target);
                var found = target.node().lookup(target.caller(), name);
                yield exported(compound.exports(), file.export(), found.id());
            }
        };
    }

    private static CurrentFile file(PseudoTree.Entry entry) {
        return switch (entry) {
            case PseudoTree.Directory directory -> new CurrentFile.Pseudo(directory);
            case PseudoTree.Junction(var export) -> root(export);
        };
    }

    private static CurrentFile root(OpenExport export) {
        return new CurrentFile.Exported(export, export.store().root());
    }

    /**
     * Returns a file that a client uses.
     *
     * @throws OperationFailure STALE if its export is not served any more
     */
    static CurrentFile exported(Compound compound, ExportedFile file) throws OperationFailure {
        var export =
                compound.exports()
                        .find(file.store())
                        .orElseThrow(() -> new OperationFailure(Nfs4Status.STALE));
        return exported(compound.exports(), export, file.file());
    }

    /** Returns a file of an export, or the root of the export that hides it. */
    static CurrentFile exported(Exports exports, OpenExport export, FileId id) {
        return exports.tree()
                .covering(export, id)
                .map(HandleOperations::root)
                .orElseGet(() -> new CurrentFile.Exported(export, id));
    }

    /**
     * Returns the directory that holds another one.
     *
     * @throws OperationFailure NOENT for the root of the server; NOTDIR or SYMLINK for other files
     */
    private static CurrentFile parent(Compound compound, CurrentFile file)
            throws OperationFailure, Refusal, StoreException {
        var tree = compound.exports().tree();
        return switch (file) {
            case CurrentFile.Pseudo(var at) ->
                    at.parent()
                            .map(CurrentFile.Pseudo::new)
                            .orElseThrow(() -> new OperationFailure(Nfs4Status.NOENT));
            case CurrentFile.Exported exported when exported.isRoot() -> {
                var covered = tree.covered(exported.export());
                if (covered.isPresent()) {
                    // As any other name in the directory, this one needs the right to search it.
                    var target = compound.open(exported);
                    target.node().lookup(target.caller(), FileName.PARENT);
                    yield new CurrentFile.Exported(covered.get().outer(), covered.get().parent());
                }
                yield new CurrentFile.Pseudo(
                        tree.parent(exported.export())
                                .orElseThrow(() -> new OperationFailure(Nfs4Status.NOENT)));
            }
            case CurrentFile.Exported exported -> {
                var target = compound.open(exported);
                requireDirectory(target);
                var found = target.lookup(FileName.PARENT);
                yield exported(compound.exports(), exported.export(), found.id());
            }
        };
    }

    /**
     * Checks a name in arguments.
     *
     * @throws OperationFailure INVAL, NAMETOOLONG or BADNAME
     */
    static void requireName(FileName name) throws OperationFailure {
        var status = FileNames.status(name, NAME_MAX);
        if (status != Nfs4Status.OK) {
            throw new OperationFailure(status);
        }
    }

    /**
     * @throws OperationFailure SYMLINK or NOTDIR
     */
    static void requireDirectory(CallTarget target) throws OperationFailure, StoreException {
        var type = target.node().status().type();
        if (type != FileType.DIRECTORY) {
            throw new OperationFailure(
                    type == FileType.SYMBOLIC_LINK ? Nfs4Status.SYMLINK : Nfs4Status.NOTDIR);
        }
    }

    /** Returns the flavors that a file may be used with, the preferred one first. */
    private static List<SecurityChoice> choices(Exports exports, CurrentFile file) {
        var flavors =
                switch (file) {
                    case CurrentFile.Exported exported -> exported.export().export().flavors();
                    case CurrentFile.Pseudo _ -> flavorsOfAll(exports);
                };
        return flavors.stream().map(HandleOperations::choice).toList();
    }

    /**
     * Returns the flavors of all exports. Linux mounts with the first that it knows, so they have
     * the order of the exports, and AUTH_NONE is the last.
     */
    private static List<SecurityFlavor> flavorsOfAll(Exports exports) {
        var flavors = new LinkedHashSet<SecurityFlavor>();
        exports.all().forEach(each -> flavors.addAll(each.export().flavors()));
        if (flavors.contains(SecurityFlavor.NONE)) {
            flavors.addLast(SecurityFlavor.NONE);
        }
        return List.copyOf(flavors);
    }

    private static SecurityChoice choice(SecurityFlavor flavor) {
        return switch (flavor) {
            case NONE, SYS -> new SecurityChoice.Flavor(flavor.number());
            case KRB5 -> new SecurityChoice.Gss(KERBEROS, 0, 1);
            case KRB5I -> new SecurityChoice.Gss(KERBEROS, 0, 2);
            case KRB5P -> new SecurityChoice.Gss(KERBEROS, 0, 3);
        };
    }
}
