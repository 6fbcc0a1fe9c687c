package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Passes a call that is not repeatable on once, however often a client sends it, for a gateway. A
 * repetition on another connection gets the first reply, or waits for it.
 *
 * <p>It has the bounds of the server's own memory of calls. A reply longer than 64 KiB is not kept,
 * and calls with RPCSEC_GSS are not recognized: each repetition has a sequence number of its own,
 * which its reply must answer. Thread-safe.
 */
public final class RepeatedCalls {
    /** Carries out a call, whose reply goes into its writer. */
    public interface Passing {
        /**
         * Passes the call on and writes the whole reply message.
         *
         * @return false if there is no reply, so that the outcome is unknown; then a repetition is
         *     passed on
         */
        boolean pass() throws InterruptedException;
    }

    private final DuplicateRequests duplicates;
    private final PeerIdentifier clients;
    private final LongAdder repeated = new LongAdder();

    /**
     * Remembers nothing yet.
     *
     * @param clock the clock by which kept replies age, in nanoseconds of any origin
     * @param clients tells whose share of the kept replies a reply takes
     */
    public RepeatedCalls(LongSupplier clock, PeerIdentifier clients) {
        this.duplicates = new DuplicateRequests(clock);
        this.clients = clients;
    }

    /**
     * Passes a call on, waits for its reply, or writes its kept reply.
     *
     * @param call the call; this method does not consume its arguments
     * @param peer the address of the caller: one object for each connection
     * @param reply an empty writer
     * @return false if the peer gets no reply
     * @throws InterruptedException if the thread is interrupted; the outcome is unknown
     */
    public boolean pass(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            XdrWriter reply,
            Passing passing)
            throws InterruptedException {
        var request = request(header, call, peer, pool);
        if (request.isEmpty()) {
            return passing.pass();
        }
        var isFirst = new boolean[1];
        boolean isAnswered =
                duplicates.executeOrAgain(
                        header,
                        request.get(),
                        reply,
                        () -> {
                            isFirst[0] = true;
                            return passing.pass()
                                    ? Optional.of(AcceptStatus.SUCCESS)
                                    : Optional.empty();
                        });
        if (isAnswered && !isFirst[0]) {
            repeated.increment();
        }
        return isAnswered;
    }

    private Optional<RpcRequest> request(
            CallHeader header, XdrReader call, InetSocketAddress peer, SegmentPool pool) {
        try {
            return header.credential()
                    .credential()
                    .map(
                            caller ->
                                    new RpcRequest(
                                            header.version(),
                                            header.procedure(),
                                            caller,
                                            call,
                                            peer,
                                            clients.identify(peer, Optional.empty()),
                                            pool,
                                            Optional.empty()));
        } catch (XdrException _) {
            return Optional.empty();
        }
    }

    /**
     * Forgets the replies of a connection that its client has closed in order: no call waited for
     * its reply, so the client repeats none. Without this, a client that counts XIDs from the same
     * start each time could get replies to calls of its last run.
     *
     * @param peer the address of the caller, the object of its connection
     */
    public void left(InetSocketAddress peer) {
        duplicates.left(peer);
    }

    /** Returns how many calls got a kept reply, or the reply for which they waited. */
    public long repeated() {
        return repeated.sum();
    }
}
