package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault.Measure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet;
import io.github.rpcrdma4j.rpcrdma.v2.wire.ResponseSet.Target;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.util.List;
import java.util.Optional;

/**
 * Checks the items of a response against the request, and the directions of a request for overlap
 * (RTR-7.4-2).
 *
 * <pre>
 *   asked      EXRW      TBSN      TOOSHORT   NOITEM
 *   EXRW       write     error     inline     nothing
 *   TBSN       error     send      inline     nothing
 *   CHOOSE     write     send      inline     nothing
 *   BYSIZE     write     send      inline     nothing
 * </pre>
 *
 * Regardless of the response, all offered memory has to be fenced before the call completes
 * (RTR-7.4-3, RTR-7.4-5).
 */
public final class ResponseCheck {
    private static final long KIND_EXPLICIT = 1;
    private static final long KIND_NUMBERED = 2;

    private ResponseCheck() {}

    /** Returns the fault of a request's directions; empty if there is none (RTR-7.4-6). */
    public static Optional<Fault> faultOfDirections(List<ResponseSet> sets) {
        long end = 0;
        for (var set : sets) {
            if (set.begin() < end || set.end() <= set.begin()) {
                return Optional.of(offset(set.begin(), end, Math.max(end, set.end() - 1)));
            }
            end = set.end();
        }
        return Optional.empty();
    }

    /** Returns the fault of a response's items; empty if there is none. */
    public static Optional<Fault> faultOfItems(List<ResponseSet> asked, List<PlacementItem> moved) {
        var targets = asked.stream().flatMap(set -> set.results().stream()).toList();
        if (targets.size() != moved.size()) {
            return Optional.of(offset(moved.size(), targets.size(), targets.size()));
        }
        for (int i = 0; i < moved.size(); i++) {
            var fault = faultOfItem(targets.get(i).target(), moved.get(i));
            if (fault.isPresent()) {
                return fault;
            }
        }
        return Optional.empty();
    }

    private static Optional<Fault> faultOfItem(Target target, PlacementItem item) {
        return switch (item.location()) {
            case Location.TooShort(), Location.NoItem() -> Optional.empty();
            case Location.Numbered _ ->
                    switch (target) {
                        case Target.Explicit _ ->
                                Optional.of(offset(KIND_NUMBERED, KIND_EXPLICIT, KIND_EXPLICIT));
                        case Target.Numbered(), Target.Choice _, Target.BySize _ ->
                                Optional.empty();
                    };
            case Location.Explicit(var segments) ->
                    switch (target) {
                        case Target.Numbered() ->
                                Optional.of(offset(KIND_EXPLICIT, KIND_NUMBERED, KIND_NUMBERED));
                        case Target.Explicit(var offered) -> memoryFault(offered, segments);
                        case Target.Choice(var offered) -> memoryFault(offered, segments);
                        case Target.BySize(_, var offered) -> memoryFault(offered, segments);
                    };
        };
    }

    /** Returns a fault unless a result uses only memory that was offered for it. */
    private static Optional<Fault> memoryFault(List<Segment> offered, List<Segment> returned) {
        if (returned.size() > offered.size()) {
            return Optional.of(offset(returned.size(), 0, offered.size()));
        }
        for (int i = 0; i < returned.size(); i++) {
            var had = offered.get(i);
            var got = returned.get(i);
            if (got.handle() != had.handle()
                    || got.offset() != had.offset()
                    || got.size() > had.size()) {
                return Optional.of(offset(got.size(), 0, had.size()));
            }
        }
        return Optional.empty();
    }

    private static Fault offset(long value, long min, long max) {
        return new Fault.OutOfRange(Measure.OFFSET, value, min, max);
    }
}
