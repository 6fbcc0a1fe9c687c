package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportChanges;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The exports of a server: opens the file of a file handle for a call, if the rule of the export
 * admits the caller. A reload can replace the exports while calls use them. Thread-safe.
 *
 * <p>Tests: {@code ReplacedExportsTest}, {@code HandlesTest}.
 */
public final class Exports implements AutoCloseable {
    /**
     * An export that is served: its configuration, its number in file handles, the store by which
     * the server reaches its files, and counts of bytes.
     */
    public record OpenExport(Export export, int number, FileStore store, ExportBytes bytes) {}

    /** Learns when an export is no longer served, and when its last file is closed. */
    public interface Departure {
        /** No call can find the files of a store any more. Calls in progress may have some. */
        void began(FileStore store);

        /** No call has a file of a store any more, and its descriptors are closed. */
        void ended(FileStore store);
    }

    /** What a file handle names: a pseudo directory, or a file of an export. */
    public sealed interface Place {
        /** A directory of the pseudo file system, above the exports (RFC 8881, Section 7.3). */
        record Pseudo(PseudoTree.Directory directory) implements Place {}

        /** A file of an export; it need not exist any more. */
        record Exported(OpenExport export, FileId file) implements Place {}
    }

    private final HandleSeal seal;
    private final ShortSeal shortSeal;
    private final StoreChooser chooser;
    private volatile ExportTable table = new ExportTable();
    private final CallNodes nodes = new CallNodes();
    private final ClientNotices notices = new ClientNotices();

    /**
     * Opens all exports.
     *
     * @throws IOException if an export cannot be opened; all others are then closed again
     * @throws IllegalArgumentException if two exports have the same name, or names with the same
     *     number
     */
    public Exports(Collection<Export> exports, HandleSeal seal, StoreChooser chooser)
            throws IOException {
        this.seal = seal;
        this.shortSeal = new ShortSeal(seal);
        this.chooser = chooser;
        table = table.next(exports, seal, this::open).table();
    }

    /**
     * Serves other exports from now on. Calls in progress go on with what they have found. Those of
     * the exports that stay notice nothing. The store of an export that goes is told to close, and
     * keeps what the nodes of calls in progress need (see {@link FileStore#close}).
     *
     * @param departure learns the store of each export that goes
     * @throws IOException if an export cannot be opened; then nothing changes
     * @throws IllegalArgumentException likewise, as by the constructor
     */
    public synchronized ExportChanges replace(Collection<Export> exports, Departure departure)
            throws IOException {
        var before = table;
        var next = before.next(exports, seal, this::open);
        table = next.table();
        for (var each : before.gone(next.table())) {
            var store = each.store();
            departure.began(store);
            store.closed().whenComplete((_, _) -> departure.ended(store));
            store.close();
        }
        return next.changes();
    }

    private FileStore open(Export export) throws IOException {
        return chooser.open(
                export,
                Integer.toUnsignedLong(ExportNumbers.of(export.name())),
                new WriteVerifier());
    }

    /** Returns what tells the operator who uses the exports. */
    public ClientNotices notices() {
        return notices;
    }

    /** Returns what opens the files of calls. */
    public CallNodes nodes() {
        return nodes;
    }

    /** Returns all exports in the order in which they were given. */
    public List<OpenExport> all() {
        return List.copyOf(table.all());
    }

    /**
     * Returns the export that contains a path to mount; of several, the one with the longest name.
     */
    public Optional<OpenExport> find(PathName path) {
        return table.find(path);
    }

    /** Returns what the export of a store is now; empty if it is not served any more. */
    public Optional<OpenExport> find(FileStore store) {
        return table.find(store);
    }

    public FileHandle handle(OpenExport openExport, FileId file) {
        return seal.seal(openExport.number, file);
    }

    /**
     * Returns whether the files of an export get handles of NFS version 2. A file whose identity
     * has nothing in common with that of the root may still get none.
     */
    public boolean hasShortHandles(OpenExport openExport) {
        return openExport.store.root().bytes().length <= ShortSeal.ID_MAX;
    }

    /**
     * Returns the handle of NFS version 2 of a file, 32 bytes.
     *
     * @throws Refusal FAULT if there is no handle for its identity
     */
    public byte[] shortHandle(OpenExport openExport, FileId file) throws Refusal {
        return shortSeal
                .seal(openExport.number, openExport.store.root(), file)
                .orElseThrow(() -> new Refusal(Failure.FAULT));
    }

