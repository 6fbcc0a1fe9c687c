package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.iwarp.rdmap.Fault;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the rule that a message violates, and the reaction that its receiver owes. The wire codecs
 * detect the violations; this class only adds the source of the rule.
 *
 * <p>Tests: {@code ExamplesTest}.
 */
final class Rules {
    /** The constant part of an error's text, and the rule behind the error. */
    private record Row(String text, String rule) {}

    private static final String MINIMUM = "RFC 8166, Section 4.5: a header has 28 bytes or more";
    private static final String PARSED = "RFC 8166, Section 4.5.2: a header has the form of XDR";
    private static final String OLDER = " (RFC 5666 allows it)";

    /** The rules of RFC 5666 that differ from RFC 8166. */
    private static final List<Row> RULES_OF_RFC_5666 =
            List.of(
                    new Row(
                            "an RDMA_DONE",
                            "RFC 5666, Section 3.5: the side that fetched results sends RDMA_DONE"),
                    new Row(
                            "unknown procedure",
                            "RFC 5666, Section 4.3: rdma_proc is 0 to 4 in version 1"));

    private static final List<Row> HEADER_RULES =
            List.of(
                    new Row("shorter than any", MINIMUM),
                    new Row(
                            "an RDMA_ERROR at a responder",
                            "RFC 8166, Section 4.2.4: only responders send RDMA_ERROR"),
                    new Row(
                            "an RDMA_DONE",
                            "RFC 8166, Section 4.2.4: the values 2 and 3 are not used any more"
                                    + OLDER),
                    new Row(
                            "unknown procedure 2",
                            "RFC 8166, Section 4.2.4: rdma_proc is 0, 1 or 4 in version 1" + OLDER),
                    new Row(
                            "unknown procedure",
                            "RFC 8166, Section 4.2.4: rdma_proc is 0, 1 or 4 in version 1"),
                    new Row(
                            "unknown error code",
                            "RFC 8166, Section 4.5: the errors are ERR_VERS 1 and ERR_CHUNK 2"),
                    new Row("of version", "RFC 8166, Section 4.2.2: rdma_vers is 1"),
                    new Row(
                            "a boolean is neither 0 nor 1",
                            "RFC 4506, Section 4.4: the words that start and end lists are 0 or 1"),
                    new Row("the message ends inside an item", PARSED),
                    new Row(
                            "an array is longer than its limit or than the message",
                            "RFC 4506, Section 4.13: the elements counted are there"),
                    new Row("entries", PARSED + ", and lists have limits"),
                    new Row(
                            "an RDMA_MSG without a message",
                            "RFC 8166, Section 4.2.4: the RPC message follows an RDMA_MSG header"),
                    new Row(
                            "neither a call nor a reply",
                            "RFC 5531, Section 9: msg_type is CALL or REPLY"),
                    new Row(
                            "XIDs of header and message differ",
                            "RFC 8166, Section 4.2.1: rdma_xid is the XID of the RPC message"),
                    new Row(
                            "Position is not a multiple of four",
                            "RFC 8166, Section 3.4.5: a Position is where an XDR item starts"),
                    new Row(
                            "an RDMA_MSG with a Position-Zero",
                            "RFC 8166, Section 3.5.3: Position zero is for calls by RDMA_NOMSG"),
                    new Row(
                            "an RDMA_NOMSG call without",
                            "RFC 8166, Section 4.2.4: one of the lists holds the message"),
                    new Row(
                            "an RDMA_NOMSG reply without",
                            "RFC 8166, Section 4.2.4: one of the lists holds the message"),
                    new Row(
                            "the Position-Zero Read chunk is not a whole message",
                            "RFC 8166, Section 3.5.3: that chunk holds a message with its padding"),
                    new Row(
                            "wraps around the end of memory",
                            "RFC 8166, Section 3.4.4: a segment is a run of memory"),
                    new Row(
                            "a reply with a Read list",
                            "RFC 8166, Section 4.3.1: the Read list of a reply is empty" + OLDER),
                    new Row(
                            "both inline and in the Reply chunk",
                            "RFC 8166, Section 4.3.3: a reply is inline or in the Reply chunk"),
                    new Row(
                            "a reply at a responder",
                            "RFC 8167, Section 2.4: a reply goes to the side that called"),
                    new Row(
                            "a call at a requester",
                            "RFC 8167, Section 2.4: a call goes to a side that takes calls"));

