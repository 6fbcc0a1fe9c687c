package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.Complaints.Reaction;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Complaints.Victim;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ComplaintsTest {
    @Test
    @Tag("RTR-5.4-4")
    @Tag("RTR-9.5-11")
    @Tag("V2-X-1")
    void sendsAgainWhatCanBeSentAgain() {
        var complaints = new Complaints();
        assertEquals(
                List.of(
                        Reaction.RESEND_WITH_BASE,
                        Reaction.FAIL_CALL,
                        Reaction.SEND_ERROR,
                        Reaction.NOTHING),
                Arrays.stream(Victim.values()).map(complaints::on).toList());
    }

    @Test
    void leavesAFeatureAloneThatIsComplainedAbout() {
        var complaints = new Complaints();
        complaints.on(Victim.WAITING_CALL);
        complaints.on(Victim.RESPONSE);
        complaints.on(Victim.UNKNOWN);
        complaints.succeeded();
        complaints.on(Victim.WAITING_CALL);
        complaints.on(Victim.WAITING_CALL);
        assertEquals(true, complaints.isWorthTrying());
        complaints.on(Victim.RESPONSE);
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
}
