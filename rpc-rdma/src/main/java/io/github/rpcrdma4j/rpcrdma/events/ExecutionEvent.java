package io.github.rpcrdma4j.rpcrdma.events;

import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Unsigned;

/** The JFR event for a call that a server ran. */
@Name("io.github.rpcrdma4j.Execution")
@Label("Execution")
@Description("A server carried out a call; its duration is that of the program")
@Category("RPC-over-RDMA")
@StackTrace(false)
public final class ExecutionEvent extends Event {
    /** Says whether the event is enabled, at no cost of an object for each call. */
    private static final ExecutionEvent PROBE = new ExecutionEvent();

    /** The longest header of a reply: eight words and a verifier (RFC 5531, Section 9). */
    private static final int HEADER_MAX = 8 * Integer.BYTES + RawAuth.BODY_MAX;

    @Label("Peer")
    String peer;

    @Label("XID")
    int xid;

    @Label("Program")
    @Unsigned
    int program;

    @Label("Version")
    @Unsigned
    int version;

    @Label("Procedure")
    @Unsigned
    int procedure;

    @Label("Outcome")
    @Description("accepted, denied, dropped, malformed, or unreadable")
    String outcome;

    @Label("accept_stat")
    @Description("The accept_stat of an accepted call; empty otherwise")
    String acceptStat;

    /** Returns a begun event; null if the event is disabled. */
    static ExecutionEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        var event = new ExecutionEvent();
        event.begin();
        return event;
    }

    /**
     * Ends the event, and records it if a recording wants it.
     *
     * @param call the header of the call; null if it had none
     * @param ofPeer the address of the client
     * @param reply the reply message; null if the call gets no reply
     * @param noReply the outcome if there is no reply: dropped or malformed
     */
    public void record(CallHeader call, String ofPeer, XdrWriter reply, String noReply) {
        end();
        if (call != null && shouldCommit()) {
            peer = ofPeer;
            xid = call.xid();
            program = call.program();
            version = call.version();
            procedure = call.procedure();
            outcome = noReply;
            acceptStat = "";
            if (reply != null) {
                answered(reply);
            }
            commit();
        }
    }

    private void answered(XdrWriter reply) {
        try {
            var status = ReplyHeader.decode(new XdrReader(header(reply))).acceptStatus();
            outcome = status.isPresent() ? "accepted" : "denied";
            acceptStat = status.map(Enum::name).orElse("");
        } catch (XdrException _) {
            // Only a gateway sends what it has not written itself.
            outcome = "unreadable";
        }
    }

    /** Returns a copy of the header, which a gateway has among the bulk items. */
    private static MemorySegment header(XdrWriter reply) {
        var message = PayloadStream.of(reply);
        int length = (int) Math.min(message.length(), HEADER_MAX);
        var header = MemorySegment.ofArray(new byte[length]);
        long at = 0;
        for (var piece : message.range(0, length)) {
            MemorySegment.copy(piece, 0, header, at, piece.byteSize());
            at += piece.byteSize();
        }
        return header;
    }
}
