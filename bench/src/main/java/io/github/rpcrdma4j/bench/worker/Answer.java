package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.Meter;
import java.io.Serializable;

/** What a worker process says when it has done what it was told. */
sealed interface Answer extends Serializable {
    record Done() implements Answer {}

    record Number(int value) implements Answer {}

    record Measured(Meter.Round round) implements Answer {}

    record Used(Usage usage) implements Answer {}

    /** It did not work. */
    record Failed(String why) implements Answer {}
}
