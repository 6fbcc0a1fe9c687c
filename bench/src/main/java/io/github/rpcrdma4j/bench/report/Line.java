package io.github.rpcrdma4j.bench.report;

import io.github.rpcrdma4j.bench.stack.Work;

/** What is compared: a work with so many calls in flight. */
public record Line(Work work, int outstanding) {
    /** How its figures are told. */
    public enum Unit {
        /** Microseconds for a round trip: less is better. */
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
            case NULL -> outstanding == 1 ? Unit.MICROS : Unit.CALLS;
            case READ, WRITE, COPY -> Unit.GIGABYTES;
        };
    }

    /** For people: {@code read-1m x 8}. */
    public String label() {
        return work.label() + " x " + outstanding;
    }
}
