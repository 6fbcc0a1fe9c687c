package io.github.rpcrdma4j.toy;

import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.List;
import java.util.OptionalInt;

/** A call with a {@link ToyHeader}. */
final class ToyCall extends ChunkedCall {
    ToyCall(EncodedCall encoded, CallPlan plan) {
        super(encoded, plan);
    }

    @Override
    protected void send(Endpoint endpoint, Counters counters, int credits) {
        boolean isLong = callPlan().longCall();
        var body = memory().message().reducedStream();
        var lists = offer(body, items(), counters);
        var header =
                isLong
                        ? new Version1Header.NoMsg(xid(), credits, lists)
                        : new Version1Header.Msg(xid(), credits, lists);
        var send =
                new MessageSends.OutgoingSend(
                        new ToyHeader(header), isLong ? List.of() : List.of(body));
        endpoint.messageSends()
                .postAll(List.of(), List.of(send), OptionalInt.empty(), memory().posting());
    }
}
