package io.github.rpcrdma4j.nfs.client.v4.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.client.v4.state.OpenState.Event;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.EnumSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Goal: an open file is claimed, opened once more, or lost. Method: the whole table. */
class OpenStateTest {
    private static final String TABLE =
            """
            OPEN RESTARTED BEFORE_RESTART
            OPEN REVOKED FORGOTTEN
            OPEN OPENED OPEN
            OPEN DEFERRED OPEN
            OPEN UNANSWERED OPEN
            OPEN UNCLAIMED LOST
            OPEN REFUSED LOST
            BEFORE_RESTART RESTARTED BEFORE_RESTART
            BEFORE_RESTART REVOKED BEFORE_RESTART
            BEFORE_RESTART OPENED OPEN
            BEFORE_RESTART DEFERRED BEFORE_RESTART
            BEFORE_RESTART UNANSWERED MAYBE_CLAIMED
            BEFORE_RESTART UNCLAIMED FORGOTTEN
            BEFORE_RESTART REFUSED FORGOTTEN
            MAYBE_CLAIMED RESTARTED BEFORE_RESTART
            MAYBE_CLAIMED REVOKED MAYBE_CLAIMED
            MAYBE_CLAIMED OPENED OPEN
            MAYBE_CLAIMED DEFERRED MAYBE_CLAIMED
            MAYBE_CLAIMED UNANSWERED MAYBE_CLAIMED
            MAYBE_CLAIMED UNCLAIMED FORGOTTEN
            MAYBE_CLAIMED REFUSED FORGOTTEN
            FORGOTTEN RESTARTED FORGOTTEN
            FORGOTTEN REVOKED FORGOTTEN
            FORGOTTEN OPENED OPEN
            FORGOTTEN DEFERRED FORGOTTEN
            FORGOTTEN UNANSWERED FORGOTTEN
            FORGOTTEN UNCLAIMED LOST
            FORGOTTEN REFUSED LOST
            LOST RESTARTED LOST
            LOST REVOKED LOST
            LOST OPENED OPEN
            LOST DEFERRED LOST
            LOST UNANSWERED LOST
            LOST UNCLAIMED LOST
            LOST REFUSED LOST
            """;

    @Test
    void eachEventHasANextState() {
        var table = new StringBuilder();
        for (var state : OpenState.values()) {
            for (var event : Event.values()) {
                table.append(state + " " + event + " " + state.after(event) + "\n");
            }
        }
        assertEquals(TABLE, table.toString());
    }

    @Test
    void anAnswerToOpenIsAnEvent() {
        var byEvent =
                EnumSet.allOf(Nfs4Status.class).stream()
                        .collect(Collectors.groupingBy(Event::ofOpen, Collectors.toSet()));
        assertEquals(EnumSet.of(Nfs4Status.OK), byEvent.get(Event.OPENED));
        assertEquals(EnumSet.of(Nfs4Status.DELAY, Nfs4Status.GRACE), byEvent.get(Event.DEFERRED));
        assertEquals(
                EnumSet.of(
                        Nfs4Status.NO_GRACE, Nfs4Status.RECLAIM_BAD, Nfs4Status.RECLAIM_CONFLICT),
                byEvent.get(Event.UNCLAIMED));
    }
}
