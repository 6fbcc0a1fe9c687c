package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Content;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.Place;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.XattrRule;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: each use of a file asks for the rights that its caller has now. */
class RightsTest {
    private static final Caller OWNER = new Caller.User(1000, 1000);
    private static final Caller OTHER = new Caller.User(1001, 1001);
    private static final Caller ROOT = new Caller.User(0, 0);
    private static final Caller THIRD = new Caller.User(1002, 1002);

    @TempDir Path directory;
    private FileStore store;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(Identity.ofProcess().mayAct(), "this process may not act for others");
        Files.setAttribute(directory, "unix:mode", 0777);
        store = LinuxStores.ofProcess().open(directory, false, 1, new WriteVerifier());
    }

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private interface Step<R> {
        R run(Node node) throws StoreException;
    }

    private <R> R at(FileId file, Step<R> step) throws StoreException {
        try (var node = store.node(file, Mounts.STAY)) {
            return step.run(node);
        }
    }

    private void fails(Failure expected, FileId file, Step<?> step) {
        var failure = assertThrows(StoreException.class, () -> at(file, step));
        assertEquals(expected, failure.failure());
    }

    private static AttributeChanges changes(OptionalInt mode, OptionalLong size, Acls acls) {
        var none = AttributeChanges.NONE;
        return new AttributeChanges(
                mode,
                none.umask(),
                none.uid(),
                none.gid(),
                size,
                Optional.ofNullable(acls),
                none.accessed(),
                none.modified());
    }

    private static AttributeChanges ofMode(int mode) {
        return changes(OptionalInt.of(mode), OptionalLong.empty(), null);
    }

    private FileId make(int mode) throws StoreException {
        return at(
                        store.root(),
                        root ->
                                root.create(
                                        OWNER,
                                        FileName.of("file"),
                                        new Creation.Guarded(ofMode(mode)),
                                        Storage.ASYNC))
                .value()
                .made()
                .orElseThrow()
                .id();
    }

    private static Step<?> set(Caller caller, AttributeChanges changes) {
        return node ->
                node.setAttributes(caller, Basis.RIGHTS, changes, Optional.empty(), Storage.ASYNC);
    }

    private static Step<?> write(Caller caller) {
        var source = MemorySegment.ofArray(new byte[10]);
        return node -> node.write(caller, 0, source, Stability.UNSTABLE, Storage.ASYNC);
    }

    private static Step<?> read(Caller caller) {
        return node -> {
            try (var arena = Arena.ofConfined()) {
                return node.read(caller, 0, arena.allocate(10));
            }
        };
    }

    private static Step<?> cut(Caller caller) {
        return set(caller, changes(OptionalInt.empty(), OptionalLong.of(3), null));
    }

    private static List<Step<?>> uses(Caller caller) {
        return List.of(
                read(caller),
                write(caller),
                cut(caller),
                node -> node.commit(caller, Storage.SYNC));
    }

    private static Step<?> allocate(Caller caller) {
        return node -> node.allocate(caller, 0, 20, Storage.ASYNC);
    }

    private static Step<?> deallocate(Caller caller) {
        return node -> node.deallocate(caller, 0, 5, Storage.ASYNC);
    }

    private static Step<?> copy(Caller caller) {
        return node -> node.copyRange(caller, 0, 2, new Place(node, 5));
    }

    @Test
    void rangesAreChangedAsOtherDataIs() throws Exception {
        var file = make(0644);
        at(file, write(OWNER));
        var changes = List.of(allocate(OTHER), deallocate(OTHER), copy(OTHER));
        for (var use : changes) {
            fails(Failure.ACCES, file, use);
        }
        at(file, node -> node.seek(OTHER, 0, Content.DATA));
        at(file, set(OWNER, ofMode(0600)));
        fails(Failure.ACCES, file, node -> node.seek(OTHER, 0, Content.DATA));
        for (var use : changes) {
            at(file, set(OWNER, ofMode(04766)));
            at(file, use);
            assertEquals(0766, at(file, Node::status).mode());
        }
    }

    @Test
    void extendedAttributesNeedTheRightsOfTheirCaller() throws Exception {
        var file = make(0600);
        assumeTrue(at(file, Node::features).xattrs(), "there are no extended attributes here");
        var name = FileName.of("name");
        var value = new byte[] {1};
        Step<?> set = node -> node.setXattr(OTHER, name, value, XattrRule.EITHER, Storage.ASYNC);
        Step<?> get = node -> node.xattr(OTHER, name);
        Step<?> list = node -> node.xattrs(OTHER);
        Step<?> remove = node -> node.removeXattr(OTHER, name, Storage.ASYNC);
        at(file, node -> node.setXattr(OWNER, name, value, XattrRule.CREATE, Storage.ASYNC));
        for (var step : List.of(set, get, list, remove)) {
            fails(Failure.ACCES, file, step);
        }
        at(file, set(OWNER, ofMode(0644)));
        at(file, get);
        at(file, list);
        fails(Failure.ACCES, file, set);
        fails(Failure.ACCES, file, remove);
        at(file, set(OWNER, ofMode(0666)));
        at(file, set);
        at(file, remove);
    }

    /** Goal: a descriptor that is kept gives its caller no more than the rights of now. */
    @Test
    void rightsThatWereTakenAwayEndAtOnceAndComeBackAtOnce() throws Exception {
        var file = make(0666);
        for (int turn = 0; turn < 3; turn++) {
            at(file, set(OWNER, ofMode(0666)));
            for (var use : uses(OTHER)) {
                at(file, use);
            }
            at(file, set(OWNER, ofMode(0600)));
            for (var use : uses(OTHER)) {
                fails(Failure.ACCES, file, use);
            }
            for (var use : uses(OWNER)) {
                at(file, use);
            }
        }
    }

    @Test
    void theOwnerUsesDataAgainstTheMode() throws Exception {
        var file = make(0);
        for (var use : uses(OWNER)) {
            at(file, use);
        }
        for (var use : uses(OTHER)) {
            fails(Failure.ACCES, file, use);
        }
        for (var opening :
                List.of(Permission.OPEN_READ, Permission.OPEN_WRITE, Permission.OPEN_BOTH)) {
            fails(Failure.ACCES, file, requires(OWNER, opening));
            at(file, requires(OWNER, opening.orOwner()));
            fails(Failure.ACCES, file, requires(OTHER, opening.orOwner()));
        }
    }

    private static Step<Void> requires(Caller caller, Permission permission) {
        return node -> {
            node.require(caller, permission);
            return null;
        };
    }

    /** Whole table: the last digit of the mode, and the permission. */
    @Test
    void eachPermissionNeedsItsRights() throws Exception {
        for (int mode = 0; mode < 8; mode++) {
            var file = make(mode);
            boolean reads = (mode & Node.READ) != 0;
            boolean writes = (mode & Node.WRITE) != 0;
            boolean executes = (mode & Node.EXECUTE) != 0;
            var allowed = new LinkedHashMap<Permission, Boolean>();
            allowed.put(Permission.READ, reads || executes);
            allowed.put(Permission.OPEN_READ, reads || executes);
            allowed.put(Permission.WRITE, writes);
            allowed.put(Permission.OPEN_WRITE, writes);
            allowed.put(Permission.OPEN_BOTH, reads && writes);
            allowed.put(Permission.TEST_LOCK, mode != 0);
            allowed.put(Permission.LINK, reads && writes);
            allowed.put(Permission.NAMES, writes && executes);
            allowed.put(Permission.SEARCH, executes);
            allowed.put(Permission.XATTRS, reads);
            allowed.put(Permission.OWNER, false);
            for (var each : allowed.entrySet()) {
                if (each.getValue()) {
                    at(file, requires(OTHER, each.getKey()));
                } else {
                    fails(each.getKey().refusal(), file, requires(OTHER, each.getKey()));
                }
            }
            at(file, requires(OWNER, Permission.OWNER));
            at(file, requires(ROOT, Permission.OWNER));
            at(file, requires(ROOT, Permission.OPEN_BOTH));
            at(store.root(), root -> root.remove(OWNER, FileName.of("file"), Storage.ASYNC));
        }
    }

    @Test
    void aWriteOfAnotherUserClearsSetUserId() throws Exception {
        for (var use : List.of(write(OTHER), cut(OTHER))) {
            var file = make(0600);
            at(file, write(OWNER));
            at(file, set(OWNER, ofMode(06777)));
            at(file, use);
            assertEquals(0777, at(file, Node::status).mode());
            at(store.root(), root -> root.remove(OWNER, FileName.of("file"), Storage.ASYNC));
        }
    }

    @Test
    void nobodyWritesToAnImmutableFile() throws Exception {
        var file = make(0666);
        at(file, write(OTHER));
        var path = directory.resolve("file").toString();
        ChildProcess.assumeWorks("attributes cannot be set", "chattr", "+i", path);
        try {
            fails(Failure.PERM, file, write(OTHER));
            fails(Failure.PERM, file, cut(OTHER));
        } finally {
            ChildProcess.assumeWorks("attributes cannot be set", "chattr", "-i", path);
        }
    }

    @Test
    void accessControlListsDenyAndGrant() throws Exception {
        var file = make(0600);
        assumeTrue(at(file, Node::features).acls(), "there are no lists here");
        var acl =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, 6),
                                new Entry(Tag.USER, 1001, 0),
                                new Entry(Tag.USER, 1002, 6),
                                new Entry(Tag.GROUP_OBJ, 0),
                                new Entry(Tag.MASK, 6),
                                new Entry(Tag.OTHER, 6)));
        var changes =
                changes(OptionalInt.empty(), OptionalLong.empty(), new Acls(acl, Optional.empty()));
        fails(Failure.PERM, file, set(OTHER, changes));
        at(file, set(OWNER, changes));
        for (var use : uses(OTHER)) {
            fails(Failure.ACCES, file, use);
        }
        for (var use : uses(THIRD)) {
            at(file, use);
        }
        int data = Node.READ | Node.WRITE;
        int ofOther = at(file, node -> node.access(OTHER, data));
        assertEquals(0, ofOther);
        int ofThird = at(file, node -> node.access(THIRD, data));
        assertEquals(data, ofThird);
    }
}
