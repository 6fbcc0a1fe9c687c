package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.WalkEnd;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Judges the chunks and the arguments of a call by the binding of its program.
 *
 * <p>Tests: {@code JudgedCallsTest}.
 *
 * @param name the name of program and procedure
 * @param in the arguments, which may be those of another reader than {@code reduced}
 * @param reduced the Read chunks whose items were not read yet
 * @param writeChunks the number of Write chunks that the call offers
 */
record ArgumentJudge(String name, XdrReader in, Reduced reduced, int writeChunks) {
    private static final int HANDLE_BYTES = 32;
    private static final int SATTR_BYTES = 32;
    private static final int NAME_MAX = 255;
    private static final int DATA_MAX = Nfs3.TRANSFER_MAX;

    /** The Read chunks of a call that no item has taken. */
    interface Reduced {
        /** Returns them in the order of their positions. */
        List<BulkItem> left();
    }

    /** Judges a call of a program without bulk items, whose arguments are not read. */
    Judgement withoutItems() {
        var findings = surplus();
        findings.addAll(uselessWriteChunks());
        return Judgement.of(findings);
    }

    private List<Finding> surplus() {
        var findings = new ArrayList<Finding>();
        reduced.left()
                .forEach(each -> findings.add(BindingRules.surplusReadChunk(each.position())));
        return findings;
    }

    private List<Finding> uselessWriteChunks() {
        return writeChunks == 0
                ? List.of()
                : List.of(BindingRules.uselessWriteChunks(writeChunks, name));
    }

    /**
     * Judges a call of NFS version 2 or 3.
     *
     * @param procedure one that {@link #judgesFiles} accepts
     */
    Judgement files(int version, int procedure) {
        UpperLayerBinding binding =
                version == Nfs3.VERSION ? Nfs3Binding.BINDING : Nfs2Binding.BINDING;
        var findings = new ArrayList<Finding>();
        try {
            if (version == Nfs3.VERSION) {
                Nfs3CallDecoder.decode(Procedure.of(procedure), in);
            } else {
                version2(procedure);
            }
        } catch (XdrException malformed) {
            findings.add(Rules.badArguments(malformed.getMessage()));
        }
        if (binding.eligibility(procedure).results() == 0) {
            findings.addAll(uselessWriteChunks());
        }
        return Judgement.of(findings);
    }

    /**
     * Returns whether {@link #files} can judge a procedure: it exists and has arguments.
     *
     * @param version the version of NFS
     */
    static boolean judgesFiles(int version, int procedure) {
        return procedure != 0
                && switch (version) {
                    case Nfs2Binding.VERSION ->
                            procedure > 0 && procedure < Nfs2Binding.Procedure.values().length;
                    case Nfs3.VERSION -> Procedure.exists(procedure);
                    default -> false;
                };
    }

    /**
     * Reads over the arguments of WRITE and SYMLINK, the only procedures of version 2 with a bulk
     * argument (RFC 1094, Sections 2.2.9 and 2.2.14).
     */
    private void version2(int procedure) throws XdrException {
        if (procedure == Nfs2Binding.Procedure.WRITE.number()) {
            // file, beginoffset, offset, totalcount, data
            in.fixedOpaque(HANDLE_BYTES + 3 * Integer.BYTES);
            in.bulk(DATA_MAX);
            in.finish();
        } else if (procedure == Nfs2Binding.Procedure.SYMLINK.number()) {
            // directory, name, path, attributes
            in.fixedOpaque(HANDLE_BYTES);
            in.opaque(NAME_MAX);
            in.bulk(DATA_MAX);
            in.fixedOpaque(SATTR_BYTES);
            in.finish();
        } else if (!reduced.left().isEmpty()) {
            throw new XdrException("a Read chunk belongs to no item that may be reduced");
        }
    }

    /** Judges a COMPOUND or CB_COMPOUND after the walk over its arguments. */
    Judgement compound(CompoundCall call) {
        // A walk takes the chunks of bulk items. Others shift all that is behind them.
        for (var chunk : reduced.left()) {
            if (chunk.position() < in.position()
                    || chunk.position() == in.position() && endsInside(call)) {
                return Judgement.wrong(
                        BindingRules.ineligible(chunk.position(), at(call, chunk.position())));
            }
        }
        return switch (call.end()) {
            case WalkEnd.Complete _ -> complete(call);
            case WalkEnd.Malformed(var index, var cause) ->
                    Judgement.wrong(BindingRules.badArguments(in(call, index) + cause));
            case WalkEnd.UnknownOperation(_, var number) ->
                    unknown("operation " + Integer.toUnsignedString(number), " is not known");
            case WalkEnd.LaterOperation(_, var operation) ->
                    unknown(
                            operation.name(),
                            " begins in minor version " + operation.minorVersion());
            case WalkEnd.UnknownMinorVersion(var version) ->
                    unknown("minor version " + Integer.toUnsignedString(version), " is not known");
            case WalkEnd.TooManyOperations(var count) ->
                    Judgement.notJudged(
                            "it has " + Integer.toUnsignedString(count) + " operations");
        };
    }

    /** Returns whether a walk ended for want of bytes, and not at a chunk of a wrong length. */
    private static boolean endsInside(CompoundCall call) {
        return call.end() instanceof WalkEnd.Malformed(_, var cause)
                && !cause.contains("Read chunk");
    }

    private Judgement complete(CompoundCall call) {
        var findings = surplus();
        if (findings.isEmpty()) {
            try {
                in.finish();
            } catch (XdrException malformed) {
                findings.add(BindingRules.badArguments(malformed.getMessage()));
            }
        }
        if (call.reads().isEmpty()) {
            findings.addAll(uselessWriteChunks());
        }
        return Judgement.of(findings);
    }

    /** Judges a call whose walk ended before all operations, at something unknown. */
    private Judgement unknown(String what, String why) {
        var findings = new ArrayList<Finding>();
        reduced.left().forEach(each -> findings.add(BindingRules.behind(each.position(), what)));
        return new Judgement(findings, Optional.of(what + why));
    }

    private static String in(CompoundCall call, int index) {
        return index < call.operations().size()
                ? BindingRules.operation(call.operations().get(index).operation(), index) + ": "
                : "";
    }

    /** Returns what is at a position of the unreduced message. */
    private static String at(CompoundCall call, long position) {
        var where = "the COMPOUND before its operations";
        for (var each : call.operations()) {
            if (each.position() > position) {
                break;
            }
            where = BindingRules.operation(each.operation(), each.index());
        }
        return where;
    }
}
