package io.github.rpcrdma4j.nfs.server.export;

import java.util.List;

/**
 * What is different after the exports of a server were replaced.
 *
 * @param added the names of the exports that are new
 * @param removed the names of those that are not served any more. An export whose directory, or
 *     whose inner exports have changed, is in both lists: its earlier file handles are stale
 * @param changed the names of those that stay with other rules
 * @param unchanged how many stay as they were
 * @param notes what stays as it was although something else is wanted; each is one line
 */
public record ExportChanges(
        List<String> added,
        List<String> removed,
        List<String> changed,
        int unchanged,
        List<String> notes) {
    public ExportChanges {
        added = List.copyOf(added);
        removed = List.copyOf(removed);
        changed = List.copyOf(changed);
        notes = List.copyOf(notes);
    }
}
