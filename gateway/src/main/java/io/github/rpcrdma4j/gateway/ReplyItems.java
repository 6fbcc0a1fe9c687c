package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.CompoundReply;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Finds the bulk items of replies, by the bindings of NFS (RFC 8267). Pure. */
final class ReplyItems {
    static final List<UpperLayerBinding> BINDINGS =
            List.of(Nfs3Binding.BINDING, Nfs4Binding.BINDING);

    /** {@code reply_stat}: the call was accepted (RFC 5531, Section 9). */
    private static final int MSG_ACCEPTED = 0;

    private static final int SUCCESS = 0;

    /** The count and the end of file. */
    private static final int READ_WORDS = 2;

    /**
     * A bulk item.
     *
     * @param position where its data starts, in bytes
     * @param ordinal the index of its Write chunk
     */
    private record Item(long position, MemorySegment data, int ordinal) {}

    private ReplyItems() {}

    /** Returns whether replies to a call may have bulk items. */
    static boolean mayBeIn(CallHeader call) {
        return BINDINGS.stream()
                .anyMatch(
                        binding ->
                                binding.program() == call.program()
                                        && binding.version() == call.version()
                                        && binding.eligibility(call.procedure()).results() > 0);
    }

    /**
     * Writes a reply whose bulk items are not copied.
     *
     * @param body the reply from {@code reply_stat} on
     */
    static void write(CallHeader call, MemorySegment body, XdrWriter reply) {
        long from = 0;
        int ordinal = 0;
        for (var item : find(call, body)) {
            for (; ordinal < item.ordinal(); ordinal++) {
                reply.absentBulk();
            }
            reply.fixedOpaque(body.asSlice(from, item.position() - Integer.BYTES - from));
            reply.bulk(item.data());
            ordinal++;
            from = item.position() + XdrWriter.roundUp(item.data().byteSize());
        }
        reply.fixedOpaque(body.asSlice(from));
    }

    /** Returns the items up to the first that cannot be found. */
    private static List<Item> find(CallHeader call, MemorySegment body) {
        var in = new XdrReader(body);
        try {
            if (in.uint32() != MSG_ACCEPTED) {
                return List.of();
            }
            in.uint32();
            in.opaque(RawAuth.BODY_MAX);
            if (in.uint32() != SUCCESS) {
                return List.of();
            }
            return call.version() == Nfs3.VERSION ? ofVersion3(call, in) : ofVersion4(in);
        } catch (XdrException _) {
            return List.of();
        }
    }

    /** Reads the results of READ or READLINK (RFC 1813, Sections 3.3.5 and 3.3.6). */
    private static List<Item> ofVersion3(CallHeader call, XdrReader in) throws XdrException {
        if (in.uint32() != SUCCESS) {
            return List.of();
        }
        if (in.bool()) {
            in.fixedOpaque(FileAttributes.BYTES);
        }
        if (call.procedure() == Procedure.READ.number()) {
            in.fixedOpaque(READ_WORDS * Integer.BYTES);
        }
        long position = in.position() + Integer.BYTES;
        return List.of(new Item(position, in.bulk(Integer.MAX_VALUE), 0));
    }

    private static List<Item> ofVersion4(XdrReader in) {
        return CompoundReply.walk(CompoundKind.COMPOUND, in).items().stream()
                .map(item -> new Item(item.position(), item.data(), item.ordinal()))
                .toList();
    }
}
