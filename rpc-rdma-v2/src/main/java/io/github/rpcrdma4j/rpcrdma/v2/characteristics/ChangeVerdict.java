package io.github.rpcrdma4j.rpcrdma.v2.characteristics;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The outcome of a requested change (XCH-4.3-3, XCH-4.3-4). */
public enum ChangeVerdict {
    /** The change is in force. */
    DONE,
    /** The change is refused. */
    REJECTED,
    /** A later update reports the outcome. */
    PENDING;

    /**
     * Answers any request for changes (XCH-4.2-1). Each requested change gets one verdict
     * (XCH-4.3-5); an unknown characteristic is rejected.
     *
     * @param decide returns the verdict on a known characteristic; it may reject any (XCH-3-2)
     */
    public static ChangeResponse answer(
            ChangeRequest request, Function<Characteristic, ChangeVerdict> decide) {
        Map<ChangeVerdict, IntStream.Builder> elements = new EnumMap<>(ChangeVerdict.class);
        for (var verdict : values()) {
            elements.put(verdict, IntStream.builder());
        }
        for (int i = 0; i < request.want().size(); i++) {
            var wanted = request.want().get(i);
            var verdict =
                    wanted instanceof Characteristic.Unknown ? REJECTED : decide.apply(wanted);
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
     * Returns the verdict that an answer has on a requested change. No verdict, or more than one,
     * counts as rejected.
     *
     * @param element the index of the change in the request
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