    /** Returns whether clients may get delegations of the files of a store. */
    public Delegations delegations(FileStore store) {
        return find(store).map(each -> each.export.delegations()).orElse(Delegations.NONE);
    }

    /** Returns how many files may have open locks at a time. */
    public int lockedFilesMax() {
        return table.all().stream()
                .mapToInt(each -> each.store.lockedFilesMax())
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    /** Returns how many files may have kernel leases at a time. */
    public int leasedFilesMax() {
        return table.all().stream()
                .filter(each -> each.export.delegations() == Delegations.LEASES)
                .mapToInt(each -> each.store.leasedFilesMax())
                .filter(max -> max > 0)
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    public FileHandle handle(PseudoTree.Directory directory) {
        return seal.seal(ExportTable.PSEUDO, directory.id());
    }

    /** Returns the directories above the exports. */
    public PseudoTree tree() {
        return table.tree();
    }

    /**
     * Opens the file of a handle for a call. The caller of this method closes it.
     *
     * @param mounts whether to accept any flavor at the roots of exports: a mounting client asks
     *     for their attributes before it knows the right flavor (RFC 2623, Section 2.3.2)
     * @throws Refusal BADHANDLE if this server did not make the handle, STALE if its export is not
     *     served any more, WRONGSEC if the export does not accept the caller's flavor, ACCES if it
     *     excludes the caller's host, PERM if it excludes the caller's port, MOVED if it sends the
     *     caller to other servers
     * @throws StoreException STALE if the file is gone
     */
    public CallTarget open(FileHandle handle, Client client, boolean mounts)
            throws Refusal, StoreException {
        return switch (place(handle)) {
            case Place.Exported(var export, var file) ->
                    open(export, file, client, mounts, nodes.guard());
            // Clients of version 3 mount exports only.
            case Place.Pseudo _ -> throw new Refusal(Failure.STALE);
        };
    }

    /**
     * Opens the file of a handle of NFS version 2 for a call, as {@link #open(FileHandle, Client,
     * boolean)} does.
     *
     * @param handle 32 bytes
     * @throws Refusal BADHANDLE if this server did not make the handle, or a reason of that method
     * @throws StoreException STALE if the file is gone
     */
    public CallTarget openShort(byte[] handle, Client client, boolean mounts)
            throws Refusal, StoreException {
        var place = shortPlace(handle);
        return open(place.export, place.file, client, mounts, nodes.guard());
    }

    /**
     * Returns what a handle of NFS version 2, 32 bytes, names.
     *
     * @throws Refusal BADHANDLE if this server did not make the handle
     */
    public Place.Exported shortPlace(byte[] handle) throws Refusal {
        return switch (shortSeal.open(handle, this::root)) {
            case HandleSeal.CheckedHandle.Ours(var number, var file) -> exported(number, file);
            case HandleSeal.CheckedHandle.Outdated(), HandleSeal.CheckedHandle.Forged() ->
                    throw new Refusal(Failure.BADHANDLE);
        };
    }

    /** Returns the identity of the root of an export; null if there is none of that number. */
    private FileId root(int number) {
        var export = table.find(number);
        return export == null ? null : export.store.root();
    }

    /**
     * @throws Refusal STALE if there is no export of that number any more
     */
    private Place.Exported exported(int number, FileId file) throws Refusal {
        var export = table.find(number);
        if (export == null) {
            throw new Refusal(Failure.STALE);
        }
        return new Place.Exported(export, file);
    }

    /**
     * Returns what a handle names.
     *
     * @throws Refusal BADHANDLE if this server did not make the handle, STALE if its export is not
     *     served any more
     */
    public Place place(FileHandle handle) throws Refusal {
        var ours =
                switch (seal.open(handle)) {
                    case HandleSeal.CheckedHandle.Ours checked -> checked;
                    case HandleSeal.CheckedHandle.Outdated() -> throw new Refusal(Failure.STALE);
                    case HandleSeal.CheckedHandle.Forged() -> throw new Refusal(Failure.BADHANDLE);
                };
        if (ours.export() == ExportTable.PSEUDO) {
            return tree().find(ours.file())
                    .map(Place.Pseudo::new)
                    .orElseThrow(() -> new Refusal(Failure.STALE));
        }
        return exported(ours.export(), ours.file());
    }

    /**
     * Opens a file of an export for a call, by the rules that the export has now. The caller of
     * this method closes it. An export inside another one begins at a directory that no call of the
     * outer one opens.
     *
     * @param mounts whether to accept any flavor at the root of the export
     * @param ofCall what the operations of the call wait for
     * @throws Refusal STALE if the export is not served any more, WRONGSEC if it does not accept
     *     the caller's flavor, ACCES if it excludes the caller's host, PERM if it excludes the
     *     caller's port, MOVED if it sends the caller to other servers
     * @throws StoreException STALE if the file is gone
     */
    public CallTarget open(
            OpenExport openExport, FileId file, Client client, boolean mounts, FileGuard ofCall)
            throws Refusal, StoreException {
        var served = served(openExport);
        var rule = rule(served, file, client, mounts);
        var node = nodes.open(served, file, rule, client, ofCall);
        var caller = notices.caller(served, rule, client);
        return new CallTarget(this, served, rule, node, caller, client);
    }

    /**
     * Opens a directory for a step of MNT below the root of an export. A client that mounts may not
     * know the flavor of the export yet: with another one it is the anonymous user of its rule, who
     * finds no more than each client of the export. The caller of this method closes it.
     *
     * @throws Refusal STALE if the export is not served any more, ACCES if it excludes the caller's
     *     host, PERM if it excludes the caller's port, MOVED if it sends the caller to other
     *     servers
     * @throws StoreException STALE if the directory is gone
     */
    public CallTarget openToMount(OpenExport openExport, FileId directory, Client client)
            throws Refusal, StoreException {
        var served = served(openExport);
        var rule = rule(served, client);
        var walker = client.orAnonymous(served.export.flavors());
        var node = nodes.open(served, directory, rule, walker, nodes.guard());
        var caller = ClientNotices.mountingCaller(rule, walker);
        return new CallTarget(this, served, rule, node, caller, walker);
    }

    /**
     * Returns an export as it is now.
     *
     * @throws Refusal STALE if it is not served any more
     */
    private OpenExport served(OpenExport openExport) throws Refusal {
        return find(openExport.store).orElseThrow(() -> new Refusal(Failure.STALE));
    }

    /**
     * Returns the rule for a file and a caller that may use it. The file need not exist any more.
     *
     * @throws Refusal a reason of {@link #open(OpenExport, FileId, Client, boolean, FileGuard)}
     */
    public ExportRule rule(OpenExport openExport, FileId file, Client client, boolean mounts)
            throws Refusal {
        boolean acceptsFlavor =
                openExport.export.flavors().contains(client.flavor())
                        || mounts && file.equals(openExport.store.root());
        if (!acceptsFlavor) {
            throw new Refusal(Failure.WRONGSEC);
        }
        var rule = rule(openExport, client);
        if (tree().covering(openExport, file).isPresent()) {
            throw new Refusal(Failure.STALE);
        }
        return rule;
    }

    /**
     * Returns the rule for a caller. A call from a forbidden port gets PERM, as from Linux: the
     * client's mount then fails with a fitting message. After an RPC error, the client would try
     * another flavor.
     *
     * @throws Refusal ACCES if the export excludes its host, PERM if it excludes its port, or MOVED
     *     if it sends the caller to other servers
     */
    public static ExportRule rule(OpenExport openExport, Client client) throws Refusal {
        var rule =
                openExport
                        .export
                        .rule(client.peer().getAddress())
                        .orElseThrow(() -> new Refusal(Failure.ACCES));
        if (!client.isAcceptedBy(rule)) {
            throw new Refusal(Failure.PERM);
        }
        if (rule.isMoved()) {
            throw new Refusal(Failure.MOVED);
        }
        return rule;
    }

    /** Returns where a caller finds the files of an export, if they are not here. */
    public static List<FileSystemLocation> moved(OpenExport openExport, Client client) {
        var rule = openExport.export.rule(client.peer().getAddress());
        return rule.map(ExportRule::moved).orElse(List.of());
    }

    /** Returns whether any export has a rule for a host. */
    public boolean include(InetAddress host) {
        return table.hasRule(host, _ -> true);
    }

    /** Returns whether any export takes calls from where a caller is. */
    public boolean admit(Client client) {
        return table.hasRule(client.peer().getAddress(), client::isAcceptedBy);
    }

    /** Returns whether any rule for a host tells root and users of it apart by their ports. */
    public boolean trustPorts(InetAddress host) {
        return table.trustsPorts(host);
    }

    /** Returns whether a rule lets callers see what is mounted below the export. */
    public static Mounts mounts(ExportRule rule) {
        return rule.crossMounts() ? Mounts.CROSS : Mounts.STAY;
    }

    @Override
    public void close() {
        table.all().forEach(each -> each.store.close());
    }
}
