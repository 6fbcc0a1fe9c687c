package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.v40.ClientGone;
import io.github.rpcrdma4j.nfs.client.v4.v40.OwnerNumbers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;

/**
 * What the answers of version 4.0 say of calls, beside what they say of operations. The numbers of
 * owners keep a server from carrying out OPEN, CLOSE or LOCK twice. All else it may carry out
 * twice, if a lost connection made this side send it again: then the second copy of a change may be
 * refused because of the first one.
 */
final class LeaseRefusals {
    private LeaseRefusals() {}

    /**
     * Returns whether an answer tells what became of the operations.
     *
     * @param isRepeated whether the call may have been sent more than once
     */
    static boolean isOfOperation(Nfs4Status status, Plan plan, boolean isRepeated) {
        return switch (status) {
            case OK -> true;
            case STALE_CLIENTID, STALE_STATEID, EXPIRED, BAD_SEQID -> false;
            default -> !isRepeated || plan.isRepeatable() || OwnerNumbers.isNumbered(plan);
        };
    }

    /** Returns the failure of a call whose answer does not tell. */
    static IOException of(
            Answer answer, Outcome outcome, Plan plan, boolean isRepeated, String what) {
        if (outcome != Outcome.REFUSED) {
            return new RpcException.BadReply(
                    what
                            + ": the server's answer is malformed"
                            + answer.malformed().map(each -> ": " + each).orElse(""));
        }
        boolean mayBeDone = isRepeated && !plan.isRepeatable();
        return switch (answer.status()) {
            case STALE_CLIENTID, EXPIRED -> new ClientGone(mayBeDone, false);
            case STALE_STATEID -> new ClientGone(mayBeDone, true);
            case BAD_SEQID -> new NfsException(what, Status.NOT_OPEN);
            // Another attempt tells more.
            case DELAY, GRACE -> new ClientGone(true, false);
            default ->
                    OutcomeUnknownException.ofSecondCopy(
                            what, new NfsException(what, Nfs4Values.status(answer.status())));
        };
    }
}
