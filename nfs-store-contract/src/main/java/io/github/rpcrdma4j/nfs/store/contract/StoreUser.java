package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A store and a caller, with operations that tests share.
 *
 * @param <P> where the files of the store are while it is closed, such as a directory
 */
public abstract class StoreUser<P extends Closeable> {
    /** Features that some stores or file systems lack. */
    public enum Trait {
        /** Permissions of at least 9 bits. */
        MODES,
        /** The number of names of a file. */
        LINK_COUNTS,
        /** Names of any bytes. */
        ANY_BYTES,
        /** FIFOs and sockets. */
        SPECIAL_FILES,
        /** Holes: files that are longer than their storage. */
        HOLES,
        /** Opens that go on against the mode. */
        OPENS,
        /** Storage, copies and locks of ranges. */
        RANGES
    }

    /** No change. */
    protected static final AttributeChanges NONE = AttributeChanges.NONE;

    /** Where the files are. */
    protected P place;

    /** The store of these files. */
    protected FileStore store;

    /** The write verifier of the store. */
    protected final WriteVerifier verifier = new WriteVerifier();

    /** Called by the test of a store. */
    protected StoreUser() {}

    /** Makes a place without files. */
    protected abstract P makePlace() throws IOException;

    /** Opens the store of the files of a place. */
    protected abstract FileStore open(P place, WriteVerifier verifier) throws IOException;

    /** Returns what the store has. Tests of what it has not are skipped, or expect a refusal. */
    protected abstract Set<Trait> traits();

    /** Returns a caller with all rights to the files. */
    protected Caller caller() {
        return new Caller.User(0, 0);
    }

    @BeforeEach
    void openStore() throws Exception {
        place = makePlace();
        store = open(place, verifier);
    }

    @AfterEach
    void closeStore() throws Exception {
        if (place != null) {
            store.close();
            place.close();
        }
    }

    /** Opens the store again, as after a restart of the server. */
    protected final void reopen() throws IOException {
        store.close();
        store = open(place, verifier);
    }

    /** Returns whether the store has something. */
    protected final boolean has(Trait trait) {
        return traits().contains(trait);
    }

    /**
     * An operation on a node.
     *
     * @param <R> what it returns
     */
    protected interface Step<R> {
        /** Runs it. */
        R run(Node node) throws StoreException;
    }

