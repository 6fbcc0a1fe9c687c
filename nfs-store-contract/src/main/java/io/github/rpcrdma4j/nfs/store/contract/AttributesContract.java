package io.github.rpcrdma4j.nfs.store.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.Attribute;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Basis;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.Closeable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The behavior of every store for opens, and for the attributes of NFS version 4. */
public abstract class AttributesContract<P extends Closeable> extends DataContract<P> {
    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(Tag.USER_OBJ, 7),
                            new Entry(Tag.USER, 4242, 5),
                            new Entry(Tag.GROUP_OBJ, 4),
                            new Entry(Tag.GROUP, 4243, 2),
                            new Entry(Tag.MASK, 6),
                            new Entry(Tag.OTHER, 1)));

    private static AttributeChanges ofAcls(OptionalInt mode, OptionalLong size, Acls acls) {
        return new AttributeChanges(
                mode,
                OptionalInt.empty(),
                NONE.uid(),
                NONE.gid(),
                size,
                Optional.of(acls),
                NONE.accessed(),
                NONE.modified());
    }

    private static AttributeChanges ofAcls(Acls acls) {
        return ofAcls(OptionalInt.empty(), OptionalLong.empty(), acls);
    }

    private static Acls access(PosixAcl acl) {
        return new Acls(acl, Optional.empty());
    }

    private Acls acls(FileId file) throws StoreException {
        return at(file, Node::acls);
    }

    private boolean hasAcls() throws StoreException {
        return at(root(), node -> node.features().acls());
    }

    private void requireUse(FileId file) throws StoreException {
        var source = MemorySegment.ofArray("hello".getBytes());
        assertEquals(
                5,
                at(file, node -> node.write(caller(), 0, source, Stability.UNSTABLE, Storage.SYNC))
                        .value()
                        .bytes());
        try (var arena = Arena.ofConfined()) {
            var target = arena.allocate(9);
            var read = at(file, node -> node.read(caller(), 0, target));
            assertEquals(5, read.bytes());
        }
        at(file, node -> node.commit(caller(), Storage.SYNC));
        at(
                file,
                node ->
                        node.setAttributes(
                                caller(), Basis.RIGHTS, ofSize(2), Optional.empty(), Storage.SYNC));
        assertEquals(2, status(file).size());
    }

    /** Called by the test of a store. */
    protected AttributesContract() {}

    @Test
    void dataIsUsed() throws Exception {
        requireUse(create(root(), "file"));
    }

    @Test
    void anOpenGoesOnAgainstTheMode() throws Exception {
        assumeTrue(has(Trait.OPENS), "the mode stops everyone here");
        var file = create(root(), "file");
        change(file, ofMode(0));
        requireUse(file);
        reopen();
        requireUse(file);
        assertEquals(0, status(file).mode());
    }

    @Test
    void theTimeOfBirthStaysTheSame() throws Exception {
        var file = create(root(), "file");
        var born = status(file).born();
        write(file, 0, "hello");
        change(file, ofMode(0600));
        rename(root(), "file", root(), "renamed");
        reopen();
        assertEquals(born, status(file).born());
        born.ifPresent(time -> assertTrue(time.seconds() > 1_000_000_000));
    }

    @Test
    void filesThatCoverNothingHaveTheirOwnNumber() throws Exception {
        for (var file :
                List.of(root(), create(root(), "file"), makeDirectory(root(), "directory"))) {
            assertEquals(status(file).number(), status(file).mountedOn());
        }
        for (var listed : list(root(), 0, Integer.MAX_VALUE, true)) {
            if (listed != null) {
                assertEquals(listed.number(), listed.entry().orElseThrow().status().mountedOn());
            }
        }
    }

    @Test
    void featuresHaveAUnit() throws Exception {
        assertTrue(at(create(root(), "file"), Node::features).blockBytes() > 0);
    }

    @Test
    void aFileWithoutListsHasThatOfItsMode() throws Exception {
        for (var file : List.of(create(root(), "file"), makeDirectory(root(), "directory"))) {
            assertEquals(Acls.ofMode(status(file).mode()), acls(file));
        }
    }

    @Test
    void listsAreSetWhereTheyAreKept() throws Exception {
        var file = create(root(), "file");
        var directory = makeDirectory(root(), "directory");
        if (!hasAcls()) {
            fails(
                    Failure.NOTSUPP,
                    file,
                    node ->
                            node.setAttributes(
                                    caller(),
                                    Basis.RIGHTS,
                                    ofAcls(access(ACL)),
                                    Optional.empty(),
                                    Storage.SYNC));
            var how = new Creation.Guarded(ofAcls(access(ACL)));
            fails(
                    Failure.NOTSUPP,
                    root(),
                    node -> node.create(caller(), name("new"), how, Storage.SYNC));
        }
        assumeTrue(hasAcls(), "there are no lists here");
        var before = status(file);
        var changed = change(file, ofAcls(access(ACL)));
        assertEquals(before.changed(), changed.before().orElseThrow().changed());
        assertEquals(0761, changed.after().orElseThrow().mode());
        assertEquals(access(ACL), acls(file));
        change(file, ofMode(0640));
        assertEquals(0640, acls(file).access().mode());
        assertEquals(ACL.entries().size(), acls(file).access().entries().size());
        change(file, ofAcls(Acls.ofMode(0604)));
        assertEquals(Acls.ofMode(0604), acls(file));
        var both = new Acls(ACL, Optional.of(PosixAcl.ofMode(0700)));
        change(directory, ofAcls(both));
        assertEquals(both, acls(directory));
        reopen();
        assertEquals(both, acls(directory));
        change(directory, ofAcls(access(ACL)));
        change(directory, ofAcls(access(ACL)));
        assertEquals(access(ACL), acls(directory));
    }

    /** The list has the last word on the nine lowest bits (RFC 8881, Section 6.4.1.3). */
    @Test
    void theModeIsSetBeforeTheList() throws Exception {
        assumeTrue(hasAcls(), "there are no lists here");
        var directory = makeDirectory(root(), "directory");
        change(directory, ofAcls(OptionalInt.of(01700), OptionalLong.empty(), access(ACL)));
        assertEquals(01761, status(directory).mode());
        var file = create(root(), "file");
        change(file, ofAcls(OptionalInt.of(04600), OptionalLong.empty(), access(ACL)));
        assertEquals(04761, status(file).mode());
        change(file, ofAcls(Acls.ofMode(0755)));
        assertEquals(04755, status(file).mode());
    }

    @Test
    void newFilesHaveTheListsOfTheirCreation() throws Exception {
        assumeTrue(hasAcls(), "there are no lists here");
        var wanted = ofAcls(OptionalInt.of(0600), OptionalLong.empty(), access(ACL));
        var hows =
                List.of(
                        new Creation.Unchecked(wanted),
                        new Creation.Guarded(wanted),
                        new Creation.Exclusive(3, wanted));
        for (var how : hows) {
            var file = made(create(root(), name("file"), how));
            assertEquals(access(ACL), acls(file));
            assertEquals(0761, status(file).mode());
            remove(root(), "file");
        }
        var longer = ofAcls(OptionalInt.of(04600), OptionalLong.of(3), access(ACL));
        var program = made(create(root(), name("program"), new Creation.Guarded(longer)));
        assertEquals(04761, status(program).mode());
        assertEquals(access(ACL), acls(program));
        remove(root(), "program");
        var both = new Acls(ACL, Optional.of(PosixAcl.ofMode(0750)));
        var directory = makeDirectory("directory", ofAcls(both));
        assertEquals(both, acls(made(directory)));
        assertEquals(0761, status(made(directory)).mode());
        var how = new Creation.Guarded(ofAcls(both));
        fails(
                Failure.INVAL,
                root(),
                node -> node.create(caller(), name("file"), how, Storage.SYNC));
        assertEquals(List.of("directory"), names(root()));
    }

    private Changed<Made> makeDirectory(String name, AttributeChanges attributes)
            throws StoreException {
        return at(
                root(), node -> node.makeDirectory(caller(), name(name), attributes, Storage.SYNC));
    }

    /** The default list stands for the umask (RFC 8275, Section 4). */
    @Test
    void newFilesInheritTheDefaultListOfTheirDirectory() throws Exception {
        assumeTrue(hasAcls(), "there are no lists here");
        var directory = made(makeDirectory("directory", ofAcls(new Acls(ACL, Optional.of(ACL)))));
        var wanted =
                new AttributeChanges(
                        OptionalInt.of(0666),
                        OptionalInt.of(077),
                        NONE.uid(),
                        NONE.gid(),
                        NONE.size(),
                        Optional.empty(),
                        NONE.accessed(),
                        NONE.modified());
        var file = made(create(directory, name("file"), new Creation.Guarded(wanted)));
        assertEquals(0660, status(file).mode());
        assertEquals(ACL.entries().size(), acls(file).access().entries().size());
        var exclusive = made(create(directory, name("e"), new Creation.Exclusive(1, wanted)));
        assertEquals(0660, status(exclusive).mode());
        var below = makeDirectory(directory, "below");
        assertEquals(Optional.of(ACL), acls(below).defaults());
    }

    @Test
    void whatWasSetBeforeAFailureIsReported() throws Exception {
        assumeTrue(hasAcls(), "there are no lists here");
        var file = create(root(), "file");
        var wrong = new Acls(ACL, Optional.of(ACL));
        var changes = ofAcls(OptionalInt.of(0600), OptionalLong.of(7), wrong);
        var failed = assertThrows(StoreException.class, () -> change(file, changes));
        assertEquals(Failure.INVAL, failed.failure());
        assertEquals(Set.of(Attribute.SIZE, Attribute.MODE), failed.attributesSet());
        assertEquals(7, status(file).size());
        assertEquals(0600, status(file).mode());
        var none = assertThrows(StoreException.class, () -> change(root(), ofSize(1)));
        assertEquals(Set.of(), none.attributesSet());
    }

    @Test
    void linksHaveNoLists() throws Exception {
        var target = create(root(), "file");
        var link = makeLink(root(), "link", "file");
        var before = acls(target);
        fails(
                Failure.NOTSUPP,
                link,
                node ->
                        node.setAttributes(
                                caller(),
                                Basis.RIGHTS,
                                ofAcls(access(ACL)),
                                Optional.empty(),
                                Storage.SYNC));
        assertEquals(before, acls(target));
    }
}
