package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.dissect.SendDecoder.Role;
import io.github.rpcrdma4j.dissect.SendDecoder.Sent;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reassembles messages that one side continues over several Sends in the last draft of version 2,
 * and reports Sends that do not continue the open message. Not thread-safe.
 */
final class ContinuedReader {
    /** The most payload bytes that are kept of a message; the decoder reads fewer. */
    private static final int KEPT_MAX = 1 << 16;

    /** The header that the next message has to continue. */
    private Optional<Draft07Header> open = Optional.empty();

    private ByteArrayOutputStream payload = new ByteArrayOutputStream();
    private long bytes;
    private boolean isIntroduced;

    /**
     * Processes the message of one Send.
     *
     * @return the whole call or reply, if this Send completes it; otherwise the Send with its
     *     findings
     */
    Sent take(Sent sent) {
        if (!(sent.layer() instanceof Layer.TransportDraft07(var header))) {
            open = Optional.empty();
            return sent;
        }
        var findings = new ArrayList<>(sent.findings());
        boolean continues = continues(header, sent.payload().byteSize(), findings);
        if (!continues) {
            payload = new ByteArrayOutputStream();
            bytes = 0;
        }
        add(sent);
        open = Optional.of(header).filter(ContinuedReader::isOpen);
        if (header instanceof Draft07Header.Properties properties) {
            if (isIntroduced) {
                findings.add(Draft07Rules.outOfOrder("RDMA2_CONNPROP_FINAL", "more properties"));
            }
            isIntroduced |= properties.isFinal();
        }
        return switch (header) {
            case Draft07Header.CallInline _ -> last(sent, header, Role.CALL, continues, findings);
            case Draft07Header.ReplyInline _ -> last(sent, header, Role.REPLY, continues, findings);
            case Draft07Header.Failure _,
                    Draft07Header.Grant _,
                    Draft07Header.Properties _,
                    Draft07Header.CallExternal _,
                    Draft07Header.CallMiddle _,
                    Draft07Header.ReplyExternal _,
                    Draft07Header.ReplyMiddle _ ->
                    with(sent, findings);
        };
    }

    private static boolean isOpen(Draft07Header header) {
        return header instanceof Draft07Header.CallMiddle
                || header instanceof Draft07Header.ReplyMiddle
                || header instanceof Draft07Header.Properties properties && !properties.isFinal();
    }

    /** Returns whether a message continues the open one. */
    private boolean continues(Draft07Header header, long length, List<Finding> findings) {
        if (open.isEmpty()) {
            return false;
        }
        var before = open.get();
        if (!follows(before, header)) {
            findings.add(
                    Draft07Rules.outOfOrder(
                            Draft07Decoder.form(before), Draft07Decoder.form(header)));
            return false;
        }
        long found = length + remaining(header);
        if (found != remaining(before)) {
            findings.add(Draft07Rules.otherLength(remaining(before), found));
        }
        return true;
    }

    private static boolean follows(Draft07Header before, Draft07Header header) {
        if (before instanceof Draft07Header.Properties) {
            return header instanceof Draft07Header.Properties;
        }
        boolean isSameKind =
                before instanceof Draft07Header.CallMiddle
                        ? header instanceof Draft07Header.CallMiddle
                                || header instanceof Draft07Header.CallInline
                        : header instanceof Draft07Header.ReplyMiddle
                                || header instanceof Draft07Header.ReplyInline;
        return isSameKind && header.xid() == before.xid();
    }

    private static long remaining(Draft07Header header) {
        if (header instanceof Draft07Header.CallMiddle(_, _, var remaining)) {
            return remaining;
        }
        return header instanceof Draft07Header.ReplyMiddle(_, _, var remaining) ? remaining : 0;
    }

    private void add(Sent sent) {
        int room = (int) Math.min(sent.payload().byteSize(), KEPT_MAX - payload.size());
        payload.writeBytes(sent.payload().asSlice(0, room).toArray(ValueLayout.JAVA_BYTE));
        bytes += sent.head().orElseThrow().bytes();
    }

    private Sent last(
            Sent sent, Draft07Header header, Role role, boolean continues, List<Finding> findings) {
        if (!continues) {
            if (sent.role() == Role.NONE) {
                findings.add(Draft07Rules.noMessage());
            }
            return with(sent, findings);
        }
        return new Sent(
                role,
                sent.layer(),
                Optional.of(Draft07Decoder.head(header, bytes, true)),
                sent.alignment(),
                sent.chunks(),
                MemorySegment.ofArray(payload.toByteArray()),
                sent.fetched(),
                List.copyOf(findings));
    }

    private static Sent with(Sent sent, List<Finding> findings) {
        return new Sent(
                sent.role(),
                sent.layer(),
                sent.head(),
                sent.alignment(),
                sent.chunks(),
                sent.payload(),
                sent.fetched(),
                List.copyOf(findings));
    }
}
