package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.CallReport.Answer;
import io.github.rpcrdma4j.dissect.ChunkReport.Instant;
import io.github.rpcrdma4j.dissect.ChunkReport.Kind;
import io.github.rpcrdma4j.dissect.RpcDecoder.DecodedCall;
import io.github.rpcrdma4j.dissect.RpcDecoder.KnownCall;
import io.github.rpcrdma4j.dissect.SendDecoder.Head;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A call of a connection, while it is open and afterwards. Not thread-safe. */
final class TrackedCall {
    /** Why a message was not judged that is in a chunk whose bytes are not in the capture. */
    static final String NOT_CAPTURED = "its message was not captured";

    private final Head head;
    private final boolean reverse;
    private final Instant called;
    private final ChunkLists lists;
    private final List<TrackedChunk> chunks = new ArrayList<>();
    private Optional<KnownCall> known = Optional.empty();
    private ChunkLists returned = ChunkLists.EMPTY;
    private Optional<String> notJudged = Optional.of(NOT_CAPTURED);
    private Optional<Answer> answer = Optional.empty();
    private Optional<Instant> done = Optional.empty();

    TrackedCall(Head head, ChunkLists lists, boolean reverse, Instant called) {
        this.head = head;
        this.reverse = reverse;
        this.called = called;
        this.lists = lists;
        for (var chunk : ReadChunk.of(lists.readList())) {
            var kind = chunk.position() == 0 ? Kind.POSITION_ZERO_READ : Kind.READ;
            chunks.add(new TrackedChunk(kind, chunk.position(), chunk.segments()));
        }
        for (var chunk : lists.writeList()) {
            chunks.add(new TrackedChunk(Kind.WRITE, 0, chunk.segments()));
        }
        lists.replyChunk()
                .ifPresent(chunk -> chunks.add(new TrackedChunk(Kind.REPLY, 0, chunk.segments())));
    }

    int xid() {
        return head.xid();
    }

    boolean isReverse() {
        return reverse;
    }

    ChunkLists lists() {
        return lists;
    }

    List<TrackedChunk> chunks() {
        return chunks;
    }

    List<TrackedChunk> chunks(Kind kind) {
        return chunks.stream().filter(each -> each.kind() == kind).toList();
    }

    /** Returns the chunks of its reply, if that has Read chunks. */
    ChunkLists returned() {
        return returned;
    }

    /** Adds the Read chunks of its reply. */
    void expose(ChunkLists reply) {
        returned = reply;
        for (var chunk : ReadChunk.of(reply.readList())) {
            chunks.add(new TrackedChunk(Kind.REPLY_READ, chunk.position(), chunk.segments()));
        }
    }

    /** Forgets the bytes of messages that will not be decoded any more. */
    void release() {
        chunks.forEach(TrackedChunk::takeKept);
    }

    /** Records that the requester has fetched the Read chunks of the reply. */
    void done(Instant at) {
        done = Optional.of(at);
    }

    /** Sets the reply message that was in a chunk. */
    void answeredBy(RpcMessage reply) {
        answer = answer.map(given -> given.with(reply));
    }

    Optional<KnownCall> known() {
        return known;
    }

    Optional<RpcMessage.Call> message() {
        return known.map(KnownCall::message);
    }

    /** Sets the decoded message. */
    void decoded(DecodedCall call) {
        known = call.known();
        notJudged = call.message().notJudged();
    }

    /** Returns the nanoseconds from call to answer; 0 without an answer. */
    long nanos() {
        return answer.map(given -> given.at().nanos() - called.nanos()).orElse(0L);
    }

    void answer(Answer given) {
        answer = Optional.of(given);
    }

    CallReport report() {
        return new CallReport(
                head.xid(),
                reverse,
                called,
                head.form(),
                head.bytes(),
                head.credits(),
                message(),
                notJudged,
                chunks.stream().map(TrackedChunk::report).toList(),
                answer,
                done);
    }
}
