package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.makeDirectory;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: the server speaks NFS version 4.0 (RFC 7530) beside the later minor versions. */
class Nfs40Test {
    private TestDirectory testDirectory;
    private TestServer server;
    private LeasedClient client;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "five!");
        server = TestServer.of(testDirectory);
        client = LeasedClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    @Test
    void opensWritesReadsAndClosesAFile() throws Exception {
        var open = client.open("file", Open.BOTH, 0);
        client.last(at("file", write(open, 0, "other")));
        client.last(at("file", read(open, 0, 10)));
        assertEquals("other", Files.readString(testDirectory.root().resolve("file")));
        var setSize = Nfs4Calls.setAttr(open, SetAttributes.ofSize(2));
        client.last(at("file", setSize));
        client.last(at("file", client.closing(open)));
        assertEquals(Nfs4Status.BAD_STATEID, client.status(at("file", read(open, 0, 10))));
        assertEquals(2, Files.size(testDirectory.root().resolve("file")));
    }

    /** Only sessions have a sequence of zero for "the newest" (RFC 7530, Section 9.1.4). */
    @Test
    void aSequenceOfZeroIsAnOldOne() throws Exception {
        var open = client.open("file", Open.BOTH, 0);
        var zero = new StateId(0, open.upper(), open.lower());
        assertEquals(Nfs4Status.OLD_STATEID, client.status(at("file", read(zero, 0, 10))));
        assertEquals(Nfs4Status.OK, client.status(at("file", read(open, 0, 10))));
    }

    @Test
    void aCloseOfAFileThatIsGoneTakesNoTurnOfItsOwner() throws Exception {
        Files.writeString(testDirectory.root().resolve("kept"), "");
        client.open("kept", Open.READ, 0);
        var open = client.open("file", Open.READ, 0);
        var put =
                new HandleArguments.PutFh(
                        ((HandleResult.GetFh) client.last(at("file", getFh()))).handle());
        Files.delete(testDirectory.root().resolve("file"));
        var close = client.closing(open);
        assertEquals(Nfs4Status.STALE, client.status(put, getAttr(Attribute.SIZE), close));
        client.sequence--;
        assertEquals(1, server.nfs.administration().opens(9).size());
        client.open("kept", Open.WRITE, 0);
    }

    @Test
    void tellsTheAttributesOfItsVersion() throws Exception {
        var got =
                (AttributeResult.GetAttr)
                        client.last(at("file", getAttr(Attribute.SUPPORTED_ATTRS)));
        var supported =
                ReadAttributes.decode(got.attributes()).attributes(Attribute.SUPPORTED_ATTRS);
        assertTrue(supported.has(Attribute.CHANGE));
        assertFalse(supported.has(Attribute.SUPPATTR_EXCLCREAT));
        assertFalse(supported.has(Attribute.XATTR_SUPPORT));
    }

    @Test
    void aRepeatedOpenHasItsResultAndItsFileAgain() throws Exception {
        var open = client.opening("file", Open.READ, 0);
        var first = client.compound(at("", open, getFh()));
        assertEquals(Nfs4Status.OK, first.status());
        assertEquals(first, client.compound(at("", open, getFh())));
        assertEquals(first, client.compound(at("", open, getFh())));
        assertEquals(1, server.nfs.administration().opens(10).size());
    }

    @Test
    void repeatedOperationsOfOwnersAreNotCarriedOutAgain() throws Exception {
        var open = client.open("file", Open.BOTH, 0);
        var lock = at("file", client.locking(open, "locker", 0, 10));
        var locked = client.compound(lock);
        assertEquals(locked, client.compound(lock));
        var locks = ((LockResult.Lock) locked.results().getLast()).lock();
        var unlock = at("file", new LockArguments.LockU(LockType.WRITE, 1, locks, 0, 5));
        assertEquals(client.compound(unlock), client.compound(unlock));
        var close = at("file", client.closing(open));
        assertEquals(client.compound(close), client.compound(close));
        assertEquals(Nfs4Status.OK, client.status(close));
        var missing = at("", client.opening("missing", Open.READ, 0));
        assertEquals(Nfs4Status.NOENT, client.status(missing));
        Files.writeString(testDirectory.root().resolve("missing"), "now there");
        assertEquals(Nfs4Status.NOENT, client.status(missing));
    }

    @Test
    void wrongSequencesAreRefused() throws Exception {
        var open = client.open("file", Open.BOTH, 0);
        for (int wrong : new int[] {50, 0, -1}) {
            var close = new StateArguments.Close(wrong, open);
            assertEquals(Nfs4Status.BAD_SEQID, client.status(at("file", close)));
        }
        client.last(at("file", client.closing(open)));
    }

    @Test
    void anotherOperationWithTheLastSequenceIsRefused() throws Exception {
        var open = client.open("file", Open.BOTH, 0);
        var close = new StateArguments.Close(client.sequence, open);
        assertEquals(Nfs4Status.BAD_SEQID, client.status(at("file", close)));
        client.last(at("file", client.closing(open)));
    }

    @Test
    void aCallThatIsSentAgainIsAnsweredFromMemory() throws Exception {
        var make = at("", makeDirectory("made"));
        var first = client.compound(make);
        assertEquals(Nfs4Status.OK, first.status());
        server.repeatXid();
        assertEquals(first, client.compound(make));
        assertEquals(Nfs4Status.EXIST, client.status(make));
        var remove = at("", remove("made"));
        assertEquals(Nfs4Status.OK, client.status(remove));
        server.repeatXid();
        assertEquals(Nfs4Status.OK, client.status(remove));
    }

    @Test
    void aCallThatOnlyReadsIsCarriedOutAgain() throws Exception {
        var read = at("file", read(StateId.ANONYMOUS, 0, 10));
        var first = client.compound(read);
        Files.writeString(testDirectory.root().resolve("file"), "newer");
        server.repeatXid();
        assertNotEquals(first.results(), client.compound(read).results());
    }

    @Test
    void operationsOfOtherMinorVersionsAreNotThere() throws Exception {
        var owner = new ClientOwner(1, Nfs4Calls.name("x"));
        var later =
                List.of(
                        new SessionArguments.ExchangeId(
                                owner, 0, new StateProtection.None(), Optional.empty()),
                        new SessionArguments.Sequence(new SessionId(1, 2), 1, 0, 0, false),
                        new SessionArguments.ReclaimComplete(false),
                        new StateArguments.FreeStateId(StateId.ANONYMOUS),
                        new DataArguments.Allocate(StateId.ANONYMOUS, 0, 1));
        for (var each : later) {
            var reply = client.compound(each);
            assertEquals(Nfs4Status.OP_ILLEGAL, reply.status());
            assertEquals(Opcode.ILLEGAL, reply.results().getFirst().opcode());
        }
        var other = CompoundClient.of(server, "later");
        assertEquals(Nfs4Status.NOTSUPP, other.status(new LeaseArguments.Renew(1)));
        assertEquals(Nfs4Status.NOTSUPP, other.status(client.setClientId(1)));
    }

    @Test
    void unionsOfLaterMinorVersionsAreMalformed() throws Exception {
        var byHandle =
                client.opening(Open.READ, 0, new OpenCreation.None(), new OpenClaim.Handle());
        assertEquals(Nfs4Status.BADXDR, client.status(at("file", byHandle)));
        var exclusive =
                new OpenCreation.ExclusiveWithAttributes(
                        1, Nfs4Calls.encoded(SetAttributes.ofMode(0600)));
        var making = client.opening(Open.READ, 0, exclusive, Nfs4Calls.claim("new"));
        assertEquals(Nfs4Status.BADXDR, client.status(at("", making)));
        var wish = client.opening("file", Open.READ | Open.WANT_READ_DELEG, 0);
        assertEquals(Nfs4Status.INVAL, client.status(at("", wish)));
    }

    @Test
    void accessKnowsNoBitsOfExtendedAttributes() throws Exception {
        var access = client.last(at("file", new AttributeArguments.Access(-1)));
        assertEquals(0, ((AttributeResult.Access) access).supported() & ~0x3f);
    }

    @Test
    void secInfoKeepsTheCurrentFile() throws Exception {
        var secInfo = new HandleArguments.SecInfo(FileName.of("file"));
        client.last(at("", secInfo, getFh()));
    }

    @Test
    void stateidsOfOtherStartsAndInventedOnesAreToldApart() throws Exception {
        var open = client.open("file", Open.READ, 0);
        var stale = new StateId(open.sequence(), open.upper() + (1L << 32), open.lower());
        // The layouts of pynfs.
        var veryStale = new StateId(open.sequence(), 1L << 32, 0);
        int bad = 0x07070707;
        var invented = new StateId(1, open.upper() >>> 32 << 32 | bad, bad);
        assertEquals(Nfs4Status.STALE_STATEID, client.status(at("file", read(stale, 0, 1))));
        assertEquals(Nfs4Status.STALE_STATEID, client.status(at("file", read(veryStale, 0, 1))));
        assertEquals(Nfs4Status.BAD_STATEID, client.status(at("file", read(invented, 0, 1))));
        var other = open.withSequence(open.sequence() + 1);
        assertEquals(Nfs4Status.BAD_STATEID, client.status(at("file", read(other, 0, 1))));
        var older = open.withSequence(open.sequence() - 1);
        assertEquals(Nfs4Status.OLD_STATEID, client.status(at("file", read(older, 0, 1))));
        assertEquals(
                Nfs4Status.BAD_STATEID, client.status(at("file", read(StateId.CURRENT, 0, 1))));
        client.id++;
        assertEquals(
                Nfs4Status.STALE_CLIENTID,
                client.status(at("", client.opening("file", Open.READ, 0))));
        assertEquals(Nfs4Status.STALE_CLIENTID, client.status(new LeaseArguments.Renew(client.id)));
    }

    @Test
    void aNameInUseIsRefusedWithoutTellingWhere() throws Exception {
        client.open("file", Open.READ, 0);
        client.caller = CompoundClient.user(1111);
        var reply = client.compound(client.setClientId(1));
        assertEquals(List.of(LeaseResult.InUse.UNTOLD), reply.results());
    }

    @Test
    void compoundsHaveALimit() throws Exception {
        var operations = new Arguments[512];
        Arrays.fill(operations, new HandleArguments.PutRootFh());
        assertEquals(Nfs4Status.OK, client.status(operations));
        var tooMany = Arrays.copyOf(operations, 513);
        tooMany[512] = operations[0];
        var reply = client.compound(tooMany);
        assertEquals(Nfs4Status.RESOURCE, reply.status());
        assertEquals(1, reply.results().size(), "nothing was carried out");
    }

    @Test
    void repliesHaveALimit() throws Exception {
        Files.write(testDirectory.root().resolve("long"), new byte[1 << 19]);
        var operations = new ArrayList<Arguments>(List.of(at("long")));
        for (int i = 0; i < 3; i++) {
            operations.add(read(StateId.ANONYMOUS, 0, 1 << 19));
        }
        assertEquals(Nfs4Status.RESOURCE, client.status(operations.toArray(Arguments[]::new)));
    }

    @Test
    void theClientOfALockIsToldToItselfAlone() throws Exception {
        var other = LeasedClient.of(server, "other");
        var open = client.open("file", Open.BOTH, 0);
        client.lock("file", open, "locker", 0, 10);
        var itsOpen = other.open("file", Open.BOTH, 0);
        var own = new LockArguments.LockT(LockType.WRITE, 5, 1, client.owner("second"));
        var toItself =
                assertInstanceOf(
                        LockResult.Denied.class,
                        client.compound(at("file", own)).results().getLast());
        assertEquals(client.owner("locker"), toItself.owner());
        // Who knows the ID of a client acts for it.
        var holder = new StateOwner(0, Nfs4Calls.name("locker"));
        for (var call :
                List.of(
                        other.locking(itsOpen, "waiter", 5, 1),
                        new LockArguments.LockT(LockType.WRITE, 5, 1, other.owner("waiter")))) {
            var denied =
                    assertInstanceOf(
                            LockResult.Denied.class,
                            other.compound(at("file", call)).results().getLast());
            assertEquals(holder, denied.owner());
        }
    }

    @Test
    void clientsOfAllMinorVersionsExcludeEachOther() throws Exception {
        var later = CompoundClient.of(server, "later");
        var open = client.open("file", Open.BOTH, 0);
        client.lock("file", open, "locker", 0, 10);
        var others = later.open(at("", Nfs4Calls.open("file", Open.BOTH, 0)));
        assertEquals(
                Nfs4Status.DENIED,
                later.status(at("file", Nfs4Calls.lock(others, "other", LockType.READ, 5, 1))));
        later.last(at("file", Nfs4Calls.lock(others, "other", LockType.WRITE, 20, 5)));
        var denied = client.compound(at("file", client.locking(open, "third", 22, 1)));
        var by = assertInstanceOf(LockResult.Denied.class, denied.results().getLast());
        // An ID of a later version is a secret: who knows it makes sessions of that client.
        assertEquals(new StateOwner(0, Nfs4Calls.name("other")), by.owner());
        assertEquals(
                Nfs4Status.SHARE_DENIED,
                later.status(at("", Nfs4Calls.open("file", Open.READ, Open.READ))));
    }

    @Test
    void anOwnerDeniesItselfWhatItDeniesOthers() throws Exception {
        client.open("file", Open.READ, Open.READ);
        var again = at("", client.opening("file", Open.READ, 0));
        assertEquals(Nfs4Status.SHARE_DENIED, client.status(again));
    }

    @Test
    void grantsNoDelegations() throws Exception {
        var open = (StateResult.Open) client.last(at("", client.opening("file", Open.READ, 0)));
        assertEquals(new OpenDelegation.None(), open.delegation());
        assertEquals(StateResult.Open.CONFIRM | StateResult.Open.LOCKTYPE_POSIX, open.flags());
    }
}
