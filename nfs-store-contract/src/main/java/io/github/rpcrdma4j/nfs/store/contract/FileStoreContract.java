package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.Closeable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The behavior of every store; each kind of store is tested by a subclass. */
public abstract class FileStoreContract<P extends Closeable> extends XattrsContract<P> {
    private static final int OTHER_ID = 54321;

    /** Called by the test of a store. */
    protected FileStoreContract() {}

    @Test
    void directoriesAreListedFromAnyCookie() throws Exception {
        for (int i = 0; i < 200; i++) {
            create(root(), "file-" + i);
        }
        makeDirectory(root(), "directory");
        makeLink(root(), "link", "x");
        var all = list(root(), 0, Integer.MAX_VALUE, true);
        assertEquals(205, all.size());
        assertEquals(null, all.removeLast());
        assertEquals(204, new HashSet<>(all.stream().map(Listed::cookie).toList()).size());
        for (var each : all) {
            assertTrue(each.cookie() != 0);
            var found = at(root(), node -> node.lookup(caller(), each.name()));
            assertEquals(found.id(), each.entry().orElseThrow().id());
            assertEquals(found.status().number(), each.number());
            assertEquals(found.status().type(), each.entry().get().status().type());
        }
        for (int at = 0; at < all.size(); at += 7) {
            var rest = list(root(), all.get(at).cookie(), Integer.MAX_VALUE, false);
            var expected = all.subList(at + 1, all.size()).stream().map(Listed::name).toList();
            assertEquals(
                    expected, rest.subList(0, rest.size() - 1).stream().map(Listed::name).toList());
            assertTrue(rest.stream().allMatch(each -> each == null || each.entry().isEmpty()));
        }
        assertEquals(0, list(root(), 0, 0, false).size());
        assertEquals(3, list(root(), 0, 3, false).size());
    }

    /** Goal: who closes a node twice takes it from nobody else. */
    @Test
    void aNodeIsReleasedOnce() throws Exception {
        var file = create(root(), "file");
        try (var kept = store.node(file, Mounts.STAY)) {
            var other = store.node(file, Mounts.STAY);
            for (int i = 0; i < 3; i++) {
                other.close();
            }
            assertEquals(file, at(file, Node::id));
            assertEquals(kept.status(), at(file, Node::status));
        }
    }

    @Test
    void onlyDirectoriesAreListed() throws Exception {
        var directory = makeDirectory(root(), "directory");
        var empty = list(directory, 0, Integer.MAX_VALUE, true);
        var parents = new HashSet<FileId>();
        for (var each : empty.subList(0, 2)) {
            assertTrue(each.name().isDots());
            each.entry().ifPresent(entry -> parents.add(entry.id()));
        }
        assertEquals(3, empty.size());
        assertTrue(parents.contains(directory));
        var sink =
                new Node.EntrySink() {
                    @Override
                    public boolean add(
                            FileName name, long number, long cookie, Optional<Made.Entry> entry) {
                        throw new AssertionError("lists " + name);
                    }

                    @Override
                    public void end() {
                        throw new AssertionError("ends");
                    }
                };
        for (var file : List.of(create(root(), "file"), makeLink(root(), "link", "directory"))) {
            fails(Failure.NOTDIR, file, node -> node.list(caller(), 0, false, sink));
        }
        fails(Failure.BAD_COOKIE, directory, node -> node.list(caller(), -1, false, sink));
    }

