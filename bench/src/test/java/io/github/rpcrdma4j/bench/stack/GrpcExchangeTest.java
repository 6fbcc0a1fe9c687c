package io.github.rpcrdma4j.bench.stack;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: a failed call ends its slot. Method: a reply that cannot be copied. */
class GrpcExchangeTest {
    /** A channel on which nothing may be called. */
    private static final class UnusedChannel extends Channel {
        @Override
        public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
            throw new AssertionError("a call after one that failed");
        }

        @Override
        public String authority() {
            return "";
        }
    }

    @Test
    void makesNoCallAfterAReplyThatCannotBeCopied() {
        var meter = new Meter(1).of(TimeUnit.HOURS.toNanos(1));
        meter.start();
        meter.slot(0).begin();
        var loop =
                new GrpcExchange.CallLoop(
                        new UnusedChannel(),
                        GrpcExchange.method(Work.Kind.NULL),
                        new RawBytes.Outgoing(new byte[0], 0),
                        MemorySegment.NULL,
                        meter.slot(0));
        // This stream does not show its buffers.
        loop.onNext(new RawBytes.Incoming(new ByteArrayInputStream(new byte[1])));
        assertDoesNotThrow(loop::onCompleted);
        assertTrue(loop.done.isCompletedExceptionally());
    }
}
