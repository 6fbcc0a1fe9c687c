package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ResultDecoder;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.record.ReceivedRecord;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One short call over a TCP connection of its own, for a server that is called seldom. No other
 * thread than the caller's is needed, and nothing is left after the call. An interrupt ends the
 * call on a virtual thread only; on others it ends at its deadline.
 */
public final class TcpRpcCall {
    /** The longest call message, in bytes: the buffer of a new connection takes it at once. */
    public static final int CALL_BYTES_MAX = 8 << 10;

    /** The longest header of a reply: a verifier has 400 bytes at most (RFC 5531, Section 8.2). */
    private static final int REPLY_HEADER_MAX = ReplyHeader.ACCEPTED_BYTES + 400;

    private static final int READ_BYTES = 1 << 10;

    /** How long the socket may take to connect at most, as the system expects it. */
    private static final long MILLIS_MAX = Integer.MAX_VALUE;

    private TcpRpcCall() {}

    /**
     * Connects, makes a call, and closes the connection.
     *
     * @param server the address at which the server listens
     * @param call has no result targets. A reply with more than its {@code resultsMax} fails
     * @param results decodes the results
     * @param timeout the time limit for all of it
     * @throws RpcException if the call fails. {@link RpcException.BadReply} if the results cannot
     *     be decoded
     * @throws IllegalArgumentException if the message is longer than {@link #CALL_BYTES_MAX}
     */
    public static <T> T make(
            InetSocketAddress server,
            Credential credential,
            RpcCall call,
            ResultDecoder<T> results,
            Duration timeout)
            throws RpcException {
        long deadline = System.nanoTime() + Timeouts.nanosOfCall(timeout);
        var protection = CallProtection.of(credential);
        int xid = call.xid().orElseGet(ThreadLocalRandom.current()::nextInt);
        var pool = new SegmentPool(0);
        try (var received = exchange(server, call, xid, protection, pool, deadline)) {
            var message = new XdrReader(received.message());
            return results.decode(protection.results(message, call, xid));
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    private static ReceivedRecord exchange(
            InetSocketAddress server,
            RpcCall call,
            int xid,
            CallProtection protection,
            SegmentPool pool,
            long deadline)
            throws RpcException {
        byte[] message = message(call, xid, protection, pool);
        boolean isConnected = false;
        try (var socket = new Socket()) {
            socket.setTcpNoDelay(true);
            socket.connect(server, millisUntil(deadline));
            isConnected = true;
            socket.getOutputStream().write(message);
            protection.sent();
            long most = REPLY_HEADER_MAX + protection.wrappedMax(call.resultsMax());
            return receive(socket, new RecordMarking.Decoder(pool, most), deadline);
        } catch (SocketTimeoutException late) {
            throw isConnected
                    ? new RpcException.TimedOut(HostPort.text(server) + " did not answer in time")
                    : unreachable(server, "no answer in time", late);
        } catch (RpcException already) {
            throw already;
        } catch (IOException failure) {
            throw isConnected
                    ? new RpcException.ConnectionLost(
                            "the connection to " + HostPort.text(server) + " was lost", failure)
                    : unreachable(server, failure.getMessage(), failure);
        }
    }

    private static RpcException unreachable(
            InetSocketAddress server, String why, IOException failure) {
        return new RpcException.Unreachable(
                "cannot connect to " + HostPort.text(server) + ": " + why, failure);
    }

    private static byte[] message(
            RpcCall call, int xid, CallProtection protection, SegmentPool pool)
            throws RpcException {
        try (var message = new XdrWriter(pool)) {
            CallMessage.encode(message, call, xid, protection, pool);
            var pieces = RecordMarking.encode(message);
            long length = pieces.stream().mapToLong(MemorySegment::byteSize).sum();
            if (length > CALL_BYTES_MAX) {
                throw new IllegalArgumentException("a call of " + length + " bytes is too long");
            }
            byte[] bytes = new byte[(int) length];
            int at = 0;
            for (var piece : pieces) {
                int size = (int) piece.byteSize();
                MemorySegment.copy(piece, ValueLayout.JAVA_BYTE, 0, bytes, at, size);
                at += size;
            }
            return bytes;
        }
    }

    private static ReceivedRecord receive(
            Socket socket, RecordMarking.Decoder decoder, long deadline) throws IOException {
        try (decoder) {
            var in = socket.getInputStream();
            var bytes = new byte[READ_BYTES];
            while (true) {
                socket.setSoTimeout(millisUntil(deadline));
                int count = in.read(bytes);
                if (count < 0) {
                    throw new RpcException.ConnectionLost("the server closed the connection", null);
                }
                switch (decoder.take(MemorySegment.ofArray(bytes).asSlice(0, count))) {
                    case RecordMarking.Step.More() -> {}
                    case RecordMarking.Step.Complete(_, var received) -> {
                        return received;
                    }
                    case RecordMarking.Step.Broken(var why, _) ->
                            throw new RpcException.BadReply("the server's reply is wrong: " + why);
                }
            }
        }
    }

    /** Returns the time that is left, at least one millisecond: 0 would mean no limit. */
    private static int millisUntil(long deadline) throws SocketTimeoutException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new SocketTimeoutException("the deadline has passed");
        }
        return (int) Math.min(MILLIS_MAX, TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }
}
