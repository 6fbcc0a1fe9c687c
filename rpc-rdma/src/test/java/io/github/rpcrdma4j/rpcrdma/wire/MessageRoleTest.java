package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import java.lang.foreign.MemorySegment;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MessageRoleTest {
    @Test
    @Tag("8167-2.4-1")
    void followsTheMessageType() {
        assertEquals(
                """
                EX-01 | RESPONDER
                EX-02 | REQUESTER
                EX-03 | RESPONDER
                EX-04 | RESPONDER
                EX-05 | RESPONDER
                EX-06 | RESPONDER
                EX-07 | RESPONDER
                EX-08 | RESPONDER
                EX-09 | RESPONDER
                EX-10 | REQUESTER
                EX-11 | REQUESTER
                EX-12 | RESPONDER
                EX-13 | REQUESTER
                EX-14 | RESPONDER
                EX-15 | RESPONDER
                EX-16 | UNKNOWN
                EX-17 | REQUESTER
                EX-18 | RESPONDER
                EX-19 | REQUESTER
                EX-20 | REQUESTER
                EX-21 | REQUESTER
                EX-22 | UNKNOWN
                EX-23 | UNKNOWN
                EX-24 | REQUESTER
                EX-25 | RESPONDER
                EX-26 | REQUESTER
                EX-27 | RESPONDER
                EX-28 | RESPONDER
                EX-29 | REQUESTER
                EX-30 | REQUESTER
                BAD-01 | UNKNOWN
                BAD-02 | UNKNOWN
                BAD-03 | UNKNOWN
                BAD-04 | UNKNOWN
                BAD-05 | UNKNOWN
                BAD-06 | UNKNOWN
                BAD-07 | RESPONDER
                BAD-08 | UNKNOWN
                BAD-09 | RESPONDER
                BAD-10 | RESPONDER
                BAD-11 | UNKNOWN
                BAD-12 | REQUESTER
                BAD-13 | REQUESTER
                BAD-14 | UNKNOWN
                BAD-15 | REQUESTER
                BAD-16 | RESPONDER
                BAD-16R | REQUESTER
                """,
                Golden.messages().stream()
                        .map(name -> name + " | " + MessageRole.of(Golden.message(name)) + "\n")
                        .collect(Collectors.joining()));
    }

    @Test
    void everyTruncationHasAnAnswer() {
        for (var name : Golden.messages()) {
            byte[] bytes = Golden.bytes(name);
            for (int length = 0; length < bytes.length; length++) {
                assertNotNull(
                        MessageRole.of(MemorySegment.ofArray(bytes).asSlice(0, length)), name);
            }
        }
    }
}
