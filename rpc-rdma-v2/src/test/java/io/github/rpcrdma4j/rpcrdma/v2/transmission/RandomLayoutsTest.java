package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupAssembly.Action;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage.Checked;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: each message laid out for any receive buffers can be read from them. Method: random
 * structures.
 */
class RandomLayoutsTest {
    private static final int LAYOUTS = 20_000;
    private static final int TRANSMISSIONS_MAX = 64;

    private static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    private static int[] items(RandomGenerator random) {
        return random.ints(random.nextInt(4), 1, random.nextInt(2, 4000)).toArray();
    }

    @Test
    @Tag("RTR-3.3-2")
    @Tag("RTR-4.2-1")
    @Tag("RTR-4.2-4")
    @Tag("RTR-4.2-5")
    @Tag("RTR-6.2-1")
    @Tag("RTR-6.2-2")
    @Tag("RTR-6.2-3")
    @Tag("RTR-7.1-1")
    @Tag("RTR-7.2-4")
    @Tag("RTR-7.3-1")
    @Tag("RTR-9.2-1")
    @Tag("RTR-9.2-3")
    @Tag("RTR-9.2-4")
    void bringsEveryMessageThroughAnyBuffers() {
        var tried = new int[2];
        Seeds.many(LAYOUTS)
                .forEach(
                        seed -> {
                            var random = random(seed);
                            var layout =
                                    BufferLayout.of(RandomLayout.structure(random)).orElseThrow();
                            int payload = 4 * random.nextInt(2, 800);
                            var laid =
                                    RandomLayout.of(
                                            layout,
                                            payload,
                                            items(random),
                                            TRANSMISSIONS_MAX,
                                            random);
                            if (laid.isPresent()) {
                                check(laid.get(), layout, seed);
                                tried[0]++;
                            }
                            tried[1]++;
                        });
        assertTrue(Seeds.isGiven() || tried[0] > LAYOUTS / 2, "laid out: " + tried[0]);
    }

    private static void check(RandomLayout laid, BufferLayout layout, long seed) {
        var actions = RandomLayout.assemble(laid.sends(), TRANSMISSIONS_MAX);
        assertEquals(1, actions.size(), () -> "seed " + seed);
        var deliver = assertInstanceOf(Action.Deliver.class, actions.getFirst());
        var good =
                assertInstanceOf(
                        Checked.Good.class,
                        PlacedMessage.check(deliver.group(), layout),
                        () -> "seed " + seed);
        assertArrayEquals(
                laid.stream(),
                RandomLayout.virtualStream(good.message(), new byte[0]),
                () -> "seed " + seed);
        for (var item : good.message().items()) {
            assertInstanceOf(Location.Numbered.class, item.moved().location());
            item.pieces().forEach(piece -> assertIsInPlacement(piece, laid, layout, seed));
        }
        laid.sends().forEach(send -> assertTrue(send.byteSize() <= layout.bytes()));
    }

    /** Checks that bulk data is only in segments for placement. */
    private static void assertIsInPlacement(
            MemorySegment piece, RandomLayout laid, BufferLayout layout, long seed) {
        for (var send : laid.sends()) {
            long at = piece.address() - send.address();
            if (piece.heapBase().equals(send.heapBase())) {
                long inside =
                        layout.placementSegments().stream()
                                .mapToLong(segment -> overlap(at, at + piece.byteSize(), segment))
                                .sum();
                assertEquals(piece.byteSize(), inside, () -> "seed " + seed);
            }
        }
    }

    private static long overlap(long from, long to, BufferSegment segment) {
        return Math.max(0, Math.min(to, segment.end()) - Math.max(from, segment.offset()));
    }

    /** Goal: no group crashes the check. Method: a few bytes of valid groups are replaced. */
    @Test
    @Tag("RTR-11-2")
    void makesAValueOfAnyDamage() {
        Seeds.many(5000)
                .forEach(
                        seed -> {
                            var random = random(seed);
                            var layout =
                                    BufferLayout.of(RandomLayout.structure(random)).orElseThrow();
                            var laid =
                                    RandomLayout.of(
                                            layout,
                                            4 * random.nextInt(2, 100),
                                            items(random),
                                            TRANSMISSIONS_MAX,
                                            random);
                            laid.ifPresent(message -> damage(message, layout, random));
                        });
    }

    private static void damage(RandomLayout laid, BufferLayout layout, RandomGenerator random) {
        for (int i = 0; i < 4; i++) {
            var send = laid.sends().get(random.nextInt(laid.sends().size()));
            long at = random.nextLong(Math.min(send.byteSize(), 160));
            byte oneByte = (byte) (random.nextBoolean() ? random.nextInt() : random.nextInt(8));
            send.set(ValueLayout.JAVA_BYTE, at, oneByte);
        }
        for (var action : RandomLayout.assemble(laid.sends(), TRANSMISSIONS_MAX)) {
            if (action instanceof Action.Deliver(var group)) {
                var checked = PlacedMessage.check(group, layout);
                assertNotNull(checked);
                if (checked instanceof Checked.Good(var message) && allNumbered(message)) {
                    assertNotNull(RandomLayout.virtualStream(message, new byte[0]));
                }
            }
        }
    }

    private static boolean allNumbered(PlacedMessage message) {
        return message.items().stream()
                .allMatch(item -> item.moved().location() instanceof Location.Numbered);
    }
}
