package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose turn it is. */
class ForestTest {
    private Ground ground;
    private Forest forest;
    private FileHandle root;

    @BeforeEach
    void make() throws Exception {
        ground = Ground.of(Ground.Kind.BASIC);
        forest =
                new Forest(
                        List.of(new Export("/export", ground.root(), false)),
                        new HandleSeal(Served.KEY));
        root = forest.trees().getFirst().rootHandle();
    }

    @AfterEach
    void remove() throws Exception {
        ground.close();
    }

    private interface Call {
        void run(Runnable step) throws Refusal, IOException;
    }

    private final List<Call> usersOfPaths =
            List.of(
                    step -> forest.at(root, _ -> nothing(step)),
                    step -> forest.atFolder(root, _ -> nothing(step)),
                    step -> forest.change(root, _ -> nothing(step)),
                    step -> forest.changeFolder(root, _ -> nothing(step)),
                    step -> forest.changeFolder(root, root, (_, _) -> nothing(step)),
                    step -> forest.changeLater(root, place -> place.at(_ -> nothing(step))));

    private final List<Call> takersOfNames =
            List.of(
                    step -> forest.changePaths(root, _ -> nothing(step)),
                    step -> forest.changePaths(root, root, (_, _) -> nothing(step)));

    private static Void nothing(Runnable step) {
        step.run();
        return null;
    }

    /** Whether the second call waits for the first one to end. */
    private static boolean waits(Call first, Call second) throws Exception {
        var ran = new AtomicBoolean();
        var ranMeanwhile = new AtomicBoolean();
        var thread = new AtomicReference<Thread>();
        first.run(
                () -> {
                    var other = Thread.ofPlatform().unstarted(() -> run(second, ran));
                    thread.set(other);
                    other.start();
                    while (other.getState() != Thread.State.WAITING && other.isAlive()) {
                        Thread.onSpinWait();
                    }
                    ranMeanwhile.set(ran.get());
                });
        thread.get().join();
        assertTrue(ran.get());
        return !ranMeanwhile.get();
    }

    private static void run(Call call, AtomicBoolean ran) {
        try {
            call.run(() -> ran.set(true));
        } catch (Refusal | IOException broken) {
            throw new AssertionError(broken);
        }
    }

    @Test
    void nobodyTakesANameWhileAPathIsUsed() throws Exception {
        for (var user : usersOfPaths) {
            for (var taker : takersOfNames) {
                assertTrue(waits(user, taker));
                assertTrue(waits(taker, user));
            }
        }
    }

    @Test
    void thoseWhoTakeNamesWaitForEachOther() throws Exception {
        for (var taker : takersOfNames) {
            for (var other : takersOfNames) {
                assertTrue(waits(taker, other));
            }
        }
    }

    @Test
    void thoseWhoUsePathsDoNotWait() throws Exception {
        for (var user : usersOfPaths) {
            for (var other : usersOfPaths) {
                assertFalse(waits(user, other));
            }
        }
    }

    @Test
    void nobodyWaitsForATransfer() throws Exception {
        Call transfer =
                step ->
                        forest.changeLater(
                                root,
                                place -> {
                                    place.at(Change::file);
                                    return nothing(step);
                                });
        for (var taker : takersOfNames) {
            assertFalse(waits(transfer, taker));
        }
        assertEquals(1, forest.trees().size());
    }
}
