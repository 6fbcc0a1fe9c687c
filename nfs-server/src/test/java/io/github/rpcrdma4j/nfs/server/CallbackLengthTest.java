package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCall;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments.Sequence.ReferringCalls;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackOpcode;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Goal: each callback that has to arrive fits one Send of every client, because callbacks have no
 * chunks (RFC 8267, Section 6.5.2).
 */
class CallbackLengthTest {
    /**
     * The inline threshold of a client that says nothing about its receives (RFC 8797, Section
     * 5.1), without the header of the transport.
     */
    private static final int ROOM = 1024 - 28;

    private static final FileHandle HANDLE = FileHandle.of(new byte[Nfs3.HANDLE_MAX]);
    private static final StateId STATE_ID = new StateId(-1, -1, -1);

    private static List<CallbackArguments> longest() {
        var owner = new StateOwner(-1, OpaqueName.of(new byte[OpaqueName.BYTES_MAX]));
        var copied =
                new CallbackArguments.Offload.Copied(
                        Optional.of(STATE_ID), -1, Stability.FILE_SYNC, -1);
        return List.of(
                new CallbackArguments.NotifyLock(HANDLE, owner),
                new CallbackArguments.Recall(STATE_ID, true, HANDLE),
                new CallbackArguments.RecallAny(-1, Bitmap.of(0, 1)),
                new CallbackArguments.RecallSlot(-1),
                new CallbackArguments.GetAttr(HANDLE, AttributeSet.of(Attribute.values())),
                new CallbackArguments.Offload(HANDLE, STATE_ID, copied));
    }

    private static CallbackArguments sequence() {
        var session = new SessionId(-1, -1);
        var referring = new ReferringCalls(session, List.of(new ReferringCall(-1, -1)));
        return new CallbackArguments.Sequence(session, -1, -1, -1, true, List.of(referring));
    }

    private static long length(CallbackArguments callback) throws Exception {
        var pool = new SegmentPool(1 << 16);
        var credential =
                new Credential.Sys(-1, "m".repeat(255), -1, -1, Collections.nCopies(16, -1));
        var tag = OpaqueName.of(new byte[0]);
        var compound = new CallbackCompound(tag, 2, 0, List.of(sequence(), callback));
        var call = new RpcCall(-1, 1, 1, compound::encode, 512);
        try (var message = new XdrWriter(pool)) {
            CallMessage.encode(message, call, 0, CallProtection.of(credential), pool);
            return message.reducedLength();
        }
    }

    @Test
    void theLongestOfEachCallbackFitsOneSend() throws Exception {
        // Each call begins with it.
        var seen = EnumSet.of(CallbackOpcode.CB_SEQUENCE);
        for (var each : longest()) {
            long length = length(each);
            seen.add(each.opcode());
            if (each.opcode() == CallbackOpcode.CB_NOTIFY_LOCK) {
                // What docs/adr/0036-no-chunks-for-callbacks.md says. The client need not get it.
                assertEquals(1572, length);
            } else {
                assertTrue(length <= ROOM, () -> each.opcode() + " has " + length + " bytes");
            }
        }
        assertEquals(EnumSet.allOf(CallbackOpcode.class), seen);
    }
}
