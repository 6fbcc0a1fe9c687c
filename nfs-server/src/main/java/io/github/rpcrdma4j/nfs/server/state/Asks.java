package io.github.rpcrdma4j.nfs.server.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayList;
import java.util.List;

/** The questions about one file that the kernel has not answered, in their order. */
final class Asks {
    private final List<Ask> asks = new ArrayList<>();
    private final FileUse use = new FileUse();

    /** Returns how many more a client may ask, if there are so many for all. */
    long room(int limit, Client client) {
        return use.room(limit, client);
    }

    boolean isEmpty() {
        return asks.isEmpty();
    }

    void add(Ask ask) {
        asks.add(ask);
        use.count(ask.open.client, 1);
    }

    void remove(Ask ask) {
        asks.remove(ask);
        use.count(ask.open.client, -1);
    }

    /** Returns whether there are any of an open. */
    boolean isOf(Open open) {
        return asks.stream().anyMatch(each -> each.open == open);
    }

    /** Returns one that forbids a lock, or null. */
    Ask inTheWayOf(RangeLock<StateOwner> wanted) {
        for (var each : asks) {
            if (each.isInTheWayOf(wanted)) {
                return each;
            }
        }
        return null;
    }

    /** Ends the interest in the locks of an open. Returns whether there were any. */
    boolean abandon(Open open) {
        boolean isAny = false;
        for (var each : asks) {
            isAny |= each.open == open && each.isLive;
            each.isLive &= each.open != open;
        }
        return isAny;
    }

    /** Returns the parts of a range that no live one covers: no answer will change these. */
    List<ByteRange> outside(ByteRange range) {
        var parts = List.of(range);
        for (var each : asks) {
            if (each.isLive && each.wanted.range().overlaps(range)) {
                parts =
                        parts.stream()
                                .flatMap(part -> part.without(each.wanted.range()).stream())
                                .toList();
            }
        }
        return parts;
    }
}