    private Rules() {}

    /**
     * Returns the rule behind an error text.
     *
     * @return empty if the text is unknown here
     */
    static Optional<String> header(String judgement, Version1Document document) {
        var older = document == Version1Document.RFC_5666 ? RULES_OF_RFC_5666 : List.<Row>of();
        return Stream.concat(older.stream(), HEADER_RULES.stream())
                .filter(row -> judgement.contains(row.text))
                .map(Row::rule)
                .findFirst();
    }

    /** Returns the error that a receiver finds in a message; empty if there is none. */
    static Optional<Finding> of(Received received, Version1Document document) {
        return switch (received) {
            case Received.Call _, Received.Reply _, Received.Failure _ -> Optional.empty();
            case Received.OweVersionError(_, var version) ->
                    found(
                            "RPC-over-RDMA of version " + Integer.toUnsignedString(version),
                            header("of version", document).orElseThrow(),
                            "a responder answers RDMA_ERROR with ERR_VERS, and the versions that it"
                                    + " supports (Section 4.5.1)");
            case Received.OweChunkError(_, _, var why) ->
                    found(
                            why,
                            header(why, document).orElse(PARSED),
                            "a responder answers RDMA_ERROR with ERR_CHUNK, the XID and the version"
                                    + " of the call (Section 4.5.2)");
            case Received.Discard(var why) ->
                    found(
                            why,
                            header(why, document).orElse(PARSED),
                            "the receiver silently discards it (Section 4.5)");
        };
    }

    private static Optional<Finding> found(String what, String rule, String owed) {
        return Optional.of(new Finding(what, rule, owed));
    }

    static Finding badCall(String why) {
        return new Finding(
                "the RPC call cannot be read: " + why,
                "RFC 5531, Section 9",
                "a responder answers GARBAGE_ARGS, or denies the call");
    }

    static Finding badReply(String why) {
        return new Finding(
                "the RPC reply cannot be read: " + why,
                "RFC 5531, Section 9",
                "a requester ends the RPC with an error");
    }

    static Finding rpcVersion(int version) {
        return new Finding(
                "version " + Integer.toUnsignedString(version) + " of RPC",
                "RFC 5531, Section 9: rpcvers is 2",
                "a responder denies the call with RPC_MISMATCH");
    }

    static Finding badArguments(String why) {
        return new Finding(
                "the arguments cannot be read: " + why,
                why.contains("Read chunk")
                        ? "RFC 8166, Section 3.4.5: a Read chunk holds one item, with or without"
                                + " its padding"
                        : "RFC 1813, Section 3.3",
                "a responder answers GARBAGE_ARGS (RFC 8166, Section 4.5.2)");
    }

    /** Returns the finding for a fault of a layer below RPC-over-RDMA. */
    static Finding of(Fault fault) {
        var terminate = Terminate.of(fault);
        var rule =
                switch (fault) {
                    case CRC -> "RFC 5044, Section 4.4: the CRC covers all of the frame before it";
                    case FRAMING -> "RFC 5044, Section 4.1: a frame holds a DDP segment";
                    case TAGGED_VERSION, UNTAGGED_VERSION -> "RFC 5041, Section 4.1: DV is 1";
                    case RDMAP_VERSION -> "RFC 5040, Section 4.1: RV is 1";
                    case UNEXPECTED_OPCODE ->
                            "RFC 5040, Section 4.1: each opcode goes with one kind of segment";
                    case INVALID_QUEUE ->
                            "RFC 5040, Section 4.1: Sends use queue 0, Read Requests 1,"
                                    + " Terminate messages 2";
                    case INVALID_SEQUENCE ->
                            "RFC 5041, Section 4.3: messages of a queue are numbered from 1";
                    case INVALID_OFFSET ->
                            "RFC 5041, Section 5.2: segments of a message follow each other";
                    case MESSAGE_TOO_LONG, NO_BUFFER ->
                            "RFC 5041, Section 7.1: a message fits the buffer posted for it";
                    case TOO_MANY_READS -> "RFC 5040, Section 5.2.1: RDMA Reads have a limit";
                    case READ_INVALID_STAG,
                            READ_OUT_OF_BOUNDS,
                            ACCESS_VIOLATION,
                            CANNOT_INVALIDATE,
                            WRITE_INVALID_STAG,
                            WRITE_OUT_OF_BOUNDS ->
                            "RFC 5040, Section 5: only memory that was offered is accessible";
                };
        return new Finding(
                fault.description(),
                rule,
                "the receiver sends Terminate (layer "
                        + terminate.layer()
                        + ", type "
                        + terminate.type()
                        + ", code "
                        + terminate.code()
                        + ") and closes the connection");
    }

