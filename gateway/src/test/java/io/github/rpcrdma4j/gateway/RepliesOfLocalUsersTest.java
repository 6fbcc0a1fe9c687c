package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RepeatedCalls;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a user of the gateway's machine has one share of the kept replies, though it has all of
 * 127.0.0.0/8. Method: the gateway's memory of calls, with calls from many such addresses.
 */
class RepliesOfLocalUsersTest {
    /** More than all clients together may keep. */
    private static final int CALLS = 17_000;

    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final RepeatedCalls calls = new RepeatedCalls(System::nanoTime, Gateway.HOSTS);
    private int passed;

    private MemorySegment call(int xid) {
        try (var out = new XdrWriter(pool)) {
            var caller = new Credential.Sys(0, "host", 1000, 1000, List.of());
            CallHeader.encode(
                    out,
                    xid,
                    Nfs3.PROGRAM,
                    Nfs3.VERSION,
                    Procedure.REMOVE.number(),
                    RawAuth.of(caller));
            out.string("name");
            return MemorySegment.ofArray(out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private void send(InetAddress from, int xid) throws Exception {
        var in = new XdrReader(call(xid));
        var header = CallHeader.decode(in);
        try (var reply = new XdrWriter(pool)) {
            calls.pass(
                    header,
                    in,
                    new InetSocketAddress(from, 1011),
                    pool,
                    reply,
                    () -> {
                        passed++;
                        reply.uint32(xid).uint32(1);
                        return true;
                    });
        }
    }

    private static InetAddress local(int number) throws Exception {
        return InetAddress.getByAddress(new byte[] {127, 1, (byte) (number >> 8), (byte) number});
    }

    @Test
    void manyAddressesOfLoopbackPushOutNoReplyOfAnotherHost() throws Exception {
        var host = InetAddress.ofLiteral("192.0.2.7");
        send(host, 1);
        for (int i = 0; i < CALLS; i++) {
            send(local(i), 2 + i);
        }
        send(host, 1);
        assertEquals(1 + CALLS, passed);
    }

    /** The programs beyond the gateway see one host, but its addresses stay apart here. */
    @Test
    void theReplyToOneLocalAddressIsNotThatToAnother() throws Exception {
        send(local(1), 1);
        send(local(2), 1);
        send(local(1), 1);
        assertEquals(2, passed);
    }
}
