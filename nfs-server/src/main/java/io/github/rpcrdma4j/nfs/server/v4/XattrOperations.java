package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.OptionalOperations.XattrRule;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;

/** Carries out GETXATTR, SETXATTR, LISTXATTRS and REMOVEXATTR (RFC 8276, Section 8.4). */
final class XattrOperations {
    /** The longest value, in bytes: that of Linux. */
    private static final int VALUE_MAX = 64 << 10;

    /** The cookie, the length of the list and the end of it. */
    private static final int LIST_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private final NameOperations names;

    XattrOperations(NameOperations names) {
        this.names = names;
    }

    Result carryOut(Compound compound, XattrArguments arguments)
            throws OperationFailure, Refusal, StoreException {
        if (!(compound.current() instanceof CurrentFile.Exported current)) {
            throw new OperationFailure(Nfs4Status.NOTSUPP);
        }
        var file = compound.open(current);
        return switch (arguments) {
            case XattrArguments.GetXattr(var name) ->
                    new XattrResult.GetXattr(
                            MemorySegment.ofArray(file.node().xattr(file.caller(), name)));
            case XattrArguments.SetXattr call -> set(file, call);
            case XattrArguments.ListXattrs call -> list(file, call);
            case XattrArguments.RemoveXattr(var name) -> {
                file.requireWritable();
                yield new XattrResult.RemoveXattr(
                        names.info(
                                file,
                                file.node().removeXattr(file.caller(), name, file.storage())));
            }
        };
    }

    private Result set(CallTarget file, XattrArguments.SetXattr call)
            throws OperationFailure, Refusal, StoreException {
        file.requireWritable();
        if (call.value().byteSize() > VALUE_MAX) {
            throw new OperationFailure(Nfs4Status.XATTR2BIG);
        }
        var rule =
                switch (call.option()) {
                    case EITHER -> XattrRule.EITHER;
                    case CREATE -> XattrRule.CREATE;
                    case REPLACE -> XattrRule.REPLACE;
                };
        byte[] value = call.value().toArray(ValueLayout.JAVA_BYTE);
        var changed = file.node().setXattr(file.caller(), call.name(), value, rule, file.storage());
        return new XattrResult.SetXattr(names.info(file, changed));
    }

    /** Lists names from the cookie on: the index of the first one. */
    private static Result list(CallTarget file, XattrArguments.ListXattrs call)
            throws OperationFailure, StoreException {
        var all = file.node().xattrs(file.caller());
        if (call.cookie() < 0 || call.cookie() > all.size()) {
            throw new OperationFailure(Nfs4Status.BAD_COOKIE);
        }
        long left = Integer.toUnsignedLong(call.countMax()) - LIST_BYTES;
        if (left < 0) {
            throw new OperationFailure(Nfs4Status.TOOSMALL);
        }
        var listed = new ArrayList<FileName>();
        int next = (int) call.cookie();
        for (; next < all.size(); next++) {
            left -= Integer.BYTES + XdrWriter.roundUp(all.get(next).length());
            if (left < 0) {
                break;
            }
            listed.add(all.get(next));
        }
        if (listed.isEmpty() && next < all.size()) {
            throw new OperationFailure(Nfs4Status.TOOSMALL);
        }
        return new XattrResult.ListXattrs(next, listed, next == all.size());
    }
}
