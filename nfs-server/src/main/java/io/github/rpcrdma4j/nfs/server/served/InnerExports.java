package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The exports whose directories lie inside the directory of another one. Their names may lie
 * elsewhere.
 *
 * @param byPath by the path of their directory from the outer one; of several with one directory,
 *     the first
 */
record InnerExports(Map<Path, Export> byPath) {
    /**
     * Finds the exports inside one.
     *
     * @throws IOException if the directory of an export cannot be found, or if an export that says
     *     that nothing else uses its directory is not the only one with it; the message is one line
     */
    static InnerExports of(Export outer, Collection<Export> all) throws IOException {
        return switch (outer.files()) {
            case ExportedFiles.OfDirectory(var root) -> below(root.toRealPath(), outer, all);
            case ExportedFiles.OfStore store -> {
                for (var each : all) {
                    if (each.files().equals(store)) {
                        requireShareable(outer, each);
                    }
                }
                yield new InnerExports(Map.of());
            }
        };
    }

    private static InnerExports below(Path around, Export outer, Collection<Export> all)
            throws IOException {
        var found = new TreeMap<Path, Export>();
        for (var each : all) {
            if (each.files() instanceof ExportedFiles.OfDirectory(var root)
                    && root.getFileSystem().equals(around.getFileSystem())) {
                var real = root.toRealPath();
                // The same directory may be mounted at two places.
                if (Files.isSameFile(real, around)) {
                    requireShareable(outer, each);
                } else if (real.startsWith(around)) {
                    found.putIfAbsent(around.relativize(real), each);
                }
            }
        }
        return new InnerExports(found);
    }

    /** Without kernel leases, what is done by one of two exports recalls nothing in the other. */
    private static void requireShareable(Export export, Export other) throws IOException {
        if (other != export && export.delegations() == Delegations.EXCLUSIVE) {
            throw new IOException(
                    "the exports "
                            + export.name()
                            + " and "
                            + other.name()
                            + " have one directory: then it is not for one of them exclusively, and"
                            + " delegations need kernel leases");
        }
    }

    /**
     * Returns what belongs to the number of the outer export in handles: the paths. A client may
     * have handles of files that lie inside an inner export by now, and they say nothing of it. So
     * they are stale when an inner export comes, goes or moves.
     */
    String mark() {
        var mark = new StringBuilder();
        byPath.keySet().forEach(each -> mark.append('\0').append(each));
        return mark.toString();
    }
}
