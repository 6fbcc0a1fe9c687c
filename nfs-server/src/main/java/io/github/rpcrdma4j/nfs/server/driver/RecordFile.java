package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The contents of a file of {@link StoredRecords}: the number of a start of the server, or the
 * record of a client that this start wrote.
 *
 * <pre>
 *   start:   "R4JE" | version = 1 | epoch(32) | CRC32C of all before(32)
 *   record:  "R4JC" | version = 2 | epoch(32) | length(32) | owner | length(32) | principal
 *            | length(32) | place | verifier(64) | CRC32C
 * </pre>
 *
 * The name of the file says whether the client reclaims nothing.
 *
 * @param client null in the file of the start
 */
record RecordFile(int epoch, ClientRecord client) {
    /** The most bytes of the name of a principal, in UTF-8. */
    static final int PRINCIPAL_MAX = 8192;

    /** The most bytes of the text of an address. */
    private static final int PLACE_MAX = 64;

    /** The most bytes of a file. */
    static final int BYTES_MAX =
            9 * Integer.BYTES + OpaqueName.BYTES_MAX + PRINCIPAL_MAX + PLACE_MAX;

    private static final String KEPT = "client-";
    private static final String REVOKED = "revoked-";
    private static final int START = 0x52344a45;
    private static final int RECORD = 0x52344a43;
    private static final int START_VERSION = 1;
    private static final int RECORD_VERSION = 2;

    /** Returns whether the principal is short enough for a file. */
    boolean isStorable() {
        return client == null || principal().length <= PRINCIPAL_MAX;
    }

    private byte[] principal() {
        return client.principal().name().getBytes(StandardCharsets.UTF_8);
    }

    byte[] encode() {
        var out = ByteBuffer.allocate(BYTES_MAX);
        if (client == null) {
            out.putInt(START).putInt(START_VERSION).putInt(epoch);
        } else {
            out.putInt(RECORD).putInt(RECORD_VERSION).putInt(epoch);
            put(out, client.owner().bytes());
            put(out, principal());
            put(out, client.place().getBytes(StandardCharsets.UTF_8));
            out.putLong(client.verifier());
        }
        out.putInt(checksum(out.array(), out.position()));
        byte[] bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    private static void put(ByteBuffer out, byte[] bytes) {
        out.putInt(bytes.length).put(bytes);
    }

    /** Decodes a file; returns nothing if it is damaged, of another version, or foreign. */
    static Optional<RecordFile> decode(byte[] bytes) {
        int end = bytes.length - Integer.BYTES;
        if (end < 3 * Integer.BYTES || end > BYTES_MAX - Integer.BYTES) {
            return Optional.empty();
        }
        var in = ByteBuffer.wrap(bytes);
        if (in.getInt(end) != checksum(bytes, end)) {
            return Optional.empty();
        }
        in.limit(end);
        int kind = in.getInt();
        int version = in.getInt();
        int epoch = in.getInt();
        if (version != (kind == START ? START_VERSION : RECORD_VERSION) || epoch < 1) {
            return Optional.empty();
        }
        return switch (kind) {
            case START -> whole(in, new RecordFile(epoch, null));
            case RECORD -> {
                byte[] owner = take(in, OpaqueName.BYTES_MAX);
                byte[] principal = owner == null ? null : take(in, PRINCIPAL_MAX);
                byte[] place = principal == null ? null : take(in, PLACE_MAX);
                yield place == null || in.remaining() < Long.BYTES
                        ? Optional.empty()
                        : whole(
                                in,
                                new RecordFile(
                                        epoch, client(owner, principal, place, in.getLong())));
            }
            default -> Optional.empty();
        };
    }

    private static Optional<RecordFile> whole(ByteBuffer in, RecordFile file) {
        return in.hasRemaining() ? Optional.empty() : Optional.of(file);
    }

    private static ClientRecord client(
            byte[] owner, byte[] principal, byte[] place, long verifier) {
        return new ClientRecord(
                OpaqueName.of(owner),
                new Principal(new String(principal, StandardCharsets.UTF_8)),
                new String(place, StandardCharsets.UTF_8),
                verifier,
                false);
    }

    private static byte[] take(ByteBuffer in, int max) {
        int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
        if (length < 0 || length > Math.min(max, in.remaining())) {
            return null;
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static int checksum(byte[] bytes, int length) {
        var crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /**
     * Returns the name of the file with the record of a client: the names that clients give
     * themselves do not fit.
     */
    static String name(ClientName client) {
        return KEPT + hash(client);
    }

    /** Returns the name of that of a client that reclaims nothing. */
    static String revokedName(ClientName client) {
        return REVOKED + hash(client);
    }

    private static String hash(ClientName client) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest(client.owner().bytes());
            if (!client.place().isEmpty()) {
                digest.update(hash);
                hash = digest.digest(client.place().getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }

    /** Returns whether a name is that of a record. */
    static boolean isName(String name) {
        return name.matches("(" + KEPT + "|" + REVOKED + ")[0-9a-f]{64}");
    }

    /** Returns whether a name is that of a record of a client. */
    static boolean isOf(String name, ClientName client) {
        return name.equals(isRevoked(name) ? revokedName(client) : name(client));
    }

    /** Returns whether the client of a record reclaims nothing. */
    static boolean isRevoked(String name) {
        return name.startsWith(REVOKED);
    }

    /** Returns whether the name of a record may begin so. */
    static boolean mayBegin(String name) {
        return name.startsWith(KEPT) || name.startsWith(REVOKED);
    }
}
