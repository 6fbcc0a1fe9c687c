package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Work;

/** The load of a measurement: a work with a number of outstanding calls. */
public record LoadPoint(Work work, int outstanding) {
    /** The unit of the rate at a load point. */
    public enum Unit {
        /** Microseconds for a round trip; less is better. */
        MICROS("us"),
        CALLS("calls/s"),
        GIGABYTES("GB/s");

        private final String label;

        Unit(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    public Unit unit() {
        return switch (work.kind()) {
            case NULL, OPEN -> outstanding == 1 ? Unit.MICROS : Unit.CALLS;
            case READ, WRITE, COPY -> Unit.GIGABYTES;
        };
    }

    /** Returns the name for people, such as {@code read-1m x 8}. */
    public String label() {
        return work.label() + " x " + outstanding;
    }
}
