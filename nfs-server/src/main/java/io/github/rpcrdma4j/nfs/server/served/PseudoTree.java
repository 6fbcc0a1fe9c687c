package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The directories that lead from the root of the server to its exports: the pseudo file system (RFC
 * 8881, Section 7.3). It is made of the names of the exports. An export may lie inside another one,
 * by its name or by its directory; then it hides that directory in the outer one.
 *
 * <p>Handles of these directories stay valid after a restart, because their identities are hashes
 * of their paths. Another set of exports has another tree. In that, the names that stay have the
 * cookies that they had. Immutable, but for the maps that the constructor fills.
 */
public final class PseudoTree {
    /** What a name in a pseudo directory leads to. */
    public sealed interface Entry {}

    /**
     * A pseudo directory.
     *
     * @param id its identity
     * @param number its inode number
     * @param parent empty for the root
     * @param entries what its names lead to
     * @param byCookie its names by their cookies, in the order of a listing
     */
    public record Directory(
            FileId id,
            long number,
            Optional<Directory> parent,
            Map<FileName, Entry> entries,
            SortedMap<Long, FileName> byCookie)
            implements Entry {
        private Optional<Long> cookie(FileName name) {
            return byCookie.entrySet().stream()
                    .filter(each -> each.getValue().equals(name))
                    .map(Map.Entry::getKey)
                    .findFirst();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Directory directory && id.equals(directory.id);
        }

        @Override
        public int hashCode() {
            return id.hashCode();
        }

        @Override
        public String toString() {
            return "pseudo directory " + id;
        }
    }

    /** An entry that leads to the root of an export. */
    public record Junction(OpenExport export) implements Entry {}

    /** A directory of an export that the root of another export hides. */
    public record Covered(OpenExport outer, FileId parent, FileId id) {}

    private record Place(int export, FileId id) {}

    private static final int ID_BYTES = 16;

    /** Cookies 0 to 2 are reserved. */
    private static final long FIRST_COOKIE = 3;

    private static final int NANOS = 1_000_000_000;

    private final Directory root = directory(PathName.of("/"), Optional.empty());
    private final Map<FileId, Directory> directories = new HashMap<>();

    /** By the number of the export inside, as those below. */
    private final Map<Integer, Directory> parents = new HashMap<>();

    private final Map<Integer, Covered> covered = new HashMap<>();
    private final Map<Place, OpenExport> covering = new HashMap<>();

    /** The directories of exports that lead to others inside, and those at which these begin. */
    private final Set<Place> leading = new HashSet<>();

    /**
     * The exports inside each export, if all of them begin at their own directories and nowhere
     * else.
     */
    private final Map<Integer, List<OpenExport>> inside = new HashMap<>();

    /** The next cookie of a name. None is used twice. */
    private long nextCookie;

    private final Time changed;

    /** Makes a tree without exports. */
    PseudoTree() {
        directories.put(root.id, root);
        nextCookie = FIRST_COOKIE;
        changed = now();
    }

    /**
     * @param inner the exports inside each export
     * @param before the tree until now
     * @throws IOException if the directory of an export inside another cannot be found now, so that
     *     the rule of the outer one would apply to its files
     */
    PseudoTree(Collection<OpenExport> exports, Map<Export, InnerExports> inner, PseudoTree before)
            throws IOException {
        directories.put(root.id, root);
        nextCookie = before.nextCookie;
        for (var each : exports) {
            var path = PathName.of(each.export().name());
            var outer = outer(each, path, exports);
            if (outer.isPresent()) {
                cover(outer.get(), each, path);
            } else {
                add(each, path, before);
            }
        }
        for (var each : exports) {
            for (var found : inner.get(each.export()).byPath().entrySet()) {
                coverInner(each, found.getKey(), of(exports, found.getValue()));
            }
        }
        var misplaced = new HashSet<Integer>();
        covering.forEach(
                (place, each) -> {
                    if (place.id.equals(each.store().root())) {
                        inside.computeIfAbsent(place.export, _ -> new ArrayList<>()).add(each);
                    } else {
                        misplaced.add(place.export);
                    }
                });
        inside.keySet().removeAll(misplaced);
        changed = parents.keySet().equals(before.parents.keySet()) ? before.changed : later(before);
    }

    private static Time now() {
        var now = Clock.systemUTC().instant();
        return new Time(now.getEpochSecond(), now.getNano());
    }

    /** Returns the time, but in any case a later one than that of the tree before. */
    private static Time later(PseudoTree before) {
        var now = now();
        var last = before.changed;
        boolean isLater =
                now.seconds() > last.seconds()
                        || now.seconds() == last.seconds() && now.nanos() > last.nanos();
        if (isLater) {
            return now;
        }
        return last.nanos() + 1 < NANOS
                ? new Time(last.seconds(), last.nanos() + 1)
                : new Time(last.seconds() + 1, 0);
    }

    /** Returns when names came or went the last time. No two trees with other names have one. */
    public Time changed() {
        return changed;
    }

