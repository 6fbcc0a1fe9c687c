package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.credit.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;

/** By RFC 8166 a reply ends its call, and calls alone take credits. */
final class Rfc8166Requester implements RequesterEdition {
    @Override
    public Edition edition() {
        return Edition.RFC_8166;
    }

    @Override
    public Framing framing() {
        return Framing.VERSION_1;
    }

    @Override
    public boolean tryTake(CreditWindow credits, PendingCall call) {
        return credits.tryTake();
    }

    @Override
    public boolean tryTakeReserved(CreditWindow credits) {
        return credits.tryTakeReserved();
    }

    @Override
    public void sent(PendingCall call) {}

    @Override
    public void answered(PendingCall call) {}

    @Override
    public boolean hasReply(PendingCall call) {
        return false;
    }

    @Override
    public boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        return false;
    }

    @Override
    public void limitReads(int most) {}
}
