package io.github.rpcrdma4j.interop.relay;

import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * A relay between clients and a server on iWARP that reads their messages. It can drop the reply to
 * a call: the server has carried out the call, but the connection ends before the client receives
 * the reply.
 */
public final class LossyRelay implements AutoCloseable {
    private final Relay relay;
    private final AtomicReference<CallPredicate> wanted = new AtomicReference<>();
    private final AtomicInteger lost = new AtomicInteger();

    /** Chooses calls. */
    interface CallPredicate {
        /**
         * Returns whether a call is one of those.
         *
         * @param arguments a reader at the start of the arguments
         * @throws XdrException if it cannot be read; it is none of those then
         */
        boolean test(CallHeader header, XdrReader arguments) throws XdrException;
    }

    public LossyRelay(String listen, InetSocketAddress server) throws IOException {
        relay = new Relay(listen, server, Messages::new);
    }

    public int port() {
        return relay.port();
    }

    /** Drops the reply to the next call of a procedure, and closes its connection. */
    public void loseReplyTo(int number) {
        wanted.set((header, _) -> header.procedure() == number);
    }

    /** Drops the reply to the next COMPOUND with an operation, and closes its connection. */
    public void loseReplyTo(Opcode operation) {
        wanted.set(
                (header, arguments) ->
                        header.procedure() == Nfs4Binding.COMPOUND
                                && CompoundArguments.decode(arguments).operations().stream()
                                        .anyMatch(each -> each.opcode() == operation));
    }

    /** Returns the number of dropped replies. */
    int lost() {
        return lost.get();
    }

    /** Returns the number of sockets of connections that have not ended. */
    int openSockets() {
        return relay.openSockets();
    }

    @Override
    public void close() {
        relay.close();
    }

    /**
     * The messages of a connection. It ends instead of passing bytes that complete a message to
     * drop.
     */
    private final class Messages implements Relay.Gate {
        private final DirectionObserver calls = new DirectionObserver(true);
        private final DirectionObserver replies = new DirectionObserver(true);

        /** The XIDs of calls whose replies are to be dropped. */
        private final Set<Integer> repliesToDrop = ConcurrentHashMap.newKeySet();

        @Override
        public boolean passesToServer(ByteBuffer bytes) {
            return passesAll(calls, bytes, this::passesCall);
        }

        @Override
        public boolean passesToClient(ByteBuffer bytes) {
            return passesAll(replies, bytes, this::passesReply);
        }

        private static boolean passesAll(
                DirectionObserver observer,
                ByteBuffer bytes,
                Predicate<MemorySegment> passesMessage) {
            observer.add(bytes);
            boolean all = true;
            for (var seen = observer.next(); seen != null; seen = observer.next()) {
                if (seen instanceof DirectionObserver.Seen.Segment segment
                        && segment.message().orElse(null)
                                instanceof DirectionObserver.Message.Send(var message)) {
                    all &= passesMessage.test(MemorySegment.ofArray(message));
                }
            }
            return all;
        }

        private boolean passesCall(MemorySegment message) {
            if (Received.byResponder(message) instanceof Received.Call call) {
                try {
                    var in = new XdrReader(call.payload());
                    var header = CallHeader.decode(in);
                    var now = wanted.get();
                    if (now != null && now.test(header, in) && wanted.compareAndSet(now, null)) {
                        repliesToDrop.add(call.header().xid());
                    }
                } catch (XdrException _) {
                    // A long call, or one with data in chunks; the relay drops only replies to
                    // short calls.
                }
            }
            return true;
        }

        private boolean passesReply(MemorySegment message) {
            if (Received.byRequester(message) instanceof Received.Reply reply
                    && repliesToDrop.remove(reply.header().xid())) {
                lost.incrementAndGet();
                return false;
            }
            return true;
        }
    }
}
