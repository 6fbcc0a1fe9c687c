package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** By RFC 8166 nothing of the responder's memory is ever open, and the grant stays as it is. */
final class Rfc8166Responder implements ResponderEdition {
    @Override
    public Edition edition() {
        return Edition.RFC_8166;
    }

    @Override
    public Framing framing() {
        return Framing.VERSION_1;
    }

    @Override
    public int spareReceives() {
        return 0;
    }

    @Override
    public int grant(int credits) {
        return credits;
    }

    @Override
    public boolean hasRoom(ServedCall call, Terms terms) {
        return true;
    }

    @Override
    public Optional<Outgoing> reply(ServedCall call, Optional<ReplyPlan> plan, Terms terms) {
        return Optional.empty();
    }

    @Override
    public boolean done(List<Integer> xids, OptionalInt invalidated) {
        return false;
    }

    @Override
    public Optional<Frame> called(int xid) {
        return Optional.empty();
    }

    @Override
    public boolean expire(long now) {
        return false;
    }

    @Override
    public void lost() {}
}
