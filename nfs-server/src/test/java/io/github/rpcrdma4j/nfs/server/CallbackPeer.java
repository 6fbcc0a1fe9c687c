package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/** The end of a connection where a client is called back. It keeps the calls, and answers them. */
final class CallbackPeer implements ReverseDirection, RpcClient {
    /** The calls with an operation behind CB_SEQUENCE. */
    final BlockingQueue<CallbackCompound> received = new LinkedBlockingQueue<>();

    private volatile boolean isCut;

    private volatile Function<CallbackArguments, CallbackResult> answer =
            operation -> new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);

    /** Sets how it answers the operations behind CB_SEQUENCE. */
    void answer(Function<CallbackArguments, CallbackResult> with) {
        answer = with;
    }

    @Override
    public RpcClient client(Credential credential) {
        return this;
    }

    @Override
    public boolean isOpen() {
        return !isCut;
    }

    /** The connection ends. */
    void cut() {
        isCut = true;
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) {
        var pool = new SegmentPool(1 << 16);
        try (var arguments = new XdrWriter(pool);
                var results = new XdrWriter(pool)) {
            call.arguments().accept(arguments);
            var compound = CallbackCompound.decode(new XdrReader(arguments.reducedStream()));
            outcome(compound, answer).encode(results);
            if (compound.callbacks().size() > 1) {
                received.add(compound);
            }
            byte[] reply = results.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return new Reply(new XdrReader(MemorySegment.ofArray(reply)));
        } catch (XdrException malformed) {
            throw new AssertionError(malformed);
        }
    }

    /** Returns the results of a call that begins with CB_SEQUENCE. */
    static CallbackCompound.Outcome outcome(
            CallbackCompound call, Function<CallbackArguments, CallbackResult> answer) {
        var results = new ArrayList<CallbackResult>();
        var sequence = (CallbackArguments.Sequence) call.callbacks().getFirst();
        results.add(
                new CallbackResult.Sequence(
                        sequence.session(),
                        sequence.sequence(),
                        sequence.slot(),
                        sequence.highestSlot(),
                        // The server may use all slots.
                        Integer.MAX_VALUE));
        call.callbacks().stream().skip(1).map(answer).forEach(results::add);
        return new CallbackCompound.Outcome(results.getLast().status(), call.tag(), results);
    }

    @Override
    public void close() {}

    private record Reply(XdrReader results) implements RpcReply {
        @Override
        public void close() {}
    }
}
