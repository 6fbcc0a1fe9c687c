package io.github.rpcrdma4j.nfs.server.store.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.server.ChildProcess;
import io.github.rpcrdma4j.nfs.server.store.Acls;
import io.github.rpcrdma4j.nfs.server.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Creation;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.FileStore;
import io.github.rpcrdma4j.nfs.server.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.Node.Basis;
import io.github.rpcrdma4j.nfs.server.store.Node.Content;
import io.github.rpcrdma4j.nfs.server.store.Node.Place;
import io.github.rpcrdma4j.nfs.server.store.Node.Storage;
import io.github.rpcrdma4j.nfs.server.store.Node.XattrRule;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an open allows exactly the use of data for which it was made, to its caller alone. */
class OpensTest {
    private static final Caller OWNER = new Caller.User(1000, 1000);
    private static final Caller OTHER = new Caller.User(1001, 1001);
    private static final Caller THIRD = new Caller.User(1002, 1002);

    @TempDir Path directory;
    private FileStore store;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(LinuxStores.missing().isEmpty(), () -> LinuxStores.missing().orElse(""));
        assumeTrue(Identity.ofProcess().mayAct(), "this process may not act for others");
        Files.setAttribute(directory, "unix:mode", 0777);
        store = LinuxStores.of(new WriteVerifier()).open(directory, false, 1);
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

    private static Step<?> set(Caller caller, Basis basis, AttributeChanges changes) {
        return node -> node.setAttributes(caller, basis, changes, Optional.empty(), Storage.ASYNC);
    }

    private static Step<?> write(Caller caller, Basis basis) {
        var source = MemorySegment.ofArray(new byte[10]);
        return node -> node.write(caller, basis, 0, source, Stability.UNSTABLE, Storage.ASYNC);
    }

    private static Step<?> read(Caller caller, Basis basis) {
        return node -> {
            try (var arena = Arena.ofConfined()) {
                return node.read(caller, basis, 0, arena.allocate(10));
            }
        };
    }

    private static Step<?> cut(Caller caller, Basis basis) {
        return set(caller, basis, changes(OptionalInt.empty(), OptionalLong.of(3), null));
    }

    private static List<Step<?>> uses(Caller caller, Basis basis) {
        return List.of(
                read(caller, basis),
                write(caller, basis),
                cut(caller, basis),
                node -> node.commit(caller, basis, Storage.SYNC));
    }

    private static Step<?> allocate(Caller caller, Basis basis) {
        return node -> node.allocate(caller, basis, 0, 20, Storage.ASYNC);
    }

    private static Step<?> deallocate(Caller caller, Basis basis) {
        return node -> node.deallocate(caller, basis, 0, 5, Storage.ASYNC);
    }

    private static Step<?> copy(Caller caller, Basis source, Basis target) {
        return node -> node.copyRange(caller, source, 0, 2, new Place(node, target, 5));
    }

