package io.github.rpcrdma4j.dissect.draft07;

import java.util.List;

/** A transport property that an endpoint reports about itself, once (Section 5.2). */
public sealed interface Property {
    /** RDMA2_PROPID_SBSIZ: the length of its longest Send. */
    record SendSize(long bytes) implements Property {}

    /** RDMA2_PROPID_RBSIZ: the least length of its posted receives. */
    record ReceiveSize(long bytes) implements Property {}

    /** RDMA2_PROPID_RSSIZ: the length of the longest segment that it sends or accepts. */
    record SegmentSize(long bytes) implements Property {}

    /** RDMA2_PROPID_RCSIZ: the most segments of one header. */
    record SegmentCount(long max) implements Property {}

    /** RDMA2_PROPID_BRS: its support of calls in the reverse direction. */
    record ReverseSupport(Reverse support) implements Property {}

    /**
     * A degree of support for calls in the reverse direction; the ordinals are the values on the
     * wire.
     */
    enum Reverse {
        NONE,
        /** Calls in one Send, without chunks. */
        SIMPLE,
        /** Calls in several Sends too, without chunks. */
        CONTINUED,
        /** All calls that the forward direction allows. */
        GENERAL
    }

    /** RDMA2_PROPID_HOSTAUTH: a message for host authentication; its contents are not decoded. */
    record HostAuthentication(List<Byte> message) implements Property {
        public HostAuthentication {
            message = List.copyOf(message);
        }
    }

    /** A known property without a value: its default stays in force. */
    record Default(int id) implements Property {}

    /** A property with an unknown identifier; its value is dropped. */
    record Unknown(int id) implements Property {}
}
