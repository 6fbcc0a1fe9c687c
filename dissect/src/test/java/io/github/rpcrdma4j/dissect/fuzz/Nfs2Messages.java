package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.nfs.mount.Mount1;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.ReplyFormat;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;

/** The messages of NFS version 2 and of MOUNT version 1, for {@link Decoder}. */
final class Nfs2Messages {
    private static final int WORDS_MAX = 60;
    private static final Map<Procedure, ReplyFormat<?>> FORMATS = formats();

    private Nfs2Messages() {}

    /** Decodes arguments, or results if the selector is negative. */
    static void take(byte selector, XdrReader in) throws XdrException {
        var procedures = Procedure.values();
        var procedure = procedures[(selector & 0x7f) % procedures.length];
        switch (procedure) {
            case NULL -> Mount1.MountResult.decode(in);
            case ROOT, WRITECACHE -> in.finish();
            default -> {
                if (selector >= 0) {
                    Nfs2Call.decode(procedure, in);
                } else {
                    FORMATS.get(procedure).decode(in);
                }
            }
        }
    }

    /** Returns the formats of all replies, from calls that some number of zeros encodes. */
    private static Map<Procedure, ReplyFormat<?>> formats() {
        var formats = new EnumMap<Procedure, ReplyFormat<?>>(Procedure.class);
        for (var procedure : Procedure.values()) {
            switch (procedure) {
                case NULL, ROOT, WRITECACHE -> {}
                default -> formats.put(procedure, format(procedure));
            }
        }
        return formats;
    }

    private static ReplyFormat<?> format(Procedure procedure) {
        for (int words = 0; words < WORDS_MAX; words++) {
            var zeros = MemorySegment.ofArray(new byte[words * Integer.BYTES]);
            try {
                return Nfs2Call.decode(procedure, new XdrReader(zeros)).replyFormat();
            } catch (XdrException _) {
                continue;
            }
        }
        throw new AssertionError(procedure);
    }
}
