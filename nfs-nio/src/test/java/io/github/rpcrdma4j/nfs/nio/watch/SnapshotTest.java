package io.github.rpcrdma4j.nfs.nio.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.nio.watch.Snapshot.Change;
import io.github.rpcrdma4j.nfs.nio.watch.Snapshot.Stamp;
import java.nio.file.StandardWatchEventKinds;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: two moments of a directory show what has changed. Method: a table of files. */
class SnapshotTest {
    private static final FileName NAME = FileName.of("name");
    private static final Instant TIME = Instant.ofEpochSecond(1_000_000);
    private static final Stamp FILE = new Stamp(1, 10, TIME, TIME);

    private static Set<Change> changes(Map<FileName, Stamp> before, Map<FileName, Stamp> after) {
        return new HashSet<>(new Snapshot(before).until(new Snapshot(after)));
    }

    @Test
    void whatIsTheSameShowsNoChange() {
        assertEquals(Set.of(), changes(Map.of(NAME, FILE), Map.of(NAME, FILE)));
    }

    @Test
    void namesComeAndGo() {
        var other = FileName.of("other");
        assertEquals(
                Set.of(
                        new Change(StandardWatchEventKinds.ENTRY_DELETE, NAME),
                        new Change(StandardWatchEventKinds.ENTRY_CREATE, other)),
                changes(Map.of(NAME, FILE), Map.of(other, FILE)));
    }

    @Test
    void eachAttributeShowsAChange() {
        var later = TIME.plusNanos(1);
        for (var stamp :
                List.of(
                        new Stamp(2, 10, TIME, TIME),
                        new Stamp(1, 11, TIME, TIME),
                        new Stamp(1, 10, later, TIME),
                        new Stamp(1, 10, TIME, later))) {
            assertEquals(
                    Set.of(new Change(StandardWatchEventKinds.ENTRY_MODIFY, NAME)),
                    changes(Map.of(NAME, FILE), Map.of(NAME, stamp)));
        }
    }
}
