package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * What a lying server answers to a COMPOUND.
 *
 * @param status the number of the status of the COMPOUND
 * @param parts the results
 */
record Told(int status, List<Part> parts) {
    private static final int TAG_BYTES = 0;

    Told {
        parts = List.copyOf(parts);
    }

    /**
     * A result.
     *
     * @param opcode of its operation
     * @param status its number
     * @param honest as a server may tell it; null if its bytes are made by hand
     * @param body writes what is behind the status, if it is made by hand
     */
    record Part(Opcode opcode, int status, Result honest, Consumer<XdrWriter> body) {
        static Part of(Result result) {
            return new Part(result.opcode(), result.status().number(), result, null);
        }

        /** A failure without values, also of a number that no RFC defines. */
        static Part failed(Opcode opcode, int status) {
            return new Part(
                    opcode,
                    status,
                    null,
                    out -> {
                        if (opcode.operation().isReadClass()) {
                            out.absentBulk();
                        }
                    });
        }

        /** A success whose values are made by hand. */
        static Part of(Opcode opcode, Consumer<XdrWriter> body) {
            return new Part(opcode, Nfs4Status.OK.number(), null, body);
        }

        boolean isOk() {
            return status == Nfs4Status.OK.number();
        }

        private void encode(XdrWriter out) {
            if (honest == null) {
                body.accept(out.uint32(opcode.number()).uint32(status));
            } else {
                honest.encode(out);
            }
        }
    }

    static Told of(CompoundResult honest) {
        return new Told(honest.status().number(), honest.results().stream().map(Part::of).toList());
    }

    /** Answers with the failure of an operation alone. */
    static Told failed(Opcode opcode, Nfs4Status status) {
        return new Told(status.number(), List.of(Part.failed(opcode, status.number())));
    }

    void encode(XdrWriter out) {
        out.uint32(status).uint32(TAG_BYTES).uint32(parts.size());
        parts.forEach(each -> each.encode(out));
    }

    /** Returns these results, of which those of a kind are changed. */
    <T extends Result> Told with(Class<T> kind, UnaryOperator<Result> change) {
        return withParts(
                each -> kind.isInstance(each.honest) ? Part.of(change.apply(each.honest)) : each);
    }

    /** Returns these results, of which successes of an operation have another body. */
    Told withBody(Opcode opcode, Consumer<XdrWriter> body) {
        return withParts(
                each ->
                        each.opcode == opcode && each.isOk()
                                ? new Part(opcode, each.status, null, body)
                                : each);
    }

    private Told withParts(UnaryOperator<Part> change) {
        return new Told(status, parts.stream().map(change).toList());
    }

    /** Returns these results up to the first one of an operation, which fails with a number. */
    Told failingAt(Opcode opcode, int failure) {
        return answering(Part.failed(opcode, failure));
    }

    /** Returns these results up to the first one of an operation, which has another result. */
    Told answering(Part result) {
        var kept = new ArrayList<Part>();
        for (var each : parts) {
            if (each.opcode == result.opcode) {
                kept.add(result);
                return new Told(result.status, kept);
            }
            kept.add(each);
        }
        return this;
    }

    /** Returns these results with another status of the COMPOUND. */
    Told withStatus(int other) {
        return new Told(other, parts);
    }

    /** Returns the same with other results. */
    Told withAll(UnaryOperator<List<Part>> change) {
        return new Told(status, change.apply(new ArrayList<>(parts)));
    }
}
