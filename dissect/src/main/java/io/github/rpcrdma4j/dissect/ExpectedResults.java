package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Operation;
import java.util.ArrayList;
import java.util.List;

/** What a call shows of the results that may answer it. */
sealed interface ExpectedResults {
    /**
     * Results of a COMPOUND or CB_COMPOUND.
     *
     * @param count the number of operations of the call, unsigned
     * @param operations the known operations, from the first one on
     */
    record Compound(CompoundKind kind, int count, List<Operation> operations)
            implements ExpectedResults {
        /** Makes the list immutable. */
        public Compound {
            operations = List.copyOf(operations);
        }
    }

    /** Results of a procedure of NFS version 2 or 3 with a bulk item, if the call succeeds. */
    record Item(FileProcedure procedure) implements ExpectedResults {}

    /** Results without bulk items. */
    record NoItem() implements ExpectedResults {}

    /** Unknown results. */
    record Unknown(String why) implements ExpectedResults {}

    /**
     * Returns the operations that may have a result in a chunk, by name: the n-th has the n-th
     * Write chunk (RFC 8267, Section 6.4.1).
     *
     * @param call the name of program and procedure
     */
    default List<String> owners(String call) {
        return switch (this) {
            case Compound(_, _, var operations) -> {
                var names = new ArrayList<String>();
                for (int i = 0; i < operations.size(); i++) {
                    if (operations.get(i).isReadClass()) {
                        names.add(BindingRules.operation(operations.get(i), i));
                    }
                }
                yield names;
            }
            case Item _ -> List.of(call);
            case NoItem _, Unknown _ -> List.of();
        };
    }
}
