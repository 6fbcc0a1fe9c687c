package io.github.rpcrdma4j.cli.hostile;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.mount.Mount3.ExportEntry;
import java.util.ArrayList;
import java.util.List;

/** Makes invalid or unusual lists of exports and results of mounts. */
final class FalseMounts {
    private static final int UNKNOWN_STATUS = 4711;

    private FalseMounts() {}

    /** Lists other exports besides the real one. */
    static Deviations exports(String... others) {
        var exports = new ArrayList<ExportEntry>();
        for (var other : others) {
            exports.add(new ExportEntry(PathName.of(other), List.of(other, "group")));
        }
        exports.add(new ExportEntry(PathName.of("/data"), List.of("\u001b[2Jall")));
        return exports(exports);
    }

    private static Deviations exports(List<ExportEntry> exports) {
        return Deviations.mount(
                (procedure, out) -> {
                    if (procedure != Mount3.Procedure.EXPORT) {
                        return false;
                    }
                    ExportEntry.encode(out, exports);
                    return true;
                });
    }

    /** Lists one export whose path has the given number of bytes. */
    static Deviations longPath(int bytes) {
        return exports(List.of(new ExportEntry(PathName.of("/".repeat(bytes)), List.of())));
    }

    static Deviations many(int count) {
        var exports = new ArrayList<ExportEntry>();
        for (int i = 0; i < count; i++) {
            exports.add(new ExportEntry(PathName.of("/" + i), List.of()));
        }
        return exports(exports);
    }

    static Deviations handle(int bytes, int length) {
        return Deviations.mount(
                (procedure, out) -> {
                    if (procedure != Mount3.Procedure.MNT) {
                        return false;
                    }
                    out.uint32(0).uint32(length).fixedOpaque(new byte[bytes]);
                    out.uint32(1).uint32(1);
                    return true;
                });
    }

    static Deviations flavors(int count) {
        return Deviations.mount(
                (procedure, out) -> {
                    if (procedure != Mount3.Procedure.MNT) {
                        return false;
                    }
                    out.uint32(0).opaque(HonestFiles.ROOT.bytes()).uint32(count).uint32(1);
                    return true;
                });
    }

    static Deviations status() {
        return Deviations.mount(
                (procedure, out) -> {
                    if (procedure != Mount3.Procedure.MNT) {
                        return false;
                    }
                    out.uint32(UNKNOWN_STATUS);
                    return true;
                });
    }

    static Deviations silent() {
        return Deviations.mount((_, _) -> Deviations.never());
    }
}
