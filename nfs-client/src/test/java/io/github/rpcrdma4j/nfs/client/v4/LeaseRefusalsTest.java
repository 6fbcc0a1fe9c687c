package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.v40.ClientGone;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: nobody is told that a change was not made that may have been made. */
class LeaseRefusalsTest {
    private static final Plan AT = Plan.at(FileHandle.of(new byte[] {1}));
    private static final Plan QUESTION = AT.handle();
    private static final Plan CHANGE = AT.remove(FileName.of("x"));
    private static final Plan NUMBERED = AT.close(new StateId(1, 2, 3));
    private static final List<Plan> ALL = List.of(QUESTION, CHANGE, NUMBERED);

    private static final EnumSet<Nfs4Status> OF_CLIENT =
            EnumSet.of(
                    Nfs4Status.STALE_CLIENTID,
                    Nfs4Status.STALE_STATEID,
                    Nfs4Status.EXPIRED,
                    Nfs4Status.BAD_SEQID);

    private static IOException refusal(Nfs4Status status, Plan plan, boolean isRepeated) {
        return LeaseRefusals.of(
                new Answer(List.of(), status, Optional.empty()),
                Outcome.REFUSED,
                plan,
                isRepeated,
                "no");
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerTellsOfTheOperationsUnlessItIsTheSecondOneToAChange(Nfs4Status status) {
        for (var plan : ALL) {
            boolean tells = !OF_CLIENT.contains(status);
            assertEquals(tells, LeaseRefusals.isOfOperation(status, plan, false));
            boolean isSafe = plan != CHANGE || status == Nfs4Status.OK;
            assertEquals(tells && isSafe, LeaseRefusals.isOfOperation(status, plan, true));
        }
    }

    @Test
    void whatIsForgottenAsksForAnotherAttempt() {
        for (var status : OF_CLIENT) {
            for (var plan : ALL) {
                for (boolean isRepeated : new boolean[] {false, true}) {
                    var refusal = refusal(status, plan, isRepeated);
                    if (status == Nfs4Status.BAD_SEQID) {
                        assertEquals(
                                Status.NOT_OPEN,
                                assertInstanceOf(NfsException.class, refusal).status());
                        continue;
                    }
                    var gone = assertInstanceOf(ClientGone.class, refusal);
                    assertEquals(isRepeated && plan != QUESTION, gone.mayBeDone());
                    assertEquals(status == Nfs4Status.STALE_STATEID, gone.isOfStateId());
                }
            }
        }
    }

    @Test
    void aBusyServerTellsNothingOfTheFirstCopy() {
        for (var status : List.of(Nfs4Status.DELAY, Nfs4Status.GRACE)) {
            var gone = assertInstanceOf(ClientGone.class, refusal(status, CHANGE, true));
            assertEquals(true, gone.mayBeDone());
        }
        assertInstanceOf(OutcomeUnknownException.class, refusal(Nfs4Status.NOENT, CHANGE, true));
    }

    @Test
    void whatCannotBeUnderstoodIsNoAnswer() {
        var answer = new Answer(List.of(), Nfs4Status.OK, Optional.of("cut"));
        var malformed = LeaseRefusals.of(answer, Outcome.UNKNOWN, QUESTION, false, "no");
        assertInstanceOf(RpcException.BadReply.class, malformed);
        assertEquals("no: the server's answer is malformed: cut", malformed.getMessage());
    }
}
