package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Preference;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.Result;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponsePlacement.ResultTransfer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.ExpectedResult;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ResponsePlacementTest {
    private static final List<Segment> MEMORY =
            List.of(new Segment(1, 3000, 0x1000), new Segment(2, 1096, 0x9000));
    private static final Target EXRW = new Target.Explicit(MEMORY);
    private static final Target TBSN = new Target.Numbered();
    private static final Target CHOOSE = new Target.Choice(MEMORY);
    private static final Target BYSIZE = new Target.BySize(2048, MEMORY);

    private static List<ResponseSet> asked(ExpectedResult... items) {
        return List.of(new ResponseSet(0, 100, List.of(items)));
    }

    private static String show(ResultTransfer transfer) {
        return switch (transfer) {
            case ResultTransfer.Inline() -> "inline";
            case ResultTransfer.TooShort() -> "short";
            case ResultTransfer.BySend() -> "send";
            case ResultTransfer.ByWrite(var segments) ->
                    "write "
                            + segments.stream()
                                    .map(segment -> "" + segment.length())
                                    .collect(Collectors.joining("+"));
        };
    }

    private static String transfers(
            List<ResponseSet> sets, boolean canSend, Preference preference, Result... results) {
        return ResponsePlacement.of(sets, List.of(results), canSend, preference)
                .map(
                        placed ->
                                placed.transfers().stream()
                                        .map(ResponsePlacementTest::show)
                                        .toList())
                .map(List::toString)
                .orElse("error");
    }

    private static Result result(long length) {
        return new Result(50, 44, length);
    }

    /** Method: each target gets each length, with and without buffers for placement. */
    @Test
    @Tag("RTR-6.2-5")
    @Tag("RTR-3.4-2")
    @Tag("RTR-3.4-3")
    @Tag("RTR-5.3-2")
    @Tag("RTR-3.4-4")
    @Tag("RTR-5.3-4")
    @Tag("RTR-7.4-4")
    @Tag("RTR-7.4-8")
    @Tag("RTR-7.4-9")
    void obeysTheTargetsOfResults() {
        var rows = new ArrayList<String>();
        for (var target : List.of(EXRW, TBSN, CHOOSE, BYSIZE)) {
            for (boolean canSend : new boolean[] {true, false}) {
                for (var preference : Preference.values()) {
                    var row = new ArrayList<String>();
                    for (long length : new long[] {99, 2048, 4096, 4097}) {
                        var sets = asked(new ExpectedResult(100, target));
                        row.add(transfers(sets, canSend, preference, result(length)));
                    }
                    rows.add(String.join(" ", row));
                }
            }
        }
        var write = "[short] [write 2048+0] [write 3000+1096] error";
        var send = "[short] [send] [send] [send]";
        assertEquals(
                List.of(
                        write,
                        write,
                        write,
                        write,
                        send,
                        send,
                        "[short] [short] [short] [short]",
                        "[short] [short] [short] [short]",
                        send,
                        "[short] [write 2048+0] [write 3000+1096] [send]",
                        write,
                        write,
                        "[short] [send] [write 3000+1096] [send]",
                        "[short] [send] [write 3000+1096] [send]",
                        write,
                        write),
                rows);
    }

    @Test
    @Tag("RTR-3.4-1")
    @Tag("RTR-6.2-6")
    @Tag("RTR-7.4-1")
    @Tag("RTR-7.4-4")
    @Tag("RTR-7.4-7")
    @Tag("RTR-7.4-10")
    void spendsTheTargetsOfOperationsOneByOne() {
        var sets =
                List.of(
                        new ResponseSet(
                                40,
                                60,
                                List.of(
                                        new ExpectedResult(100, EXRW),
                                        new ExpectedResult(0, TBSN))),
                        new ResponseSet(
                                60,
                                80,
                                List.of(
                                        new ExpectedResult(0, CHOOSE),
                                        new ExpectedResult(0, TBSN))));
        var results =
                List.of(
                        new Result(20, 100, 500),
                        new Result(40, 700, 10),
                        new Result(59, 800, 600),
                        new Result(59, 1500, 600),
                        new Result(60, 2200, 7));
        var placed = ResponsePlacement.of(sets, results, true, Preference.WRITE).orElseThrow();
        assertEquals(
                List.of("inline", "short", "send", "inline", "write 7+0"),
                placed.transfers().stream().map(ResponsePlacementTest::show).toList());
        var moved = placed.moved(results, List.of(List.of(0L)));
        assertEquals(
                List.of(
                        new PlacementItem(700, 10, new Location.TooShort()),
                        new PlacementItem(800, 600, new Location.Numbered(0, List.of(0L))),
                        new PlacementItem(
                                2200,
                                7,
                                new Location.Explicit(
                                        List.of(
                                                new Segment(1, 7, 0x1000),
                                                new Segment(2, 0, 0x9000)))),
                        new PlacementItem(0, 0, new Location.NoItem())),
                moved);
        assertEquals(Optional.empty(), ResponseCheck.faultOfItems(sets, moved));
    }

    /** Method: all sixteen combinations of a target and a place. */
    @Test
    @Tag("RTR-7.4-2")
    @Tag("RTR-7.4-1")
    void knowsWhichResultsGoWithWhichTargets() {
        var places =
                List.of(
                        new Location.Explicit(List.of(MEMORY.getFirst().withLength(5))),
                        new Location.Numbered(0, List.of(0L)),
                        new Location.TooShort(),
                        new Location.NoItem());
        var rows = new ArrayList<String>();
        for (var target : List.of(EXRW, TBSN, CHOOSE, BYSIZE)) {
            rows.add(
                    places.stream()
                            .map(place -> List.of(new PlacementItem(0, 5, place)))
                            .map(
                                    moved ->
                                            ResponseCheck.faultOfItems(
                                                    asked(new ExpectedResult(0, target)), moved))
                            .map(fault -> fault.isEmpty() ? "good" : "bad")
                            .collect(Collectors.joining(" ")));
        }
        assertEquals(
                List.of(
                        "good bad good good",
                        "bad good good good",
                        "good good good good",
                        "good good good good"),
                rows);
        assertEquals(
                true,
                ResponseCheck.faultOfItems(asked(new ExpectedResult(0, TBSN)), List.of())
                        .isPresent());
    }

    @Test
    @Tag("RTR-7.4-3")
    @Tag("RTR-7.4-5")
    void acceptsOnlyMemoryThatItOffered() {
        assertEquals("good", memory(new Segment(1, 3000, 0x1000), new Segment(2, 1096, 0x9000)));
        assertEquals("good", memory(new Segment(1, 0, 0x1000)));
        assertEquals("bad", memory(new Segment(1, 3001, 0x1000)));
        assertEquals("bad", memory(new Segment(3, 1, 0x1000)));
        assertEquals("bad", memory(new Segment(1, 1, 0x1004)));
        assertEquals("bad", memory(MEMORY.get(0), MEMORY.get(1), MEMORY.get(1)));
    }

    private static String memory(Segment... returned) {
        var moved = new PlacementItem(0, 0, new Location.Explicit(Arrays.asList(returned)));
        return ResponseCheck.faultOfItems(asked(new ExpectedResult(0, BYSIZE)), List.of(moved))
                        .isEmpty()
                ? "good"
                : "bad";
    }

    @Test
    @Tag("RTR-7.4-6")
    void acceptsOnlyRangesThatFollowEachOther() {
        assertEquals(Optional.empty(), ranges(0, 10, 10, 20, 30, 31));
        assertEquals(
                Optional.of(new Fault.OutOfRange(Fault.Measure.OFFSET, 9, 10, 19)),
                ranges(0, 10, 9, 20));
        assertEquals(true, ranges(5, 5).isPresent());
        assertEquals(true, ranges(20, 30, 0, 10).isPresent());
    }

    private static Optional<Fault> ranges(long... borders) {
        var sets = new ArrayList<ResponseSet>();
        for (int i = 0; i < borders.length; i += 2) {
            sets.add(new ResponseSet(borders[i], borders[i + 1], List.of()));
        }
        return ResponseCheck.faultOfDirections(sets);
    }
}
