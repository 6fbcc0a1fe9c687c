package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Reception;
import io.github.rpcrdma4j.rpcrdma.transmission.Complaints;
import io.github.rpcrdma4j.rpcrdma.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitError;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Received;
import java.util.List;
import java.util.OptionalInt;

/** Takes what arrives for a responder in version 2. Guarded by the lock of the connection. */
final class Version2Calls implements Reception.Calls {
    private final Responder responder;
    private final LiveCalls live;

    Version2Calls(Responder responder, LiveCalls live) {
        this.responder = responder;
        this.live = live;
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
        responder.called(
                call.header().xid(), call.chunks(), call.payload(), Alignment.NONE, buffer);
    }

    @Override
    public void fetched(List<Integer> xids, OptionalInt invalidated) {
        responder.fetched(xids, invalidated);
    }

    @Override
    public void called(Group group, PlacedMessage message, List<SegmentPool.Lease> receives) {
        if (!responder.mayUse(receives)) {
            return;
        }
        var request = (TransmitRequest) group.initial();
        var call = live.take();
        var payload = message.stream(bytes -> call.lease(bytes).segment());
        call.begin(
                group.xid(),
                Directed.chunks(request),
                payload,
                Alignment.NONE,
                receives.getFirst());
        call.grouped(
                request,
                receives.subList(1, receives.size()),
                Directed.placed(message, bytes -> call.lease(bytes).segment()));
        responder.received(call);
    }

    /** Responses are not kept, so there is nothing to be sent again (RTR-X-3). */
    @Override
    public void complained(TransmitError complaint) {
        responder.refuse(Complaints.victim(complaint).xid());
    }
}
