package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.acl.Acl2Program;
import io.github.rpcrdma4j.nfs.server.acl.Acl3Program;
import io.github.rpcrdma4j.nfs.server.admin.Administration;
import io.github.rpcrdma4j.nfs.server.audit.Audit;
import io.github.rpcrdma4j.nfs.server.driver.ServerIdentity;
import io.github.rpcrdma4j.nfs.server.driver.StoredRecords;
import io.github.rpcrdma4j.nfs.server.driver.VolatileRecords;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportChanges;
import io.github.rpcrdma4j.nfs.server.export.HostNames;
import io.github.rpcrdma4j.nfs.server.lock.LockService;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.mount.MountList;
import io.github.rpcrdma4j.nfs.server.mount.MountProgram;
import io.github.rpcrdma4j.nfs.server.served.BestStores;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.HandleSeal;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.server.v2.Nfs2Calls;
import io.github.rpcrdma4j.nfs.server.v2.Nfs2Program;
import io.github.rpcrdma4j.nfs.server.v3.DirectoryProcedures;
import io.github.rpcrdma4j.nfs.server.v3.FileProcedures;
import io.github.rpcrdma4j.nfs.server.v3.Nfs3Calls;
import io.github.rpcrdma4j.nfs.server.v3.Nfs3Program;
import io.github.rpcrdma4j.nfs.server.v4.Nfs4Service;
import io.github.rpcrdma4j.nfs.server.v4.Nfs4Settings;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Serves directories, and stores of the program, over NFS versions 3 and 4, NFSACL version 3, and
 * MOUNT version 3. Pass its {@link #programs} to a server of any transport; clients of version 3
 * expect MOUNT on TCP too (RFC 8267-5.1-1). Version 2 is served if its {@link #version2Programs}
 * are passed on as well. Thread-safe.
 *
 * <p>Tests: {@code ReplacedExportsTest}, {@code NfsHostTest}.
 */
public final class NfsServer implements AutoCloseable {
    /** The most data of a READ or WRITE, in bytes. */
    public static final int TRANSFER_MAX = 1 << 20;

    private static final Logger LOG = System.getLogger(NfsServer.class.getName());

    /** The shortest key of file handles, in bytes. */
    private static final int KEY_MIN = 16;

    private final Exports exports;
    private HostNames hostNames;
    private final Set<SecurityFlavor> accepted;
    private boolean isClosed;
    private final NfsStatistics statistics = new NfsStatistics();
    private final Nfs4Service nfs4;
    private final LockService locks;
    private final List<RpcProgram> version3Programs;
    private final List<RpcProgram> version2Programs;

    /**
     * @param exports the exports to serve
     * @param key the secret that seals file handles, at least 16 bytes; with an unchanged key, the
     *     handles of clients stay valid after a restart
     * @throws IOException if an export cannot be served
     * @throws IllegalArgumentException if the key is too short, or if file handles cannot
     *     distinguish two exports
     */
    public NfsServer(Collection<Export> exports, byte[] key) throws IOException {
        this(exports, key, KerberosUsers.NONE);
    }

    /**
     * @param exports the exports to serve; one may lie inside another
     * @param key the secret that seals file handles, at least 16 bytes; with an unchanged key, the
     *     handles of clients stay valid after a restart
     * @param identities maps the Kerberos principals of callers to users
     * @throws IOException if an export cannot be served
     * @throws IllegalArgumentException if the key is too short, or if file handles cannot
     *     distinguish two exports
     */
    public NfsServer(Collection<Export> exports, byte[] key, KerberosUsers identities)
            throws IOException {
        this(exports, key, identities, Nfs4Options.DEFAULT);
    }

    /**
     * @param exports the exports to serve; one may lie inside another
     * @param key the secret that seals file handles, at least 16 bytes; with an unchanged key, the
     *     handles of clients stay valid after a restart
     * @param identities maps the Kerberos principals of callers to users
     * @param options about NFS version 4
     * @throws IOException if an export cannot be served, or if the records of clients cannot be
     *     used, for example because another server uses them; the message is one line
     * @throws IllegalArgumentException if the key is too short, or if file handles cannot
     *     distinguish two exports
     */
    public NfsServer(
            Collection<Export> exports, byte[] key, KerberosUsers identities, Nfs4Options options)
            throws IOException {
        this(exports, key, identities, options, new BestStores(), RpcbindClient.PORT);
    }

    /**
     * @param stores opens the store of each export
     * @param rpcbindPort where the rpcbinds of hosts with locks listen
     */
    NfsServer(
            Collection<Export> exports,
            byte[] key,
            KerberosUsers identities,
            Nfs4Options options,
            StoreChooser stores,
            int rpcbindPort)
            throws IOException {
        if (key.length < KEY_MIN) {
            throw new IllegalArgumentException("a handle key has at least 16 bytes");
        }
        this.exports = new Exports(exports, new HandleSeal(key), stores);
        var failures = new FailureLog(LOG);
        var procedures =
                new Nfs3Calls.Procedures(
                        new FileProcedures(statistics, TRANSFER_MAX),
                        new DirectoryProcedures(),
                        failures);
        accepted = flavors(exports);
        var callers = new Callers(identities);
        var nfs = new Nfs3Program(this.exports, procedures, accepted, callers, statistics);
        nfs4 = nfs4(key, options, callers, failures);
        var records = nfs4.records();
        locks =
                new LockService(
                        this.exports,
                        nfs4.hostLocks(),
                        accepted,
                        callers,
                        records.bootEpoch(),
                        records.earlier(),
                        rpcbindPort);
        var mounts = new MountList();
        version3Programs =
                List.of(
                        nfs,
                        new Acl3Program(this.exports, accepted, callers, failures),
                        new MountProgram(Mount3.VERSION, this.exports, mounts, callers, failures));
        version2Programs =
                List.of(
                        version2(accepted, callers, failures),
                        new Acl2Program(this.exports, accepted, callers, failures),
                        new MountProgram(Mount1.VERSION, this.exports, mounts, callers, failures));
        hostNames = HostNames.of(exports);
    }

    private RpcProgram version2(
            Set<SecurityFlavor> accepted, Callers callers, FailureLog failures) {
        var procedures =
                new Nfs2Calls.Procedures(
                        new io.github.rpcrdma4j.nfs.server.v2.FileProcedures(statistics),
                        new io.github.rpcrdma4j.nfs.server.v2.DirectoryProcedures(),
                        failures);
        return new Nfs2Program(exports, procedures, accepted, callers, statistics);
    }

    private Nfs4Service nfs4(byte[] key, Nfs4Options options, Callers callers, FailureLog failures)
            throws IOException {
        try {
            var records =
                    options.records().isPresent()
                            ? StoredRecords.open(options.records().get())
                            : VolatileRecords.fresh();
            var settings =
                    new Nfs4Settings(
                            options.minorVersions(),
                            ServerIdentity.of(key, options.instance()),
                            records,
                            options.lease(),
                            options.grace(),
                            options.asyncCopies(),
                            options.delegatedTimes());
            return new Nfs4Service(exports, settings, callers, statistics, TRANSFER_MAX, failures);
        } catch (IOException refused) {
            exports.close();
            throw refused;
        }
    }

    private static Set<SecurityFlavor> flavors(Collection<Export> exports) {
        var flavors = EnumSet.noneOf(SecurityFlavor.class);
        exports.forEach(export -> flavors.addAll(export.flavors()));
        return flavors;
    }

    /** Tells an audit of what clients change, from the next call on; there is none before. */
    public void setAudit(Audit audit) {
        exports.nodes().setAudit(audit);
    }

    /**
     * Serves other exports from now on, while calls go on. An export stays if its name, its
     * directory and the places of other exports inside it stay: its file handles, opens, locks and
     * delegations stay, and its rules apply to the next call, with the addresses that their host
     * names have there. The files of an export that goes are stale, and what clients have of them
     * ends. Its directory is closed when no call uses it any more. May wait for storage.
     *
     * @return what is different now
     * @throws IOException if an export cannot be served; then nothing changes. The message is one
     *     line
     * @throws IllegalArgumentException likewise, if file handles cannot distinguish two exports, or
     *     if one accepts a flavor that none accepted at the start
     */
    public synchronized ExportChanges replaceExports(Collection<Export> replacement)
            throws IOException {
        if (isClosed) {
            throw new IOException("the server does not serve any more");
        }
        if (!accepted.containsAll(flavors(replacement))) {
            throw new IllegalArgumentException(
                    "an export accepts a flavor that no export accepted at the start");
        }
        var changes = exports.replace(replacement, new Departure());
        hostNames = hostNames.replacedBy(replacement);
        return changes;
    }

    private final class Departure implements Exports.Departure {
        @Override
        public void began(FileStore store) {
            int ended = nfs4.end(store);
            if (ended > 0) {
                LOG.log(
                        Level.INFO,
                        "opens, lock owners and delegations that ended with their export: "
                                + ended);
            }
        }

        @Override
        public void ended(FileStore store) {
            nfs4.forget(store);
        }
    }

    /**
     * The description of an export for the operator.
     *
     * @param actsForCallers whether the store uses the rights of each caller; otherwise all callers
     *     have the rights of this process, and squashing has no effect
     * @param files one line on how the store finds files
     */
    public record Description(Export export, boolean actsForCallers, String files) {}

    /**
     * What an operator wants to know of an export while it is served.
     *
     * @param read the bytes that clients have read of its files since it is served
     * @param written the bytes that clients have written to its files since then
     * @param space of the file system of its root; empty if that does not tell
     */
    public record Figures(String export, long read, long written, Optional<Space> space) {}

    /**
     * The space of a file system, in bytes.
     *
     * @param available what users without privileges may still take
     */
    public record Space(long total, long available) {}

    /** Returns figures of the exports, in their order. Waits for their file systems. */
    public List<Figures> figures() {
        return exports.all().stream().map(NfsServer::figures).toList();
    }

    private static Figures figures(Exports.OpenExport export) {
        var bytes = export.bytes();
        return new Figures(export.export().name(), bytes.read(), bytes.written(), space(export));
    }

    private static Optional<Space> space(Exports.OpenExport export) {
        var store = export.store();
        try (var root = store.node(store.root(), FileStore.Mounts.STAY)) {
            var space = root.space();
            return Optional.of(new Space(space.totalBytes(), space.availableBytes()));
        } catch (StoreException _) {
            return Optional.empty();
        }
    }

    /** Returns descriptions of the exports, in their order. */
    public List<Description> descriptions() {
        return exports.all().stream()
                .map(
                        each ->
                                new Description(
                                        each.export(),
                                        each.store().actsForCallers(),
                                        each.store().description()))
                .toList();
    }

    /** Returns the programs of NFS versions 3 and 4, NFSACL and MOUNT version 3. */
    public List<RpcProgram> programs() {
        var all = new ArrayList<>(version3Programs);
        all.add(all.size() - 1, version4Program());
        return all;
    }

    /** Returns the programs of NFS version 3, NFSACL version 3 and MOUNT version 3 alone. */
    public List<RpcProgram> version3Programs() {
        return version3Programs;
    }

    /** Returns the program of NFS version 4 alone, in the minor versions of the options. */
    public RpcProgram version4Program() {
        return nfs4.program();
    }

    /**
     * Returns the programs of NFS version 2, NFSACL version 2 and MOUNT version 1, to be served
     * beside the others to clients that know no later version. The exports and rules are those of
     * the others. No file appears longer than 4 GiB, and no transfer is longer than 8 KiB.
     */
    public List<RpcProgram> version2Programs() {
        return version2Programs;
    }

    /**
     * Returns the programs for locks beside versions 3 and 2: NLM and NSM. Clients find them by
     * rpcbind, over TCP.
     *
     * @param version2 whether version 2 is served
     */
    public List<RpcProgram> lockPrograms(boolean version2) {
        var all = new ArrayList<>(locks.programs());
        if (version2) {
            all.addAll(locks.version2Programs());
        }
        return all;
    }

    /**
     * Returns NSM alone, to be served over UDP: clients tell it that they have restarted. A
     * datagram can be forged, so it asks the client that is named before it believes that.
     */
    public RpcProgram statusMonitor() {
        return locks.monitor();
    }

    /**
     * Tells the clients that had locks by NLM that the server has restarted, so that they take them
     * back. To be called when they can find it. Does not wait.
     */
    public void tellHosts() {
        locks.tellHosts();
    }

    /**
     * Returns the names of the exports that NFS version 2 cannot serve, because its file handles
     * are too short for the identities of their files.
     */
    public List<String> withoutVersion2() {
        return exports.all().stream()
                .filter(each -> !exports.hasShortHandles(each))
                .map(each -> each.export().name())
                .toList();
    }

    /** Returns the live counters of this server. */
    public NfsStatistics statistics() {
        return statistics;
    }

    /** Returns what administrators see of the clients of NFS version 4, and do with them. */
    public Administration administration() {
        return nfs4.administration();
    }

    /**
     * Stops host name lookups and closes all open files. The programs must not be called any more.
     * Waits a few seconds for storage that hangs.
     *
     * @throws UncheckedIOException if the directory of the records hangs or fails; all the rest is
     *     closed. The message is one line
     */
    @Override
    public synchronized void close() {
        isClosed = true;
        hostNames.close();
        locks.close();
        try {
            nfs4.close();
        } finally {
            exports.close();
        }
    }
}
