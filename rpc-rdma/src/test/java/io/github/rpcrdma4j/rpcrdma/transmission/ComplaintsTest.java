package io.github.rpcrdma4j.rpcrdma.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.transmission.Complaints.Reaction;
import io.github.rpcrdma4j.rpcrdma.transmission.Complaints.Victim;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Direction;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Fault;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.wire.v2.TransmissionId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ComplaintsTest {
    @Test
    @Tag("RTR-5.4-4")
    @Tag("RTR-5.4-5")
    @Tag("RTR-9.5-11")
    @Tag("V2-X-1")
    void sendsAgainWhatCanBeSentAgain() {
        var complaints = new Complaints();
        assertEquals(
                List.of(
                        Reaction.RESEND_WITH_BASE,
                        Reaction.FAIL_CALL,
                        Reaction.RESEND_WITH_BASE,
                        Reaction.SEND_ERROR,
                        Reaction.NOTHING),
                Arrays.stream(Victim.values()).map(complaints::on).toList());
    }

    @Test
    void leavesAFeatureAloneThatIsComplainedAbout() {
        var complaints = new Complaints();
        complaints.on(Victim.WAITING_CALL);
        complaints.on(Victim.KEPT_RESPONSE);
        complaints.on(Victim.UNKNOWN);
        complaints.succeeded();
        complaints.on(Victim.WAITING_CALL);
        complaints.on(Victim.WAITING_CALL);
        assertEquals(true, complaints.isWorthTrying());
        complaints.on(Victim.FORGOTTEN_RESPONSE);
        assertEquals(false, complaints.isWorthTrying());
    }

    @Test
    void looksForTheCause() {
        var bad = new TransmissionId(2, Direction.REPLY, 0);
        var lead = new TransmissionId(1, Direction.CALL, 3);
        var fault = new Fault.NoGroup();
        assertEquals(bad, Complaints.victim(new TransmitError(bad, Optional.empty(), fault)));
        assertEquals(lead, Complaints.victim(new TransmitError(bad, Optional.of(lead), fault)));
    }

    @Test
    @Tag("RTR-X-3")
    void keepsResponsesForATimeAndWithinBounds() {
        var kept = new KeptResponses<String>(100, 10);
        assertEquals(List.of(), kept.keep(1, "a", 60, 0));
        assertEquals(List.of(), kept.keep(2, "b", 40, 1));
        assertEquals(List.of("c"), kept.keep(3, "c", 101, 2));
        assertEquals(List.of("a"), kept.keep(4, "d", 50, 3));
        assertEquals(90, kept.octets());
        assertEquals(List.of("d"), kept.keep(4, "e", 60, 4));
        assertEquals(List.of("b"), kept.expire(11));
        assertEquals(Optional.of("e"), kept.take(4));
        assertEquals(Optional.empty(), kept.take(4));
        assertEquals(0, kept.octets());
        assertEquals(List.of(), kept.expire(1000));
    }
}