    /** Runs an operation on a file, and closes its node. */
    protected final <R> R at(FileId file, Step<R> step) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            return step.run(node);
        }
    }

    /** Checks how an operation on a file fails. */
    protected final void fails(Failure expected, FileId file, Step<?> step) {
        var failure = assertThrows(StoreException.class, () -> at(file, step));
        assertEquals(expected, failure.failure());
    }

    /** Returns a name of UTF-8. */
    protected static FileName name(String name) {
        return FileName.of(name);
    }

    /** Returns the root of the store. */
    protected final FileId root() {
        return store.root();
    }

    /** Returns the attributes of a file. */
    protected final FileStatus status(FileId file) throws StoreException {
        return at(file, Node::status);
    }

    /** Finds the file of a name. */
    protected final Node.Found lookup(FileId directory, String name) throws StoreException {
        return at(directory, node -> node.lookup(caller(), name(name)));
    }

    /** Returns the file that was made. */
    protected static FileId made(Changed<Made> changed) {
        return changed.value().made().orElseThrow().id();
    }

    /** Makes a regular file. */
    protected final Changed<Made> create(FileId directory, FileName name, Creation how)
            throws StoreException {
        return at(directory, node -> node.create(caller(), name, how, Storage.SYNC));
    }

    /** Makes a regular file of mode 0644, which must not exist. */
    protected final FileId create(FileId directory, String name) throws StoreException {
        return made(create(directory, name(name), new Creation.Guarded(ofMode(0644))));
    }

    /** Makes a directory of mode 0755. */
    protected final FileId makeDirectory(FileId directory, String name) throws StoreException {
        return made(
                at(
                        directory,
                        node ->
                                node.makeDirectory(
                                        caller(), name(name), ofMode(0755), Storage.SYNC)));
    }

    /** Makes a symbolic link with a text. */
    protected final FileId makeLink(FileId directory, String name, String text)
            throws StoreException {
        return made(
                at(
                        directory,
                        node ->
                                node.makeSymbolicLink(
                                        caller(),
                                        name(name),
                                        text.getBytes(StandardCharsets.UTF_8),
                                        NONE,
                                        Storage.SYNC)));
    }

    /** Removes a name of a file. */
    protected final Changed<Void> remove(FileId directory, String name) throws StoreException {
        return at(directory, node -> node.remove(caller(), name(name), Storage.SYNC));
    }

    /** Removes an empty directory. */
    protected final Changed<Void> removeDirectory(FileId directory, String name)
            throws StoreException {
        return at(directory, node -> node.removeDirectory(caller(), name(name), Storage.SYNC));
    }

    /** Gives a file another name, in a directory of the store. */
    protected final Changed<Changed<Void>> rename(
            FileId from, String name, FileId to, String newName) throws StoreException {
        return at(
                from,
                node ->
                        at(
                                to,
                                target ->
                                        node.rename(
                                                caller(),
                                                name(name),
                                                target,
                                                name(newName),
                                                Storage.SYNC)));
    }

    /** Checks how a rename fails. */
    protected final void renameFails(
            Failure expected, FileId from, String name, FileId to, String newName) {
        var failure = assertThrows(StoreException.class, () -> rename(from, name, to, newName));
        assertEquals(expected, failure.failure());
    }

    /** Gives a file a further name. */
    protected final Changed<FileStatus> link(FileId file, FileId directory, String name)
            throws StoreException {
        return at(
                file,
                linked ->
                        at(
                                directory,
                                node -> node.link(caller(), linked, name(name), Storage.SYNC)));
    }

    /** Sets attributes. */
    protected final Changed<Void> change(FileId file, AttributeChanges changes)
            throws StoreException {
        return at(
                file,
                node ->
                        node.setAttributes(
                                caller(), Basis.RIGHTS, changes, Optional.empty(), Storage.SYNC));
    }

    /** Returns a change of the mode alone. */
    protected static AttributeChanges ofMode(int mode) {
        return new AttributeChanges(
                OptionalInt.of(mode),
                NONE.uid(),
                NONE.gid(),
                NONE.size(),
                NONE.accessed(),
                NONE.modified());
    }

    /** Returns a change of the size alone. */
    protected static AttributeChanges ofSize(long size) {
        return new AttributeChanges(
                NONE.mode(),
                NONE.uid(),
                NONE.gid(),
                OptionalLong.of(size),
                NONE.accessed(),
                NONE.modified());
    }

    /** Returns a change of the times alone. */
    protected static AttributeChanges ofTimes(TimeChange accessed, TimeChange modified) {
        return new AttributeChanges(
                NONE.mode(), NONE.uid(), NONE.gid(), NONE.size(), accessed, modified);
    }

    /** Writes a text of UTF-8 at an offset in bytes. */
    protected final Changed<Node.Written> write(FileId file, long offset, String text)
            throws StoreException {
        var source = MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
        return at(
                file,
                node -> node.write(caller(), offset, source, Stability.UNSTABLE, Storage.SYNC));
    }

    /** Reads a text of UTF-8 at an offset in bytes. */
    protected final String read(FileId file, long offset, int bytes) throws StoreException {
        try (var arena = Arena.ofConfined()) {
            var target = arena.allocate(bytes);
            int read = at(file, node -> node.read(caller(), offset, target)).bytes();
            return new String(
                    target.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    /**
     * An entry of a listing.
     *
     * @param name of the file
     * @param number the inode number
     * @param cookie where a later listing goes on
     * @param entry the file, if details were asked for
     */
    protected record Listed(FileName name, long number, long cookie, Optional<Made.Entry> entry) {}

    /**
     * Returns up to {@code max} entries after a cookie; a final null marks the end of the
     * directory.
     */
    protected final List<Listed> list(FileId directory, long cookie, int max, boolean details)
            throws StoreException {
        var entries = new ArrayList<Listed>();
        at(
                directory,
                node ->
                        node.list(
                                caller(),
                                cookie,
                                details,
                                new Node.EntrySink() {
                                    @Override
                                    public boolean add(
                                            FileName name,
                                            long number,
                                            long next,
                                            Optional<Made.Entry> entry) {
                                        if (entries.size() == max) {
                                            return false;
                                        }
                                        return entries.add(new Listed(name, number, next, entry));
                                    }

                                    @Override
                                    public void end() {
                                        entries.add(null);
                                    }
                                }));
        return entries;
    }

    /** Returns all names but {@code .} and {@code ..}, sorted. */
    protected final List<String> names(FileId directory) throws StoreException {
        var all = list(directory, 0, Integer.MAX_VALUE, false);
        return all.subList(0, all.size() - 1).stream()
                .map(Listed::name)
                .filter(name -> !name.isDots())
                .map(FileName::toString)
                .sorted()
                .toList();
    }
}
