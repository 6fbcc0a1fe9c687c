package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A handler of calls beside a program of the transport.
 *
 * @param number the number of the program
 * @param program carries out the calls of the program
 * @param others carries out all other calls
 */
record BesideProgram(int number, CallHandler program, CallHandler others) implements CallHandler {
    private CallHandler of(CallHeader call) {
        return call.program() == number ? program : others;
    }

    @Override
    public boolean runsOnReader(CallHeader call) {
        return of(call).runsOnReader(call);
    }

    @Override
    public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
        return of(call).isUsuallyQuick(call, arguments);
    }

    @Override
    public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
        return of(call).kind(call, movesLittle);
    }

    @Override
    public boolean wrapsData(CallHeader call) {
        return of(call).wrapsData(call);
    }

    @Override
    public long bytesAheadMax() {
        return others.bytesAheadMax();
    }

    @Override
    public boolean mayBegin(CallHeader call) {
        return of(call).mayBegin(call);
    }

    @Override
    public boolean begin(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            XdrWriter reply,
            CallEnd end) {
        return of(header).begin(header, call, peer, pool, reply, end);
    }

    @Override
    public boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply,
            Runnable passed)
            throws InterruptedException {
        return of(header).dispatch(header, call, peer, pool, reverse, reply, passed);
    }
}
