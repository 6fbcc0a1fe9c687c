package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.connect.Framing;
import io.github.rpcrdma4j.rpcrdma.credit.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.credit.OneWayCredits;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.util.HashMap;
import java.util.Map;

/** In version 2 there are messages beside calls that take a credit, and that nobody answers. */
final class Version2Requester implements RequesterEdition {
    private final OneWayCredits oneWay = new OneWayCredits();
    private final Map<PendingCall, Long> numbers = new HashMap<>();

    @Override
    public Edition edition() {
        return Edition.RFC_8166;
    }

    @Override
    public Framing framing() {
        return Framing.VERSION_2;
    }

    @Override
    public boolean tryTake(CreditWindow credits, PendingCall call) {
        return credits.tryTakeBeside(oneWay.held());
    }

    @Override
    public boolean tryTakeReserved(CreditWindow credits) {
        return credits.tryTakeReservedBeside(oneWay.held());
    }

    /** A message was sent that takes a credit and is no call. */
    void sentOneWay() {
        oneWay.sent();
    }

    @Override
    public void sent(PendingCall call) {
        numbers.put(call, oneWay.call());
    }

    @Override
    public void answered(PendingCall call) {
        var number = numbers.remove(call);
        if (number != null) {
            oneWay.answered(number);
        }
    }

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
