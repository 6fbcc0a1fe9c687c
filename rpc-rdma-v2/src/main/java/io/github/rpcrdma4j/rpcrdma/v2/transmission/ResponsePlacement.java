package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The placement of the bulk results of a call, by the directions of its request (RTR-6.2-5).
 * Directions may be for some operations only (RTR-3.4-1).
 *
 * <pre>
 *   for each eligible result, in the order of the response:
 *     the set in whose range its operation stands       none: inline
 *     the next target of that set                       none: inline
 *     shorter than the least of the target              inline, TOOSHORT
 *     EXRW      by RDMA Write; too long for its memory  an error
 *     TBSN      by Send
 *     CHOOSE    by Send if that is preferred and possible, else by RDMA Write, else the other
 *     BYSIZE    longer than the limit by RDMA Write, else by Send; if impossible the other
 *   a target that no result came to                     NOITEM
 * </pre>
 *
 * @param transfers how each result travels, in their order
 * @param targets for each target of the directions, in their order, the index of the result that
 *     uses it; empty if none does (RTR-7.4-1)
 */
public record ResponsePlacement(List<ResultTransfer> transfers, List<Optional<Integer>> targets) {
    /**
     * An eligible result.
     *
     * @param operation the position in the request of the operation that returned it; 0 for
     *     programs without operations
     * @param displacement the position of its first byte in the virtual stream of the response
     * @param length its length in bytes, without padding
     */
    public record Result(long operation, long displacement, long length) {}

    /** A method by which a result travels. */
    public sealed interface ResultTransfer {
        /** In the payload, as the request has no target for it. */
        record Inline() implements ResultTransfer {}

        /** In the payload, because it is too short for its target. */
        record TooShort() implements ResultTransfer {}

        /** In the receive buffers of the requester. */
        record BySend() implements ResultTransfer {}

        /**
         * By RDMA Write.
         *
         * @param segments the segments of the target, with the lengths that are written
         */
        record ByWrite(List<Segment> segments) implements ResultTransfer {
            public ByWrite {
                segments = List.copyOf(segments);
            }
        }
    }

    /** The method that is preferred if the request leaves the choice. */
    public enum Preference {
        SEND,
        WRITE
    }

    public ResponsePlacement {
        transfers = List.copyOf(transfers);
        targets = List.copyOf(targets);
    }

    /**
     * Places each result.
     *
     * @param canSend whether the buffers of the requester accept placed data (RTR-5.3-2). Without
     *     that, directions still apply (RTR-3.4-4). What our own buffers accept does not matter
     *     (RTR-5.3-4).
     * @param preference the preferred method where the request leaves the choice
     * @return empty if a result is longer than the memory that it must use (RTR-7.4-9)
     */
    public static Optional<ResponsePlacement> of(
            List<ResponseSet> sets, List<Result> results, boolean canSend, Preference preference) {
        var cursor = new int[sets.size()];
        var targets = new ArrayList<List<Optional<Integer>>>();
        for (var set : sets) {
            targets.add(new ArrayList<>());
            set.results().forEach(_ -> targets.getLast().add(Optional.empty()));
        }
        var transfers = new ArrayList<ResultTransfer>();
        for (var result : results) {
            int set = setOf(sets, result.operation());
            // RTR-7.4-7, RTR-7.4-10.
            if (set < 0 || cursor[set] == sets.get(set).results().size()) {
                transfers.add(new ResultTransfer.Inline());
                continue;
            }
            int target = cursor[set]++;
            var transfer =
                    transfer(sets.get(set).results().get(target), result, canSend, preference);
            if (transfer.isEmpty()) {
                return Optional.empty();
            }
            targets.get(set).set(target, Optional.of(transfers.size()));
            transfers.add(transfer.get());
        }
        return Optional.of(
                new ResponsePlacement(transfers, targets.stream().flatMap(List::stream).toList()));
    }

    private static int setOf(List<ResponseSet> sets, long operation) {
        for (int i = 0; i < sets.size(); i++) {
            if (sets.get(i).begin() <= operation && operation < sets.get(i).end()) {
                return i;
            }
        }
        return -1;
    }

    private static Optional<ResultTransfer> transfer(
            ResponseSet.ExpectedResult expected,
            Result result,
            boolean canSend,
            Preference preference) {
        // RTR-7.4-4, RTR-3.4-2. An empty result cannot be moved.
        if (result.length() < Math.max(1, expected.minimum())) {
            return Optional.of(new ResultTransfer.TooShort());
        }
        Optional<ResultTransfer> bySend =
                canSend ? Optional.of(new ResultTransfer.BySend()) : Optional.empty();
        return switch (expected.target()) {
            case Target.Explicit(var segments) -> byWrite(segments, result);
            // A result that must be placed by Send but cannot be counts as too short.
            case Target.Numbered() -> bySend.or(() -> Optional.of(new ResultTransfer.TooShort()));
            // RTR-7.4-8, RTR-3.4-3.
            case Target.Choice(var segments) ->
                    switch (preference) {
                        case SEND -> bySend.or(() -> byWrite(segments, result));
                        case WRITE -> byWrite(segments, result).or(() -> bySend);
                    };
            case Target.BySize(var over, var segments) ->
                    result.length() > over
                            ? byWrite(segments, result).or(() -> bySend)
                            : bySend.or(() -> byWrite(segments, result));
        };
    }

    private static Optional<ResultTransfer> byWrite(List<Segment> segments, Result result) {
        var chunk = new WriteChunk(segments);
        return chunk.size() < result.length()
                ? Optional.empty()
                : Optional.of(new ResultTransfer.ByWrite(chunk.filled(result.length()).segments()));
    }

    /**
     * Returns the items of the response: one entry for each target, in order (RTR-7.4-1).
     *
     * @param results the results of this placement
     * @param numbers the segment numbers of each result that travels by Send, in their order
     */
    public List<PlacementItem> moved(List<Result> results, List<List<Long>> numbers) {
        var locations = new ArrayList<Location>();
        int next = 0;
        for (var transfer : transfers) {
            locations.add(
                    switch (transfer) {
                        case ResultTransfer.Inline() -> new Location.NoItem();
                        case ResultTransfer.TooShort() -> new Location.TooShort();
                        case ResultTransfer.BySend() ->
                                new Location.Numbered(0, numbers.get(next++));
                        case ResultTransfer.ByWrite(var segments) ->
                                new Location.Explicit(segments);
                    });
        }
        return targets.stream()
                .map(
                        target ->
                                target.map(
                                                result ->
                                                        new PlacementItem(
                                                                results.get(result).displacement(),
                                                                results.get(result).length(),
                                                                locations.get(result)))
                                        // RTR-6.2-6.
                                        .orElse(new PlacementItem(0, 0, new Location.NoItem())))
                .toList();
    }
}
