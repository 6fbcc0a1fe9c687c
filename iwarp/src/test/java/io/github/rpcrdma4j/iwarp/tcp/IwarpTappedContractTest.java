package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.observe.FrameReader;
import io.github.rpcrdma4j.iwarp.observe.FrameReader.Frame;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;

/** Goal: a tapped provider behaves like any other, and the tap sees whole streams. */
class IwarpTappedContractTest extends IwarpContract {
    /** One end of a connection: its sent and received bytes, cut into frames. */
    private static final class End implements IwarpTap.Wire {
        private final FrameReader sent = new FrameReader(true);
        private final FrameReader received = new FrameReader(true);
        private final StringBuilder order = new StringBuilder();
        private volatile int framesSent;
        private volatile int framesReceived;
        private volatile boolean closed;

        @Override
        public void sent(ByteBuffer bytes) {
            framesSent += frames(sent, bytes, 's');
        }

        @Override
        public void received(ByteBuffer bytes) {
            framesReceived += frames(received, bytes, 'r');
        }

        private int frames(FrameReader reader, ByteBuffer bytes, char name) {
            reader.add(bytes);
            int count = 0;
            for (var frame = reader.next(); frame != null; frame = reader.next()) {
                boolean first = name == 's' ? framesSent + count == 0 : framesReceived + count == 0;
                if (first) {
                    assertInstanceOf(Frame.SetUp.class, frame);
                    order.append(name);
                }
                count++;
            }
            return count;
        }

        @Override
        public void closed() {
            closed = true;
        }
    }

    private record Connection(InetSocketAddress local, InetSocketAddress remote) {}

    private static final Map<Connection, End> ENDS = new ConcurrentHashMap<>();

    IwarpTappedContractTest() {
        super(IwarpOptions.DEFAULT.withTap(IwarpTappedContractTest::open));
    }

    private static IwarpTap.Wire open(
            InetSocketAddress local, InetSocketAddress remote, boolean initiator) {
        var end = new End();
        ENDS.put(new Connection(local, remote), end);
        return end;
    }

    /**
     * Goal: no end receives more frames than its peer sent, requests precede replies, and every
     * connection is reported as closed.
     */
    @AfterAll
    static void sawWhatBothEndsSaid() {
        assertTrue(ENDS.size() > 20, "connections were seen: " + ENDS.size());
        ENDS.forEach(
                (connection, end) -> {
                    var peer = ENDS.get(new Connection(connection.remote, connection.local));
                    if (peer != null) {
                        assertTrue(end.framesReceived <= peer.framesSent, "from nowhere");
                    }
                    assertTrue("srs".contains(end.order), "replies follow: " + end.order);
                    assertTrue(end.closed, "closed: " + connection);
                });
        ENDS.clear();
    }
}
