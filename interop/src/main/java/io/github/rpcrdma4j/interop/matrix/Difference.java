package io.github.rpcrdma4j.interop.matrix;

import java.util.List;

/**
 * A behavior of Linux that differs from a document, or that no document mentions.
 *
 * @param linux the behavior of Linux
 * @param here how this project copes with it
 * @param test the test that covers this, as {@code Class.method}
 */
record Difference(String linux, String here, String test) {
    /** The known differences of Linux 6.12. */
    static final List<Difference> KNOWN =
            List.of(
                    new Difference(
                            "siw as responder can leave the first FPDU unread until more bytes come",
                            "the initiator sends a zero-length RDMA Write when no answer comes",
                            "HostileServerTest.sendsAnEmptyWriteToAServerThatDoesNotAnswerTheFirstFrame"),
                    new Difference(
                            "siw refuses every byte behind the MPA Reply before the initiator's"
                                    + " first FPDU, and every byte behind the Request before the"
                                    + " Reply",
                            "each side waits for the other's frame",
                            "HostileClientTest.holdsItsFirstFrameUntilThePeerHasSentOne"),
                    new Difference(
                            "knfsd refuses a client that offers no RDMA Reads (IRD 0) or speaks MPA"
                                    + " revision 1",
                            "revision 2 with depths that are powers of two",
                            "HostileServerTest.asksForItsDepthsWithoutCrcOrPeerToPeer"),
                    new Difference(
                            "siw lays the first bytes of Terminate out the other way round on"
                                    + " little-endian machines",
                            "both layouts are understood",
                            "TerminateTest.readsTheLayoutOfLinux"),
                    new Difference(
                            "siw does not always pad FPDUs with zeros (RFC 5044, Section 4)",
                            "padding is not looked at",
                            "CapturedFramesTest.decodesAndEncodesEveryFrame"),
                    new Difference(
                            "siw takes a right CRC for a wrong one if TCP cuts the pad and CRC of an"
                                    + " FPDU in two (`siw_get_trailer` copies the second piece over"
                                    + " the first), and ends the connection",
                            "an address that ended a connection for a wrong CRC is not asked for"
                                    + " CRCs again; the client reconnects by itself",
                            "PeersWithWrongCrcTest.asksAServerForCrcsUntilItReportsAWrongOne"),
                    new Difference(
                            "the client adds a segment of 4 bytes for the pad to the Write chunk of"
                                    + " a READ of odd length",
                            "it stays unused, and its handle is not invalidated",
                            "ReplyPlanTest.placesAResultInItsChunkExactly"),
                    new Difference(
                            "the client takes a READ with neither bytes nor the end of the file for"
                                    + " EIO; programs that only write get it too, because the"
                                    + " client reads a page before it changes a part of it",
                            "a READ at the end of a file that grows meanwhile has one of them",
                            "ReadsAtTheEndTest.versionThreeGetsBytesOrTheEnd"),
                    new Difference(
                            "knfsd takes the counts of READDIR and READDIRPLUS as the bound of the"
                                    + " entries alone, RFC 1813 as the bound of the result",
                            "Reply chunks have room for attributes and verifier on top",
                            "BindingsTest.leavesRoomForAServerThatCountsTheEntriesOfAListAlone"),
                    new Difference(
                            "a segment of no bytes in a Read list ends a thread of knfsd",
                            "an empty argument has no entry in the Read list",
                            "CallPlanTest.makesNoEntryForAnEmptyArgument"),
                    new Difference(
                            "knfsd misplaces data chunks beside a Position-Zero Read chunk",
                            "a long call moves whole",
                            "CallPlanTest.offersNoDataChunkBesideAPositionZeroReadChunk"),
                    new Difference(
                            "knfsd fills a Reply chunk that was offered even if the reply is short",
                            "a Reply chunk is offered only if the longest reply needs it",
                            "CallPlanTest"
                                    + ".offersAReplyChunkOnlyWhenTheLargestReplyExceedsTheThreshold"),
                    new Difference(
                            "knfsd states no support for remote invalidation, and invalidates handles"
                                    + " by its replies (RFC 8797, Section 4.1: a responder then sends"
                                    + " without invalidation)",
                            "a requester that states support expects it; `dissect` has one finding for"
                                    + " each such connection",
                            "CapturesTest.findsTheInvalidationsThatLinuxDidNotOffer"),
                    new Difference(
                            "knfsd answers MOUNT over TCP and UDP alone",
                            "`--mount-tcp PORT` of the commands",
                            "CommandsTest.asksForExportsOverTcp"));
}
