package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.PathName;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The export that holds a path.
 *
 * @param exports those of the server; in version 4 the directories on the path at which a file
 *     system begins
 * @param path of the export
 * @param root its directory, as it was when it was mounted
 * @param limits of its file system; empty if they were not asked for
 */
public record MountedExport(
        List<PathName> exports, PathName path, RemoteFile root, Optional<TransferLimits> limits) {
    private static final int EXPORTS_SHOWN = 5;

    /** Copies the list. */
    public MountedExport {
        exports = List.copyOf(exports);
    }

    /** Mounts an export: the one with the longest path among those that hold a path. */
    static MountedExport of(FileService service, PathName path)
            throws IOException, InterruptedException {
        var exports = service.exports(path);
        var export =
                longest(exports, path)
                        .orElseThrow(
                                () ->
                                        new IOException(
                                                "no export contains "
                                                        + path.escaped()
                                                        + listed(exports)));
        var handle = service.mount(export);
        var attributes = service.attributes(handle, "cannot stat " + export.escaped());
        return new MountedExport(
                exports, export, new RemoteFile(handle, attributes), Optional.empty());
    }

    /** Returns the export with the longest path among those that hold a path. */
    public static Optional<PathName> longest(List<PathName> exports, PathName path) {
        return exports.stream()
                .filter(each -> path.below(each).isPresent())
                .max(Comparator.comparingInt(PathName::length));
    }

    /** Returns the end of the message: the exports that there are. */
    private static String listed(List<PathName> exports) {
        if (exports.isEmpty()) {
            return ": the server exports nothing to this client";
        }
        var shown =
                exports.stream()
                        .limit(EXPORTS_SHOWN)
                        .map(PathName::escaped)
                        .collect(Collectors.joining(", "));
        int more = exports.size() - EXPORTS_SHOWN;
        return "; the server exports " + shown + (more > 0 ? " and " + more + " more" : "");
    }

    /** Returns whether a path lies in this export, and in no export inside it. */
    public boolean holds(PathName other) {
        return longest(exports, other).filter(path::equals).isPresent();
    }
}
