package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors.Reaction;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors.Subject;
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
                Arrays.stream(Subject.values()).map(groupErrors::on).toList());
    }

    @Test
    void stopsUsingAFeatureAfterComplaintsInARow() {
        var groupErrors = new GroupErrors();
        groupErrors.on(Subject.WAITING_CALL);
        groupErrors.on(Subject.RESPONSE);
        groupErrors.on(Subject.UNKNOWN);
        groupErrors.succeeded();
        groupErrors.on(Subject.WAITING_CALL);
        groupErrors.on(Subject.WAITING_CALL);
        assertEquals(true, groupErrors.isWorthTrying());
        groupErrors.on(Subject.RESPONSE);
        assertEquals(false, groupErrors.isWorthTrying());
        groupErrors.succeeded();
        assertEquals(false, groupErrors.isWorthTrying());
    }

    @Test
    void takesGroupsForAcceptedThatLaterMessagesProve() {
        var groups = new ResponseGroups(2);
        for (int xid : new int[] {1, 2}) {
            groups.sent(xid);
            assertEquals(Reaction.SEND_ERROR, groups.complained(xid));
        }
        assertEquals(Reaction.NOTHING, groups.complained(2));
        // Two calls may be outstanding, so the group of the first of three is accepted.
        for (int xid : new int[] {3, 4, 5}) {
            groups.sent(xid);
        }
        assertEquals(Reaction.NOTHING, groups.complained(3));
        assertEquals(Reaction.SEND_ERROR, groups.complained(4));
        assertEquals(Reaction.SEND_ERROR, groups.complained(5));
        assertEquals(true, groups.isWorthTrying());
        groups.sent(6);
        groups.sent(7);
        // The complaint about the later group shows that the earlier one is accepted.
        assertEquals(Reaction.SEND_ERROR, groups.complained(7));
        assertEquals(true, groups.isWorthTrying());
    }

    @Test
    void looksForTheCause() {
        var bad = new TransmissionId(2, Direction.REPLY, 0);
        var lead = new TransmissionId(1, Direction.CALL, 3);
        var fault = new Fault.NoGroup();
        assertEquals(bad, GroupErrors.subject(new TransmitError(bad, Optional.empty(), fault)));
        assertEquals(lead, GroupErrors.subject(new TransmitError(bad, Optional.of(lead), fault)));
    }
}
