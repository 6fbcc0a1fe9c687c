package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessages;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;

/** A responder by RFC 8166. */
record Rfc8166Responder(Responder responder) implements ResponderProfile {
    @Override
    public PlainMessages plain() {
        return PlainMessages.WITH_BULK_DATA;
    }

    @Override
    public void received(MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
        responder.received(Received.byResponder(message), buffer);
    }

    @Override
    public Frame header(int xid, int granted, ReplyPlan plan) {
        return plan.header(xid, granted);
    }

    @Override
    public Frame refusal(int xid, int granted) {
        return new TransportHeader.ChunkError(xid, TransportHeader.VERSION, granted);
    }
}
