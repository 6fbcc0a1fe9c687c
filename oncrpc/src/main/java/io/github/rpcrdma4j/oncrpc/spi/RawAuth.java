package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A credential or verifier as it is on the wire (RFC 5531, Section 8.2).
 *
 * <pre>
 *   flavor | length | body, at most 400 bytes
 *
 *   AUTH_SYS body (Appendix A):
 *   stamp | machine name, at most 255 | uid | gid | count, at most 16 | gids
 * </pre>
 *
 * @param flavor 0 is AUTH_NONE, 1 is AUTH_SYS; any other value is kept as received
 * @param body a view or a copy; opaque to the message layer
 */
public record RawAuth(int flavor, MemorySegment body) {
    /** The longest body, in bytes. */
    public static final int BODY_MAX = 400;

    /** AUTH_NONE: flavor 0, no body. */
    public static final RawAuth NONE = new RawAuth(0, MemorySegment.ofArray(new byte[0]));

    /** The substitute for a field that is longer than allowed, or longer than its message. */
    static final RawAuth MALFORMED = new RawAuth(0, MemorySegment.NULL);

    private static final Optional<Credential> NOBODY = Optional.of(new Credential.None());
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;
    private static final int MACHINE_MAX = 255;
    private static final int GIDS_MAX = 16;

    /**
     * Decodes a field. If the result is {@link #MALFORMED}, the rest of the message cannot be read.
     */
    static RawAuth decode(XdrReader in) {
        try {
            int flavor = in.uint32();
            var body = in.opaque(BODY_MAX);
            return flavor == AUTH_NONE && body.byteSize() == 0 ? NONE : new RawAuth(flavor, body);
        } catch (XdrException _) {
            return MALFORMED;
        }
    }

    /** Returns whether the field was longer than allowed, or longer than its message. */
    public boolean isMalformed() {
        return this == MALFORMED;
    }

    void encode(XdrWriter out) {
        out.uint32(flavor).opaque(body);
    }

    /** Returns the length of the field, in bytes. */
    int length() {
        return 2 * Integer.BYTES + (int) XdrWriter.roundUp(body.byteSize());
    }

    /** Writes the field to a buffer in the heap that has only zeros from its position on. */
    void encode(ByteBuffer out) {
        opaque(out.putInt(flavor), body);
    }

    private static void opaque(ByteBuffer out, MemorySegment data) {
        int end = out.position() + Integer.BYTES + (int) XdrWriter.roundUp(data.byteSize());
        out.putInt((int) data.byteSize()).put(data.asByteBuffer()).position(end);
    }

    /**
     * Returns the wire form of a credential.
     *
     * @throws IllegalArgumentException if the credential exceeds the limits of its flavor, or is a
     *     principal, which needs a security context
     */
    public static RawAuth of(Credential credential) {
        return switch (credential) {
            case Credential.None() -> NONE;
            case Credential.Sys sys -> {
                var machine = MemorySegment.ofArray(sys.machine().getBytes(StandardCharsets.UTF_8));
                if (sys.gids().size() > GIDS_MAX || machine.byteSize() > MACHINE_MAX) {
                    throw new IllegalArgumentException(
                            "AUTH_SYS carries at most 16 groups and 255 bytes of machine name");
                }
                int words = 5 + sys.gids().size();
                var out =
                        ByteBuffer.allocate(
                                words * Integer.BYTES
                                        + (int) XdrWriter.roundUp(machine.byteSize()));
                opaque(out.putInt(sys.stamp()), machine);
                out.putInt(sys.uid()).putInt(sys.gid()).putInt(sys.gids().size());
                sys.gids().forEach(out::putInt);
                yield new RawAuth(AUTH_SYS, MemorySegment.ofArray(out.array()));
            }
            case Credential.Principal(var name, _) ->
                    throw new IllegalArgumentException(name + " needs a security context");
        };
    }

    /**
     * Decodes the credential.
     *
     * @return empty if the flavor is neither AUTH_NONE nor AUTH_SYS
     * @throws XdrException if the body does not have the form that its flavor requires
     */
    public Optional<Credential> credential() throws XdrException {
        if (this == MALFORMED) {
            throw new XdrException("the credential is longer than it may be");
        }
        return switch (flavor) {
            case AUTH_NONE -> NOBODY;
            case AUTH_SYS -> Optional.of(sys(new XdrReader(body)));
            default -> Optional.empty();
        };
    }

    private static Credential.Sys sys(XdrReader in) throws XdrException {
        int stamp = in.uint32();
        // Nothing depends on the name, so a name that is not UTF-8 does not reject the caller.
        var machine = new String(in.bytes(MACHINE_MAX), StandardCharsets.UTF_8);
        int uid = in.uint32();
        int gid = in.uint32();
        int count = in.count(Integer.BYTES, GIDS_MAX);
        List<Integer> gids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            gids.add(in.uint32());
        }
        in.finish();
        return new Credential.Sys(stamp, machine, uid, gid, gids);
    }
}
