package io.github.rpcrdma4j.interop.matrix;

import java.util.List;

/** The settings of the guest's siw, and the length of its packets. */
public enum Variant {
    AS_SHIPPED("as shipped", List.of(), 1500, false),
    CRC_REQUIRED("CRC required", List.of("mpa_crc_required=Y", "mpa_crc_strict=Y"), 1500, false),
    PEER_TO_PEER("peer to peer", List.of("peer_to_peer=Y"), 1500, false),
    GSO("GSO", List.of("try_gso=Y"), 1500, false),
    SMALL_SEGMENTS("small MSS", List.of(), 576, false),
    LARGE_SEGMENTS("large MSS", List.of(), 65000, true);

    private final String words;
    private final List<String> switches;
    private final int mtu;
    private final boolean needsLink;

    Variant(String words, List<String> switches, int mtu, boolean needsLink) {
        this.words = words;
        this.switches = switches;
        this.mtu = mtu;
        this.needsLink = needsLink;
    }

    /** Returns the name in the report. */
    String words() {
        return words;
    }

    /** Returns the parameters of the siw module, as NAME=VALUE. */
    public List<String> switches() {
        return switches;
    }

    /** Returns the length of the guest's longest packet, in bytes. */
    public int mtu() {
        return mtu;
    }

    /**
     * Returns whether the packets are too long for the emulator's user networking, which takes 1500
     * bytes.
     */
    public boolean needsLink() {
        return needsLink;
    }
}
