package io.github.rpcrdma4j.nfs.directories.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Goal: the index finds all files with less memory than there are files, and with few walks. */
class NodeIndexTest {
    private static final int KNOWN_MAX = 30;
    private static final int DEEP = 20_000;

    /** The entries of each directory by name. 0 is the root; files have negative numbers. */
    private final Map<Integer, Map<String, Integer>> tree = new HashMap<>();

    private final AtomicLong now = new AtomicLong(1_000);

    /** The time to list a directory. */
    private long listNanos;

    private Optional<Failure> broken = Optional.empty();

    private void list(Integer directory, NodeIndex.Sink<Integer> sink) throws StoreException {
        now.addAndGet(listNanos);
        if (broken.isPresent()) {
            throw new StoreException(broken.get());
        }
        for (var entry : new LinkedHashMap<>(tree.get(directory)).entrySet()) {
            var name = FileName.of(entry.getKey());
            if (!sink.add(name, entry.getValue(), entry.getValue() >= 0)) {
                return;
            }
        }
    }

    private NodeIndex<Integer> index(int nodesMax) {
        return new NodeIndex<>(0, this::list, nodesMax, now::get);
    }

    /** Makes nested directories, each with more files than the index holds. */
    private List<Integer> grow() {
        var all = new ArrayList<Integer>();
        tree.put(0, new TreeMap<>(Map.of("directory", 1)));
        for (int depth = 1; depth <= 4; depth++) {
            var entries = new TreeMap<String, Integer>();
            for (int i = 0; i < 2 * KNOWN_MAX; i++) {
                entries.put("file-" + i, -depth * 1000 - i);
            }
            if (depth < 4) {
                entries.put("directory", depth + 1);
            }
            tree.put(depth, entries);
            all.add(depth);
            all.addAll(entries.values());
        }
        return all;
    }

    private static List<FileName> path(String path) {
        return List.of(path.split("/")).stream().map(FileName::of).toList();
    }

    private static Failure failure(NodeIndex<Integer> index, int file) {
        return assertThrows(StoreException.class, () -> index.find(file)).failure();
    }

    private static List<FileName> where(NodeIndex<Integer> index, int file) throws Exception {
        index.find(file);
        return index.names(file).orElseThrow();
    }

    private void isWhereItIs(NodeIndex<Integer> index, int file) throws Exception {
        int at = 0;
        for (var name : where(index, file)) {
            at = tree.get(at).get(name.toString());
        }
        assertEquals(file, at);
    }

    @Test
    void findsAllByWalkingOnce() throws Exception {
        var files = grow();
        var index = index(2 * files.size());
        for (var file : files) {
            isWhereItIs(index, file);
        }
        assertEquals(path("directory/directory/file-1"), where(index, -2001));
        assertEquals(
                Optional.of(new NodeIndex.DirectoryEntry<>(2, FileName.of("file-1"))),
                index.entry(-2001));
        assertEquals(Optional.empty(), index.entry(0));
        assertEquals(List.of(), where(index, 0));
        assertEquals(Failure.STALE, failure(index, -1));
        assertEquals(1, index.walks());
    }

    @Test
    void findsAllEvenIfItCannotKnowAll() throws Exception {
        var files = grow();
        var used = index(KNOWN_MAX);
        for (var file : files) {
            isWhereItIs(used, file);
            // The index also holds the directories on the path.
            assertTrue(used.size() <= KNOWN_MAX + 5, () -> "knows " + used.size());
            // A walk sees some files early, and must not drop the wanted one before its end.
            isWhereItIs(index(KNOWN_MAX), file);
        }
        assertTrue(used.walks() > 1);
    }

    @Test
    void walksOnlyOnceForAMissingFile() throws Exception {
        grow();
        var index = index(KNOWN_MAX);
        for (int i = 0; i < 10; i++) {
            assertEquals(Failure.STALE, failure(index, -1));
        }
        assertEquals(1, index.walks());
        // The file exists again, and a lookup found it.
        index.learn(0, FileName.of("back"), -1, false);
        assertEquals(path("back"), where(index, -1));
    }

