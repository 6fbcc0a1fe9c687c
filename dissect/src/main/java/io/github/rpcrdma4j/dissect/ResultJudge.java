package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.RpcDecoder.KnownCall;
import io.github.rpcrdma4j.nfs.v4.CompoundReply;
import io.github.rpcrdma4j.nfs.v4.WalkEnd;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Judges the chunks and the results of a reply by the binding of its program.
 *
 * <p>Tests: {@code JudgedRepliesTest}.
 *
 * @param message the reply without the results in chunks
 * @param alignment the alignment of bulk items in the message
 * @param call the call that it answers
 * @param offered the chunks of the call
 * @param returned the chunks of the reply, which answer those of the call
 */
record ResultJudge(
        MemorySegment message,
        Alignment alignment,
        KnownCall call,
        ChunkLists offered,
        ChunkLists returned,
        Version1Document document,
        Zeros zeros) {
    /** The answer to an operation that does not exist: ILLEGAL and CB_ILLEGAL. */
    private static final int ILLEGAL = 10044;

    /** A walk, and the bytes behind it. */
    private record Walked(CompoundReply reply, ResultPlacements placements, Optional<String> rest) {
        boolean isWhole() {
            return reply.end().isComplete() && rest.isEmpty();
        }
    }

    Judgement judge() {
        var results = returned.writeList();
        if (results.stream().anyMatch(chunk -> chunk.size() > Zeros.CHUNK_MAX)) {
            return Judgement.notJudged("a Write chunk is longer than 64 MiB");
        }
        try {
            if (!(ReplyHeader.decode(new XdrReader(message)) instanceof ReplyHeader.Success)) {
                return Judgement.of(filled("the call has no results"));
            }
        } catch (XdrException _) {
            throw new AssertionError("the header was decoded before");
        }
        if (!call.protection().allowsChunks()) {
            return protectedResults();
        }
        return switch (call.expected()) {
            case ExpectedResults.Compound expected -> compound(expected);
            case ExpectedResults.Item(var procedure) -> item(procedure);
            case ExpectedResults.NoItem _ ->
                    Judgement.of(filled(call.message().name() + " has no result for it"))
                            .with(surplus());
            case ExpectedResults.Unknown(var why) -> Judgement.notJudged(why);
        };
    }

    /** Returns a fault for each filled Write chunk. */
    private List<Finding> filled(String why) {
        var findings = new ArrayList<Finding>();
        for (int i = 0; i < returned.writeList().size(); i++) {
            if (returned.writeList().get(i).size() > 0) {
                findings.add(BindingRules.filledForNothing(i, why));
            }
        }
        return findings;
    }

    /** Returns a fault for each Read chunk of the reply that holds a result. */
    private List<Finding> surplus() {
        return SendDecoder.items(returned).stream()
                .map(chunk -> BindingRules.surplusReadChunk(chunk.position()))
                .toList();
    }

    private Judgement protectedResults() {
        var findings = new ArrayList<Finding>();
        if (returned.writeList().stream().anyMatch(chunk -> chunk.size() > 0)) {
            findings.add(BindingRules.reducedThoughProtected("a Write chunk was filled"));
        }
        if (!SendDecoder.items(returned).isEmpty()) {
            findings.add(BindingRules.reducedThoughProtected("a result is in a Read chunk"));
        }
        var judged =
                switch (call.expected()) {
                    case ExpectedResults.Compound expected -> compound(expected);
                    case ExpectedResults.Item(var procedure) -> item(procedure);
                    case ExpectedResults.NoItem _ -> Judgement.RIGHT;
                    case ExpectedResults.Unknown(var why) -> Judgement.notJudged(why);
                };
        return judged.with(findings);
    }

    private Judgement item(FileProcedure procedure) {
        var placements = placements(Pairing.ORDINAL);
        var findings = new ArrayList<Finding>();
        try {
            procedure.readOver(results(placements));
        } catch (XdrException malformed) {
            findings.add(BindingRules.badResults(malformed.getMessage()));
        }
        findings.addAll(0, placements.findings());
        if (findings.isEmpty()) {
            findings.addAll(surplus(placements));
        }
        return Judgement.of(findings);
    }

    private Judgement compound(ExpectedResults.Compound expected) {
        try {
            var walked = walk(expected, Pairing.ORDINAL);
            if (walked.isWhole()) {
                return Judgement.of(walked.placements().findings())
                        .with(surplus(walked.placements()))
                        .with(otherOperations(expected, walked.reply()));
            }
            return switch (walked.reply().end()) {
                case WalkEnd.UnknownOperation(_, var number) ->
                        unknown(walked, "operation " + Integer.toUnsignedString(number));
                case WalkEnd.TooManyOperations(var count) ->
                        Judgement.notJudged(
                                "it has " + Integer.toUnsignedString(count) + " results");
                case WalkEnd.Complete _,
                        WalkEnd.Malformed _,
                        WalkEnd.LaterOperation _,
                        WalkEnd.UnknownMinorVersion _ ->
                        unreadable(walked, walk(expected, Pairing.SLIDING));
            };
        } catch (XdrException malformed) {
            return Judgement.wrong(BindingRules.badResults(malformed.getMessage()));
        }
    }

    /** Judges results that are not readable with each one in its own chunk. */
    private static Judgement unreadable(Walked walked, Walked slid) {
        return slid.isWhole() && !slid.placements().findings().isEmpty()
                ? Judgement.of(slid.placements().findings())
                : Judgement.of(walked.placements().findings())
                        .with(List.of(BindingRules.badResults(why(walked))));
    }

    private static String why(Walked walked) {
        return walked.reply().end() instanceof WalkEnd.Malformed(_, var cause)
                ? cause
                : walked.rest().orElse("they end too early");
    }

    private static Judgement unknown(Walked walked, String what) {
        var findings = new ArrayList<>(walked.placements().findings());
        walked.placements()
                .surplus()
                .forEach(chunk -> findings.add(BindingRules.filledBehind(chunk, what)));
        return new Judgement(findings, Optional.of(what + " is not known"));
    }

    private static List<Finding> surplus(ResultPlacements placements) {
        return placements.surplus().stream()
                .map(
                        chunk ->
                                BindingRules.filledForNothing(
                                        chunk,
                                        placements.isOwned(chunk)
                                                ? "its operation was not reached"
                                                : "there is no operation that reads for it"))
                .toList();
    }

    private static List<Finding> otherOperations(
            ExpectedResults.Compound expected, CompoundReply reply) {
        long called = Integer.toUnsignedLong(expected.count());
        if (Integer.toUnsignedLong(reply.count()) > called) {
            return List.of(
                    BindingRules.tooManyResults(Integer.toUnsignedLong(reply.count()), called));
        }
        for (var each : reply.operations()) {
            if (each.index() < expected.operations().size()
                    && each.operation().number() != ILLEGAL
                    && each.operation() != expected.operations().get(each.index())) {
                return List.of(
                        BindingRules.otherOperation(
                                each.index(),
                                expected.operations().get(each.index()).name(),
                                each.operation().name()));
            }
        }
        return List.of();
    }

    private Walked walk(ExpectedResults.Compound expected, Pairing pairing) throws XdrException {
        var placements = placements(pairing);
        var in = results(placements);
        var reply = CompoundReply.walk(expected.kind(), in);
        try {
            in.finish();
            return new Walked(reply, placements, Optional.empty());
        } catch (XdrException behind) {
            return new Walked(reply, placements, Optional.of(behind.getMessage()));
        }
    }

    /** Returns a reader at the results of the program. */
    private XdrReader results(Placements placements) throws XdrException {
        var in = new XdrReader(message, AlignedPlacements.of(placements, alignment));
        ReplyHeader.decode(in);
        return call.protection().open(in).orElseThrow();
    }

    private ResultPlacements placements(Pairing pairing) {
        boolean reduces = call.protection().allowsChunks();
        List<WriteChunk> chunks = reduces ? returned.writeList() : List.of();
        return new ResultPlacements(
                pairing,
                offered.writeList(),
                chunks,
                zeros.placements(reduces ? SendDecoder.items(returned) : List.of()),
                call.expected().owners(call.message().name()),
                document == Version1Document.RFC_5666,
                zeros);
    }
}
