package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A program of a server on which something else happens after each call is carried out and before
 * its reply is sent.
 *
 * @param withheld procedures of version 3 whose replies name no new file; RFC 1813 allows that
 * @param told the file that the replies to a procedure of version 3 name, in place of the new one
 * @param after receives the version and the procedure of a call
 */
public record CallsWithChanges(
        RpcProgram program,
        Set<Integer> withheld,
        Map<Integer, FileHandle> told,
        BiConsumer<Integer, Integer> after)
        implements ForwardingProgram {
    public static final int READ = 6;
    public static final int WRITE = 7;
    public static final int CREATE = 8;
    public static final int MKDIR = 9;
    public static final int SYMLINK = 10;
    public static final int MKNOD = 11;
    public static final int RENAME = 14;
    public static final int READDIRPLUS = 17;

    @Override
    public ProcedureDescriptor.Cost cost(int version, int procedure, XdrReader arguments) {
        return program.cost(version, procedure, arguments);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        var other = Optional.ofNullable(told.get(request.procedure()));
        boolean isChanged = other.isPresent() || withheld.contains(request.procedure());
        if (request.version() != 3 || !isChanged) {
            var status = program.call(request, results);
            after.accept(request.version(), request.procedure());
            return status;
        }
        try (var whole = new XdrWriter(request.pool())) {
            var accepted = program.call(request, whole);
            after.accept(request.version(), request.procedure());
            int status = new XdrReader(whole.memory()).uint32();
            results.uint32(status);
            if (status == 0) {
                results.bool(other.isPresent());
                other.ifPresent(file -> file.encode(results));
                // No attributes of the file.
                results.bool(false);
            }
            // Nothing about the directory.
            results.bool(false).bool(false);
            return accepted;
        }
    }
}
