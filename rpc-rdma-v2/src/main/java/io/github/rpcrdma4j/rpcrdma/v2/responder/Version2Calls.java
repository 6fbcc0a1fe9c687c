package io.github.rpcrdma4j.rpcrdma.v2.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.GroupErrors;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Received;
import java.util.List;
import java.util.OptionalInt;

/** The receiver of calls of a responder in version 2. Guarded by the lock of the connection. */
final class Version2Calls implements Version2Receiver.Calls {
    private final Responder responder;
    private final Version2Responder profile;

    Version2Calls(Responder responder, Version2Responder profile) {
        this.responder = responder;
        this.profile = profile;
    }

    @Override
    public void called(Received.Call call, SegmentPool.Lease buffer) {
        if (!responder.mayUse(List.of(buffer))) {
            return;
        }
        if (responder.repeats(call.header().xid())) {
            buffer.close();
            return;
        }
        responder.called(call.header().xid(), call.chunks(), call.payload(), buffer);
    }

    @Override
    public void fetched(List<Integer> xids, OptionalInt invalidated) {
        profile.fetched(xids, invalidated);
        responder.roomIsFree();
    }

    @Override
    public void called(Group group, PlacedMessage message, List<SegmentPool.Lease> receives) {
        if (!responder.mayUse(receives)) {
            return;
        }
        var request = (TransmitRequest) group.initial();
        responder.called(
                group.xid(),
                ReplyDirections.chunks(request),
                call -> message.stream(bytes -> call.lease(bytes).segment()),
                call ->
                        new GroupArrival(
                                request,
                                ReplyDirections.placed(
                                        message, bytes -> call.lease(bytes).segment())),
                receives);
    }

    @Override
    public void complained(TransmitError complaint) {
        profile.complained(GroupErrors.subject(complaint).xid());
    }
}
