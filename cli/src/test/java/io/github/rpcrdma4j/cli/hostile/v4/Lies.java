package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The ways to lie that many lies have in common. */
final class Lies {
    /** A number that no RFC gives to a status. */
    static final int UNKNOWN_STATUS = 4711;

    private Lies() {}

    static Supplier<Lying> none() {
        return () -> Asked::honestly;
    }

    /** Changes each answer. */
    static Supplier<Lying> told(UnaryOperator<Told> change) {
        return () -> asked -> change.apply(asked.honestly());
    }

    /** Changes each result of a kind. */
    static <T extends Result> Supplier<Lying> each(Class<T> kind, UnaryOperator<T> change) {
        return told(honest -> honest.with(kind, each -> change.apply(kind.cast(each))));
    }

    /** Gives each success of an operation another body. */
    static Supplier<Lying> body(Opcode opcode, Consumer<XdrWriter> body) {
        return told(honest -> honest.withBody(opcode, body));
    }

    /** Lets an operation fail each time, after it was carried out. */
    static Supplier<Lying> fails(Opcode opcode, Nfs4Status status) {
        return fails(opcode, status.number());
    }

    static Supplier<Lying> fails(Opcode opcode, int status) {
        return told(honest -> honest.failingAt(opcode, status));
    }

    /** Refuses a call with an operation some times, and does nothing then. */
    static Supplier<Lying> refuses(Opcode opcode, Nfs4Status status, int times) {
        return () -> {
            var left = new AtomicInteger(times);
            return asked ->
                    asked.has(opcode) && left.getAndDecrement() > 0
                            ? Told.failed(asked.opcodes().getFirst(), status)
                            : asked.honestly();
        };
    }

    /**
     * Lets SEQUENCE fail, from some call on for some times. The server does nothing then.
     *
     * @param honest how many calls with SEQUENCE are answered before
     */
    static Supplier<Lying> sequenceFails(Nfs4Status status, int honest, int times) {
        return () -> {
            var count = new AtomicInteger();
            return asked -> {
                if (!asked.has(Opcode.SEQUENCE)) {
                    return asked.honestly();
                }
                int number = count.getAndIncrement();
                return number >= honest && number - honest < times
                        ? Told.failed(Opcode.SEQUENCE, status)
                        : asked.honestly();
            };
        };
    }

    /** Never answers a call with an operation. */
    static Supplier<Lying> silent(Opcode opcode) {
        return () ->
                asked -> {
                    if (asked.has(opcode)) {
                        new CountDownLatch(1).await();
                    }
                    return asked.honestly();
                };
    }

    /** Answers calls with an operation as if their arguments were malformed. */
    static Supplier<Lying> garbage(Opcode opcode) {
        return () ->
                asked -> {
                    if (asked.has(opcode)) {
                        throw new XdrException("a lie");
                    }
                    return asked.honestly();
                };
    }
}