    static Finding lost(String why) {
        return new Finding(
                why,
                "RFC 5044, Section 4.1: frames follow each other without gaps",
                "the receiver closes the connection");
    }

    /** Returns the faults of a set-up frame. */
    static List<Finding> of(MpaFrame frame) {
        if (frame.isReply()) {
            return MpaNegotiation.conclude(new MpaNegotiation.Requested(false, 0, 0), frame)
                            instanceof MpaNegotiation.Conclusion.Violation(var why)
                    ? List.of(badSetUp(why))
                    : List.of();
        }
        return MpaNegotiation.objection(frame).map(each -> badSetUp(description(each))).stream()
                .toList();
    }

    private static String description(MpaNegotiation.Objection objection) {
        return switch (objection) {
            case MpaNegotiation.Objection.Drop(var why) -> why;
            case MpaNegotiation.Objection.Refuse _ -> "it asks for markers";
        };
    }

    static Finding badSetUp(String why) {
        return new Finding(
                why,
                "RFC 5044, Section 7.1.1: key, flags, revision and length of a set-up frame",
                "the receiver closes the connection, or refuses it with the R bit");
    }

    static Finding sentFirst() {
        return new Finding(
                "the responder sent a frame before the initiator did",
                "RFC 5044, Section 7.1.2: the initiator sends the first FPDU",
                "the initiator may close the connection");
    }

    static Finding strayAccess(String operation) {
        return new Finding(
                operation + " of memory that no open call offers",
                "RFC 8166, Section 3.4.4: a responder accesses the segments that a call offers",
                "the owner's adapter refuses it with a Terminate message");
    }

    static Finding overCredit(long calls, long granted) {
        return new Finding(
                calls + " calls are open, with " + granted + " credits granted",
                "RFC 8166, Section 3.3.1: no more calls than the newest grant",
                "the responder may lack a receive for it, and the connection ends");
    }

    static Finding wrongLengths() {
        return new Finding(
                "the chunks of the reply are not those that the call offered",
                "RFC 8166, Section 3.4.6: a responder returns them with nothing but the lengths"
                        + " changed",
                "a requester silently discards it (Section 4.5)");
    }

    static Finding otherCount(long returned, long moved) {
        return new Finding(
                "the reply says that " + returned + " bytes were written, but " + moved + " were",
                "RFC 8166, Section 3.4.6: the lengths say how much was written",
                "a requester cannot tell");
    }

    static Finding noSuchCall(String what) {
        return new Finding(
                what + " answers no open call",
                "RFC 8166, Section 4.2.1: the XID is that of the call",
                "a requester silently discards it");
    }

    static Finding nothingExposed() {
        return new Finding(
                "an RDMA_DONE for no reply whose results are being fetched",
                "RFC 5666, Section 3.5: RDMA_DONE has the XID of that reply",
                "a responder silently discards it");
    }

    static Finding strayInvalidation(int handle) {
        return new Finding(
                "the handle 0x%08x that it invalidates is not one of the call".formatted(handle),
                "RFC 8797, Section 4.1: a responder invalidates a handle that the call brought",
                "the requester's adapter may refuse it with a Terminate message");
    }

    static Finding unwantedInvalidation() {
        return new Finding(
                "it invalidates a handle of a peer that did not offer that",
                "RFC 8797, Section 4.1: both sides have to agree on remote invalidation",
                "a requester may treat it as an error");
    }

    static Finding invalidationNotOffered() {
        return new Finding(
                Finding.INVALIDATION_NOT_OFFERED,
                "RFC 8797, Section 4.1: a responder sends without invalidation unless both sides state"
                        + " support",
                "nothing, a requester that stated support has to expect it");
    }
}