    private static OpenExport of(Collection<OpenExport> exports, Export wanted) {
        return exports.stream()
                .filter(each -> each.export().equals(wanted))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the narrowest other export that a path lies in. */
    private static Optional<OpenExport> outer(
            OpenExport export, PathName path, Collection<OpenExport> exports) {
        OpenExport found = null;
        for (var each : exports) {
            if (each != export
                    && path.below(PathName.of(each.export().name())).isPresent()
                    && (found == null
                            || each.export().name().length() > found.export().name().length())) {
                found = each;
            }
        }
        return Optional.ofNullable(found);
    }

    private void add(OpenExport export, PathName path, PseudoTree before) {
        var at = root;
        var here = PathName.of("/");
        var names = path.names();
        for (var name : names.subList(0, names.size() - 1)) {
            here = here.resolve(name);
            var parent = at;
            var below = here;
            if (!at.entries.containsKey(name)) {
                put(at, name, directory(below, Optional.of(parent)), before);
            }
            at = (Directory) at.entries.get(name);
            directories.put(at.id, at);
        }
        put(at, names.getLast(), new Junction(export), before);
        parents.put(export.number(), at);
    }

    private void put(Directory at, FileName name, Entry entry, PseudoTree before) {
        at.entries.put(name, entry);
        var known = before.find(at.id).flatMap(there -> there.cookie(name));
        at.byCookie.put(known.orElseGet(() -> nextCookie++), name);
    }

    /**
     * Makes an export begin wherever an outer one leads to its directory.
     *
     * @param path leads from the directory of the outer one to it
     */
    private void coverInner(OpenExport outer, Path path, OpenExport inner) throws IOException {
        // Two stores of one file system name a file alike, but one below a mount point may not.
        covering.putIfAbsent(new Place(outer.number(), inner.store().root()), inner);
        var id = outer.store().root();
        leading.add(new Place(outer.number(), id));
        for (var name : path) {
            try (var node = outer.store().node(id, Mounts.CROSS)) {
                id = node.lookup(new Caller.Server(), FileName.of(name.toString())).id();
                leading.add(new Place(outer.number(), id));
            } catch (StoreException failed) {
                requireHidden(failed, outer, inner);
                return;
            }
        }
        covering.putIfAbsent(new Place(outer.number(), id), inner);
    }

    /** Checks that clients of an export cannot find a directory either. */
    private static void requireHidden(StoreException failed, OpenExport outer, OpenExport inner)
            throws IOException {
        switch (failed.failure()) {
            case NOENT, NOTDIR, ACCES, PERM, STALE, XDEV, INVAL, NAMETOOLONG -> {}
            default ->
                    throw new IOException(
                            "cannot find "
                                    + inner.export().name()
                                    + " inside "
                                    + outer.export().name()
                                    + ": "
                                    + failed.getMessage());
        }
    }

    /** Finds the directory that an export hides; there need not be one. */
    private void cover(OpenExport outer, OpenExport inner, PathName path) {
        var below = path.below(PathName.of(outer.export().name())).orElseThrow();
        var parent = outer.store().root();
        var id = parent;
        leading.add(new Place(outer.number(), id));
        for (var name : below.names()) {
            try (var node = outer.store().node(id, Mounts.CROSS)) {
                parent = id;
                id = node.lookup(new Caller.Server(), name).id();
                leading.add(new Place(outer.number(), id));
            } catch (StoreException _) {
                // Clients of version 3 can mount it by its path; others do not see it.
                return;
            }
        }
        covered.put(inner.number(), new Covered(outer, parent, id));
        covering.put(new Place(outer.number(), id), inner);
    }

    private static Directory directory(PathName path, Optional<Directory> parent) {
        byte[] hash = hash(path);
        return new Directory(
                new FileId(hash), number(hash), parent, new HashMap<>(), new TreeMap<>());
    }

    /** Returns the inode number of the pseudo directory that the root of an export hides. */
    public static long number(OpenExport export) {
        return number(hash(PathName.of(export.export().name())));
    }

    /** Returns a positive number from a hash; some clients take inode numbers for signed. */
    private static long number(byte[] hash) {
        return ByteBuffer.wrap(hash).getLong() >>> 1;
    }

    private static byte[] hash(PathName path) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update("pseudo directory ".getBytes(StandardCharsets.US_ASCII));
            return Arrays.copyOf(digest.digest(path.bytes()), ID_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }

    public Directory root() {
        return root;
    }

    /**
     * Returns the directory of an identity; empty if the exports do not lead through it any more.
     */
    Optional<Directory> find(FileId id) {
        return Optional.ofNullable(directories.get(id));
    }

    /** Returns the directory that holds the root of an export; empty if an export hides it. */
    public Optional<Directory> parent(OpenExport export) {
        return Optional.ofNullable(parents.get(export.number()));
    }

    /** Returns the directory that the root of an export hides in another export. */
    public Optional<Covered> covered(OpenExport export) {
        return Optional.ofNullable(covered.get(export.number()));
    }

    /** Returns whether a directory of an export leads to the root of another export, or is it. */
    public boolean leadsToInner(OpenExport outer, FileId directory) {
        return leading.contains(new Place(outer.number(), directory));
    }

    /**
     * Returns the exports inside an export, if all of them begin at their own directories and
     * nowhere else; otherwise none.
     */
    List<OpenExport> beginningInside(OpenExport outer) {
        return inside.getOrDefault(outer.number(), List.of());
    }

    /** Returns whether an export has others inside. */
    boolean hasInner(OpenExport outer) {
        return leadsToInner(outer, outer.store().root());
    }

    /** Returns the export whose root hides a directory of another export. */
    public Optional<OpenExport> covering(OpenExport outer, FileId directory) {
        return covering.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(covering.get(new Place(outer.number(), directory)));
    }
}