    @Test
    void asksNoDiskForWhatWasRemoved() throws Exception {
        var index = index(KNOWN_MAX);
        index.learn(0, FileName.of("file"), -1, false);
        index.forget(0, FileName.of("file"), -1, true);
        assertEquals(Failure.STALE, failure(index, -1));
        assertEquals(0, index.walks());
    }

    @Test
    void movesDirectoriesWithAllThatIsInThem() throws Exception {
        var files = grow();
        var index = index(2 * files.size());
        index.find(1);
        index.learn(0, FileName.of("moved"), 1, true);
        assertEquals(path("moved/directory/file-1"), where(index, -2001));
        index.learn(0, FileName.of("top"), -2001, false);
        assertEquals(path("top"), where(index, -2001));
        index.learn(0, FileName.of("again"), 1, true);
        assertEquals(path("again/directory/file-2"), where(index, -2002));
        // A directory is never put below itself, even if a corrupt file system reports this.
        index.learn(2, FileName.of("loop"), 1, true);
        assertEquals(path("again"), where(index, 1));
    }

    @Test
    void remembersTheNamesOfAFile() throws Exception {
        tree.put(0, Map.of());
        var index = index(KNOWN_MAX);
        for (int i = 0; i < NodeIndex.NAMES_MAX; i++) {
            index.learn(0, FileName.of("name-" + i), -1, false);
        }
        // The names are removed in any order; the last of them is not the current one.
        for (int i = NodeIndex.NAMES_MAX - 1; i > 0; i -= 2) {
            index.forget(0, FileName.of("name-" + i), -1, false);
            index.find(-1);
        }
        index.forget(0, FileName.of("name-0"), -1, false);
        assertEquals(path("name-6"), where(index, -1));
        assertTrue(index.misplaced(-1, FileName.of("name-6")));
        assertEquals(path("name-4"), where(index, -1));
        assertTrue(index.misplaced(-1, FileName.of("name-4")));
        assertFalse(index.misplaced(-1, FileName.of("name-2")), "there was another");
        assertEquals(0, index.walks());
        index.forget(0, FileName.of("name-2"), -1, false);
        assertEquals(Failure.STALE, failure(index, -1));
        assertEquals(1, index.walks());
    }

    @Test
    void boundsTheNamesOfAFile() throws Exception {
        tree.put(0, Map.of());
        var index = index(KNOWN_MAX);
        for (int i = 0; i < 100; i++) {
            index.learn(0, FileName.of("name-" + i), -1, false);
        }
        int names = 1;
        while (index.misplaced(-1, index.names(-1).orElseThrow().getLast())) {
            names++;
        }
        assertEquals(NodeIndex.NAMES_MAX, names);
        // The names of all files together are bounded too.
        for (int i = 0; i < KNOWN_MAX - 2; i++) {
            for (int name = 0; name < 3; name++) {
                index.learn(0, FileName.of(i + "-" + name), -10 - i, false);
            }
        }
        int others = 0;
        for (int i = 0; i < KNOWN_MAX - 2; i++) {
            while (index.misplaced(-10 - i, index.names(-10 - i).orElseThrow().getLast())) {
                others++;
            }
        }
        assertTrue(others <= KNOWN_MAX, "others: " + others);
    }

    /**
     * Goal: no client can keep a processor busy by requests. Method: a clock that advances during
     * walks.
     */
    @Test
    void restsAfterAWalkForTenTimesAsLong() throws Exception {
        grow();
        listNanos = 20;
        var index = index(KNOWN_MAX);
        long started = now.get();
        assertEquals(Failure.STALE, failure(index, -1));
        long took = now.get() - started;
        assertEquals(5 * listNanos, took);
        int unknown = -1003;
        index.forget(1, FileName.of("file-3"), unknown, false);
        while (index.names(unknown).isPresent()) {
            unknown--;
        }
        assertEquals(Failure.AGAIN, failure(index, unknown));
        now.addAndGet(10 * took - 1);
        assertEquals(Failure.AGAIN, failure(index, unknown));
        // Known files, and files known to be gone, need no walk.
        index.find(0);
        assertEquals(Failure.STALE, failure(index, -1));
        assertEquals(1, index.walks());
        now.addAndGet(1);
        isWhereItIs(index, unknown);
        assertEquals(2, index.walks());
    }

