package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What becomes of a wish (XCH-4.3-3, XCH-4.3-4). */
public enum ChangeVerdict {
    /** In force. */
    DONE,
    REJECTED,
    /** An update will tell. */
    PENDING;

    /**
     * The answer to wishes, whatever they are (XCH-4.2-1): each has one verdict (XCH-4.3-5), and
     * what is not known here is rejected.
     *
     * @param decide the verdict on a wish that is known; any may be rejected (XCH-3-2)
     */
    public static ChangeResponse answer(
            ChangeRequest request, Function<Characteristic, ChangeVerdict> decide) {
        Map<ChangeVerdict, IntStream.Builder> elements = new EnumMap<>(ChangeVerdict.class);
        for (var verdict : values()) {
            elements.put(verdict, IntStream.builder());
        }
        for (int i = 0; i < request.want().size(); i++) {
            var wish = request.want().get(i);
            var verdict = wish instanceof Characteristic.Unknown ? REJECTED : decide.apply(wish);
            elements.get(verdict).add(i);
        }
        return new ChangeResponse(
                subset(elements.get(DONE)),
                subset(elements.get(REJECTED)),
                subset(elements.get(PENDING)));
    }

    private static Subset subset(IntStream.Builder elements) {
        return Subset.of(elements.build().toArray());
    }

    /**
     * What an answer says about a wish. One of which it says nothing, or more than one thing, is
     * taken for rejected.
     */
    public static ChangeVerdict of(ChangeResponse answer, int element) {
        boolean done = answer.done().contains(element);
        boolean pending = answer.pending().contains(element);
        if (answer.rejected().contains(element) || done == pending) {
            return REJECTED;
        }
        return done ? DONE : PENDING;
    }
}
