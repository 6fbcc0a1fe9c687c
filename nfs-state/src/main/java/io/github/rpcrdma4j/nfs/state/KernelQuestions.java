package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayList;
import java.util.List;

/**
 * The locks of one file about which the server asks the kernel now, in the order in which it has
 * asked.
 */
final class KernelQuestions {
    private final List<KernelQuestion> questions = new ArrayList<>();
    private final FileCounts use = new FileCounts();

    /** Returns how many more a client may ask, if there are so many for all. */
    long room(int limit, Client client) {
        return use.room(limit, client);
    }

    boolean isEmpty() {
        return questions.isEmpty();
    }

    void add(KernelQuestion ask) {
        questions.add(ask);
        use.count(ask.open.client, 1);
    }

    void remove(KernelQuestion ask) {
        questions.remove(ask);
        ask.isGone = true;
        use.count(ask.open.client, -1);
    }

    /** Returns whether there are any of an open. */
    boolean isOf(Open open) {
        return questions.stream().anyMatch(each -> each.open == open);
    }

    /** Returns one that forbids a lock, or null. */
    KernelQuestion inTheWayOf(RangeLock<StateOwner> wanted) {
        for (var each : questions) {
            if (each.isInTheWayOf(wanted)) {
                return each;
            }
        }
        return null;
    }

    /** Returns the live ones of an open. */
    List<KernelQuestion> of(Open open) {
        return questions.stream().filter(each -> each.open == open && each.isLive).toList();
    }

    /** Returns the parts of a range that no live one covers: the kernel has what the table says. */
    List<ByteRange> outside(ByteRange range) {
        var parts = List.of(range);
        for (var each : questions) {
            if (each.isLive && each.overlaps(range)) {
                for (var wanted : each.parts()) {
                    parts = parts.stream().flatMap(part -> part.without(wanted).stream()).toList();
                }
            }
        }
        return parts;
    }
}
