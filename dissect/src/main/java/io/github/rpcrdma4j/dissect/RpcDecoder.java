package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.names.NamedProgram;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.WalkEnd;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.rfc5666.ConfRdma;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decodes RPC messages whose bulk items may be in chunks, and has them judged by the binding of
 * their program. It knows the lengths of the chunks, not their bytes. Not thread-safe.
 *
 * <p>Tests: {@code NamesOfCallsTest}, {@code JudgedCallsTest}.
 */
final class RpcDecoder {
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The number of COMPOUND, and of CB_COMPOUND. */
    private static final int COMPOUND = Nfs4Binding.COMPOUND;

    /** The entry for operations whose names could not be found. */
    private static final String MORE = "...";

    /**
     * A call, for the decoding of its reply.
     *
     * @param program the program, if its names are known
     * @param protection the protection of arguments and results
     */
    record KnownCall(
            RpcMessage.Call message,
            Optional<NamedProgram> program,
            GssProtection protection,
            ExpectedResults expected) {}

    /**
     * A decoded call.
     *
     * @param known empty if the call cannot be read
     */
    record DecodedCall(RpcMessage message, Optional<KnownCall> known, List<Finding> findings) {}

    /** A decoded reply. */
    record DecodedReply(RpcMessage message, List<Finding> findings) {}

    /** Arguments behind the header of a call, and what a walk has found in them. */
    private record Arguments(
            CallHeader header,
            GssProtection protection,
            Optional<XdrReader> in,
            Optional<String> malformed,
            Optional<CompoundCall> compound) {
        private Arguments with(Optional<CompoundCall> walked) {
            return new Arguments(header, protection, in, malformed, walked);
        }

        private boolean isWalkedWhole() {
            return compound.map(call -> call.end().isComplete()).orElse(false)
                    && in.map(XdrReader::remaining).orElse(0L) == 0;
        }
    }

    private final boolean reverse;
    private final CallbackPrograms callbacks;
    private final Version1Document document;
    private final Zeros zeros = new Zeros();

    /**
     * @param reverse whether calls are in the reverse direction
     * @param callbacks the programs of callbacks on the connection
     * @param document the document by which replies of version 1 are judged
     */
    RpcDecoder(boolean reverse, CallbackPrograms callbacks, Version1Document document) {
        this.reverse = reverse;
        this.callbacks = callbacks;
        this.document = document;
    }

    /**
     * Decodes a call.
     *
     * @param alignment the alignment of its bulk items
     * @param lists its chunks
     * @param obstacle why it cannot be judged: it is incomplete, or its transport header is wrong
     */
    DecodedCall call(
            MemorySegment message,
            Alignment alignment,
            ChunkLists lists,
            Optional<String> obstacle) {
        var items = SendDecoder.items(lists);
        var placements = AlignedPlacements.of(zeros.placements(items), alignment);
        var in = new XdrReader(message, placements);
        CallHeader header;
        try {
            header = CallHeader.decode(in);
        } catch (XdrException malformed) {
            var why = malformed.getMessage();
            return unreadable(xid(message), why, Rules.badCall(why), obstacle);
        }
        if (header.rpcVersion() != CallHeader.RPC_VERSION) {
            return unreadable(
                    header.xid(),
                    "another version of RPC",
                    Rules.rpcVersion(header.rpcVersion()),
                    obstacle);
        }
        var arguments = open(header, in);
        var program = program(arguments);
        if (arguments.compound().isPresent() && program.isEmpty()) {
            arguments = arguments.with(Optional.empty());
        }
        arguments.compound().ifPresent(call -> callbacks.add(call.callbackPrograms()));
        var name = name(program, header);
        boolean isTooLong = items.stream().anyMatch(chunk -> chunk.size() > Zeros.CHUNK_MAX);
        var judgement =
                obstacle.isPresent() || isTooLong
                        ? Judgement.notJudged(obstacle.orElse("a Read chunk exceeds 64 MiB"))
                        : judge(name, arguments, program, placements, lists);
        var call =
                new RpcMessage.Call(
                        header.xid(),
                        header.program(),
                        header.version(),
                        header.procedure(),
                        header.credential().flavor(),
                        name,
                        arguments.compound().map(RpcDecoder::operations).orElse(List.of()),
                        judgement.notJudged());
        var expected =
                obstacle.isPresent() || isTooLong
                        ? new ExpectedResults.Unknown("its call was not judged")
                        : expected(arguments, program, judgement);
        var known = new KnownCall(call, program, arguments.protection(), expected);
        return new DecodedCall(call, Optional.of(known), judgement.findings());
    }

    private static DecodedCall unreadable(
            int xid, String why, Finding finding, Optional<String> obstacle) {
        return new DecodedCall(
                new RpcMessage.Unreadable(xid, why, obstacle), Optional.empty(), List.of(finding));
    }

