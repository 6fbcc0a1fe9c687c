package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.WireToTcp.requireReply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.call;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.reply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasRead;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a recording shows how the calls of a gateway ended, also if a server replied nonsense. */
class RecordedGatewayTest {
    private static final int SYSTEM_ERR = 5;
    private static final int AUTH_TOOWEAK = 5;

    @TempDir Path directory;

    private static void exchange(WireToTcp wire, Words answer) throws Exception {
        requireReply(readList(), answer, wire.exchange(readList(), call().read(50), answer));
    }

    @Test
    void aRecordingHasTheOutcomesOfPassedCalls() throws Exception {
        var file = directory.resolve("recording.jfr");
        try (var recording = new Recording();
                var wire = new WireToTcp()) {
            recording.start();
            exchange(wire, reply(0, wasRead(data(50, 1))));
            exchange(wire, Words.of(1, 0, 0, 0, SYSTEM_ERR));
            exchange(wire, Words.of(1, 1, 1, AUTH_TOOWEAK));
            exchange(wire, Words.of(1, 7));
            exchange(wire, Words.of(1));
            recording.stop();
            recording.dump(file);
        }
        // Threads write their events to the file in no order.
        var outcomes =
                RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().endsWith(".Execution"))
                        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                        .map(
                                event ->
                                        event.getString("outcome")
                                                + " "
                                                + event.getString("acceptStat"))
                        .toList();
        assertEquals(
                List.of(
                        "accepted SUCCESS",
                        "accepted SYSTEM_ERR",
                        "denied ",
                        "unreadable ",
                        "unreadable "),
                outcomes);
    }
}
