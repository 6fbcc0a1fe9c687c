package io.github.rpcrdma4j.interop.matrix;

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
public record Cell(Direction direction, Variant variant, boolean crc) {
    public enum Direction {
        LINUX_CLIENT("Linux mounts our server"),
        LINUX_CLIENT_4_1("Linux mounts our server with version 4.1"),
        LINUX_CLIENT_4_2("Linux mounts our server with version 4.2"),
        LINUX_KERBEROS("Linux mounts our server with Kerberos"),
        OUR_CLIENT("our client uses knfsd"),
        OUR_CLIENT_4("our client uses knfsd with versions 4.1 and 4.2"),
        OUR_KERBEROS("our client uses knfsd with Kerberos"),
        CHUNK_SHAPES("every shape of chunks sent to knfsd"),
        GATEWAY_GANESHA("Linux mounts NFS-Ganesha through our gateway"),
        GATEWAY_KNFSD("Linux mounts knfsd through our gateways"),
        ADAPTER_SIW("our server and client on siw, by libibverbs"),
        ADAPTER_RXE("our server and client on rxe, by libibverbs");

        private final String words;

        Direction(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        /**
         * Returns whether these settings of RDMA make a difference. Kerberos lies above RDMA. Our
         * gateway has the RDMA of our server, which the cells of the latter try. Version 4.1 has
         * that of version 4.2. With an adapter, both sides are in the guest.
         */
        boolean isTriedWith(Variant variant, boolean crc) {
            boolean isAsShipped = variant == Variant.AS_SHIPPED;
            return switch (this) {
                case LINUX_CLIENT, LINUX_CLIENT_4_2, OUR_CLIENT, OUR_CLIENT_4, CHUNK_SHAPES -> true;
                case LINUX_CLIENT_4_1 -> isAsShipped;
                case LINUX_KERBEROS,
                        OUR_KERBEROS,
                        GATEWAY_GANESHA,
                        GATEWAY_KNFSD,
                        ADAPTER_SIW,
                        ADAPTER_RXE ->
                        isAsShipped && crc;
            };
        }

        /** Returns whether our side is in the guest, so that no packet of it leaves the guest. */
        public boolean isInGuest() {
            return this == ADAPTER_SIW || this == ADAPTER_RXE;
        }

        /** Returns whether only root can run these cells. */
        public boolean needsRoot() {
            return this == GATEWAY_GANESHA;
        }

        /** Returns whether these cells use the standard ports of NFS, also as ordinary user. */
        public boolean needsNetwork() {
            return switch (this) {
                case LINUX_CLIENT_4_1,
                        LINUX_CLIENT_4_2,
                        OUR_CLIENT_4,
                        GATEWAY_GANESHA,
                        GATEWAY_KNFSD ->
                        true;
                case LINUX_CLIENT,
                        LINUX_KERBEROS,
                        OUR_CLIENT,
                        OUR_KERBEROS,
                        CHUNK_SHAPES,
                        ADAPTER_SIW,
                        ADAPTER_RXE ->
                        false;
            };
        }
    }

    public static List<Cell> all() {
        var cells = new ArrayList<Cell>();
        for (var variant : Variant.values()) {
            for (boolean crc : new boolean[] {true, false}) {
                for (var direction : Direction.values()) {
                    if (direction.isTriedWith(variant, crc)) {
                        cells.add(new Cell(direction, variant, crc));
                    }
                }
            }
        }
        return List.copyOf(cells);
    }

    /** Returns whether both sides are set as most users have them. */
    public boolean isAsShipped() {
        return variant == Variant.AS_SHIPPED && crc;
    }

    /** Returns whether the quick run includes this cell. */
    public boolean isQuick() {
        return isAsShipped()
                && direction != Direction.ADAPTER_RXE
                && direction != Direction.GATEWAY_KNFSD
                && direction != Direction.LINUX_CLIENT_4_1;
    }

    /**
     * Returns whether our side gets no sign that the guest lost its power. There is no user
     * networking between them that would close their connections.
     */
    public boolean isSilentWhenGone() {
        return variant.needsLink() && crc;
    }

    /** Returns a name without blanks, for the command line and for directories. */
    public String name() {
        return (direction.name() + "-" + variant.name() + (crc ? "-crc" : "-no-crc"))
                .toLowerCase(Locale.ROOT)
                .replace('_', '-');
    }
}
