package io.github.rpcrdma4j.bench.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: every stack does all works that it claims to do. Method: both sides in this process. */
class ExchangeTest {
    private static final long FILE_BYTES = 3_000_000;
    private static final int OUTSTANDING = 5;

    @ParameterizedTest
    @EnumSource(Stack.class)
    void doesItsWorks(Stack stack, @TempDir Path server, @TempDir Path client) throws Exception {
        for (boolean crc : new boolean[] {true, false}) {
            if (stack.takesCrc(crc)) {
                var setting = new Setting(crc, 3, stack.does(Work.COPY_1G) ? FILE_BYTES : 0, 0);
                doAll(stack, setting, server, client);
            }
        }
    }

    private static void doAll(Stack stack, Setting setting, Path server, Path client)
            throws Exception {
        var exchange = stack.exchange();
        try (var service = exchange.serve(setting, server);
                var session = exchange.connect(service.port(), setting, client)) {
            for (var work : Work.values()) {
                if (stack.does(work)) {
                    int outstanding = work.kind() == Work.Kind.COPY ? 1 : OUTSTANDING;
                    var meter = new Meter(outstanding).of(0);
                    session.run(work, meter, new SlotMemory());
                    assertEquals(outstanding, meter.round().calls(), work.label());
                    assertTrue(meter.round().p99Nanos() > 0);
                    var memory = new SlotMemory().of(0, work.length());
                    session.call(work, memory).make();
                }
            }
        }
        if (setting.fileBytes() > 0) {
            assertEquals(FILE_BYTES, Files.size(client.resolve("copy")));
            assertEquals(-1, Files.mismatch(server.resolve("file"), client.resolve("copy")));
        }
    }
}
