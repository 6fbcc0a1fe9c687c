package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.admin.ServedDelegation;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a client that answers keeps its delegations until others need the files, and is then asked
 * for them, however many calls it has to answer. Method: over RDMA, a back channel with one slot.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrowdedBackChannelTest {
    private static final int PATIENCE_SECONDS = 30;
    private static final int ASKERS = 8;
    private static final int QUESTIONS = 10;
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

    private final CallbackService calls = new CallbackService();
    private TestDirectory testDirectory;
    private NfsServer nfs;
    private RdmaServer server;
    private CompoundClient holder;
    private CompoundClient other;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        Files.writeString(testDirectory.root().resolve("file"), "content");
        Files.writeString(testDirectory.root().resolve("second"), "content");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        nfs = new NfsServer(List.of(export.with(Delegations.EXCLUSIVE)), TestServer.KEY);
        server = new RdmaServer(nfs);
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

    private StateId delegated(String name) throws Exception {
        var open = (StateResult.Open) holder.last(at("", open(name, Open.BOTH, 0)));
        return assertInstanceOf(OpenDelegation.Write.class, open.delegation()).stateId();
    }

    private void giveBack(String name, StateId delegation) throws Exception {
        holder.last(at(name, new StateArguments.DelegReturn(delegation)));
    }

    private Nfs4Status writeTo(String name) throws Exception {
        return other.status(at(name, write(StateId.ANONYMOUS, 0, "x")));
    }

    private static Nfs4Status ask(CompoundClient client, String name) throws Exception {
        return client.status(at(name, getAttr(Attribute.SIZE)));
    }

    private long recalled() {
        return nfs.administration().delegations(9).stream()
                .filter(ServedDelegation::isRecalled)
                .count();
    }

    /** Waits for a call, and returns the delegation that it recalls. */
    private StateId awaitRecall() throws Exception {
        CallbackArguments call;
        do {
            call = calls.received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertNotNull(call, "no call came");
        } while (call instanceof CallbackArguments.GetAttr);
        return assertInstanceOf(CallbackArguments.Recall.class, call).delegation();
    }

    private static CallbackResult answer(CallbackArguments operation) {
        return operation instanceof CallbackArguments.GetAttr
                ? new CallbackResult.GetAttr(
                        EncodedAttributes.of(
                                AttributeSet.of(Attribute.CHANGE, Attribute.SIZE), new byte[16]))
                : new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);
    }

    /** The slot is in use for as long as the client takes to answer another call. */
    @Test
    void whoFindsNoSlotRecallsNothingAndARecallWaitsForOne() throws Exception {
        var first = delegated("file");
        var second = delegated("second");
        var mayAnswer = new CountDownLatch(1);
        calls.answer(
                operation -> {
                    try {
                        mayAnswer.await();
                    } catch (InterruptedException _) {
                        Thread.currentThread().interrupt();
                    }
                    return answer(operation);
                });
        assertEquals(Nfs4Status.DELAY, writeTo("second"));
        assertEquals(second, awaitRecall());
        assertEquals(Nfs4Status.DELAY, ask(other, "file"));
        assertEquals(1, recalled(), "a question that was not sent recalls nothing");
        assertEquals(Nfs4Status.DELAY, writeTo("file"));
        mayAnswer.countDown();
        assertEquals(first, awaitRecall());
        giveBack("file", first);
        giveBack("second", second);
        assertEquals(Nfs4Status.OK, writeTo("file"));
    }

    /** A client could otherwise keep its slot in use for ever, by calls that it brings about. */
    @Test
    void whoAsksInVainForLongRecallsTheDelegation() throws Exception {
        var first = delegated("file");
        var others = new TreeMap<String, StateId>();
        for (var name : List.of("a", "b", "c", "d")) {
            Files.writeString(testDirectory.root().resolve(name), "content");
            others.put(name, delegated(name));
        }
        calls.answer(Duration.ofMillis(4000), CrowdedBackChannelTest::answer);
        for (var each : others.keySet()) {
            assertEquals(Nfs4Status.DELAY, writeTo(each));
        }
        long began = System.nanoTime();
        do {
            assertEquals(Nfs4Status.DELAY, ask(other, "file"));
        } while (recalled() == others.size());
        var asked = Duration.ofNanos(System.nanoTime() - began);
        assertTrue(asked.compareTo(Duration.ofSeconds(10)) >= 0, asked.toString());
        assertTrue(asked.compareTo(Duration.ofSeconds(14)) < 0, asked.toString());
        calls.answer(CrowdedBackChannelTest::answer);
        for (var each : others.entrySet()) {
            giveBack(each.getKey(), each.getValue());
        }
        giveBack("file", first);
        assertEquals(Nfs4Status.OK, ask(other, "file"));
    }

    /** Else one of two that ask at the same time would have to ask again. */
    @Test
    void aQuestionWaitsForTheAnswerToAnotherOne() throws Exception {
        delegated("file");
        calls.answer(Duration.ofMillis(300), CrowdedBackChannelTest::answer);
        var asker = CompoundClient.of(server, "asker");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(() -> ask(asker, "file"));
            assertNotNull(calls.received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), "no call came");
            assertEquals(Nfs4Status.OK, ask(other, "file"));
            assertEquals(Nfs4Status.OK, first.get());
        }
        assertEquals(0, recalled());
    }

    /**
     * Others decide how many questions there are. The server answers DELAY before the recall waits
     * for the slot, so a question may still get it meanwhile, but not one after another.
     */
    @Test
    void aRecallGoesBeforeTheQuestionsThatWait() throws Exception {
        delegated("file");
        var mayAnswer = new Semaphore(0);
        calls.answer(
                operation -> {
                    mayAnswer.acquireUninterruptibly();
                    return answer(operation);
                });
        var askers = new ArrayList<CompoundClient>();
        for (int i = 0; i < ASKERS; i++) {
            askers.add(
                    CompoundClient.of(
                            server.called(CompoundClient.ROOT, calls),
                            CompoundClient.ROOT,
                            2,
                            "asker" + i,
                            CompoundClient.CHANNEL));
        }
        int before = 0;
        for (var name : NAMES) {
            Files.writeString(testDirectory.root().resolve(name), "content");
            var delegation = delegated(name);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                askers.forEach(each -> threads.submit(() -> ask(each, "file")));
                assertInstanceOf(CallbackArguments.GetAttr.class, calls.received.take());
                assertEquals(Nfs4Status.DELAY, writeTo(name));
                mayAnswer.release();
                var call = calls.received.take();
                while (!(call instanceof CallbackArguments.Recall)) {
                    before++;
                    mayAnswer.release();
                    call = calls.received.take();
                }
                assertEquals(delegation, ((CallbackArguments.Recall) call).delegation());
                mayAnswer.release(ASKERS + 1);
            }
            mayAnswer.drainPermits();
            calls.received.clear();
            giveBack(name, delegation);
        }
        int most = 2 * NAMES.size();
        int passed = before;
        assertTrue(passed <= most, () -> passed + " questions went before the recalls");
    }

    @Test
    void aRecallThatTheClientDoesNotAcceptIsRepeated() throws Exception {
        var delegation = delegated("file");
        var isFirst = new AtomicBoolean(true);
        calls.answer(
                operation ->
                        isFirst.getAndSet(false)
                                ? new CallbackResult.Plain(
                                        operation.opcode().number(), Nfs4Status.DELAY)
                                : answer(operation));
        assertEquals(Nfs4Status.DELAY, writeTo("file"));
        assertEquals(delegation, awaitRecall());
        assertEquals(delegation, awaitRecall(), "nobody has to ask for the file again");
    }

    /** Others would wait as long for each of its files. */
    @Test
    void aClientThatAnswersLateIsAskedNoMore() throws Exception {
        delegated("file");
        var second = delegated("second");
        calls.answer(Duration.ofMillis(1200), CrowdedBackChannelTest::answer);
        assertEquals(Nfs4Status.OK, ask(other, "file"));
        assertInstanceOf(CallbackArguments.GetAttr.class, calls.received.poll());
        assertEquals(Nfs4Status.DELAY, ask(other, "second"));
        var call = calls.received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(second, assertInstanceOf(CallbackArguments.Recall.class, call).delegation());
        giveBack("second", second);
        assertEquals(Nfs4Status.OK, ask(other, "second"));
    }

    @Test
    void manyQuestionsAtATimeRecallNothingAndKeepNoRecallBack() throws Exception {
        var delegation = delegated("file");
        calls.answer(CrowdedBackChannelTest::answer);
        var stop = new AtomicBoolean();
        var asked = new CountDownLatch(ASKERS * QUESTIONS);
        var askers = new ArrayList<CompoundClient>();
        for (int i = 0; i < ASKERS; i++) {
            askers.add(CompoundClient.of(server, "asker" + i));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<Set<Nfs4Status>>>();
            for (var each : askers) {
                answers.add(threads.submit(() -> askAgainAndAgain(each, asked, stop)));
            }
            try {
                assertTrue(asked.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "no answers");
                assertEquals(0, recalled());
                assertEquals(Nfs4Status.DELAY, writeTo("file"));
                assertEquals(delegation, awaitRecall());
            } finally {
                stop.set(true);
            }
            var possible = EnumSet.of(Nfs4Status.OK, Nfs4Status.DELAY);
            for (var each : answers) {
                assertTrue(possible.containsAll(each.get()), () -> each.resultNow().toString());
            }
        }
        giveBack("file", delegation);
        assertEquals(Nfs4Status.OK, writeTo("file"));
    }

    private static Set<Nfs4Status> askAgainAndAgain(
            CompoundClient client, CountDownLatch asked, AtomicBoolean stop) throws Exception {
        var seen = EnumSet.noneOf(Nfs4Status.class);
        while (!stop.get()) {
            seen.add(ask(client, "file"));
            asked.countDown();
        }
        return seen;
    }
}
