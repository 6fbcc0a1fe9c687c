package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportChanges;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportedFiles;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.FileStore;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * All exports that a server has at one time; a reload of its configuration makes the next table.
 * Immutable: a call uses the table that it has found.
 *
 * <p>An export stays from one table to the next if its name, its directory and the places of other
 * exports inside it stay. Then its store, its number and so the handles of its files stay, too. Any
 * other change makes it another export, as it would after a restart.
 *
 * <p>Tests: {@code ReplacedExportsTest}.
 */
final class ExportTable {
    /** The number of the pseudo file system in handles. No export has it. */
    static final int PSEUDO = ExportNumbers.of("/");

    /** Opens the {@link FileStore} by which the server reaches the files of an export. */
    interface Opening {
        FileStore open(Export export) throws IOException;
    }

    /**
     * An export with what it takes to know it again.
     *
     * @param directory the identity of its directory, which no other one gets while the store is
     *     open; null if its file system has none
     * @param mark that of the exports inside
     * @param crosses whether the store was opened for mounted file systems, too
     */
    private record Served(OpenExport open, Object directory, String mark, boolean crosses) {
        boolean isAt(Export wanted, Object wantedDirectory) {
            return open.export().name().equals(wanted.name())
                    && open.export().files().equals(wanted.files())
                    && Objects.equals(directory, wantedDirectory);
        }
    }

    private final Map<Integer, OpenExport> byNumber = new LinkedHashMap<>();
    private final Map<FileStore, Served> byStore = new IdentityHashMap<>();
    private final PseudoTree tree;

    /** Whether any rule takes calls from privileged ports only. */
    private final boolean trustsPorts;

    /** Makes a table without exports. */
    ExportTable() {
        tree = new PseudoTree();
        trustsPorts = false;
    }

    private ExportTable(List<Served> served, Map<Export, InnerExports> inner, PseudoTree before)
            throws IOException {
        for (var each : served) {
            // Two exports with one number are refused: with other numbers, a later set of exports
            // could give the handles of one export to the other.
            var other = byNumber.putIfAbsent(each.open.number(), each.open);
            if (other != null || each.open.number() == PSEUDO) {
                throw new IllegalArgumentException(
                        ExportNumbers.ambiguous(
                                other == null ? "/" : other.export().name(),
                                each.open.export().name()));
            }
            byStore.put(each.open.store(), each);
        }
        tree = new PseudoTree(byNumber.values(), inner, before);
        trustsPorts =
                byNumber.values().stream()
                        .flatMap(each -> each.export().rules().stream())
                        .anyMatch(ExportTable::isSecure);
    }

