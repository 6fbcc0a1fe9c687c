package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.BestStores;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: delegations of version 4.2 have the times of files, and come without opens (RFC 9754). */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DelegatedTimesTest {
    private static final int READ = Open.READ | Open.WANT_DELEG_TIMESTAMPS;
    private static final int BOTH = Open.BOTH | Open.WANT_DELEG_TIMESTAMPS;
    private static final int ONLY = Open.WANT_OPEN_XOR_DELEGATION;
    private static final TimeChange KEEP = new TimeChange.Keep();

    /** When the file was used last before the grant. */
    private static final Timestamp BEFORE = new Timestamp(1_000_000_000, 0);

    private static final Timestamp LATER = new Timestamp(1_100_000_000, 5);

    private static final AttributeSet ASKED =
            AttributeSet.of(
                    Attribute.CHANGE,
                    Attribute.SIZE,
                    Attribute.TIME_DELEG_ACCESS,
                    Attribute.TIME_DELEG_MODIFY);

    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackPeer calls;
    private CompoundClient client;
    private CompoundClient other;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        for (var name : List.of("file", "without")) {
            var file = Files.writeString(testDirectory.root().resolve(name), "content");
            var before = FileTime.from(Instant.ofEpochSecond(BEFORE.seconds()));
            Files.setAttribute(file, "lastAccessTime", before);
            Files.setLastModifiedTime(file, before);
        }
        serve(Delegations.EXCLUSIVE);
    }

    private void serve(Delegations delegations) throws Exception {
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        serve(export.with(delegations), true);
    }

    private void serve(Export export, boolean delegatedTimes) throws Exception {
        server =
                TestServer.of(
                        List.of(export),
                        new BestStores(),
                        Nfs4Options.DEFAULT.withDelegatedTimes(delegatedTimes));
        other = CompoundClient.of(server, "other");
        calls = new CallbackPeer();
        server.connect(calls);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private static StateResult.Open opened(CompoundClient of, String file, int access)
            throws Exception {
        return assertInstanceOf(StateResult.Open.class, of.last(at("", open(file, access, 0))));
    }

    private StateId delegated(int access) throws Exception {
        return switch (opened(client, "file", access).delegation()) {
            case OpenDelegation.Read(var id, _, _, _) -> id;
            case OpenDelegation.Write(var id, _, _, _, _) -> id;
            case OpenDelegation.None _, OpenDelegation.Refused _ ->
                    throw new AssertionError("there is no delegation");
        };
    }

    private static Arguments[] setting(StateId by, TimeChange accessed, TimeChange modified) {
        return at("file", setAttr(by, SetAttributes.NONE.withTimes(accessed, modified)));
    }

    private static TimeChange to(Timestamp time) {
        return new TimeChange.Delegated(time);
    }

    private static Timestamp time(CompoundClient of, Attribute attribute) throws Exception {
        return attributes(of, attribute).time(attribute);
    }

    private static ReadAttributes attributes(CompoundClient of, Attribute... wanted)
            throws Exception {
        var result = (AttributeResult.GetAttr) of.last(at("file", getAttr(wanted)));
        return ReadAttributes.decode(result.attributes());
    }

    @Test
    void theGrantSaysWhoKeepsTheTimes() throws Exception {
        var with = (OpenDelegation.Write) opened(client, "file", BOTH).delegation();
        assertTrue(with.hasTimes());
        var without = (OpenDelegation.Read) opened(client, "without", Open.READ).delegation();
        assertFalse(without.hasTimes());
    }

    /**
     * Goal: clients of Linux lose no times that a program sets. They keep such a time with their
     * delegation if they may, and the server must not believe it, because it is earlier than the
     * grant.
     */
    @Test
    void unlessTheOperatorWantsItNoClientKeepsThem() throws Exception {
        server.close();
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        serve(export.with(Delegations.EXCLUSIVE), false);
        var supported =
                attributes(client, Attribute.SUPPORTED_ATTRS).attributes(Attribute.SUPPORTED_ATTRS);
        assertFalse(supported.has(Attribute.TIME_DELEG_ACCESS));
        assertFalse(supported.has(Attribute.TIME_DELEG_MODIFY));
        assertEquals(
                Bitmap.of(3, 4, 5, 21),
                attributes(client, Attribute.OPEN_ARGUMENTS).openSupport().wants());
        assertEquals(AttributeSet.NONE, attributes(client, Attribute.TIME_DELEG_MODIFY).present());
        var granted = (OpenDelegation.Write) opened(client, "file", BOTH).delegation();
        assertFalse(granted.hasTimes());
        assertEquals(
                Nfs4Status.ATTRNOTSUPP, client.status(setting(granted.stateId(), KEEP, to(LATER))));
        // The client sends the time as others do, under its delegation.
        client.last(setting(granted.stateId(), KEEP, new TimeChange.To(new Timestamp(5, 0))));
        client.last(at("file", new StateArguments.DelegReturn(granted.stateId())));
        assertEquals(new Timestamp(5, 0), time(other, Attribute.TIME_MODIFY));
    }

    @Test
    void theHolderSetsThem() throws Exception {
        var delegation = delegated(BOTH);
        client.last(at("file", write(delegation, 0, "changed")));
        var result = (AttributeResult.SetAttr) client.last(setting(delegation, KEEP, to(LATER)));
        assertEquals(AttributeSet.of(Attribute.TIME_DELEG_MODIFY), result.set());
        assertEquals(LATER, time(client, Attribute.TIME_MODIFY));
        client.last(setting(delegation, to(LATER), KEEP));
        assertEquals(LATER, time(client, Attribute.TIME_ACCESS));
    }

    @Test
    void timesFromBeforeTheGrantAndFromTheFutureAreNotBelieved() throws Exception {
        var delegation = delegated(BOTH);
        client.last(setting(delegation, to(BEFORE), to(new Timestamp(5, 0))));
        assertEquals(BEFORE, time(client, Attribute.TIME_ACCESS));
        assertEquals(BEFORE, time(client, Attribute.TIME_MODIFY));
        var from = Instant.now().getEpochSecond();
        client.last(setting(delegation, KEEP, to(new Timestamp(1L << 40, 0))));
        var set = time(client, Attribute.TIME_MODIFY).seconds();
        assertTrue(from <= set && set <= Instant.now().getEpochSecond(), () -> "it is " + set);
    }

    @Test
    void othersDoNotSetThem() throws Exception {
        var status = Nfs4Status.BAD_STATEID;
        var plain = opened(client, "file", Open.READ | Open.WANT_NO_DELEG).open();
        assertEquals(status, client.status(setting(plain, to(LATER), KEEP)));
        assertEquals(status, client.status(setting(StateId.ANONYMOUS, to(LATER), KEEP)));
        var delegation = delegated(READ);
        assertEquals(status, other.status(setting(delegation, to(LATER), KEEP)));
        assertEquals(status, client.status(setting(delegation, KEEP, to(LATER))), "a reader");
        client.last(setting(delegation, to(LATER), KEEP));
        client.last(at("file", new StateArguments.DelegReturn(delegation)));
        assertEquals(status, client.status(setting(delegation, to(LATER), KEEP)));
    }

    @Test
    void aDelegationWithoutThemDoesNotSetThem() throws Exception {
        var delegation = delegated(Open.BOTH);
        assertEquals(Nfs4Status.BAD_STATEID, client.status(setting(delegation, to(LATER), KEEP)));
        assertEquals(BEFORE, time(client, Attribute.TIME_ACCESS));
    }

    @Test
    void noFileIsMadeWithThem() throws Exception {
        assertEquals(BEFORE, time(client, Attribute.TIME_DELEG_MODIFY));
        var wanted = SetAttributes.NONE.withTimes(to(LATER), KEEP);
        var making = new OpenCreation.Unchecked(Nfs4Calls.encoded(wanted));
        var call = open("x", Open.READ, 0, making, Nfs4Calls.claim("made"));
        assertEquals(Nfs4Status.INVAL, client.status(at("", call)));
    }

    /** Lets the holder tell the time {@link #LATER}, with these nanoseconds. */
    private void answer(int nanosOfAccess, int nanosOfChange) {
        var values = ByteBuffer.allocate(40).putLong(-1).putLong(4711);
        values.putLong(LATER.seconds()).putInt(nanosOfAccess);
        values.putLong(LATER.seconds()).putInt(nanosOfChange);
        calls.answer(_ -> new CallbackResult.GetAttr(EncodedAttributes.of(ASKED, values.array())));
    }

    @Test
    void othersDoNotSeeInvalidTimesOfTheHolder() throws Exception {
        delegated(BOTH);
        answer(1_000_000_000, -1);
        var told = attributes(other, Attribute.TIME_ACCESS, Attribute.TIME_MODIFY);
        assertEquals(BEFORE, told.time(Attribute.TIME_ACCESS));
        assertTrue(told.time(Attribute.TIME_MODIFY).isValid());
    }

    @Test
    void othersLearnFromTheHolderWhenTheFileWasUsed() throws Exception {
        delegated(BOTH);
        answer(1, 2);
        var told = attributes(other, Attribute.SIZE, Attribute.TIME_ACCESS, Attribute.TIME_MODIFY);
        assertEquals(4711, told.hyper(Attribute.SIZE));
        assertEquals(new Timestamp(LATER.seconds(), 1), told.time(Attribute.TIME_ACCESS));
        assertEquals(new Timestamp(LATER.seconds(), 2), told.time(Attribute.TIME_MODIFY));
        var call = (CallbackArguments.GetAttr) calls.received.take().callbacks().getLast();
        assertEquals(ASKED, call.wanted());
    }

    @Test
    void aDelegationComesInsteadOfAnOpen() throws Exception {
        var open = opened(client, "file", Open.READ | ONLY);
        var delegation = assertInstanceOf(OpenDelegation.Read.class, open.delegation()).stateId();
        assertTrue((open.flags() & StateResult.Open.NO_OPEN_STATEID) != 0);
        assertEquals(StateId.ANONYMOUS, open.open());
        assertEquals(0, server.nfs.administration().opens(9).size());
        client.last(at("file", read(delegation, 0, 100)));
        // A later OPEN by the delegation is one.
        var byHandle = new OpenClaim.DelegatedHandle(delegation);
        client.last(at("file", open("y", Open.READ, 0, new OpenCreation.None(), byHandle)));
        assertEquals(1, server.nfs.administration().opens(9).size());
    }

    @Test
    void theStateidOfTheDelegationIsTheCurrentOne() throws Exception {
        client.last(at("", open("file", Open.READ | ONLY, 0), read(StateId.CURRENT, 0, 100)));
    }

    @Test
    void withoutADelegationThereIsAnOpen() throws Exception {
        other.open(at("", open("file", Open.BOTH, 0)));
        var open = opened(client, "file", Open.READ | ONLY);
        assertEquals(new OpenDelegation.None(), open.delegation());
        assertEquals(0, open.flags() & StateResult.Open.NO_OPEN_STATEID);
        client.last(at("file", close(open.open())));
    }

    @Test
    void anOpenThatIsThereStays() throws Exception {
        var first = opened(client, "file", Open.READ | Open.WANT_NO_DELEG).open();
        var open = opened(client, "file", Open.READ | ONLY);
        assertInstanceOf(OpenDelegation.Read.class, open.delegation());
        assertEquals(0, open.flags() & StateResult.Open.NO_OPEN_STATEID);
        assertEquals(first.withSequence(2), open.open());
    }

    @Test
    void anOpenThatDeniesOthersStays() throws Exception {
        var call = open("file", Open.READ | ONLY, Open.WRITE);
        var open = (StateResult.Open) client.last(at("", call));
        assertInstanceOf(OpenDelegation.Read.class, open.delegation());
        assertEquals(0, open.flags() & StateResult.Open.NO_OPEN_STATEID);
    }

    @Test
    void clientsLearnWhatOpenTakes() throws Exception {
        var attribute = Attribute.OPEN_ARGUMENTS;
        assertEquals(
                Bitmap.of(3, 4, 5, 20, 21), attributes(client, attribute).openSupport().wants());
        server.close();
        serve(Delegations.NONE);
        assertEquals(Bitmap.of(3, 4, 5), attributes(client, attribute).openSupport().wants());
    }
}
