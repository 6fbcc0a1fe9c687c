package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.stream.Collectors;

/**
 * The meaning of a transport error for the call that it answers.
 *
 * @param words its words for a user
 * @param counter the counter of such errors
 * @param mayLackRoom whether too little room for the results may be the reason
 */
public record Refusal(String words, Counter counter, boolean mayLackRoom) {
    /** Creates a refusal that concerns either the version or the chunks of the call. */
    public Refusal(String words, boolean isOfVersion, boolean mayLackRoom) {
        this(words, isOfVersion ? Counter.VERSION_ERRORS : Counter.CHUNK_ERRORS, mayLackRoom);
    }

    /** Returns a refusal for another reason than an error header. */
    public static Refusal of(String reason) {
        return new Refusal(reason, false, true);
    }

    /**
     * Returns the exception for the refused call, with the length of its arguments in Read chunks
     * and the room that it offered for results.
     */
    RpcException reason(PendingCall call) {
        return new RpcException.TransportRefused(
                mayLackRoom
                        ? words + arguments(call) + call.userCall().map(Refusal::room).orElse("")
                        : words);
    }

    /** The peer does not report its limit, so only the length of the arguments is known. */
    private static String arguments(PendingCall call) {
        long bytes = call.offered().readBytes();
        return bytes == 0
                ? ""
                : ", or the arguments in Read chunks, "
                        + bytes
                        + " bytes, exceed the peer's limit for a call";
    }

    /** The peer does not report the length of the results, so only the room is known. */
    private static String room(RpcCall call) {
        var room = new StringBuilder(", or the results exceed the limits of this call: ");
        if (!call.resultTargets().isEmpty()) {
            room.append("bulk results of ");
            room.append(
                    call.resultTargets().stream()
                            .map(target -> Long.toString(target.byteSize()))
                            .collect(Collectors.joining(" and ")));
            room.append(" bytes (resultTargets) and ");
        }
        room.append(call.resultsMax());
        room.append(call.resultTargets().isEmpty() ? " bytes" : " bytes of others");
        return room.append(" (resultsMax)").toString();
    }

    /** Returns the refusal for an error of RFC 8166. */
    public static Refusal of(Version1Header error) {
        return new Refusal(
                switch (error) {
                    // The error returns the version of the refused call (RFC 8166, Section 4.5).
                    case Version1Header.VersionError(_, var sent, _, var lowest, var highest) ->
                            otherVersions(lowest, highest, sent);
                    case Version1Header.ChunkError _,
                            Version1Header.Msg _,
                            Version1Header.NoMsg _,
                            Version1Header.Done _ ->
                            "the peer sent ERR_CHUNK: it could not process the chunks";
                },
                error instanceof Version1Header.VersionError,
                error instanceof Version1Header.ChunkError);
    }

    /** Returns the message about a peer with other versions. All versions are unsigned. */
    public static String otherVersions(int lowest, int highest, int sent) {
        return "the peer supports RPC-over-RDMA "
                + ProgramId.versions(lowest, highest)
                + ", this side sent version "
                + Integer.toUnsignedString(sent);
    }
}
