package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Sends replies that are not plain: replies with chunks, replies in the form of a profile, and the
 * error for too little room. Guarded by the lock of the connection.
 *
 * <p>Tests: {@code ExamplesAtResponderTest}, {@code NoRoomOverIwarpTest}.
 */
final class Replies {
    private final MessageSends sends;
    private final Counters counters;
    private final Guard guard;

    Replies(Endpoint endpoint, Counters counters, Guard guard) {
        this.sends = endpoint.messageSends();
        this.counters = counters;
        this.guard = guard;
    }

    /**
     * Sends the reply to a call.
     *
     * @param granted the credits that the reply grants, if it has the form of RFC 8166
     * @param sent runs when the reply was sent; never if the connection ends first
     */
    void send(
            ServedCall call,
            ResponderProfile profile,
            ConnectionParameters parameters,
            int granted,
            Runnable sent) {
        Optional<ReplyPlan> plan =
                call.hasReply()
                        ? call.placeResults().flatMap(placed -> plan(call, placed, parameters))
                        : Optional.empty();
        Optional<ResponderProfile.Outgoing> other;
        try {
            other = profile.reply(call, plan, parameters);
        } catch (BudgetExhaustedException _) {
            // The call keeps its results, and nothing was sent.
            refuse(call, profile, granted, sent);
            return;
        }
        if (other.isPresent()) {
            send(call, other.get(), parameters, sent);
        } else if (plan.isEmpty()) {
            reportNoRoom(call, parameters);
            refuse(call, profile, granted, sent);
        } else {
            count(call.xid(), plan.get());
            // RFC 8167-5.2-1.
            var header = profile.header(call.xid(), granted, plan.get());
            var send = new MessageSends.OutgoingSend(header, plan.get().inline());
            sends.post(plan.get().writes(), List.of(send), invalidation(call, parameters), sent);
        }
    }

    private void refuse(ServedCall call, ResponderProfile profile, int granted, Runnable sent) {
        counters.count(Counter.CHUNK_ERRORS);
        sends.post(profile.refusal(call.xid(), granted), sent);
    }

    private void reportNoRoom(ServedCall call, ConnectionParameters parameters) {
        if (call.hasReply()) {
            var execution = call.execution();
            guard.hasNoRoom(
                    execution.header(),
                    ReplyPlan.shortage(
                            call.chunks(),
                            call.reply().bulkItems(),
                            execution.eligibility(),
                            call.reply().reducedStream().byteSize(),
                            parameters.replyThreshold()));
        }
    }

    private static Optional<ReplyPlan> plan(
            ServedCall call, ReplyPlan.Placed placed, ConnectionParameters parameters) {
        return ReplyPlan.of(
                call.chunks(),
                placed,
                call.reply().reducedStream(),
                call.reply().bulkItems(),
                call.arrival().mayBeInline(),
                parameters.replyThreshold()
                        - (parameters.emptyHeaderBytes() - Version1HeaderCodec.EMPTY_LISTS_BYTES));
    }

    private void send(
            ServedCall call,
            ResponderProfile.Outgoing reply,
            ConnectionParameters parameters,
            Runnable sent) {
        counters.count(Counter.REPLIES);
        for (var send : reply.sends()) {
            for (var piece : send.inline()) {
                counters.count(Counter.INLINE_REPLY_BYTES, piece.byteSize());
            }
        }
        sends.post(
                reply.writes(),
                reply.sends(),
                reply.sends().size() == 1 ? invalidation(call, parameters) : OptionalInt.empty(),
                () -> {
                    reply.sent().run();
                    sent.run();
                });
    }

    /**
     * Returns the handle of the call, if it has exactly one and both sides support remote
     * invalidation (RFC 8797-4.1-1, 8797-4.1-2, 8797-4.1-3; XCH-3.2-2, XCH-3.2-3).
     */
    private static OptionalInt invalidation(ServedCall call, ConnectionParameters parameters) {
        return parameters.remoteInvalidation() ? call.chunks().onlyHandle() : OptionalInt.empty();
    }

    /** Counts the Read chunks of a call, which have been fetched. */
    void countFetched(int xid, List<ReadChunk> chunks) {
        for (var chunk : chunks) {
            if (chunk.size() > 0) {
                boolean isLong = chunk.position() == 0;
                counters.countChunk(
                        isLong ? Counter.LONG_CALLS : Counter.READ_CHUNKS,
                        isLong ? Counter.LONG_CALL_BYTES : Counter.READ_CHUNK_BYTES,
                        xid,
                        chunk.size());
            }
        }
    }

    private void count(int xid, ReplyPlan reply) {
        counters.count(Counter.REPLIES);
        for (var piece : reply.inline()) {
            counters.count(Counter.INLINE_REPLY_BYTES, piece.byteSize());
        }
        for (var chunk : reply.returned().writeList()) {
            if (chunk.size() > 0) {
                counters.countChunk(
                        Counter.WRITE_CHUNKS, Counter.WRITE_CHUNK_BYTES, xid, chunk.size());
            }
        }
        if (reply.inReplyChunk()) {
            counters.countChunk(
                    Counter.REPLY_CHUNKS,
                    Counter.REPLY_CHUNK_BYTES,
                    xid,
                    reply.returned().replyChunk().get().size());
        }
    }
}
