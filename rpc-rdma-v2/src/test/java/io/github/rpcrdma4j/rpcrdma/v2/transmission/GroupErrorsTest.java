package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors.Reaction;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors.Victim;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.TransmissionId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GroupErrorsTest {
    @Test
    @Tag("RTR-5.4-4")
    @Tag("RTR-9.5-11")
    @Tag("V2-X-1")
    void sendsAgainWhatCanBeSentAgain() {
        var groupErrors = new GroupErrors();
        assertEquals(
                List.of(
                        Reaction.RESEND_WITH_BASE,
                        Reaction.FAIL_CALL,
                        Reaction.SEND_ERROR,
                        Reaction.NOTHING),
                Arrays.stream(Victim.values()).map(groupErrors::on).toList());
    }

    @Test
    void leavesAFeatureAloneThatIsComplainedAbout() {
        var groupErrors = new GroupErrors();
        groupErrors.on(Victim.WAITING_CALL);
        groupErrors.on(Victim.RESPONSE);
        groupErrors.on(Victim.UNKNOWN);
        groupErrors.succeeded();
        groupErrors.on(Victim.WAITING_CALL);
        groupErrors.on(Victim.WAITING_CALL);
        assertEquals(true, groupErrors.isWorthTrying());
        groupErrors.on(Victim.RESPONSE);
        assertEquals(false, groupErrors.isWorthTrying());
    }

    @Test
    void looksForTheCause() {
        var bad = new TransmissionId(2, Direction.REPLY, 0);
        var lead = new TransmissionId(1, Direction.CALL, 3);
        var fault = new Fault.NoGroup();
        assertEquals(bad, GroupErrors.victim(new TransmitError(bad, Optional.empty(), fault)));
        assertEquals(lead, GroupErrors.victim(new TransmitError(bad, Optional.of(lead), fault)));
    }
}
