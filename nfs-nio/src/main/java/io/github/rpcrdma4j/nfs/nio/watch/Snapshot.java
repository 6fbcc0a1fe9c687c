package io.github.rpcrdma4j.nfs.nio.watch;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.nio.tree.DirectoryNames;
import java.io.IOException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of a directory at one moment, with what shows that a file has changed. Immutable.
 *
 * <p>Tests: {@code SnapshotTest}.
 */
record Snapshot(Map<FileName, Stamp> files) {
    /** What differs after a change of a file, of its attributes, or of the file of a name. */
    record Stamp(long fileId, long size, Instant modified, Instant changed) {
        static Stamp of(FileAttributes file) {
            return new Stamp(file.fileId(), file.size(), file.modified(), file.changed());
        }
    }

    /** A change of a name: one of the kinds of {@link StandardWatchEventKinds}. */
    record Change(WatchEvent.Kind<?> kind, FileName name) {}

    /** Reads a directory to its end. */
    static Snapshot of(DirectoryNames names) throws IOException {
        var files = new HashMap<FileName, Stamp>();
        for (var each = names.next(); each != null; each = names.next()) {
            files.put(each.name(), Stamp.of(each.attributes()));
        }
        return new Snapshot(files);
    }

    /** Returns what has changed until a later moment: removals first. */
    List<Change> until(Snapshot later) {
        var changes = new ArrayList<Change>();
        for (var name : files.keySet()) {
            if (!later.files.containsKey(name)) {
                changes.add(new Change(StandardWatchEventKinds.ENTRY_DELETE, name));
            }
        }
        for (var each : later.files.entrySet()) {
            var before = files.get(each.getKey());
            if (before == null) {
                changes.add(new Change(StandardWatchEventKinds.ENTRY_CREATE, each.getKey()));
            } else if (!before.equals(each.getValue())) {
                changes.add(new Change(StandardWatchEventKinds.ENTRY_MODIFY, each.getKey()));
            }
        }
        return changes;
    }
}
