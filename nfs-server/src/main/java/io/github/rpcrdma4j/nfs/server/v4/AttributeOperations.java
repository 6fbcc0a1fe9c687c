package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.served.FileRights;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeWriter;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * Carries out ACCESS, GETATTR, NVERIFY and VERIFY (RFC 8881, Sections 18.1, 18.7, 18.15 and 18.31).
 * {@link ChangeOperations} carries out SETATTR.
 */
final class AttributeOperations {
    /** All bits of ACCESS in RFC 7530, Section 16.1; RFC 8276 has added others. */
    private static final int ACCESS_OF_VERSION_0 = 0x3f;

    private final FactsReader facts;
    private final ChangeOperations changes;
    private final DelegatedAttributes delegated;

    AttributeOperations(
            FactsReader facts, ChangeOperations changes, DelegatedAttributes delegated) {
        this.facts = facts;
        this.changes = changes;
        this.delegated = delegated;
    }

    Answer carryOut(Compound compound, AttributeArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        return switch (arguments) {
            case AttributeArguments.GetAttr(var wanted) -> get(compound, wanted);
            case AttributeArguments.SetAttr call -> Answer.of(changes.set(compound, call));
            case AttributeArguments.Verify(var known) ->
                    compare(compound, known, Nfs4Status.SAME, Opcode.VERIFY);
            case AttributeArguments.NVerify(var known) ->
                    compare(compound, known, Nfs4Status.NOT_SAME, Opcode.NVERIFY);
            case AttributeArguments.Access(var wanted) -> Answer.of(access(compound, wanted));
            // Files of this server have no named attributes of this kind.
            case AttributeArguments.OpenAttr _ -> {
                compound.current();
                throw new OperationFailure(Nfs4Status.NOTSUPP);
            }
        };
    }

    /**
     * @throws OperationFailure INVAL if an attribute that can only be set is wanted
     */
    private Answer get(Compound compound, AttributeSet wanted)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.current();
        ServedAttributes.requireReadable(wanted);
        var moved = moved(compound, file, wanted);
        var of = moved.isPresent() ? moved.get() : present(compound, file, wanted);
        return out -> AttributeResult.GetAttr.encode(out, wanted, of);
    }

    private ServedFacts present(Compound compound, CurrentFile file, AttributeSet wanted)
            throws OperationFailure, Refusal, StoreException {
        return delegated.of(compound, file, wanted, facts.of(compound, file, wanted));
    }

    /** Of a file at another server, only those that ask for its locations learn something. */
    private Optional<MovedFacts> moved(Compound compound, CurrentFile file, AttributeSet wanted)
            throws Refusal, StoreException {
        return wanted.has(Attribute.FS_LOCATIONS)
                ? facts.ofMoved(compound, file, Nfs4Status.OK)
                : Optional.empty();
    }

    /**
     * @param good the outcome with which the COMPOUND goes on
     */
    private Answer compare(
            Compound compound, EncodedAttributes known, Nfs4Status good, Opcode opcode)
            throws OperationFailure, Refusal, StoreException {
        var file = compound.current();
        var wanted = known.attributes();
        var moved = moved(compound, file, wanted);
        if (moved.isPresent() && !moved.get().present().hasAll(wanted)) {
            throw new OperationFailure(Nfs4Status.MOVED);
        }
        var here = moved.isPresent() ? null : present(compound, file, wanted);
        return out -> {
            var outcome =
                    moved.isPresent()
                            ? AttributeWriter.compare(out, known, wanted, moved.get())
                            : compare(out, known, here);
            if (outcome != good) {
                throw new OperationFailure(outcome);
            }
            Result.done(opcode).encode(out);
        };
    }

    private static Nfs4Status compare(XdrWriter out, EncodedAttributes known, ServedFacts of) {
        return AttributeWriter.compare(out, known, of.supported(), of);
    }

    private static Result access(Compound compound, int asked)
            throws OperationFailure, Refusal, StoreException {
        int wanted = compound.minorVersion() == 0 ? asked & ACCESS_OF_VERSION_0 : asked;
        return switch (compound.current()) {
            case CurrentFile.Pseudo _ ->
                    new AttributeResult.Access(
                            wanted & FileRights.DIRECTORY, wanted & FileRights.SEARCH);
            case CurrentFile.Exported file -> {
                var rights = FileRights.of(compound.open(file), wanted);
                yield new AttributeResult.Access(rights.supported(), rights.granted());
            }
        };
    }
}
