package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.util.List;
import java.util.Optional;

/**
 * A file that is open for one RPC call, with its export, the caller, and the rule of the export for
 * that caller. Closing it closes the file.
 *
 * <p>Tests: {@code InnerExportsTest}, {@code RefusingExportsTest}.
 *
 * @param client the origin of the call
 */
public record CallTarget(
        Exports exports,
        OpenExport openExport,
        ExportRule rule,
        Node node,
        Caller caller,
        Client client)
        implements AutoCloseable {
    /** The most exports inside this one that are asked whether they hold a directory. */
    private static final int ASKED_MAX = 64;

    public FileHandle handle(FileId file) {
        return exports.handle(openExport, file);
    }

    /**
     * Returns the handle of NFS version 2 of a file of this export.
     *
     * @throws Refusal FAULT if there is no handle for its identity
     */
    public byte[] shortHandle(FileId file) throws Refusal {
        return exports.shortHandle(openExport, file);
    }

    /**
     * Refuses calls across two exports, because these may have different rules for the caller.
     *
     * @throws Refusal XDEV
     */
    public void requireSameExport(CallTarget other) throws Refusal {
        if (openExport.store() != other.openExport.store()) {
            throw new Refusal(Failure.XDEV);
        }
    }

    /** Returns whether changes wait for storage. */
    public Storage storage() {
        return rule.sync() ? Storage.SYNC : Storage.ASYNC;
    }

    /**
     * Refuses a change with ROFS if the caller, or everybody, has read-only access. As in Linux,
     * rights and names come later.
     */
    public void requireWritable() throws Refusal, StoreException {
        if (rule.readOnly() || node.isReadOnly()) {
            throw new Refusal(Failure.ROFS);
        }
    }

    /**
     * Finds the file of a name in this directory, as {@link Node#lookup} does. A local process may
     * have moved the directory into an export inside this one: then it has no parent here, because
     * the rule of this export does not apply to the files around it.
     *
     * @throws StoreException of {@link Node#lookup}; NOENT for such a parent
     */
    public Node.Found lookup(FileName name) throws StoreException {
        var found = node.lookup(caller, name);
        if (name.equals(FileName.PARENT) && isInsideInner(found.id())) {
            throw new StoreException(Failure.NOENT);
        }
        return found;
    }

    /**
     * Returns whether a directory of this export lies inside the root of another one. It does not
     * ask for rights.
     *
     * @throws StoreException NOENT if it lies outside of this export by now, STALE if it is gone
     */
    public boolean isInsideInner(FileId directory) throws StoreException {
        var tree = exports.tree();
        if (!tree.hasInner(openExport) || innerAt(directory).isPresent()) {
            return false;
        }
        var known = isHeld(tree.beginningInside(openExport), directory);
        if (known.isPresent()) {
            return known.get();
        }
        var above = openExport.store().above(directory, at -> tree.leadsToInner(openExport, at));
        return innerAt(above).isPresent();
    }

    /**
     * Returns whether one of some exports holds a directory; empty if they cannot tell. This needs
     * no way up through many directories, which others may move meanwhile.
     */
    private static Optional<Boolean> isHeld(List<OpenExport> inner, FileId directory)
            throws StoreException {
        if (inner.isEmpty() || inner.size() > ASKED_MAX) {
            return Optional.empty();
        }
        for (var each : inner) {
            var holds = each.store().holds(directory);
            if (holds.isEmpty() || holds.get()) {
                return holds;
            }
        }
        return Optional.of(false);
    }

    /** Returns the export inside this one that begins at a directory of this one. */
    public Optional<OpenExport> innerAt(FileId directory) {
        return exports.tree().covering(openExport, directory);
    }

    /**
     * Opens the root of an export inside this one, by its own rule, for the caller of this. The
     * caller of this method closes it.
     *
     * @throws Refusal ACCES or PERM if the rule of that export excludes the caller
     * @throws StoreException STALE if its directory is gone
     */
    public CallTarget openInner(OpenExport inner) throws Refusal, StoreException {
        return exports.open(inner, inner.store().root(), client, true, exports.nodes().guard());
    }

    /**
     * Refuses to remove, move or replace a directory that leads to the root of an export inside
     * this one, or is that root. Otherwise the next start could serve another directory in its
     * place, and the rule of this export would apply to its files.
     *
     * @throws Refusal ACCES, as if a file system was mounted there
     */
    public void requireMovable(FileName name) throws Refusal, StoreException {
        if (name.isDots() || !exports.tree().hasInner(openExport)) {
            return;
        }
        try {
            var found = node.lookup(new Caller.Server(), name).id();
            if (exports.tree().leadsToInner(openExport, found)) {
                throw new Refusal(Failure.ACCES);
            }
        } catch (StoreException absent) {
            if (absent.failure() != Failure.NOENT) {
                throw absent;
            }
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