    /**
     * Goal: every permanent file is listed exactly once, each other file at most once. Method:
     * other files come and go. A name that is gone does not come back: a store may list it again
     * then, at another place.
     */
    @Test
    void whatStaysIsListedOnce() throws Exception {
        var given = System.getProperty("seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var stays = new TreeSet<String>();
        for (int i = 0; i < 200; i++) {
            create(root(), "stays-" + i);
            stays.add("stays-" + i);
        }
        var passing = new ArrayList<String>();
        var listed = new ArrayList<String>();
        long cookie = 0;
        while (true) {
            var page = list(root(), cookie, 1 + random.nextInt(20), false);
            boolean ended = page.removeIf(each -> each == null);
            page.forEach(each -> listed.add(each.name().toString()));
            if (ended) {
                break;
            }
            cookie = page.getLast().cookie();
            comeAndGo(passing, random);
            if (random.nextInt(6) == 0) {
                reopen();
            }
        }
        assertEquals(listed.size(), new HashSet<>(listed).size(), "something is listed twice");
        listed.retainAll(stays);
        assertEquals(stays, new TreeSet<>(listed));
    }

    private void comeAndGo(List<String> passing, Random random) throws StoreException {
        for (int i = 0; i < 4; i++) {
            int at = random.nextInt(Math.max(passing.size(), 100));
            if (at < passing.size() && passing.get(at) != null) {
                remove(root(), passing.set(at, null));
            } else {
                passing.add("passing-" + passing.size());
                create(root(), passing.getLast());
            }
        }
    }

    /**
     * Goal: a change without concurrent changes reports the attributes from before and after it.
     */
    @Test
    void changesOfDirectoriesAreReported() throws Exception {
        var other = makeDirectory(root(), "other");
        var guarded = new Creation.Guarded(NONE);
        reportsChange(root(), () -> create(root(), name("file"), guarded));
        var file = lookup(root(), "file").id();
        reportsChange(
                root(),
                () ->
                        at(
                                root(),
                                n ->
                                        n.makeDirectory(
                                                caller(), name("d"), ofMode(0755), Storage.SYNC)));
        reportsChange(
                root(),
                () ->
                        at(
                                root(),
                                n ->
                                        n.makeSymbolicLink(
                                                caller(),
                                                name("l"),
                                                new byte[] {'x'},
                                                NONE,
                                                Storage.SYNC)));
        reportsChange(other, () -> link(file, other, "linked"));
        reportsChange(root(), () -> rename(root(), "file", root(), "renamed"));
        reportsChange(root(), () -> rename(root(), "l", other, "moved"));
        reportsChange(other, () -> rename(root(), "d", other, "d").value());
        reportsChange(root(), () -> remove(root(), "renamed"));
        reportsChange(other, () -> removeDirectory(other, "d"));
    }

    private void reportsChange(FileId directory, Callable<Changed<?>> change) throws Exception {
        var before = status(directory);
        var changed = change.call();
        assertEquals(Optional.of(before.changed()), changed.before().map(FileStatus::changed));
        assertEquals(Optional.of(before.modified()), changed.before().map(FileStatus::modified));
        assertEquals(Optional.of(before.size()), changed.before().map(FileStatus::size));
        assertEquals(
                Optional.of(status(directory).changed()), changed.after().map(FileStatus::changed));
    }

    @Test
    void oneOfManyMakesAFile() throws Exception {
        var all = new ArrayList<Future<Boolean>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 16; i++) {
                all.add(threads.submit(this::makes));
            }
        }
        int made = 0;
        for (var each : all) {
            made += each.get() ? 1 : 0;
        }
        assertEquals(1, made);
    }

    private boolean makes() {
        try {
            create(root(), "file");
            return true;
        } catch (StoreException failure) {
            assertEquals(Failure.EXIST, failure.failure());
            return false;
        }
    }

    /**
     * Goal: attributes from before a change hide no other change. Method: many threads change one
     * directory.
     */
    @Test
    void attributesFromBeforeAreReportedOnlyIfTheyAreSure() throws Exception {
        var reported = new ArrayList<Future<List<Changed<Made>>>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                var prefix = "file-" + i + "-";
                reported.add(threads.submit(() -> makeMany(prefix)));
            }
        }
        for (var each : reported) {
            for (var changed : each.get()) {
                assertTrue(changed.after().isPresent());
            }
        }
        assertEquals(80, names(root()).size());
        assertTrue(makeMany("last-").getFirst().before().isPresent());
    }

    private List<Changed<Made>> makeMany(String prefix) throws StoreException {
        var all = new ArrayList<Changed<Made>>();
        for (int i = 0; i < 10; i++) {
            all.add(create(root(), name(prefix + i), new Creation.Guarded(NONE)));
        }
        return all;
    }

    @Test
    void idsOutliveAStart() throws Exception {
        var root = root();
        var directory = makeDirectory(root, "directory");
        var file = create(directory, "file");
        var link = makeLink(directory, "link", "x");
        var number = status(file).number();
        reopen();
        assertEquals(root, root());
        assertEquals(number, status(file).number());
        assertEquals(link, lookup(directory, "link").id());
        remove(directory, "file");
        reopen();
        fails(Failure.STALE, file, Node::status);
        fails(Failure.STALE, file, Node::status);
    }

    @Test
    void idsOfOthersAreStale() {
        for (int length = 0; length <= FileId.BYTES_MAX; length++) {
            fails(Failure.STALE, new FileId(new byte[length]), Node::status);
        }
    }

    /** Goal: a store that decides by the rights of callers gives nobody what is another one's. */
    @Test
    void othersGetWhatTheModeSays() throws Exception {
        assumeTrue(store.actsForCallers() && has(Trait.MODES), "all callers have the same rights");
        var other = new Caller.User(OTHER_ID, OTHER_ID);
        change(root(), ofMode(0755));
        var hidden = makeDirectory(root(), "hidden");
        var secret = create(hidden, "secret");
        write(secret, 0, "hello");
        change(secret, ofMode(0600));
        var memory = Arena.ofAuto().allocate(9);
        var source = MemorySegment.ofArray(new byte[1]);
        fails(Failure.ACCES, secret, n -> n.read(other, 0, memory));
        fails(
                Failure.ACCES,
                secret,
                n -> n.write(other, 0, source, Stability.UNSTABLE, Storage.SYNC));
        fails(
                Failure.PERM,
                secret,
                n ->
                        n.setAttributes(
                                other,
                                Node.Basis.RIGHTS,
                                ofMode(0777),
                                Optional.empty(),
                                Storage.SYNC));
        fails(Failure.ACCES, hidden, n -> n.remove(other, name("secret"), Storage.SYNC));
        fails(
                Failure.ACCES,
                hidden,
                n -> n.create(other, name("new"), new Creation.Guarded(NONE), Storage.SYNC));
        fails(
                Failure.ACCES,
                root(),
                n -> n.rename(other, name("hidden"), n, name("x"), Storage.SYNC));
        change(hidden, ofMode(0711));
        assertEquals(secret, at(hidden, n -> n.lookup(other, name("secret"))).id());
        fails(Failure.ACCES, hidden, n -> n.list(other, 0, false, new Names()));
        change(hidden, ofMode(0744));
        fails(Failure.ACCES, hidden, n -> n.lookup(other, name("secret")));
        var listed = new Names();
        at(hidden, n -> n.list(other, 0, true, listed));
        assertTrue(listed.names.contains("secret"));
        assertEquals(List.of(), listed.found);
        assertEquals("hello", read(secret, 0, 9));
    }

    /** What a listing tells: the names, and the files that it finds by them. */
    private static final class Names implements Node.EntrySink {
        final List<String> names = new ArrayList<>();
        final List<FileId> found = new ArrayList<>();

        @Override
        public boolean add(FileName name, long number, long cookie, Optional<Made.Entry> entry) {
            names.add(name.toString());
            if (!name.isDots()) {
                entry.ifPresent(each -> found.add(each.id()));
            }
            return true;
        }

        @Override
        public void end() {}
    }

    @Test
    void aStoreSaysWhatItIs() {
        assertFalse(store.description().isBlank());
        assertFalse(store.description().contains("\n"));
    }
}
