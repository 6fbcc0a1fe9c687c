package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.udp.UdpRpcServer;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the monitor answers each datagram once at most, with little more than it has got, and no
 * datagram takes a lock. Method: well-formed and damaged datagrams over a real socket, from a port
 * of any user of a host that has locks and whose monitor answers.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HostileDatagramsTest {
    private static final int DATAGRAMS = Seeds.rounds(4000);
    private static final int AT_ONCE = 32;

    /** The header of a call without a credential, in bytes. */
    private static final int HEADER = 40;

    /** How much longer than its call a reply may be, in bytes. */
    private static final int SURPLUS = 64;

    private Random random;
    private TestServer server;
    private DatagramSocket socket;
    private InetSocketAddress monitor;
    private int xids;

    /** The length of each datagram without a reply. */
    private final Map<Integer, Integer> sent = new HashMap<>();

    private int replies;

    @Test
    void eachDatagramGetsOneReplyAtMost() throws Exception {
        random = new Random(Seeds.one());
        try (var failures = new LoggedFailures();
                var host = new CalledHost();
                var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var served = TestServer.of(testDirectory, Nfs4Options.DEFAULT, host.port());
                var udp =
                        UdpRpcServer.listen(
                                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                                List.of(served.nfs.statusMonitor()));
                var from = new DatagramSocket(0, InetAddress.ofLiteral(CalledHost.ADDRESS))) {
            server = served;
            socket = from;
            socket.setSoTimeout(60_000);
            monitor = udp.address();
            host.start = 5;
            byte[] file = server.create(server.root(), "file").bytes();
            var victim = LockingHost.of(server, CalledHost.ADDRESS, file).withState(5);
            assertEquals(NlmStatus.GRANTED, victim.lock(true, 0, 10));
            for (int i = 0; i < DATAGRAMS; i += AT_ONCE) {
                sent.clear();
                for (int j = 0; j < AT_ONCE; j++) {
                    send(damaged(notice()));
                }
                awaitReplies();
                host.questions.clear();
            }
            failures.assertNone("datagrams");
            var other = LockingHost.of(server, "192.0.2.1", file);
            assertEquals(NlmStatus.DENIED, other.lock(true, 0, 10));
            System.out.println(DATAGRAMS + " datagrams, " + replies + " replies");
            assertTrue(replies > DATAGRAMS / 4 && replies < DATAGRAMS, replies + " replies");
        }
    }

    private byte[] call(NsmCall.Procedure procedure, NsmCall arguments) {
        try (var call = new XdrWriter(server.pool)) {
            CallHeader.encode(
                    call,
                    ++xids,
                    Nsm.PROGRAM,
                    1,
                    procedure.number(),
                    RawAuth.of(new Credential.None()));
            if (arguments != null) {
                arguments.encode(call);
            }
            return call.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private byte[] notice() {
        var names = List.of("host", "HOST.example.org", CalledHost.ADDRESS, "", "x".repeat(1000));
        var name = LockingHost.name(names.get(random.nextInt(names.size())));
        return random.nextInt(3) == 0
                ? call(NsmCall.Procedure.STAT, new NsmCall.Stat(name))
                : call(NsmCall.Procedure.NOTIFY, new NsmCall.Notify(name, random.nextInt(9)));
    }

    /** Cuts off the end, or flips bits behind the number of the call. */
    private byte[] damaged(byte[] call) {
        if (random.nextInt(3) == 0) {
            return call;
        }
        if (random.nextInt(4) == 0) {
            return Arrays.copyOf(call, 4 + random.nextInt(call.length));
        }
        for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
            int most = random.nextBoolean() ? call.length : Math.min(call.length, HEADER);
            call[4 + random.nextInt(most - 4)] ^= (byte) (1 << random.nextInt(8));
        }
        return call;
    }

    private void send(byte[] call) throws Exception {
        sent.put(ByteBuffer.wrap(call).getInt(), call.length);
        socket.send(new DatagramPacket(call, call.length, monitor));
    }

    /** The monitor answers in the order of the calls, so the last reply is that of the last. */
    private void awaitReplies() throws Exception {
        send(call(NsmCall.Procedure.NULL, null));
        int last = xids;
        var packet = new DatagramPacket(new byte[9000], 9000);
        int xid;
        do {
            packet.setLength(9000);
            socket.receive(packet);
            xid = ByteBuffer.wrap(packet.getData()).getInt();
            var length = sent.remove(xid);
            assertTrue(length != null, "a second reply, or one to no call: " + xid);
            assertTrue(packet.getLength() <= length + SURPLUS, packet.getLength() + " bytes");
            replies++;
        } while (xid != last);
    }
}
