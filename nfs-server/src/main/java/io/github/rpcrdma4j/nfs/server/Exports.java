package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.Node.Storage;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/** All exports of a server: from handles to files. Thread-safe. */
final class Exports implements AutoCloseable {
    /** An export and its files. */
    record Exported(Export export, int number, FileStore store) {}

    /**
     * Who calls.
     *
     * @param peer where it is
     * @param flavor of its calls
     * @param credential a user, or no user
     */
    record Client(InetSocketAddress peer, SecurityFlavor flavor, Credential credential) {}

    private final HandleSeal seal;
    private final Map<Integer, Exported> byNumber = new LinkedHashMap<>();

    /**
     * Opens all exports.
     *
     * @param verifier shared by their stores
     * @throws IOException if one cannot be served; then none is open
     */
    Exports(
            Collection<Export> exports,
            HandleSeal seal,
            StoreChooser chooser,
            WriteVerifier verifier)
            throws IOException {
        this.seal = seal;
        boolean opened = false;
        try {
            for (var export : exports) {
                open(export, chooser, verifier);
            }
            opened = true;
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    private void open(Export export, StoreChooser chooser, WriteVerifier verifier)
            throws IOException {
        // The number comes from the name, so that it is the same after a restart.
        int number = number(export.name());
        if (byNumber.containsKey(number)) {
            throw new IllegalArgumentException("two exports are named " + export.name());
        }
        var store = chooser.open(export, Integer.toUnsignedLong(number), verifier);
        byNumber.put(number, new Exported(export, number, store));
    }

    private static int number(String name) {
        var crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    /** All, in the order in which they were given. */
    List<Exported> all() {
        return List.copyOf(byNumber.values());
    }

    /** The export that a path to mount is of: the one with the longest name, if several are. */
    Optional<Exported> find(PathName path) {
        Exported found = null;
        for (var exported : byNumber.values()) {
            var name = exported.export.name();
            boolean holds = path.below(PathName.of(name)).isPresent();
            if (holds && (found == null || name.length() > found.export.name().length())) {
                found = exported;
            }
        }
        return Optional.ofNullable(found);
    }

    FileHandle handle(Exported exported, FileId file) {
        return seal.seal(exported.number, file);
    }

    /** A file that a call is about; closing it gives the node back. */
    record Opened(Exports exports, Exported exported, ExportRule rule, Node node, Caller caller)
            implements AutoCloseable {
        FileHandle handle(FileId file) {
            return exports.handle(exported, file);
        }

        /** How changes are dealt with. */
        Storage storage() {
            return rule.sync() ? Storage.SYNC : Storage.ASYNC;
        }

        /**
         * Refuses to change what is read-only for the caller.
         *
         * @throws Refusal ROFS
         */
        void requireWritable() throws Refusal {
            if (rule.readOnly()) {
                throw new Refusal(Status.ROFS);
            }
        }

        @Override
        public void close() {
            node.close();
        }
    }

    /**
     * The file that a handle names.
     *
     * @param mounts whether the roots of all exports are there whatever the flavor: a client that
     *     mounts asks for their attributes before it knows the flavor (RFC 2623, Section 2.3.2)
     * @throws Refusal BADHANDLE if it is not a handle of this server, STALE if it is of an export
     *     that is not served any more, ACCES if the export does not take the caller's host or
     *     flavor, PERM if it does not take its port
     * @throws StoreException STALE if the file is gone
     */
    Opened open(FileHandle handle, Client client, boolean mounts) throws Refusal, StoreException {
        var ours =
                switch (seal.open(handle)) {
                    case HandleSeal.Opened.Ours opened -> opened;
                    case HandleSeal.Opened.Outdated() -> throw new Refusal(Status.STALE);
                    case HandleSeal.Opened.Forged() -> throw new Refusal(Status.BADHANDLE);
                };
        var exported = byNumber.get(ours.export());
        if (exported == null) {
            throw new Refusal(Status.STALE);
        }
        boolean takesFlavor =
                exported.export.flavors().contains(client.flavor)
                        || mounts && ours.file().equals(exported.store.root());
        if (!takesFlavor) {
            throw new Refusal(Status.ACCES);
        }
        var rule = rule(exported, client.peer, client.flavor);
        var node = exported.store.node(ours.file(), mounts(rule));
        return new Opened(this, exported, rule, node, caller(rule, client.credential));
    }

    /**
     * What holds for a caller. One that calls from a port that is not root's is told PERM, as by
     * Linux: its mount then fails with words that fit, where an error of RPC would have the client
     * look for another flavor.
     *
     * @throws Refusal ACCES if its host may not reach the export, or PERM
     */
    static ExportRule rule(Exported exported, InetSocketAddress peer, SecurityFlavor flavor)
            throws Refusal {
        var rule =
                exported.export
                        .rule(peer.getAddress())
                        .orElseThrow(() -> new Refusal(Status.ACCES));
        if (!rule.takes(flavor, peer.getPort())) {
            throw new Refusal(Status.PERM);
        }
        return rule;
    }

    /** Which file systems a rule lets callers see. */
    static Mounts mounts(ExportRule rule) {
        return rule.crossMounts() ? Mounts.CROSS : Mounts.STAY;
    }

    private static Caller caller(ExportRule rule, Credential credential) {
        var user = rule.user(credential);
        int[] groups = user.gids().stream().mapToInt(Integer::intValue).toArray();
        return new Caller.User(user.uid(), user.gid(), groups);
    }

    @Override
    public void close() {
        byNumber.values().forEach(exported -> exported.store.close());
    }
}
