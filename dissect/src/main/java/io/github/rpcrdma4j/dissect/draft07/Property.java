package io.github.rpcrdma4j.dissect.draft07;

import java.util.List;

/** A transport property: something that an endpoint tells of itself, once (Section 5.2). */
public sealed interface Property {
    /** RDMA2_PROPID_SBSIZ: bytes of its longest Send. */
    record SendSize(long bytes) implements Property {}

    /** RDMA2_PROPID_RBSIZ: bytes that each posted receive takes at least. */
    record ReceiveSize(long bytes) implements Property {}

    /** RDMA2_PROPID_RSSIZ: bytes of the longest segment that it sends or takes. */
    record SegmentSize(long bytes) implements Property {}

    /** RDMA2_PROPID_RCSIZ: segments of one header. */
    record SegmentCount(long max) implements Property {}

    /** RDMA2_PROPID_BRS: which calls against the usual direction it serves. */
    record ReverseSupport(Reverse support) implements Property {}

    /** How far calls against the usual direction go; the ordinals are those of the wire. */
    enum Reverse {
        NONE,
        /** In one Send, without chunks. */
        SIMPLE,
        /** In several Sends too. */
        CONTINUED,
        /** As calls in the usual direction. */
        GENERAL
    }

    /** RDMA2_PROPID_HOSTAUTH: a message by which hosts authenticate each other, not looked into. */
    record HostAuthentication(List<Byte> message) implements Property {
        public HostAuthentication {
            message = List.copyOf(message);
        }
    }

    /** One of these without a value: it stays what it is until a peer says something. */
    record Default(int id) implements Property {}

    /** One that is not known: it keeps its place in the list, and no more. */
    record Unknown(int id) implements Property {}
}