    private Arguments open(CallHeader header, XdrReader in) {
        var protection = GssProtection.of(header.credential());
        try {
            var opened = protection.open(in);
            return new Arguments(
                    header,
                    protection,
                    opened,
                    Optional.empty(),
                    opened.flatMap(reader -> walk(header, reader)));
        } catch (XdrException malformed) {
            return new Arguments(
                    header,
                    protection,
                    Optional.empty(),
                    Optional.of(malformed.getMessage()),
                    Optional.empty());
        }
    }

    /** Walks over the arguments of a call that may be a COMPOUND or CB_COMPOUND. */
    private Optional<CompoundCall> walk(CallHeader header, XdrReader in) {
        if (header.procedure() != COMPOUND) {
            return Optional.empty();
        }
        if (header.program() == Nfs4Binding.PROGRAM && header.version() == Nfs4Binding.VERSION) {
            return Optional.of(CompoundCall.walk(CompoundKind.COMPOUND, in));
        }
        return mayBeCallback(header)
                ? Optional.of(CompoundCall.walk(CompoundKind.CB_COMPOUND, in))
                : Optional.empty();
    }

    private boolean mayBeCallback(CallHeader header) {
        return reverse
                && NamedProgram.name(header.program()).isEmpty()
                && callbacks.judge(header) != CallbackPrograms.Verdict.NO;
    }

    private Optional<NamedProgram> program(Arguments arguments) {
        var header = arguments.header();
        if (!mayBeCallback(header)) {
            return NamedProgram.of(header.program(), header.version());
        }
        boolean isCallback =
                callbacks.judge(header) == CallbackPrograms.Verdict.YES
                        || header.procedure() != COMPOUND
                        || arguments.isWalkedWhole();
        return isCallback ? Optional.of(NamedProgram.CALLBACK) : Optional.empty();
    }

    private static String name(Optional<NamedProgram> program, CallHeader header) {
        return program.map(known -> ProgramNames.of(known, header.procedure()))
                .orElseGet(
                        () ->
                                ProgramNames.of(
                                        header.program(), header.version(), header.procedure()));
    }

    /** Returns the names of the operations, followed by {@link #MORE} if not all were found. */
    private static List<String> operations(CompoundCall call) {
        var names = new ArrayList<String>();
        call.operations().forEach(each -> names.add(each.operation().name()));
        if (call.end() instanceof WalkEnd.UnknownOperation(_, var number)) {
            names.add("operation " + Integer.toUnsignedString(number));
            names.add(MORE);
        } else if (!call.end().isComplete() && (names.isEmpty() || names.size() != call.count())) {
            names.add(MORE);
        }
        return List.copyOf(names);
    }

    private static Judgement judge(
            String name,
            Arguments arguments,
            Optional<NamedProgram> program,
            Placements placements,
            ChunkLists lists) {
        boolean isProtected = !arguments.protection().allowsChunks();
        var reduced = isProtected ? reducedThoughProtected(lists) : List.<Finding>of();
        if (arguments.malformed().isPresent()) {
            return Judgement.of(reduced)
                    .with(List.of(BindingRules.badArguments(arguments.malformed().get())));
        }
        if (arguments.protection() == GssProtection.CONTEXT) {
            return Judgement.of(reduced);
        }
        if (arguments.in().isEmpty()) {
            return Judgement.of(reduced).without(arguments.protection().why());
        }
        var judge =
                new ArgumentJudge(
                        name,
                        arguments.in().get(),
                        isProtected ? List::of : placements::remaining,
                        isProtected ? 0 : lists.writeList().size());
        return judge(judge, arguments, program).with(reduced);
    }

    private static Judgement judge(
            ArgumentJudge judge, Arguments arguments, Optional<NamedProgram> program) {
        var header = arguments.header();
        if (arguments.compound().isPresent()) {
            return judge.compound(arguments.compound().get());
        }
        if (isFiles(header)) {
            return judge.files(header.version(), header.procedure());
        }
        return hasNoItem(header, program)
                ? judge.withoutItems()
                : Judgement.notJudged("its binding is not known");
    }

    private static List<Finding> reducedThoughProtected(ChunkLists lists) {
        var findings = new ArrayList<Finding>();
        for (var chunk : SendDecoder.items(lists)) {
            findings.add(
                    BindingRules.reducedThoughProtected(
                            "the Read chunk at position " + chunk.position() + " reduces an item"));
        }
        if (!lists.writeList().isEmpty()) {
            findings.add(
                    BindingRules.reducedThoughProtected(
                            lists.writeList().size() + " Write chunks are offered"));
        }
        return findings;
    }

    /** Returns whether a call is of NFS version 2 or 3, and has arguments. */
    private static boolean isFiles(CallHeader header) {
        return header.program() == Nfs4Binding.PROGRAM
                && ArgumentJudge.judgesFiles(header.version(), header.procedure());
    }

    /** Returns whether the program of a call is known, and the procedure has no bulk items. */
    private static boolean hasNoItem(CallHeader header, Optional<NamedProgram> program) {
        return program.isPresent()
                || header.program() == ConfRdma.PROGRAM && header.version() == ConfRdma.VERSION;
    }

