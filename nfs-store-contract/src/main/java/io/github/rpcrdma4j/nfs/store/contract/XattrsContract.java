package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertIterableEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.XattrRule;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.Closeable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The behavior of every store for extended attributes. */
public abstract class XattrsContract<P extends Closeable> extends RangesContract<P> {
    private static final int VALUE_MAX = 65_536;

    /** More changes than can be made in one tick of the clock. */
    private static final int TICK_CHANGES = 100_000;

    private Step<Changed<Void>> set(String name, byte[] value, XattrRule rule) {
        return node -> node.setXattr(caller(), name(name), value, rule, Storage.SYNC);
    }

    private Step<Changed<Void>> set(String name, String value) {
        return set(name, value.getBytes(), XattrRule.EITHER);
    }

    private Step<byte[]> get(String name) {
        return node -> node.xattr(caller(), name(name));
    }

    private Step<Changed<Void>> remove(String name) {
        return node -> node.removeXattr(caller(), name(name), Storage.SYNC);
    }

    private List<Step<?>> all(String name) {
        return List.of(get(name), set(name, "x"), remove(name));
    }

    private Set<String> xattrs(FileId file) throws StoreException {
        var names = new TreeSet<String>();
        at(file, node -> node.xattrs(caller())).forEach(name -> names.add(name.toString()));
        return names;
    }

    /** Skips the test on a file system without extended attributes, if it says so. */
    private void assumeXattrs() throws StoreException {
        boolean has = at(root(), node -> node.features().xattrs());
        if (!has) {
            for (var step : all("name")) {
                fails(Failure.NOTSUPP, root(), step);
            }
            fails(Failure.NOTSUPP, root(), node -> node.xattrs(caller()));
        }
        assumeTrue(has, "there are no extended attributes here");
    }

    /** Called by the test of a store. */
    protected XattrsContract() {}

    @Test
    void attributesAreSetListedAndRemoved() throws Exception {
        assumeXattrs();
        for (var file : List.of(create(root(), "file"), makeDirectory(root(), "directory"))) {
            assertEquals(Set.of(), xattrs(file));
            at(file, set("one", "1"));
            at(file, set("two", ""));
            at(file, set("gr\u00f6\u00dfe/user.x", "3"));
            assertArrayEquals("1".getBytes(), at(file, get("one")));
            assertArrayEquals(new byte[0], at(file, get("two")));
            assertEquals(Set.of("one", "two", "gr\u00f6\u00dfe/user.x"), xattrs(file));
            reopen();
            at(file, set("one", "replaced"));
            assertArrayEquals("replaced".getBytes(), at(file, get("one")));
            at(file, remove("one"));
            fails(Failure.NOXATTR, file, get("one"));
            fails(Failure.NOXATTR, file, remove("one"));
            assertEquals(Set.of("two", "gr\u00f6\u00dfe/user.x"), xattrs(file));
            List<FileName> again = at(file, node -> node.xattrs(caller()));
            assertIterableEquals(at(file, node -> node.xattrs(caller())), again);
        }
    }

    @Test
    void rulesForExistingAttributesHold() throws Exception {
        assumeXattrs();
        var file = create(root(), "file");
        var value = new byte[] {1};
        fails(Failure.NOXATTR, file, set("name", value, XattrRule.REPLACE));
        at(file, set("name", value, XattrRule.CREATE));
        fails(Failure.EXIST, file, set("name", value, XattrRule.CREATE));
        at(file, set("name", new byte[] {2}, XattrRule.REPLACE));
        assertArrayEquals(new byte[] {2}, at(file, get("name")));
    }

    @Test
    void namesAndValuesAreBounded() throws Exception {
        assumeXattrs();
        var file = create(root(), "file");
        for (var text : List.of("", "nul\0")) {
            for (var step : all(text)) {
                fails(Failure.INVAL, file, step);
            }
        }
        for (var step : all("x".repeat(251))) {
            fails(Failure.NAMETOOLONG, file, step);
        }
        at(file, set("x".repeat(250), "longest"));
        assertEquals(Set.of("x".repeat(250)), xattrs(file));
        fails(Failure.XATTR2BIG, file, set("name", new byte[VALUE_MAX + 1], XattrRule.EITHER));
        var bytes = new byte[2000];
        bytes[1999] = 7;
        at(file, set("name", bytes, XattrRule.EITHER));
        assertArrayEquals(bytes, at(file, get("name")));
    }

    /** Goal: only the namespace of users is reached, also by names that look like others. */
    @Test
    void otherNamespacesAreNotReached() throws Exception {
        assumeXattrs();
        var file = create(root(), "file");
        var before = at(file, Node::acls);
        var names =
                Set.of("system.posix_acl_access", "security.capability", "trusted.x", "user.user");
        for (var name : names) {
            at(file, set(name, "x"));
        }
        assertEquals(new TreeSet<>(names), xattrs(file));
        assertEquals(before, at(file, Node::acls));
    }

    @Test
    void aChangeOfAnAttributeChangesTheFile() throws Exception {
        assumeXattrs();
        var file = create(root(), "file");
        var before = status(file);
        var changed = at(file, set("name", "1"));
        assertEquals(before.changed(), changed.before().orElseThrow().changed());
        for (int i = 0; i < TICK_CHANGES && status(file).changed().equals(before.changed()); i++) {
            // The clock of the change time may have coarse ticks.
            changed = at(file, set("name", "" + i));
        }
        assertEquals(status(file).changed(), changed.after().orElseThrow().changed());
        assertNotEquals(before.changed(), status(file).changed());
        assertEquals(before.modified(), status(file).modified());
        var removed = at(file, remove("name"));
        assertEquals(
                changed.after().map(FileStatus::changed),
                removed.before().map(FileStatus::changed));
    }

    /** Goal: a program that copies all attributes of a tree does not fail at a FIFO. */
    @Test
    void linksAndSpecialFilesHaveNoAttributes() throws Exception {
        assumeXattrs();
        var target = create(root(), "target");
        at(target, set("name", "1"));
        var fifo =
                made(
                        at(
                                root(),
                                node ->
                                        node.makeSpecialFile(
                                                caller(),
                                                name("fifo"),
                                                new SpecialFile.Fifo(),
                                                ofMode(0600),
                                                Storage.SYNC)));
        for (var file : List.of(makeLink(root(), "link", "target"), fifo)) {
            fails(Failure.NOXATTR, file, get("name"));
            fails(Failure.PERM, file, set("name", "x"));
            fails(Failure.PERM, file, remove("name"));
            assertEquals(Set.of(), xattrs(file));
        }
        assertArrayEquals("1".getBytes(), at(target, get("name")));
        assertTrue(xattrs(target).contains("name"));
    }

    @Test
    void attributesOfARemovedFileAreStale() throws Exception {
        assumeXattrs();
        var file = create(root(), "file");
        at(file, set("name", "1"));
        try (var node = store.node(file, FileStore.Mounts.STAY)) {
            at(root(), r -> r.remove(caller(), FileName.of("file"), Storage.SYNC));
            for (var step : all("name")) {
                try {
                    step.run(node);
                } catch (StoreException failure) {
                    assertEquals(Failure.STALE, failure.failure());
                    continue;
                }
                throw new AssertionError("the file is gone");
            }
        }
    }
}
