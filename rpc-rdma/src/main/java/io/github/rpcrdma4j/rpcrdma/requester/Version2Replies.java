package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Reception;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.transmission.Complaints;
import io.github.rpcrdma4j.rpcrdma.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.transmission.ResponseCheck;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Fault;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Received.Reply;
import io.github.rpcrdma4j.verbs.Completion;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Takes what arrives for a requester in version 2. Guarded by the lock of the connection. */
final class Version2Replies implements Reception.Replies {
    private static final String NOT_TAKEN = "the peer sent XMTERR: it could not take the call";

    private final Requester requester;
    private final Version2Requester edition;
    private final SegmentPool pool;
    private final Statistics statistics;

    Version2Replies(
            Requester requester,
            Version2Requester edition,
            SegmentPool pool,
            Statistics statistics) {
        this.requester = requester;
        this.edition = edition;
        this.pool = pool;
        this.statistics = statistics;
    }

    @Override
    public boolean replied(Reply reply, SegmentPool.Lease buffer, Completion completion) {
        requester.hear();
        return requester.replied(
                new ArrivedReply(
                        reply.header().xid(),
                        reply.header().credits(),
                        reply.chunks(),
                        reply.payload(),
                        Alignment.NONE),
                buffer,
                completion);
    }

    @Override
    public void sentOneWay() {
        edition.sentOneWay();
    }

    @Override
    public void broken(int xid) {
        requester.hear();
        edition.pulls().broken(xid);
    }

    @Override
    public void acknowledged() {
        requester.hear();
        edition.acknowledged();
    }

    @Override
    public OptionalLong sendsOf(int xid) {
        var call = requester.call(xid);
        return call == null ? OptionalLong.empty() : OptionalLong.of(call.plan().responseSends());
    }

    @Override
    public void began(int xid, long sends) {
        var call = requester.call(xid);
        if (call != null) {
            edition.began(call, sends);
        }
    }

    @Override
    public Optional<Fault> replied(
            Group group, int granted, PlacedMessage message, List<SegmentPool.Lease> receives) {
        requester.hear();
        var call = requester.call(group.xid());
        boolean isAwaited = call != null && call.state() == CallState.OUTSTANDING;
        var fault =
                isAwaited
                        ? ResponseCheck.faultOf(call.directions(), group.initial().moved())
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
            answer = GroupReply.of(call, group, message, pool, statistics);
        }
        requester.answered(call, granted, answer);
        return Optional.empty();
    }

    @Override
    public void complained(TransmitError complaint) {
        requester.hear();
        var call = requester.call(Complaints.victim(complaint).xid());
        if (call == null) {
            requester.discard();
            return;
        }
        if (call.state() != CallState.OUTSTANDING) {
            // Nobody waits for it any more, and there will be no other answer.
            requester.failed(call.xid(), Refusal.of(NOT_TAKEN));
            return;
        }
        switch (edition.complained(call)) {
            case RESEND_WITH_BASE -> requester.resend(call);
            case FAIL_CALL -> requester.failed(call.xid(), Refusal.of(NOT_TAKEN));
            case SEND_ERROR, NOTHING -> requester.discard();
        }
    }

    @Override
    public void failed(Header error) {
        requester.hear();
        requester.failed(error.xid(), Refusal.of(error));
    }
}