    private static ExpectedResults expected(
            Arguments arguments, Optional<NamedProgram> program, Judgement judgement) {
        var header = arguments.header();
        if (arguments.protection() == GssProtection.CONTEXT) {
            return new ExpectedResults.NoItem();
        }
        if (arguments.malformed().isPresent()) {
            return new ExpectedResults.Unknown("the arguments of its call cannot be read");
        }
        if (arguments.in().isEmpty()) {
            return new ExpectedResults.Unknown(arguments.protection().why());
        }
        if (arguments.compound().isPresent()) {
            return expected(arguments.compound().get(), judgement);
        }
        if (isFiles(header)) {
            return FileProcedure.of(header.version(), header.procedure())
                    .<ExpectedResults>map(ExpectedResults.Item::new)
                    .orElseGet(ExpectedResults.NoItem::new);
        }
        return hasNoItem(header, program)
                ? new ExpectedResults.NoItem()
                : new ExpectedResults.Unknown("its binding is not known");
    }

    private static ExpectedResults expected(CompoundCall call, Judgement judgement) {
        boolean isReadable =
                switch (call.end()) {
                    case WalkEnd.Complete _ -> true;
                    case WalkEnd.UnknownOperation _,
                            WalkEnd.LaterOperation _,
                            WalkEnd.UnknownMinorVersion _ ->
                            judgement.findings().isEmpty();
                    case WalkEnd.TooManyOperations _, WalkEnd.Malformed _ -> false;
                };
        return isReadable
                ? new ExpectedResults.Compound(
                        call.kind(),
                        call.count(),
                        call.operations().stream()
                                .map(CompoundCall.CalledOperation::operation)
                                .toList())
                : new ExpectedResults.Unknown("the arguments of its call cannot be read");
    }

    /**
     * Decodes a reply.
     *
     * @param alignment the alignment of bulk items in the message
     * @param call the call that it answers, if it is known
     * @param offered the chunks of the call
     * @param returned the chunks of the reply
     * @param obstacle why it cannot be judged: it is incomplete, or its transport header is wrong
     */
    DecodedReply reply(
            MemorySegment message,
            Alignment alignment,
            Optional<KnownCall> call,
            ChunkLists offered,
            ChunkLists returned,
            Optional<String> obstacle) {
        var in = new XdrReader(message);
        ReplyHeader header;
        try {
            header = ReplyHeader.decode(in);
        } catch (XdrException malformed) {
            var why = malformed.getMessage();
            return new DecodedReply(
                    new RpcMessage.Unreadable(xid(message), why, obstacle),
                    obstacle.isPresent() ? List.of() : List.of(Rules.badReply(why)));
        }
        var status =
                header instanceof ReplyHeader.Success && call.isPresent()
                        ? status(call.get(), in)
                        : OptionalInt.empty();
        var judgement =
                obstacle.isPresent() || call.isEmpty()
                        ? Judgement.notJudged(obstacle.orElse("its call is not known"))
                        : new ResultJudge(
                                        message,
                                        alignment,
                                        call.get(),
                                        offered,
                                        returned,
                                        document,
                                        zeros)
                                .judge();
        return new DecodedReply(
                new RpcMessage.Reply(
                        header.xid(),
                        outcome(header),
                        status,
                        status.isPresent() ? statusName(call.get(), status.getAsInt()) : "",
                        judgement.notJudged()),
                judgement.findings());
    }

    private static String outcome(ReplyHeader header) {
        return switch (header) {
            case ReplyHeader.Success _ -> "SUCCESS";
            case ReplyHeader.Refused refused -> refused.status().name();
            case ReplyHeader.ProgramMismatch mismatch ->
                    "PROG_MISMATCH " + range(mismatch.lowest(), mismatch.highest());
            case ReplyHeader.RpcMismatch(_, var low, var high) ->
                    "RPC_MISMATCH " + range(low, high);
            case ReplyHeader.AuthError(_, var status) ->
                    "AUTH_ERROR " + Integer.toUnsignedString(status);
        };
    }

    private static String range(int low, int high) {
        return Integer.toUnsignedString(low) + " to " + Integer.toUnsignedString(high);
    }

    /** Returns the status of the results, if they have one that can be read. */
    private static OptionalInt status(KnownCall call, XdrReader in) {
        try {
            var results = call.protection().open(in);
            return results.isPresent() && call.program().isPresent()
                    ? call.program().get().status(call.message().procedure(), results.get())
                    : OptionalInt.empty();
        } catch (XdrException _) {
            return OptionalInt.empty();
        }
    }

    private static String statusName(KnownCall call, int status) {
        return call.program()
                .flatMap(program -> program.statusName(status))
                .orElseGet(() -> "status " + Integer.toUnsignedString(status));
    }

    private static int xid(MemorySegment message) {
        return message.byteSize() < Integer.BYTES ? 0 : message.get(UINT32, 0);
    }
}