    @Test
    void knowsTreesOfAnyDepth() throws Exception {
        for (int depth = 0; depth < DEEP; depth++) {
            tree.put(depth, Map.of("d", depth + 1));
        }
        tree.put(DEEP, Map.of("file", -1));
        for (int nodesMax : new int[] {NodeIndex.NODES_MAX, KNOWN_MAX}) {
            var index = index(nodesMax);
            assertEquals(DEEP + 1, where(index, -1).size());
            index.learn(0, FileName.of("top"), DEEP / 2, true);
            assertEquals(DEEP / 2 + 2, where(index, -1).size());
            index.learn(DEEP, FileName.of("loop"), DEEP / 2, true);
            assertEquals(1, where(index, DEEP / 2).size());
        }
    }

    @Test
    void saysNothingIsGoneThatAWalkDidNotSee() throws Exception {
        grow();
        var index = index(NodeIndex.NODES_MAX);
        broken = Optional.of(Failure.IO);
        assertEquals(Failure.AGAIN, failure(index, -1001));
        broken = Optional.of(Failure.ACCES);
        assertEquals(Failure.STALE, failure(index, -1001));
        broken = Optional.empty();
        isWhereItIs(index(NodeIndex.NODES_MAX), -1001);
    }

    /**
     * Goal: a file is not declared gone if a directory moved during the walk, which may have missed
     * it.
     */
    @Test
    void saysNothingIsGoneThatMovedMeanwhile() throws Exception {
        grow();
        var holder = new ArrayList<NodeIndex<Integer>>();
        var index =
                new NodeIndex<Integer>(
                        0,
                        (directory, sink) -> {
                            list(directory, sink);
                            if (directory == 1) {
                                holder.getFirst().learn(0, FileName.of("away"), 2, true);
                                tree.get(1).remove("directory");
                                tree.put(0, Map.of("directory", 1, "away", 2));
                                tree.put(2, Map.of());
                            }
                        },
                        NodeIndex.NODES_MAX,
                        now::get);
        holder.add(index);
        assertEquals(Failure.AGAIN, failure(index, -2001));
        assertEquals(Failure.STALE, failure(index, -2001));
    }

    /** Goal: calls for known files do not wait for a walk. Method: a blocked walk. */
    @Test
    void holdsNoCallUpThatNeedsNoWalk() throws Exception {
        grow();
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var index =
                new NodeIndex<Integer>(
                        0,
                        (directory, sink) -> {
                            begun.countDown();
                            try {
                                goOn.await();
                            } catch (InterruptedException broken) {
                                throw new AssertionError(broken);
                            }
                            list(directory, sink);
                        },
                        NodeIndex.NODES_MAX);
        index.learn(0, FileName.of("known"), -7, false);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var walk = threads.submit(() -> where(index, -1001));
            begun.await();
            assertEquals(path("known"), where(index, -7));
            // Another call that needs the walk waits for a limited time.
            assertEquals(Failure.AGAIN, failure(index, -1002));
            var waiting = threads.submit(() -> where(index, -1002));
            goOn.countDown();
            assertEquals(path("directory/file-1"), walk.get());
            assertEquals(path("directory/file-2"), waiting.get());
            assertEquals(1, index.walks());
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void endsAWalkWhenItIsClosed() throws Exception {
        var begun = new CountDownLatch(1);
        var index =
                new NodeIndex<Integer>(
                        0,
                        (directory, sink) -> {
                            begun.countDown();
                            for (int i = 1; sink.add(FileName.of("" + i), -i, false); i++) {
                                Thread.yield();
                            }
                        },
                        KNOWN_MAX);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var walk = threads.submit(() -> failure(index, 1));
            begun.await();
            index.close();
            assertEquals(Failure.AGAIN, walk.get());
        }
        assertEquals(Failure.AGAIN, failure(index, 2));
    }
}
