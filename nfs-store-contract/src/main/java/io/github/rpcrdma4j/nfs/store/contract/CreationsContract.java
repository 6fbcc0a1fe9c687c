package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import java.io.Closeable;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The behavior of every store for the creations of NFS version 4, and for parents. */
public abstract class CreationsContract<P extends Closeable> extends NamesContract<P> {
    private static final int DEPTH = 20;

    private static AttributeChanges ofModeAndUmask(int mode, int umask) {
        return new AttributeChanges(
                OptionalInt.of(mode),
                OptionalInt.of(umask),
                NONE.uid(),
                NONE.gid(),
                NONE.size(),
                Optional.empty(),
                NONE.accessed(),
                NONE.modified());
    }

    /** Called by the test of a store. */
    protected CreationsContract() {}

    @Test
    void aCreationTellsWhetherItMadeTheFile() throws Exception {
        var unchecked = new Creation.Unchecked(NONE);
        assertTrue(create(root(), name("unchecked"), unchecked).value().isNew());
        assertFalse(create(root(), name("unchecked"), unchecked).value().isNew());
        var guarded = new Creation.Guarded(NONE);
        assertTrue(create(root(), name("guarded"), guarded).value().isNew());
        assertFalse(create(root(), name("guarded"), unchecked).value().isNew());
        var exclusive = new Creation.Exclusive(17);
        assertTrue(create(root(), name("exclusive"), exclusive).value().isNew());
        // The call is repeated because its reply was lost, or made by another caller.
        assertFalse(create(root(), name("exclusive"), exclusive).value().isNew());
        assertFalse(create(root(), name("exclusive"), unchecked).value().isNew());
        var directory =
                at(
                        root(),
                        node ->
                                node.makeDirectory(
                                        caller(), name("directory"), NONE, Storage.SYNC));
        assertTrue(directory.value().isNew());
    }

    @Test
    void theUmaskOfACallerTakesBitsFromTheModeOfANewFile() throws Exception {
        assumeTrue(has(Trait.MODES), "there are no modes here");
        var wanted = ofModeAndUmask(0777, 027);
        var guarded = create(root(), name("guarded"), new Creation.Guarded(wanted));
        assertEquals(0750, status(made(guarded)).mode());
        var unchecked = create(root(), name("unchecked"), new Creation.Unchecked(wanted));
        assertEquals(0750, status(made(unchecked)).mode());
        var exclusive = create(root(), name("exclusive"), new Creation.Exclusive(1, wanted));
        assertEquals(0750, status(made(exclusive)).mode());
        var directory =
                at(root(), n -> n.makeDirectory(caller(), name("directory"), wanted, Storage.SYNC));
        assertEquals(0750, status(made(directory)).mode());
    }

    @Test
    void anExclusiveFileHasItsAttributesAtOnce() throws Exception {
        assumeTrue(has(Trait.MODES), "there are no modes here");
        var how = new Creation.Exclusive(0x1234_5678_9abc_def0L, ofMode(0640));
        var file = made(create(root(), name("file"), how));
        assertEquals(0640, status(file).mode());
        reopen();
        assertEquals(file, made(create(root(), name("file"), how)));
        assertEquals(0640, status(file).mode());
        var other = new Creation.Exclusive(0x1234_5678_9abc_def1L, ofMode(0640));
        fails(
                Failure.EXIST,
                root(),
                node -> node.create(caller(), name("file"), other, Storage.SYNC));
    }

    @Test
    void anExclusiveCreationSetsNothingThatHoldsItsVerifier() {
        var now = new TimeChange.Now();
        var keep = new TimeChange.Keep();
        for (var wrong : List.of(ofSize(0), ofTimes(now, keep), ofTimes(keep, now))) {
            assertThrows(IllegalArgumentException.class, () -> new Creation.Exclusive(1, wrong));
        }
    }

    @Test
    void parentsAreFoundAtAnyDepthAndEndAtTheRoot() throws Exception {
        var at = root();
        for (int depth = 0; depth < DEPTH; depth++) {
            at = makeDirectory(at, "directory-" + depth);
        }
        reopen();
        for (int depth = 0; depth < DEPTH; depth++) {
            assertNotEquals(root(), at);
            at = lookup(at, "..").id();
        }
        assertEquals(root(), at);
        assertEquals(root(), lookup(at, "..").id());
    }

    @Test
    void specialFilesAreMadeAndNeverOpened() throws Exception {
        if (!has(Trait.SPECIAL_FILES)) {
            fails(
                    Failure.NOTSUPP,
                    root(),
                    n ->
                            n.makeSpecialFile(
                                    caller(),
                                    name("fifo"),
                                    new SpecialFile.Fifo(),
                                    NONE,
                                    Storage.SYNC));
        }
        assumeTrue(has(Trait.SPECIAL_FILES), "there are none here");
        for (var special : List.of(new SpecialFile.Fifo(), new SpecialFile.Socket())) {
            var file =
                    made(
                            at(
                                    root(),
                                    n ->
                                            n.makeSpecialFile(
                                                    caller(),
                                                    name("special"),
                                                    special,
                                                    ofMode(0640),
                                                    Storage.SYNC)));
            var expected = special instanceof SpecialFile.Fifo ? FileType.FIFO : FileType.SOCKET;
            assertEquals(expected, status(file).type());
            assertEquals(0640, status(file).mode());
            change(file, ofMode(0600));
            change(file, ofTimes(new TimeChange.Now(), new TimeChange.Now()));
            var text = "x";
            refuses(Failure.INVAL, _ -> read(file, 0, 1), name(text));
            refuses(Failure.INVAL, _ -> write(file, 0, text), name(text));
            refuses(Failure.INVAL, _ -> change(file, ofSize(0)), name(text));
            fails(Failure.NOTDIR, file, n -> n.lookup(caller(), name("x")));
            assertTrue(at(file, n -> n.access(caller(), Node.READ)) != 0);
            link(file, root(), "other");
            rename(root(), "other", root(), "renamed");
            remove(root(), "renamed");
            remove(root(), "special");
        }
    }
}
