package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.Meter;
import java.io.Serializable;

/** The answer of a worker process to an order. */
sealed interface Answer extends Serializable {
    record Done() implements Answer {}

    record Number(int value) implements Answer {}

    record Measured(Meter.Round round) implements Answer {}

    record Used(Usage usage) implements Answer {}

    /** The order failed. */
    record Failed(String why) implements Answer {}
}
