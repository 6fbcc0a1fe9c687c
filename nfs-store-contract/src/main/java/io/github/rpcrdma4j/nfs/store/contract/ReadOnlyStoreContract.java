package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.Place;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.XattrRule;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.Closeable;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The behavior of every store that cannot be changed; each kind is tested by a subclass. Its place
 * has a directory {@code directory} with the file {@code file}, whose text is {@code hello}, and
 * nothing else.
 */
public abstract class ReadOnlyStoreContract<P extends Closeable> extends StoreUser<P> {
    /** Called by the test of a store. */
    protected ReadOnlyStoreContract() {}

    @Override
    protected final Set<Trait> traits() {
        return Set.of();
    }

    private FileId directory() throws StoreException {
        return lookup(root(), "directory").id();
    }

    private FileId file() throws StoreException {
        return lookup(directory(), "file").id();
    }

    @Test
    void filesAreFoundAndRead() throws Exception {
        assertEquals(List.of("directory"), names(root()));
        assertEquals(List.of("file"), names(directory()));
        assertEquals(root(), lookup(directory(), "..").id());
        assertEquals(5, status(file()).size());
        assertEquals("hello", read(file(), 0, 9));
        assertEquals("ell", read(file(), 1, 3));
        assertEquals("", read(file(), 5, 1));
        fails(Failure.NOENT, root(), node -> node.lookup(caller(), name("missing")));
        fails(Failure.NOTDIR, file(), node -> node.lookup(caller(), name("file")));
    }

    @Test
    void filesKeepTheirIdentity() throws Exception {
        var before = List.of(root(), directory(), file());
        reopen();
        assertEquals(before, List.of(root(), directory(), file()));
        assertEquals("hello", read(before.getLast(), 0, 9));
        byte[] other = before.getLast().bytes().clone();
        other[other.length - 1] ^= 0x55;
        fails(Failure.STALE, new FileId(other), Node::status);
    }

    /** Goal: a client sees that nothing can be changed, before it tries. */
    @Test
    void eachFileSaysThatItCannotBeChanged() throws Exception {
        for (var each : List.of(root(), directory(), file())) {
            assertTrue(at(each, Node::isReadOnly));
        }
        int granted = at(file(), n -> n.access(caller(), Node.READ));
        assertEquals(Node.READ, granted);
    }

    /** Goal: a change that a client asks for all the same is refused for that reason. */
    @Test
    void everyChangeIsRefused() throws Exception {
        var before = List.of(status(root()), status(directory()), status(file()));
        changesOfDirectories()
                .forEach((change, step) -> assertEquals(Failure.ROFS, failure(step), change));
        changesOfFiles()
                .forEach((change, step) -> assertEquals(Failure.ROFS, failure(step), change));
        assertEquals(before, List.of(status(root()), status(directory()), status(file())));
        assertEquals(List.of("file"), names(directory()));
        assertEquals("hello", read(file(), 0, 9));
    }

    /** A change of the file in the directory. */
    private interface Change {
        Object run(Node directory, Node file) throws StoreException;
    }

    /** Returns how a change fails; null if it does not. */
    private Failure failure(Change change) {
        try (var directory = store.node(directory(), Mounts.STAY);
                var file = store.node(file(), Mounts.STAY)) {
            change.run(directory, file);
            return null;
        } catch (StoreException refused) {
            return refused.failure();
        }
    }

    private Map<String, Change> changesOfDirectories() {
        var all = new LinkedHashMap<String, Change>();
        var made = name("made");
        var file = name("file");
        var how = new Creation.Guarded(ofMode(0644));
        var sync = Storage.SYNC;
        var fifo = new SpecialFile.Fifo();
        all.put("create", (d, _) -> d.create(caller(), made, how, sync));
        all.put("makeDirectory", (d, _) -> d.makeDirectory(caller(), made, NONE, sync));
        all.put(
                "makeSymbolicLink",
                (d, _) -> d.makeSymbolicLink(caller(), made, new byte[] {'x'}, NONE, sync));
        all.put("makeSpecialFile", (d, _) -> d.makeSpecialFile(caller(), made, fifo, NONE, sync));
        all.put("link", (d, f) -> d.link(caller(), f, made, sync));
        all.put("remove", (d, _) -> d.remove(caller(), file, sync));
        all.put(
                "removeDirectory",
                (_, _) -> at(root(), n -> n.removeDirectory(caller(), name("directory"), sync)));
        all.put("rename", (d, _) -> d.rename(caller(), file, d, made, sync));
        return all;
    }

    private Map<String, Change> changesOfFiles() {
        var all = new LinkedHashMap<String, Change>();
        var xattr = name("xattr");
        var sync = Storage.SYNC;
        var source = MemorySegment.ofArray(new byte[] {'x'});
        var now = ofTimes(new TimeChange.Now(), new TimeChange.Now());
        for (var changes :
                Map.of("mode", ofMode(0600), "size", ofSize(1), "times", now).entrySet()) {
            all.put(
                    "setAttributes of " + changes.getKey(),
                    (_, f) ->
                            f.setAttributes(
                                    caller(),
                                    Basis.RIGHTS,
                                    changes.getValue(),
                                    Optional.empty(),
                                    sync));
        }
        all.put("write", (_, f) -> f.write(caller(), 0, source, Stability.FILE_SYNC, sync));
        all.put("allocate", (_, f) -> f.allocate(caller(), 0, 1, sync));
        all.put("deallocate", (_, f) -> f.deallocate(caller(), 0, 1, sync));
        all.put("copyRange", (_, f) -> f.copyRange(caller(), 0, 1, new Place(f, 5)));
        all.put("cloneRange", (_, f) -> f.cloneRange(caller(), 0, 0, new Place(f, 5), sync));
        all.put(
                "setXattr",
                (_, f) -> f.setXattr(caller(), xattr, new byte[1], XattrRule.EITHER, sync));
        all.put("removeXattr", (_, f) -> f.removeXattr(caller(), xattr, sync));
        return all;
    }
}
