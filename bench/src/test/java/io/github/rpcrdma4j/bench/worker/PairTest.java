package io.github.rpcrdma4j.bench.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: worker processes carry out orders and report failures. Method: one real pair. */
class PairTest {
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    @Test
    void measuresBetweenTwoProcesses() throws IOException {
        var setting = Setting.plain(true);
        try (var pair = Pair.start(Stack.RPCRDMA4J, List.of())) {
            int one = pair.connect(setting, 1);
            var observed = pair.observe(new Order.Run(one, Work.READ_64K, 4, NANOS));
            assertTrue(observed.round().calls() >= 4);
            assertTrue(observed.round().nanos() >= NANOS);
            assertTrue(observed.client().cpuNanos() > 0);
            assertTrue(observed.server().allocatedBytes() > 0);

            int many = pair.connect(setting, 6);
            assertTrue(pair.run(many, Work.NULL, 2, NANOS).calls() >= 2);
            pair.client().disconnect(many);

            var setUp = new Order.SetUp(Stack.RPCRDMA4J, setting, pair.port(setting), NANOS);
            assertTrue(pair.client().measure(setUp).calls() >= 1);
            var failure =
                    assertThrows(IOException.class, () -> pair.run(one, Work.COPY_1G, 1, NANOS));
            assertTrue(failure.getMessage().contains("there are no files"), failure.getMessage());
            assertEquals(Stack.RPCRDMA4J, pair.stack());
        }
    }
}
