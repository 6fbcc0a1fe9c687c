package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.requester.ArrivedReply;
import io.github.rpcrdma4j.rpcrdma.requester.CallState;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.requester.Refusal;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.ResponseCheck;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Fault;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received.Reply;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The receiver of replies of a requester in version 2. Guarded by the lock of the connection.
 *
 * <p>Tests: {@code RequestsByHandTest}, {@code TargetsByHandTest}.
 */
final class Version2Replies implements Version2Receiver.Replies {
    private static final String NOT_ACCEPTED =
            "the peer did not accept the Sends of the call (ROPT_XMTERR)";

    private final Requester requester;
    private final Version2Requester profile;
    private final SegmentPool pool;
    private final Counters counters;

    Version2Replies(
            Requester requester, Version2Requester profile, SegmentPool pool, Counters counters) {
        this.requester = requester;
        this.profile = profile;
        this.pool = pool;
        this.counters = counters;
    }

    @Override
    public boolean replied(Reply reply, SegmentPool.Lease buffer, Completion completion) {
        requester.countMessage();
        var header = reply.header();
        var arrived =
                new ArrivedReply(header.xid(), header.credits(), reply.chunks(), reply.payload());
        if (requester.call(header.xid()) == null) {
            profile.fetches().releaseUnknown(arrived);
        }
        return requester.replied(arrived, buffer, completion);
    }

    @Override
    public void sentOneWay() {
        profile.sentOneWay();
    }

    @Override
    public void malformed(int xid) {
        requester.countMessage();
        profile.fetches().releaseMalformed(xid);
    }

    @Override
    public void acknowledged() {
        requester.countMessage();
        profile.acknowledged();
    }

    @Override
    public OptionalLong sendsOf(int xid) {
        return requester.call(xid) instanceof DeferredCall call
                ? OptionalLong.of(call.plan().responseSends())
                : OptionalLong.empty();
    }

    @Override
    public void began(int xid, long sends) {
        if (requester.call(xid) instanceof DeferredCall call) {
            profile.began(call, sends);
        }
    }

    @Override
    public Optional<Fault> replied(
            Group group, int granted, PlacedMessage message, List<SegmentPool.Lease> receives) {
        requester.countMessage();
        var call = requester.call(group.xid()) instanceof DeferredCall deferred ? deferred : null;
        boolean isAwaited = call != null && call.state() == CallState.OUTSTANDING;
        var fault =
                isAwaited
                        ? ResponseCheck.faultOfItems(call.directions(), group.initial().moved())
                        : Optional.<Fault>empty();
        if (!isAwaited || fault.isPresent()) {
            receives.forEach(SegmentPool.Lease::close);
        }
        if (call == null || fault.isPresent()) {
            requester.discard();
            return fault;
        }
        Answer answer = null;
        if (isAwaited) {
            receives.forEach(call::hold);
            answer = answer(call, group, message);
        }
        requester.answered(call, granted, answer);
        return Optional.empty();
    }

    private Answer answer(DeferredCall call, Group group, PlacedMessage message) {
        try {
            return GroupReply.of(call, group, message, pool, counters);
        } catch (BudgetExhaustedException none) {
            var why = "there is no memory for the reply: " + none.getMessage();
            return new Answer.Failure(new RpcException.BadReply(why));
        }
    }

    @Override
    public void complained(TransmitError complaint) {
        requester.countMessage();
        if (!(requester.call(GroupErrors.subject(complaint).xid()) instanceof DeferredCall call)) {
            requester.discard();
            return;
        }
        if (call.state() != CallState.OUTSTANDING) {
            // No caller waits for the call, and no other answer will arrive.
            requester.failed(call.xid(), Refusal.of(NOT_ACCEPTED));
            return;
        }
        switch (profile.complained(call)) {
            case RESEND_WITH_BASE -> requester.resend(call, call::simplify);
            case FAIL_CALL -> requester.failed(call.xid(), Refusal.of(NOT_ACCEPTED));
            case SEND_ERROR, NOTHING -> requester.discard();
        }
    }

    @Override
    public void failed(Version2Header error) {
        requester.countMessage();
        requester.failed(error.xid(), refusal(error));
    }

    private static Refusal refusal(Version2Header error) {
        return new Refusal(
                switch (error) {
                    case Version2Header.VersionError(_, _, _, var lowest, var highest) ->
                            Refusal.otherVersions(lowest, highest, Version2Header.VERSION);
                    case Version2Header.BadOption _ ->
                            "the peer does not know the operation (RDMA2_ERR_INVAL_OPTION)";
                    case Version2Header.BadHeader _,
                            Version2Header.Msg _,
                            Version2Header.NoMsg _,
                            Version2Header.Option _ ->
                            "the peer did not accept the header of the call (RDMA2_ERR_BAD_HEADER)";
                },
                error instanceof Version2Header.VersionError,
                error instanceof Version2Header.BadHeader);
    }
}
