package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.readDir;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a listing tells of files that another client may have changed what GETATTR tells, or
 * nothing. Method: over RDMA.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DelegatedListingsTest {
    private static final int REPLIES = 10;
    private static final int PATIENCE_SECONDS = 30;
    private static final int BYTES_MAX = 1 << 16;
    private static final long SIZE = 7;
    private static final long TOLD = 7777;

    /** More of them than are asked for in the time of one reply. */
    private static final int FILES = 24;

    private final CallbackService calls = new CallbackService();
    private final Map<String, StateId> delegations = new HashMap<>();
    private TestDirectory testDirectory;
    private RdmaServer server;
    private CompoundClient holder;
    private CompoundClient other;

    @BeforeEach
    void serve() throws Exception {
        serve(TestDirectory.Kind.BASIC);
    }

    private void serve(TestDirectory.Kind kind) throws Exception {
        serve(kind, CompoundClient.CHANNEL);
    }

    private void serve(TestDirectory.Kind kind, ChannelAttributes back) throws Exception {
        testDirectory = TestDirectory.of(kind);
        for (int i = 0; i < FILES; i++) {
            Files.writeString(testDirectory.root().resolve("file" + i), "content");
        }
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server =
                new RdmaServer(
                        new NfsServer(List.of(export.with(Delegations.EXCLUSIVE)), TestServer.KEY));
        holder =
                CompoundClient.of(
                        server.called(CompoundClient.ROOT, calls),
                        CompoundClient.ROOT,
                        2,
                        "holder",
                        CompoundClient.CHANNEL,
                        back);
        other = CompoundClient.of(server, "other");
        calls.answer(DelegatedListingsTest::told);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private void delegate(String name) throws Exception {
        var open = (StateResult.Open) holder.last(at("", open(name, Open.BOTH, 0)));
        var delegation = assertInstanceOf(OpenDelegation.Write.class, open.delegation());
        delegations.put(name, delegation.stateId());
    }

    private static CallbackResult told(CallbackArguments operation) {
        var changeAndSize = ByteBuffer.allocate(16).putLong(99).putLong(TOLD).array();
        return operation instanceof CallbackArguments.GetAttr
                ? new CallbackResult.GetAttr(
                        EncodedAttributes.of(
                                AttributeSet.of(Attribute.CHANGE, Attribute.SIZE), changeAndSize))
                : new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);
    }

    private static CallbackResult untold(CallbackArguments operation) {
        return new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.SERVERFAULT);
    }

    private static NameResult.ReadDir list(
            CompoundClient client, long cookie, Attribute... attributes) throws Exception {
        return (NameResult.ReadDir) client.last(at("", readDir(cookie, BYTES_MAX, attributes)));
    }

    private static Map<String, ReadAttributes> byName(NameResult.ReadDir listing) throws Exception {
        var found = new TreeMap<String, ReadAttributes>();
        for (var each : listing.entries()) {
            found.put(each.name().toString(), ReadAttributes.decode(each.attributes()));
        }
        return found;
    }

    @Test
    void aListingTellsWhatTheWriterTells() throws Exception {
        delegate("file3");
        var sizes = byName(list(other, 0, Attribute.SIZE));
        assertEquals(FILES, sizes.size());
        for (var each : sizes.entrySet()) {
            long size = each.getKey().equals("file3") ? TOLD : SIZE;
            assertEquals(size, each.getValue().hyper(Attribute.SIZE), each.getKey());
        }
        assertEquals(1, calls.received.size());
        calls.received.clear();
        list(other, 0, Attribute.FILEID, Attribute.TYPE, Attribute.MODE);
        assertEquals(
                SIZE, byName(list(holder, 0, Attribute.SIZE)).get("file3").hyper(Attribute.SIZE));
        assertEquals(0, calls.received.size(), "nobody has to be asked for these");
    }

    /** Names are listed nevertheless, if the client takes errors for single entries. */
    @Test
    void ofAFileWhoseWriterDoesNotTellAListingTellsNothing() throws Exception {
        delegate("file3");
        calls.answer(DelegatedListingsTest::untold);
        var found = byName(list(other, 0, Attribute.SIZE, Attribute.RDATTR_ERROR));
        assertEquals(FILES, found.size());
        for (var each : found.entrySet()) {
            boolean isTold = !each.getKey().equals("file3");
            var attributes = each.getValue();
            assertEquals(isTold, attributes.present().has(Attribute.SIZE), each.getKey());
            var status = isTold ? Nfs4Status.OK : Nfs4Status.DELAY;
            assertEquals(status.number(), attributes.word(Attribute.RDATTR_ERROR), each.getKey());
        }
        assertInstanceOf(CallbackArguments.GetAttr.class, calls.received.take());
        assertInstanceOf(
                CallbackArguments.Recall.class,
                calls.received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        holder.last(at("file3", new StateArguments.DelegReturn(delegations.get("file3"))));
        assertEquals(
                SIZE, byName(list(other, 0, Attribute.SIZE)).get("file3").hyper(Attribute.SIZE));
    }

    /** A client could delay others for as long as it likes by having many files delegated. */
    @Test
    void aListingWithManyQuestionsEndsEarly() throws Exception {
        for (int i = 0; i < FILES; i++) {
            delegate("file" + i);
        }
        calls.answer(Duration.ofMillis(60), DelegatedListingsTest::told);
        var listing = list(other, 0, Attribute.SIZE, Attribute.RDATTR_ERROR);
        assertTrue(listing.entries().size() < FILES && !listing.isLast(), listing.toString());
        var names = new ArrayList<>(byName(listing).keySet());
        while (!listing.isLast()) {
            long last = listing.entries().getLast().cookie();
            listing = list(other, last, Attribute.SIZE, Attribute.RDATTR_ERROR);
            names.addAll(byName(listing).keySet());
        }
        assertEquals(FILES, names.size());
        assertEquals(FILES, Set.copyOf(names).size());
    }

    /** Whole table: slots of the client, and how many questions it gets at a time. */
    @ParameterizedTest
    @CsvSource({"1,1", "3,3", "8,8", "16,8"})
    void aListingAsksSideBySide(int slots, int asked) throws Exception {
        stop();
        serve(TestDirectory.Kind.BASIC, back(slots));
        for (int i = 0; i < FILES; i++) {
            delegate("file" + i);
        }
        var inProgress = new AtomicInteger();
        var most = new AtomicInteger();
        var all = new CyclicBarrier(asked);
        calls.answer(
                operation -> {
                    most.accumulateAndGet(inProgress.incrementAndGet(), Math::max);
                    try {
                        all.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                    } catch (InterruptedException | BrokenBarrierException | TimeoutException _) {
                        return untold(operation);
                    } finally {
                        inProgress.decrementAndGet();
                    }
                    return told(operation);
                });
        var sizes = byName(list(other, 0, Attribute.SIZE));
        assertEquals(FILES, sizes.size());
        assertTrue(
                sizes.values().stream().allMatch(each -> each.hyper(Attribute.SIZE) == TOLD),
                sizes.toString());
        assertEquals(asked, most.get());
        assertEquals(FILES, calls.received.size());
    }

    private static ChannelAttributes back(int slots) {
        return new ChannelAttributes(0, 1 << 20, 1 << 20, 1 << 12, 64, slots, OptionalInt.empty());
    }

    /**
     * Each answer is prompt, but there are many: each listing would be as slow. A few are enough,
     * or fewer if the answers take longer.
     */
    @Test
    void theAnswersForOneReplyAreLateTogether() throws Exception {
        for (int i = 0; i < FILES; i++) {
            delegate("file" + i);
        }
        calls.answer(Duration.ofMillis(60), DelegatedListingsTest::told);
        var status = Nfs4Status.OK;
        for (int i = 0; i < REPLIES && status == Nfs4Status.OK; i++) {
            status = other.status(at("", readDir(0, BYTES_MAX, Attribute.SIZE)));
        }
        assertEquals(Nfs4Status.DELAY, status);
        calls.received.removeIf(CallbackArguments.GetAttr.class::isInstance);
        var recalled = new HashSet<StateId>();
        while (recalled.size() < FILES) {
            var call = calls.received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertNotNull(call, "all of the reply are recalled at a time");
            recalled.add(assertInstanceOf(CallbackArguments.Recall.class, call).delegation());
        }
        assertEquals(Set.copyOf(delegations.values()), recalled);
    }

    /** What is there already need not be asked for again. */
    @Test
    void aListingEndsBeforeAFileWhoseWriterDoesNotTell() throws Exception {
        var names = new ArrayList<String>();
        for (var each : list(other, 0, Attribute.FILEID).entries()) {
            names.add(each.name().toString());
        }
        delegate(names.get(3));
        calls.answer(DelegatedListingsTest::untold);
        var first = list(other, 0, Attribute.SIZE);
        assertEquals(
                List.copyOf(byName(first).keySet()),
                names.subList(0, 3).stream().sorted().toList());
        assertFalse(first.isLast());
        long last = first.entries().getLast().cookie();
        var rest = at("", readDir(last, BYTES_MAX, Attribute.SIZE));
        assertEquals(Nfs4Status.DELAY, other.status(rest));
        holder.last(
                at(names.get(3), new StateArguments.DelegReturn(delegations.get(names.get(3)))));
        assertEquals(FILES - 3, list(other, last, Attribute.SIZE).entries().size());
    }

    /** Whole table: how many there are besides; they wait for the first one, not all at a time. */
    @ParameterizedTest
    @ValueSource(ints = {0, 38, 39, 40, 41, 104, 200})
    void aListingOfManyFilesTellsEachOnce(int more) throws Exception {
        for (int i = 0; i < more; i++) {
            Files.writeString(testDirectory.root().resolve("more" + i), "content");
        }
        delegate("file3");
        delegate("file7");
        var names = new ArrayList<String>();
        NameResult.ReadDir listing;
        long cookie = 0;
        do {
            listing = list(other, cookie, Attribute.SIZE);
            for (var each : byName(listing).entrySet()) {
                names.add(each.getKey());
                long size = delegations.containsKey(each.getKey()) ? TOLD : SIZE;
                assertEquals(size, each.getValue().hyper(Attribute.SIZE), each.getKey());
            }
            cookie = listing.isLast() ? 0 : listing.entries().getLast().cookie();
        } while (cookie != 0);
        assertEquals(FILES + more, names.size());
        assertEquals(FILES + more, Set.copyOf(names).size());
    }

    /** Such a thread has the directory open, and may have the identity of a caller. */
    @Test
    void noThreadOfTheStoreWaitsForAClient() throws Exception {
        stop();
        serve(TestDirectory.Kind.LOCAL);
        var file = testDirectory.root().resolve("file3");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        delegate("file3");
        var waiting = new ArrayList<String>();
        calls.answer(
                operation -> {
                    for (var each : Thread.getAllStackTraces().values()) {
                        for (var frame : each) {
                            if (frame.getClassName().contains("ListOperations")) {
                                waiting.add(frame.toString());
                            }
                        }
                    }
                    return told(operation);
                });
        assertEquals(
                TOLD, byName(list(other, 0, Attribute.SIZE)).get("file3").hyper(Attribute.SIZE));
        assertEquals(1, calls.received.size());
        assertEquals(List.of(), waiting);
    }
}
