package io.github.rpcrdma4j.iwarp.rdmap;

/**
 * A protocol error of a peer, with its codes in a Terminate message (RFC 5040, Section 4.8; RFC
 * 5041-7.2-1; RFC 5044, Section 8).
 */
public enum Fault {
    READ_INVALID_STAG(0, 1, 0x00, "it read with an invalid handle"),
    READ_OUT_OF_BOUNDS(0, 1, 0x01, "it read outside of a region"),
    ACCESS_VIOLATION(0, 1, 0x02, "it used a region without the required access"),
    CANNOT_INVALIDATE(0, 1, 0x09, "it invalidated an invalid handle"),
    RDMAP_VERSION(0, 2, 0x05, "it sent another version of RDMAP"),
    UNEXPECTED_OPCODE(0, 2, 0x06, "it sent an unexpected operation"),
    TOO_MANY_READS(0, 2, 0x07, "it made more RDMA Reads than were agreed on"),
    WRITE_INVALID_STAG(1, 1, 0x00, "it wrote with an invalid handle"),
    WRITE_OUT_OF_BOUNDS(1, 1, 0x01, "it wrote outside of a region"),
    TAGGED_VERSION(1, 1, 0x04, "it sent another version of DDP"),
    INVALID_QUEUE(1, 2, 0x01, "it sent to a queue that does not exist"),
    NO_BUFFER(1, 2, 0x02, "it sent a message for which no receive was posted"),
    INVALID_SEQUENCE(1, 2, 0x03, "it sent a message out of sequence"),
    INVALID_OFFSET(1, 2, 0x04, "it sent a segment of a message at a wrong offset"),
    MESSAGE_TOO_LONG(1, 2, 0x05, "it sent a message longer than the receive posted for it"),
    UNTAGGED_VERSION(1, 2, 0x06, "it sent another version of DDP"),
    CRC(2, 0, 0x02, "a CRC did not match"),
    FRAMING(2, 0, 0x03, "it sent a frame too short for its header");

    private final int layer;
    private final int type;
    private final int code;
    private final String description;

    Fault(int layer, int type, int code, String description) {
        this.layer = layer;
        this.type = type;
        this.code = code;
        this.description = description;
    }

    /** Returns the layer: 0 is RDMAP, 1 is DDP, 2 is MPA. */
    public int layer() {
        return layer;
    }

    /** Returns the error type within the layer. */
    public int type() {
        return type;
    }

    public int code() {
        return code;
    }

    /** Returns a description of what the peer did, for a user. */
    public String description() {
        return description;
    }
}