    @Test
    void rangesAreChangedAsOtherDataIs() throws Exception {
        var file = make(0644);
        at(file, write(OWNER, Basis.RIGHTS));
        fails(Failure.ACCES, file, allocate(OTHER, Basis.RIGHTS));
        fails(Failure.ACCES, file, deallocate(OTHER, Basis.RIGHTS));
        fails(Failure.ACCES, file, copy(OTHER, Basis.RIGHTS, Basis.RIGHTS));
        at(file, node -> node.seek(OTHER, Basis.RIGHTS, 0, Content.DATA));
        at(file, set(OWNER, Basis.RIGHTS, ofMode(0600)));
        fails(Failure.ACCES, file, node -> node.seek(OTHER, Basis.RIGHTS, 0, Content.DATA));
        fails(Failure.ACCES, file, copy(OTHER, Basis.RIGHTS, Basis.OPEN));
        fails(Failure.ACCES, file, copy(OTHER, Basis.OPEN, Basis.RIGHTS));
        for (var use :
                List.of(
                        allocate(OTHER, Basis.OPEN),
                        deallocate(OTHER, Basis.OPEN),
                        copy(OTHER, Basis.OPEN, Basis.OPEN))) {
            at(file, set(OWNER, Basis.RIGHTS, ofMode(04700)));
            at(file, use);
            assertEquals(0700, at(file, Node::status).mode());
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
        at(file, set(OWNER, Basis.RIGHTS, ofMode(0644)));
        at(file, get);
        at(file, list);
        fails(Failure.ACCES, file, set);
        fails(Failure.ACCES, file, remove);
        at(file, set(OWNER, Basis.RIGHTS, ofMode(0666)));
        at(file, set);
        at(file, remove);
    }

    /** Goal: descriptors that an open made give no rights to calls without an open. */
    @Test
    void anOpenGoesOnWithoutRightsAndLendsThemToNoOtherCall() throws Exception {
        var file = make(0666);
        for (var use : uses(OTHER, Basis.OPEN)) {
            at(file, use);
        }
        at(file, set(OWNER, Basis.RIGHTS, ofMode(0600)));
        for (int turn = 0; turn < 3; turn++) {
            for (var use : uses(OTHER, Basis.RIGHTS)) {
                fails(Failure.ACCES, file, use);
            }
            for (var use : uses(OTHER, Basis.OPEN)) {
                at(file, use);
            }
        }
        for (var use : uses(THIRD, Basis.RIGHTS)) {
            fails(Failure.ACCES, file, use);
        }
        // The file is opened anew, as after a restart of the server.
        store.close();
        open();
        for (var use : uses(OTHER, Basis.OPEN)) {
            at(file, use);
        }
        for (var use : uses(OTHER, Basis.RIGHTS)) {
            fails(Failure.ACCES, file, use);
        }
    }

    @Test
    void anOpenSetsNoOtherAttribute() throws Exception {
        var file = make(0666);
        fails(Failure.PERM, file, set(OTHER, Basis.OPEN, ofMode(0777)));
        assertEquals(0666, at(file, Node::status).mode());
    }

    @Test
    void aWriteByAnOpenOfAnotherUserClearsSetUserId() throws Exception {
        for (var use : List.of(write(OTHER, Basis.OPEN), cut(OTHER, Basis.OPEN))) {
            var file = make(0600);
            at(file, write(OWNER, Basis.RIGHTS));
            at(file, set(OWNER, Basis.RIGHTS, ofMode(06755)));
            at(file, use);
            assertEquals(0755, at(file, Node::status).mode());
            at(store.root(), root -> root.remove(OWNER, FileName.of("file"), Storage.ASYNC));
        }
    }

    @Test
    void anOpenDoesNotWriteToAnImmutableFile() throws Exception {
        var file = make(0666);
        at(file, write(OTHER, Basis.OPEN));
        var path = directory.resolve("file").toString();
        ChildProcess.assumeWorks("attributes cannot be set", "chattr", "+i", path);
        try {
            fails(Failure.PERM, file, write(OTHER, Basis.OPEN));
            fails(Failure.PERM, file, cut(OTHER, Basis.OPEN));
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
        fails(Failure.PERM, file, set(OTHER, Basis.RIGHTS, changes));
        fails(Failure.PERM, file, set(OTHER, Basis.OPEN, changes));
        at(file, set(OWNER, Basis.RIGHTS, changes));
        for (var use : uses(OTHER, Basis.RIGHTS)) {
            fails(Failure.ACCES, file, use);
        }
        for (var use : uses(THIRD, Basis.RIGHTS)) {
            at(file, use);
        }
        int data = Node.READ | Node.WRITE;
        int ofOther = at(file, node -> node.access(OTHER, data));
        assertEquals(0, ofOther);
        int ofThird = at(file, node -> node.access(THIRD, data));
        assertEquals(data, ofThird);
    }
}
