package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Counter;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;

/**
 * What an error of the transport means for the call that it answers.
 *
 * @param counter what it counts as
 */
record Refusal(RpcException reason, Counter counter) {
    private Refusal(String reason, boolean isOfVersion) {
        this(
                new RpcException.TransportRefused(reason),
                isOfVersion ? Counter.VERSION_ERRORS : Counter.CHUNK_ERRORS);
    }

    /** One that is no error of a header. */
    static Refusal of(String reason) {
        return new Refusal(reason, false);
    }

    static Refusal of(TransportHeader error) {
        return new Refusal(
                switch (error) {
                    case TransportHeader.VersionError(_, _, _, var lowest, var highest) ->
                            otherVersions(lowest, highest, TransportHeader.VERSION);
                    // RFC 5666-4.3-2.
                    case TransportHeader.OtherError(_, _, _, var code) ->
                            "the peer refused the call with the error "
                                    + Integer.toUnsignedString(code);
                    case TransportHeader.ChunkError _,
                            TransportHeader.Msg _,
                            TransportHeader.PaddedMsg _,
                            TransportHeader.NoMsg _,
                            TransportHeader.Done _ ->
                            "the peer could not take the chunks of the call (ERR_CHUNK)";
                },
                error instanceof TransportHeader.VersionError);
    }

    static Refusal of(Header error) {
        return new Refusal(
                switch (error) {
                    case Header.VersionError(_, _, _, var lowest, var highest) ->
                            otherVersions(lowest, highest, Header.VERSION);
                    case Header.BadOption _ ->
                            "the peer does not know the operation (RDMA2_ERR_INVAL_OPTION)";
                    case Header.BadHeader _, Header.Msg _, Header.NoMsg _, Header.Option _ ->
                            "the peer could not take the header of the call, or its reply had no"
                                    + " room (RDMA2_ERR_BAD_HEADER)";
                },
                error instanceof Header.VersionError);
    }

    private static String otherVersions(int lowest, int highest, int spoken) {
        return "the peer speaks RPC-over-RDMA versions "
                + Integer.toUnsignedString(lowest)
                + " to "
                + Integer.toUnsignedString(highest)
                + ", not "
                + spoken;
    }
}
