package io.github.rpcrdma4j.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: packets come in the order of their times, with bounded memory. */
class PacketOrderTest {
    private static final int PACKET_BYTES = 100;

    private long moved;
    private long late;

    /**
     * Returns the numbers of packets with these times, in the order in which they are passed on.
     */
    private List<Long> numbers(long waitingMax, long... nanos) throws IOException {
        var file = new ByteArrayOutputStream();
        file.writeBytes(Pcapng.header(1));
        for (long each : nanos) {
            file.writeBytes(Pcapng.packet(each, new byte[PACKET_BYTES]));
        }
        var order =
                new PacketOrder(
                        PacketReader.of(new ByteArrayInputStream(file.toByteArray())), waitingMax);
        var numbers = new ArrayList<Long>();
        for (var packet = order.next(); packet != null; packet = order.next()) {
            numbers.add(packet.number());
        }
        moved = order.moved();
        late = order.late();
        return numbers;
    }

    @Test
    void sortsByTimeAndThenByNumber() throws Exception {
        assertEquals(List.of(1L, 4L, 2L, 5L, 3L), numbers(1 << 20, 1, 2, 9, 1, 2));
        assertEquals(2, moved);
        assertEquals(0, late);
    }

    @Test
    void leavesWhatIsInOrder() throws Exception {
        assertEquals(List.of(1L, 2L, 3L), numbers(1 << 20, 0, 0, 0));
        assertEquals(0, moved + late);
        assertEquals(List.of(), numbers(1 << 20));
    }

    /** Method: no packet has room to wait. The last one is late. */
    @Test
    void passesOnLateWhatIsTooFarOutOfOrder() throws Exception {
        assertEquals(List.of(1L, 2L, 3L, 4L), numbers(PACKET_BYTES, 5, 6, 7, 1));
        assertEquals(1, moved);
        assertEquals(1, late);
        assertEquals(List.of(4L, 1L, 2L, 3L), numbers(8 * PACKET_BYTES, 5, 6, 7, 1));
        assertEquals(0, late);
    }
}