    /** Returns whether any export has such a rule for a host. */
    boolean hasRule(InetAddress host, Predicate<ExportRule> which) {
        for (var each : byNumber.values()) {
            var rule = each.export().rule(host);
            if (rule.isPresent() && which.test(rule.get())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether any rule for a host takes calls from privileged ports only. */
    boolean trustsPorts(InetAddress host) {
        return trustsPorts && hasRule(host, ExportTable::isSecure);
    }

    private static boolean isSecure(ExportRule rule) {
        return rule.ports() == ExportRule.Ports.PRIVILEGED;
    }

    /** The table after a reload, and how it differs from the one before. */
    record Next(ExportTable table, ExportChanges changes) {}

    /**
     * Makes the table that follows this one. This one and its stores stay as they are.
     *
     * @throws IOException if an export cannot be served; the stores that were opened for it are
     *     then closed again
     * @throws IllegalArgumentException if two exports have the same name, or file handles cannot
     *     distinguish them
     */
    Next next(Collection<Export> wanted, HandleSeal seal, Opening opening) throws IOException {
        ExportNumbers.requireDistinct(wanted);
        var build = new Build(seal, opening);
        boolean isDone = false;
        try {
            var next = build.build(wanted);
            isDone = true;
            return next;
        } finally {
            if (!isDone) {
                build.opened.forEach(FileStore::close);
            }
        }
    }

    /** The making of the next table. */
    private final class Build {
        private final HandleSeal seal;
        private final Opening opening;
        private final List<FileStore> opened = new ArrayList<>();
        private final List<String> notes = new ArrayList<>();

        Build(HandleSeal seal, Opening opening) {
            this.seal = seal;
            this.opening = opening;
        }

        Next build(Collection<Export> wanted) throws IOException {
            var exports = new ArrayList<Export>();
            var stores = new HashMap<Export, FileStore>();
            for (var each : wanted) {
                var there = at(each, directory(each));
                var export = there.isPresent() ? kept(there.get(), each) : each;
                exports.add(export);
                stores.put(export, there.isPresent() ? there.get().open.store() : open(export));
            }
            var inner = new LinkedHashMap<Export, InnerExports>();
            for (var each : exports) {
                inner.put(each, InnerExports.of(each, exports));
            }
            var served = new ArrayList<Served>();
            for (var each : exports) {
                served.add(served(each, stores.get(each), inner.get(each).mark()));
            }
            var table = new ExportTable(served, inner, tree);
            return new Next(table, changes(table));
        }

        private FileStore open(Export export) throws IOException {
            var store = opening.open(export);
            opened.add(store);
            return store;
        }

        private Served served(Export export, FileStore store, String mark) throws IOException {
            var there = byStore.get(store);
            if (there != null && there.mark.equals(mark)) {
                // Rules with the same host names are equal, but only the new names are looked up.
                var open = new OpenExport(export, there.open.number(), store, there.open.bytes());
                return new Served(open, there.directory, mark, there.crosses);
            }
            var own = there == null ? store : open(export);
            int number = ExportNumbers.of(seal, export.name(), mark, own.root());
            var open = new OpenExport(export, number, own, new ExportBytes());
            return new Served(open, directory(export), mark, crosses(export));
        }

        /** Returns a changed export, but for what its store and its delegations do not allow. */
        private Export kept(Served there, Export wanted) {
            var before = there.open.export();
            var kept = wanted;
            if (before.delegations() != wanted.delegations()) {
                note(wanted, "delegations change");
                kept = kept.with(before.delegations());
            }
            if (!there.crosses && crosses(wanted)) {
                note(wanted, "crossmnt takes effect");
                kept = kept.with(kept.rules().stream().map(Build::staying).toList());
            }
            return kept;
        }

        private void note(Export export, String what) {
            notes.add(export.name() + ": " + what + " at the next start only");
        }

        private static ExportRule staying(ExportRule rule) {
            return rule.withCrossMounts(false);
        }

        private ExportChanges changes(ExportTable after) {
            var added = new ArrayList<String>();
            var changed = new ArrayList<String>();
            int same = 0;
            for (var each : after.byNumber.values()) {
                var before = byStore.get(each.store());
                if (before == null) {
                    added.add(each.export().name());
                } else if (before.open.export().equals(each.export())) {
                    same++;
                } else {
                    changed.add(each.export().name());
                }
            }
            var removed = gone(after).stream().map(each -> each.export().name()).toList();
            return new ExportChanges(added, removed, changed, same, notes);
        }
    }

    private Optional<Served> at(Export wanted, Object directory) {
        return byStore.values().stream().filter(each -> each.isAt(wanted, directory)).findFirst();
    }

    /** Returns the identity of the directory that an export has now; null if there is none. */
    private static Object directory(Export export) throws IOException {
        return switch (export.files()) {
            case ExportedFiles.OfDirectory(var root) ->
                    Files.readAttributes(root, BasicFileAttributes.class).fileKey();
            case ExportedFiles.OfStore _ -> null;
        };
    }

    private static boolean crosses(Export export) {
        return export.rules().stream().anyMatch(ExportRule::crossMounts);
    }

    /** Returns the exports of this table that a later one does not have any more. */
    List<OpenExport> gone(ExportTable after) {
        return byNumber.values().stream()
                .filter(each -> !after.byStore.containsKey(each.store()))
                .toList();
    }

    /** Returns all exports in their order. */
    Collection<OpenExport> all() {
        return byNumber.values();
    }

    /** Returns the export of a number; null if there is none. */
    OpenExport find(int number) {
        return byNumber.get(number);
    }

    /** Returns what the export of a store is now; empty if it is not served any more. */
    Optional<OpenExport> find(FileStore store) {
        return Optional.ofNullable(byStore.get(store)).map(Served::open);
    }

    /**
     * Returns the export that contains a path to mount; of several, the one with the longest name.
     */
    Optional<OpenExport> find(PathName path) {
        OpenExport found = null;
        for (var openExport : byNumber.values()) {
            var name = openExport.export().name();
            boolean holds = path.below(PathName.of(name)).isPresent();
            if (holds && (found == null || name.length() > found.export().name().length())) {
                found = openExport;
            }
        }
        return Optional.ofNullable(found);
    }

    PseudoTree tree() {
        return tree;
    }
}
