package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: who lets others wait for delegations does so for a short time in all, and not for each
 * file. Method: over RDMA, with the shortest lease.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SlowReturnsTest {
    private static final int PATIENCE_SECONDS = 30;
    private static final List<String> NAMES = List.of("first", "second", "third");
    private static final Duration LEASE = Duration.ofSeconds(Nfs4Options.LEASE_SECONDS_MIN);

    private final CallbackService calls = new CallbackService();
    private TestDirectory testDirectory;
    private RdmaServer server;
    private CompoundClient holder;
    private CompoundClient other;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        for (var each : NAMES) {
            Files.writeString(testDirectory.root().resolve(each), "content");
        }
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        var options = new Nfs4Options(LEASE, LEASE, Optional.empty(), "test");
        server =
                new RdmaServer(
                        new NfsServer(
                                List.of(export.with(Delegations.EXCLUSIVE)),
                                TestServer.KEY,
                                KerberosUsers.NONE,
                                options));
        holder =
                CompoundClient.of(
                        server.called(CompoundClient.ROOT, calls),
                        CompoundClient.ROOT,
                        2,
                        "holder",
                        CompoundClient.CHANNEL);
        other = CompoundClient.of(server, "other");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private OpenDelegation opened(String name) throws Exception {
        return ((StateResult.Open) holder.last(at("", open(name, Open.BOTH, 0)))).delegation();
    }

    private StateId delegated(String name) throws Exception {
        return assertInstanceOf(OpenDelegation.Write.class, opened(name)).stateId();
    }

    private Nfs4Status writeTo(String name) throws Exception {
        return other.status(at(name, write(StateId.ANONYMOUS, 0, "x")));
    }

    private <T extends CallbackArguments> T next(Class<T> kind) throws Exception {
        var call = calls.received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(call, "no call came");
        return assertInstanceOf(kind, call);
    }

    /** Lets time pass; both clients keep their leases. */
    private void pass(long seconds) throws Exception {
        for (long i = 0; i < seconds; i++) {
            assertFalse(new CountDownLatch(1).await(1, TimeUnit.SECONDS));
            assertEquals(Nfs4Status.OK, holder.status(at("")));
            assertEquals(Nfs4Status.OK, other.status(at("")));
        }
    }

    /** It could otherwise refuse them, and let others wait for each of its files. */
    @Test
    void aClientThatRefusesToTellIsAskedNoMore() throws Exception {
        delegated("first");
        delegated("second");
        calls.answer(
                operation ->
                        new CallbackResult.Plain(
                                operation.opcode().number(), Nfs4Status.SERVERFAULT));
        var size = getAttr(Attribute.SIZE);
        assertEquals(Nfs4Status.DELAY, other.status(at("first", size)));
        next(CallbackArguments.GetAttr.class);
        next(CallbackArguments.Recall.class);
        assertEquals(Nfs4Status.DELAY, other.status(at("second", size)));
        next(CallbackArguments.Recall.class);
        assertFalse(opened("third") instanceof OpenDelegation.Write);
    }

    /** Else others would wait for a lease for each of its files. */
    @Test
    void aClientThatLosesOneHasToReturnAll() throws Exception {
        var first = delegated("first");
        var others = Set.of(delegated("second"), delegated("third"));
        assertEquals(Nfs4Status.DELAY, writeTo("first"));
        assertEquals(first, next(CallbackArguments.Recall.class).delegation());
        pass(LEASE.toSeconds() + 1);
        assertEquals(Nfs4Status.OK, writeTo("first"));
        assertEquals(
                others,
                Set.of(
                        next(CallbackArguments.Recall.class).delegation(),
                        next(CallbackArguments.Recall.class).delegation()));
        pass(LEASE.toSeconds() + 1);
        assertEquals(Nfs4Status.OK, writeTo("second"));
        assertEquals(Nfs4Status.OK, writeTo("third"));
    }

    /** It returned each in time, and got it again as often. */
    @Test
    void aClientThatReturnsThemLateGetsNoMore() throws Exception {
        for (var each : List.of("first", "second")) {
            var delegation = delegated(each);
            assertEquals(Nfs4Status.DELAY, writeTo(each));
            assertEquals(delegation, next(CallbackArguments.Recall.class).delegation());
            pass(6);
            holder.last(at(each, new StateArguments.DelegReturn(delegation)));
            assertEquals(Nfs4Status.OK, writeTo(each));
        }
        assertFalse(opened("third") instanceof OpenDelegation.Write);
    }
}
