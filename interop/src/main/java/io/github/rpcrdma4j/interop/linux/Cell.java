package io.github.rpcrdma4j.interop.linux;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One cell of the test matrix, tested by one boot of a guest.
 *
 * @param direction which side is the client, and the kind of its calls
 * @param variant the settings of Linux's soft-iWARP
 * @param crc whether our side asks for CRCs
 */
record Cell(Direction direction, Variant variant, boolean crc) {
    enum Direction {
        LINUX_CLIENT("Linux mounts our server"),
        LINUX_KERBEROS("Linux mounts our server with Kerberos"),
        OUR_CLIENT("our client uses knfsd"),
        OUR_KERBEROS("our client uses knfsd with Kerberos"),
        CHUNK_SHAPES("every shape of chunks sent to knfsd");

        private final String words;

        Direction(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        boolean isKerberos() {
            return this == LINUX_KERBEROS || this == OUR_KERBEROS;
        }
    }

    static List<Cell> all() {
        var cells = new ArrayList<Cell>();
        for (var variant : Variant.values()) {
            for (boolean crc : new boolean[] {true, false}) {
                for (var direction : Direction.values()) {
                    var cell = new Cell(direction, variant, crc);
                    // Kerberos lies above RDMA, so one variant is enough.
                    if (!direction.isKerberos() || cell.isQuick()) {
                        cells.add(cell);
                    }
                }
            }
        }
        return List.copyOf(cells);
    }

    /** Returns whether the quick run includes this cell. */
    boolean isQuick() {
        return variant == Variant.AS_SHIPPED && crc;
    }

    /**
     * Returns whether our side gets no sign that the guest lost its power. There is no user
     * networking between them that would close their connections.
     */
    boolean isSilentWhenGone() {
        return variant.needsLink() && crc;
    }

    /** Returns a name without blanks, for the command line and for directories. */
    String name() {
        return (direction.name() + "-" + variant.name() + (crc ? "-crc" : "-no-crc"))
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
    }
}
