package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.acl.Acl2Call;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.AclXattr;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The messages of NFSACL, and the lists in extended attributes, for {@link Decoder}. */
final class AclMessages {
    private static final int OF_VERSION_3 = 0x40;
    private static final int IN_ATTRIBUTE = 0x20;
    private static final FileHandle FILE_3 = new FileHandle(new byte[4]);
    private static final io.github.rpcrdma4j.nfs.v2.FileHandle FILE_2 =
            io.github.rpcrdma4j.nfs.v2.FileHandle.of(new byte[32]);
    private static final SegmentPool POOL = new SegmentPool(1 << 16);

    private AclMessages() {}

    /** Decodes arguments, or results if the first byte is negative. Its other bits say which. */
    static void take(byte[] bytes) throws XdrException {
        if (bytes.length == 0) {
            return;
        }
        byte selector = bytes[0];
        int procedure = selector & 7;
        var message = MemorySegment.ofArray(bytes).asSlice(1);
        if ((selector & IN_ATTRIBUTE) != 0) {
            attribute(message);
        } else if ((selector & OF_VERSION_3) != 0) {
            version3(procedure, selector < 0, new XdrReader(message));
        } else {
            version2(procedure, selector < 0, new XdrReader(message));
        }
    }

    private static void attribute(MemorySegment bytes) {
        var list = AclXattr.decode(bytes);
        if (list.isPresent()) {
            try (var arena = Arena.ofConfined()) {
                if (!AclXattr.decode(AclXattr.encode(list.get(), arena)).equals(list)) {
                    throw new AssertionError("it does not come back: " + list);
                }
            }
        }
    }

    private static void version3(int number, boolean isReply, XdrReader in) throws XdrException {
        if (isReply) {
            var call =
                    number == 0
                            ? new Acl3Call.GetAcl(FILE_3, 0)
                            : new Acl3Call.SetAcl(FILE_3, null);
            call.decodeReply(in);
            return;
        }
        var procedure = number == 0 ? Acl3Call.Procedure.GETACL : Acl3Call.Procedure.SETACL;
        var call = Acl3Call.decode(procedure, in);
        if (call instanceof Acl3Call.SetAcl(_, var lists)) {
            lists.access().acl();
            lists.defaults().acl();
        }
        try (var out = new XdrWriter(POOL)) {
            call.encode(out);
            requireComesBack(call, Acl3Call.decode(procedure, again(out)));
        }
    }

    private static void version2(int number, boolean isReply, XdrReader in) throws XdrException {
        var all = Acl2Call.Procedure.values();
        // The first is NULL.
        var procedure = all[1 + number % (all.length - 1)];
        if (isReply) {
            var call =
                    switch (procedure) {
                        case NULL, GETACL -> new Acl2Call.GetAcl(FILE_2, 0);
                        case SETACL -> new Acl2Call.SetAcl(FILE_2, null);
                        case GETATTR -> new Acl2Call.GetAttributes(FILE_2);
                        case ACCESS -> new Acl2Call.Access(FILE_2, 0);
                    };
            call.decodeReply(in);
            return;
        }
        var call = Acl2Call.decode(procedure, in);
        try (var out = new XdrWriter(POOL)) {
            call.encode(out);
            requireComesBack(call, Acl2Call.decode(procedure, again(out)));
        }
    }

    private static XdrReader again(XdrWriter out) {
        byte[] bytes = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        return new XdrReader(MemorySegment.ofArray(bytes));
    }

    private static void requireComesBack(Object message, Object again) {
        if (!again.equals(message)) {
            throw new AssertionError(message + " comes back as " + again);
        }
    }
}
