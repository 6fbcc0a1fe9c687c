package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: requester and responder react to each worked example as RFC 8166, Section 4.5, says. */
class ReactionsTest {
    @Test
    @Tag("5666-4.2-1")
    @Tag("5667-5.1-1")
    @Tag("8166-4.2.4-1")
    @Tag("8166-4.2.4-3")
    @Tag("8166-4.5-7")
    @Tag("8167-2.4-1")
    void reactsAsAResponderOwes() {
        assertEquals(
                """
                EX-01 | Call 40
                EX-02 | Discard a reply at a responder
                EX-03 | Call 96
                EX-04 | Call 96
                EX-05 | Call 180
                EX-06 | Call 164
                EX-07 | Call 0
                EX-08 | Call 0
                EX-09 | Call 88
                EX-10 | Discard a reply at a responder
                EX-11 | Discard a reply at a responder
                EX-12 | Call 240
                EX-13 | Discard a reply at a responder
                EX-14 | Call 240
                EX-15 | Call 96
                EX-16 | ERR_CHUNK an RDMA_NOMSG call without a Position-Zero Read chunk
                EX-17 | Discard a reply at a responder
                EX-18 | Call 0
                EX-19 | Discard an RDMA_ERROR at a responder
                EX-20 | Discard shorter than any call
                EX-21 | Discard an RDMA_ERROR at a responder
                EX-22 | Discard shorter than any call
                EX-23 | ERR_CHUNK unknown procedure 2
                EX-24 | Discard a reply at a responder
                EX-25 | Call 40
                EX-26 | Discard a reply at a responder
                EX-27 | Call 40
                EX-28 | Call 52
                EX-29 | Discard a reply at a responder
                EX-30 | Discard a reply at a responder
                BAD-01 | Discard shorter than any call
                BAD-02 | ERR_VERS 2
                BAD-03 | ERR_CHUNK unknown procedure 7
                BAD-04 | ERR_CHUNK an RDMA_NOMSG call without a Position-Zero Read chunk
                BAD-05 | ERR_CHUNK an RDMA_NOMSG call without a Position-Zero Read chunk
                BAD-06 | ERR_CHUNK a boolean is neither 0 nor 1
                BAD-07 | ERR_CHUNK a Position is not a multiple of four
                BAD-08 | ERR_CHUNK an array is longer than its limit or than the message
                BAD-09 | ERR_CHUNK the XIDs of header and message differ
                BAD-10 | ERR_CHUNK an RDMA_MSG with a Position-Zero Read chunk
                BAD-11 | ERR_CHUNK an RDMA_MSG without a message
                BAD-12 | Discard a reply at a responder
                BAD-13 | Discard a reply at a responder
                BAD-14 | ERR_CHUNK an RDMA_NOMSG call without a Position-Zero Read chunk
                BAD-15 | Discard shorter than any call
                BAD-16 | Call 96
                BAD-16R | Discard a reply at a responder""",
                table(Received::byResponder));
    }

    @Test
    @Tag("5666-4.1-4")
    @Tag("8166-4.2.4-1")
    @Tag("8166-4.5-3")
    @Tag("8166-4.5-7")
    @Tag("8166-4.6.1-3")
    @Tag("8166-7-1")
    @Tag("8167-2.4-1")
    @Tag("8167-5.1-2")
    void reactsAsARequesterOwes() {
        assertEquals(
                """
                EX-01 | Discard a call at a requester
                EX-02 | Reply 24
                EX-03 | Discard a call at a requester
                EX-04 | Discard a call at a requester
                EX-05 | Discard a call at a requester
                EX-06 | Discard a call at a requester
                EX-07 | Discard a reply with a Read list
                EX-08 | Discard a reply with a Read list
                EX-09 | Discard a call at a requester
                EX-10 | Reply 44
                EX-11 | Reply 44
                EX-12 | Discard a call at a requester
                EX-13 | Reply 116
                EX-14 | Discard a call at a requester
                EX-15 | Discard a call at a requester
                EX-16 | Reply 0
                EX-17 | Reply 32
                EX-18 | Discard a reply with a Read list
                EX-19 | Failure VersionError
                EX-20 | Failure ChunkError
                EX-21 | Discard a bad RDMA_ERROR: unknown error code 3
                EX-22 | Discard an RDMA_DONE
                EX-23 | Discard a bad header: unknown procedure 2
                EX-24 | Discard a reply with a Read list
                EX-25 | Discard a call at a requester
                EX-26 | Reply 24
                EX-27 | Discard a call at a requester
                EX-28 | Discard a call at a requester
                EX-29 | Reply 36
                EX-30 | Reply 24
                BAD-01 | Discard a bad header: the message ends inside an item
                BAD-02 | Discard of version 2
                BAD-03 | Discard a bad header: unknown procedure 7
                BAD-04 | Discard an RDMA_NOMSG reply without a Reply chunk
                BAD-05 | Reply 0
                BAD-06 | Discard a bad header: a boolean is neither 0 nor 1
                BAD-07 | Discard a call at a requester
                BAD-08 | Discard a bad header: an array is longer than its limit or than the message
                BAD-09 | Discard a call at a requester
                BAD-10 | Discard a call at a requester
                BAD-11 | Discard an RDMA_MSG without a message
                BAD-12 | Discard the XIDs of header and message differ
                BAD-13 | Discard a message both inline and in the Reply chunk
                BAD-14 | Discard an RDMA_NOMSG reply without a Reply chunk
                BAD-15 | Discard a bad RDMA_ERROR: the message ends inside an item
                BAD-16 | Discard a call at a requester
                BAD-16R | Reply 24""",
                table(Received::byRequester));
    }

    private static String table(Function<MemorySegment, Received> role) {
        return Golden.messages().stream()
                .map(name -> name + " | " + what(role.apply(Golden.message(name))))
                .collect(Collectors.joining("\n"));
    }

    private static String what(Received received) {
        return switch (received) {
            case Received.Call(_, _, var payload) -> "Call " + payload.byteSize();
            case Received.Reply(_, _, var payload) -> "Reply " + payload.byteSize();
            case Received.Failure(var error) -> "Failure " + error.getClass().getSimpleName();
            case Received.OweVersionError(_, var version) -> "ERR_VERS " + version;
            case Received.OweChunkError(_, _, var why) -> "ERR_CHUNK " + why;
            case Received.Discard(var why) -> "Discard " + why;
        };
    }
}
